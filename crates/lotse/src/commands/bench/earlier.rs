//! `--append`: reads the results that new runs are added to.

use std::path::Path;

use lotse_bench::import;
use lotse_bench::options::{Earlier, Options};
use lotse_formats::bench::lotse_log;
use lotse_formats::bench::temci_result;
use lotse_host::FileSource;
use lotse_model::ResultSet;

use crate::args::RunArgs;
use crate::exit::{Exit, Failure};
use crate::screen;

/// The result of `--out` that runs are added to; `None` if the file does not exist yet.
pub(crate) fn read(args: &RunArgs, options: &Options) -> Result<Option<Earlier>, Failure> {
    let results = &args.results;
    if results.append && results.out.is_none() && results.export_temci.is_none() {
        return Err(Failure::usage("--append adds to a file: name it with --out or --export-temci"));
    }
    let Some(path) = results.out.as_deref().filter(|path| results.append && path.exists()) else {
        return Ok(None);
    };
    let source = FileSource::open(path).map_err(|error| Failure::new(Exit::Unreadable, &error))?;
    let reading = lotse_log::read(&source).map_err(|error| Failure::new(Exit::Unreadable, &error))?;
    for diagnostic in &reading.diagnostics {
        screen::remark(&format!("{}: {diagnostic}", path.display()));
    }
    let log = reading.value;
    let check_same = |what: &str, earlier: Option<&str>, now: &str| match earlier {
        Some(earlier) if earlier != now => Err(Failure::usage(format!(
            "{}: its {what} is {earlier}, not {now}: runs can only be added for the same question",
            path.display()
        ))),
        _ => Ok(()),
    };
    check_same("metric", log.primary.as_deref(), &options.primary)?;
    let reference = &options.programs[options.reference].program.name;
    check_same("reference", log.reference.as_deref(), reference)?;
    Ok(Some(Earlier { set: log.results, parts: log.parts }))
}

/// Checks, before anything is measured, that the temci file that runs are added to can be read.
pub(crate) fn check_temci(args: &RunArgs) -> Result<(), Failure> {
    old_temci(args).map(|_| ())
}

/// The runs of the temci file, followed by the new ones.
pub(crate) fn with_old_temci(args: &RunArgs, set: &ResultSet) -> Result<ResultSet, Failure> {
    Ok(old_temci(args)?.map_or_else(|| set.clone(), |old| import::appended(old, set)))
}

fn old_temci(args: &RunArgs) -> Result<Option<ResultSet>, Failure> {
    let is_file = |path: &&Path| args.results.append && path.exists();
    let Some(path) = args.results.export_temci.as_deref().filter(is_file) else { return Ok(None) };
    let source = FileSource::open(path).map_err(|error| Failure::new(Exit::Unreadable, &error))?;
    let reading = lotse_formats::read_results(&source, Some(temci_result::FORMAT.id))
        .map_err(|error| Failure::new(Exit::Unreadable, &error))?;
    if !reading.complete() {
        let message = format!("{}: damaged, so that adding runs would lose some of it", path.display());
        return Err(Failure { exit: Exit::Unreadable, message });
    }
    Ok(Some(reading.value))
}
