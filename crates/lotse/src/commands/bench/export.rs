//! Exports of a measurement: hyperfine's and temci's formats, tables, the full report, SARIF.

use std::path::{Path, PathBuf};

use lotse_bench::Finished;
use lotse_bench::options::Options;
use lotse_bench::{report, suite};
use lotse_formats::bench::{hyperfine, hyperfine_csv, temci_result, temci_suite};
use lotse_host::FileSink;
use lotse_model::results::Status;
use lotse_model::{Metric, ResultSet, metric};

use super::earlier;
use super::run::view;
use crate::args::RunArgs;
use crate::exit::{Exit, Failure};
use crate::export::{bytes, rendered, sarif, save};
use crate::screen;

/// Writes every export asked for, even if one of them fails; returns the first failure.
pub(crate) fn run(args: &RunArgs, options: &Options, finished: &Finished) -> Result<(), Failure> {
    remark_failed_runs_of_exports(args, &finished.set);
    let failures: Vec<Failure> = exports(args, options, finished)
        .into_iter()
        .filter_map(|(path, content)| content.and_then(|content| save(path, &content)).err())
        .collect();
    failures.into_iter().next().map_or(Ok(()), Err)
}

/// Refuses, before anything is measured, files that cannot be written or that are named twice.
pub(crate) fn check(args: &RunArgs) -> Result<(), Failure> {
    earlier::check_temci(args)?;
    let wanted = &args.results;
    let exports = [
        &wanted.export_markdown,
        &wanted.export_asciidoc,
        &wanted.export_orgmode,
        &wanted.export_json,
        &wanted.export_json1,
        &wanted.export_csv,
        &wanted.export_temci,
        &wanted.export_suite,
        &wanted.export_html,
        &wanted.export_sarif,
        &args.gate.exports.export_junit,
        &args.gate.exports.export_summary,
    ];
    let mut seen: Vec<&Path> = wanted.out.as_deref().into_iter().collect();
    for path in exports.into_iter().flatten().filter(|path| *path != Path::new("-")) {
        if seen.contains(&path.as_path()) {
            return Err(Failure::usage(format!("`{}` is named for two results", path.display())));
        }
        FileSink::new(path).check().map_err(|error| Failure::new(Exit::Missing, &error))?;
        seen.push(path);
    }
    Ok(())
}

/// A file and its content, or why there is no content.
type Export<'a> = (&'a Path, Result<Vec<u8>, Failure>);

/// The exports asked for, with their contents.
fn exports<'a>(args: &'a RunArgs, options: &Options, finished: &Finished) -> Vec<Export<'a>> {
    let wanted = &args.results;
    let Finished { answer, set, .. } = finished;
    let view = view(&args.show);
    let table = |format: &'static str| rendered(&report::statistics_table(answer, view), format);
    let mut exports: Vec<Export<'a>> = Vec::new();
    let mut add = |path: &'a Option<PathBuf>, content: &dyn Fn() -> Result<Vec<u8>, Failure>| {
        exports.extend(path.as_deref().map(|path| (path, content())));
    };
    add(&wanted.export_markdown, &|| table("markdown"));
    add(&wanted.export_asciidoc, &|| table("asciidoc"));
    add(&wanted.export_orgmode, &|| table("orgmode"));
    let primary = report::primary_metric(answer);
    add(&wanted.export_json, &|| hyperfine_json(set, hyperfine::Version::Both, &primary));
    add(&wanted.export_json1, &|| hyperfine_json(set, hyperfine::Version::V1, &primary));
    add(&wanted.export_csv, &|| {
        bytes(|out| hyperfine_csv::write(set, hyperfine::Version::V1, &primary, out))
    });
    add(&wanted.export_temci, &|| {
        let all_runs = earlier::with_old_temci(args, set)?;
        bytes(|out| temci_result::write(&all_runs, out))
    });
    add(&wanted.export_suite, &|| bytes(|out| temci_suite::write(&suite::from_options(options), out)));
    add(&wanted.export_html, &|| rendered(&report::full(answer, view), "html"));
    add(&wanted.export_sarif, &|| sarif(&answer.findings));
    exports
}

/// The formats of hyperfine count every run as good, so failed runs are left out; a remark says so.
fn remark_failed_runs_of_exports(args: &RunArgs, set: &ResultSet) {
    let wanted = &args.results;
    let foreign = [&wanted.export_json, &wanted.export_json1, &wanted.export_csv];
    if foreign.iter().any(|path| path.is_some()) {
        remark_failed_runs(set);
    }
}

/// Prints a remark on how many failed runs of each program a format of another tool leaves out.
pub(crate) fn remark_failed_runs(set: &ResultSet) {
    for (id, program) in set.program_ids().zip(&set.programs) {
        let runs = set.runs.iter().filter(|run| run.program == id);
        let failed = runs.filter(|run| run.outcome.status != Status::Ok).count();
        if failed > 0 {
            let runs = if failed == 1 { "run" } else { "runs" };
            screen::remark(&format!(
                "{failed} failed {runs} of {} left out of the export: that format counts every run as good",
                program.name
            ));
        }
    }
}

/// The result as hyperfine's JSON, with a remark about programs without a wall time.
pub(crate) fn hyperfine_json(
    set: &ResultSet,
    version: hyperfine::Version,
    primary: &Metric,
) -> Result<Vec<u8>, Failure> {
    for (id, program) in set.program_ids().zip(&set.programs) {
        if set.samples(id, metric::WALL).is_empty() {
            screen::remark(&format!(
                "{} has no wall time and so no place in hyperfine's format",
                program.name
            ));
        }
    }
    bytes(|out| hyperfine::write(set, version, primary, set.date.as_deref(), out))
}
