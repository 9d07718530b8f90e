//! What all targets check: nothing panics, and what a writer wrote its reader reads without a loss.

use std::io;

use lotse_formats::{read_results, read_suite};
use lotse_model::bytes::Memory;
use lotse_model::{ResultSet, Suite};

/// Reads results, writes what was read and reads it again.
pub fn results(data: &[u8], format: &str, write: impl Fn(&ResultSet, &mut Vec<u8>) -> io::Result<()>) {
    let Ok(reading) = read_results(&Memory { name: "fuzz", bytes: data }, Some(format)) else { return };
    let mut bytes = Vec::new();
    write(&reading.value, &mut bytes).expect("memory takes everything");
    let again = read_results(&Memory { name: "again", bytes: &bytes }, Some(format));
    let again = again.unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(&bytes)));
    assert!(again.complete(), "{:?}\n{}", again.diagnostics, String::from_utf8_lossy(&bytes));
}

/// Reads a suite, writes what was read and reads it again.
pub fn suite(data: &[u8], format: &str, write: impl Fn(&Suite, &mut Vec<u8>) -> io::Result<()>) {
    let Ok(reading) = read_suite(&Memory { name: "fuzz", bytes: data }, Some(format)) else { return };
    let mut bytes = Vec::new();
    write(&reading.value, &mut bytes).expect("memory takes everything");
    let again = read_suite(&Memory { name: "again", bytes: &bytes }, Some(format));
    let again = again.unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(&bytes)));
    assert_eq!(again.value.programs.len(), reading.value.programs.len());
}
