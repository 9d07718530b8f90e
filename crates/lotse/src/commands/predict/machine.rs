//! The machine of a prediction: a file, the calibrated constants of this machine, or its caches with typical constants.

use std::path::Path;

use lotse_host::{FileSource, StateFile, data_caches, fingerprint};
use lotse_model::bytes::Source as _;
use lotse_predict::machine::{Cache, Machine};

use crate::exit::{Exit, Failure};
use crate::screen;

/// The name of the file with calibrated constants in the user's state directory.
const FILE: &str = "machine.toml";

/// The file with calibrated constants.
pub(super) fn state() -> Option<StateFile> {
    StateFile::of_user(FILE)
}

/// The machine that a prediction is about.
pub(super) fn machine(file: Option<&Path>) -> Result<Machine, Failure> {
    match file {
        Some(path) => from_file(path),
        None => this_machine(),
    }
}

fn from_file(path: &Path) -> Result<Machine, Failure> {
    let source = FileSource::open(path).map_err(|error| Failure::new(Exit::Unreadable, &error))?;
    let text = String::from_utf8_lossy(source.bytes());
    Machine::from_toml(&text).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &dyn std::error::Error) -> Failure {
    Failure { exit: Exit::Unreadable, message: format!("{}: {error}", path.display()) }
}

/// This machine with its real caches and typical constants.
pub(super) fn uncalibrated() -> Result<Machine, Failure> {
    let caches: Vec<Cache> = data_caches()
        .into_iter()
        .map(|cache| Cache {
            name: format!("L{}", cache.level),
            capacity: cache.bytes,
            line: cache.line,
            ways: cache.ways,
        })
        .collect();
    let processor = fingerprint(env!("CARGO_PKG_VERSION")).processor;
    let name = processor.unwrap_or_else(|| "this machine".to_owned());
    Machine::typical(&name, caches).map_err(|error| Failure {
        exit: Exit::Missing,
        message: format!(
            "the caches of this machine are not known ({error}); describe it with --machine FILE"
        ),
    })
}

/// Whether a calibrated description is of the same machine as an uncalibrated one. Calibration may have found that only a part of
/// the last cache is usable.
fn is_same(kept: &Machine, plain: &Machine) -> bool {
    let same = |(a, b): (&Cache, &Cache)| (&a.name, a.line, a.ways) == (&b.name, b.line, b.ways);
    let (Some((last, inner)), Some((whole, others))) = (kept.caches.split_last(), plain.caches.split_last())
    else {
        return false;
    };
    kept.name == plain.name && inner == others && same((last, whole)) && last.capacity <= whole.capacity
}

/// This machine, with calibrated constants if they were measured on it.
fn this_machine() -> Result<Machine, Failure> {
    let plain = uncalibrated()?;
    let Some(file) = state() else { return Ok(plain) };
    let Some(text) = file.read().map_err(|error| Failure::new(Exit::Unreadable, &error))? else {
        return Ok(plain);
    };
    let kept = Machine::from_toml(&text).map_err(|error| unreadable(file.path(), &error))?;
    if is_same(&kept, &plain) {
        return Ok(kept);
    }
    screen::remark(&format!(
        "the constants in {} were measured on {}, not on this machine; typical ones are used",
        file.path().display(),
        kept.name
    ));
    Ok(plain)
}
