//! Checks that fuzz targets share: nothing panics, and the output of a writer can be read again without loss.

mod predict;
mod targets;
mod trace;

use std::io;

use lotse_formats::write::{Needs, WRITERS};
use lotse_formats::{detail, read_profile, read_results, read_suite, unpack};
use lotse_model::bytes::Memory;
use lotse_model::work::Sequential;
use lotse_model::{Profile, ResultSet, Suite};

pub use targets::{CHOSEN, Target, VARIABLE};

/// Reads benchmark results, writes them and reads them again.
fn results(data: &[u8], format: &str, write: impl Fn(&ResultSet, &mut Vec<u8>) -> io::Result<()>) {
    let Ok(reading) = read_results(&Memory { name: "fuzz", bytes: data }, Some(format)) else { return };
    let mut bytes = Vec::new();
    write(&reading.value, &mut bytes).expect("memory takes everything");
    let again = read_results(&Memory { name: "again", bytes: &bytes }, Some(format));
    let again = again.unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(&bytes)));
    assert!(again.complete(), "{:?}\n{}", again.diagnostics, String::from_utf8_lossy(&bytes));
}

/// Reads a suite, writes it and reads it again.
fn suite(data: &[u8], format: &str, write: impl Fn(&Suite, &mut Vec<u8>) -> io::Result<()>) {
    let Ok(reading) = read_suite(&Memory { name: "fuzz", bytes: data }, Some(format)) else { return };
    let mut bytes = Vec::new();
    write(&reading.value, &mut bytes).expect("memory takes everything");
    let again = read_suite(&Memory { name: "again", bytes: &bytes }, Some(format));
    let again = again.unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(&bytes)));
    assert_eq!(again.value.programs.len(), reading.value.programs.len());
}

/// Reads a profile, checks its consistency, reads the detail of some functions, and writes it in every suitable format.
fn profile(data: &[u8], format: &str) {
    let source = Memory { name: "fuzz", bytes: data };
    let Ok((source, _)) = unpack(&source) else { return };
    let Ok(reading) = read_profile(&source, Some(format), &Sequential) else { return };
    let profile = &reading.value;
    profile.check().expect("a reader gives a whole profile");
    for function in profile.functions.ids().take(16) {
        // Detail that is read on demand may be damaged; this must be an error and not a panic.
        drop(detail(&source, profile, function));
    }
    write_all(profile);
}

fn write_all(profile: &Profile) {
    for writer in WRITERS {
        if writer.needs == Needs::Stacks && !profile.has_stacks() {
            continue;
        }
        let mut bytes = Vec::new();
        (writer.write)(profile, &mut bytes).expect("memory takes everything");
    }
}
