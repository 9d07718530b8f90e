//! `lotse bench pack`: measures, and packs everything that is needed to repeat the measurement.

use std::collections::BTreeMap;
use std::path::Path;

use lotse_bench::history;
use lotse_bench::package::{
    self, CHECKSUM, CollectError, Collected, FILES, FileChanges, MANIFEST, Manifest, RESULT, SCHEMA, Snapshot,
};
use lotse_model::id::ProgramId;

use super::run::{self, Measurement};
use crate::args::PackArgs;
use crate::exit::{Exit, Failure};
use crate::screen;
use crate::settings::{SETTINGS, Settings};

/// Copies the files of the programs, measures, and writes the copies with the result and a manifest into an archive.
pub(crate) fn run(args: &PackArgs) -> Result<Exit, Failure> {
    if !args.run.revisions.rev.is_empty() {
        return Err(Failure::usage(
            "revisions cannot be packed: build them (`lotse bench build --git REV -- CMD`) and pack the folders of builds",
        ));
    }
    if args.archive.exists() {
        return Err(Failure::usage(format!("`{}` exists already", args.archive.display())));
    }
    let mut added = args.add.clone();
    added.extend(args.run.suite.clone());
    let planned = run::plan(&args.run)?;
    // Runs may change the files.
    let snapshot =
        Snapshot::take(&planned.options.programs, Path::new("."), &added).map_err(|error| failure(&error))?;
    let Measurement { exit, options, finished, origin } = run::measure(planned)?;
    let has_no_good_run = |id: ProgramId| finished.set.good_runs(id).next().is_none();
    if finished.set.program_ids().any(has_no_good_run) {
        let message = "nothing is packed: a program has no good run".to_owned();
        return Err(Failure { exit: Exit::ProgramFailed, message });
    }
    let changes =
        snapshot.changes(&options.programs, Path::new("."), &added).map_err(|error| failure(&error))?;
    let Collected { files, needs } = &snapshot.collected;
    let result = history::result_file(&options, &finished.set, &finished.conclusion)
        .map_err(|error| Failure::new(Exit::Unreadable, &error))?;
    let seed = format!("--seed {}", options.seed);
    let manifest = Manifest {
        schema: SCHEMA.to_owned(),
        lotse: env!("CARGO_PKG_VERSION").to_owned(),
        date: lotse_host::utc_now(),
        arguments: args.run.call.with(&[seed.as_str()], &[]),
        settings: settings()?,
        machine: finished.set.machine.clone(),
        commit: origin.commit.map(|commit| format!("{commit}{}", if origin.changed { "+" } else { "" })),
        result_sha256: lotse_host::package::digest(&result.content),
        files: files.clone(),
        needs: needs.clone(),
    };
    let text = serde_json::to_string_pretty(&manifest)
        .map_err(|error| Failure { exit: Exit::Missing, message: error.to_string() })?;
    let sum = package::checksum(&text);
    let texts: [(&str, &[u8]); 3] =
        [(MANIFEST, text.as_bytes()), (CHECKSUM, sum.as_bytes()), (RESULT, &result.content)];
    lotse_host::package::write(&args.archive, &texts, snapshot.folder(), FILES, &manifest.files)
        .map_err(|error| Failure::new(Exit::Missing, &error))?;
    remark_changes(&changes);
    screen::remark(&format!(
        "packed {} files and the result into {}; needed of the system: {}",
        manifest.files.len(),
        args.archive.display(),
        needed(&manifest)
    ));
    Ok(exit)
}

/// Names the files that runs changed or made, since a replay begins without these changes.
fn remark_changes(changes: &FileChanges) {
    let FileChanges { changed, made } = changes;
    if !changed.is_empty() {
        let names = changed.join(", ");
        screen::remark(&format!("changed by the runs, packed as before the first run: {names}"));
    }
    if !made.is_empty() {
        screen::remark(&format!("made by the runs, not packed: {}", made.join(", ")));
    }
}

fn failure(error: &CollectError) -> Failure {
    match error {
        CollectError::File(_) | CollectError::Folder { .. } | CollectError::Copies { .. } => {
            Failure::new(Exit::Missing, error)
        }
        _ => Failure::new(Exit::Usage, error),
    }
}

/// The packages that must be installed, or files where their package is unknown.
pub(super) fn needed(manifest: &Manifest) -> String {
    let name = |need: &lotse_host::package::Need| need.package.clone().unwrap_or_else(|| need.path.clone());
    let mut names: Vec<String> = manifest.needs.iter().map(name).collect();
    names.sort();
    names.dedup();
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}

/// The settings of bench, from files or by default.
fn settings() -> Result<BTreeMap<String, String>, Failure> {
    let settings = Settings::load()?;
    let of_bench = SETTINGS.iter().filter(|setting| setting.key.starts_with("bench."));
    let value = |key: &str, default: &str| {
        settings.get(key).map_or_else(|| default.to_owned(), |value| value.text.clone())
    };
    Ok(of_bench.map(|setting| (setting.key.to_owned(), value(setting.key, setting.default))).collect())
}
