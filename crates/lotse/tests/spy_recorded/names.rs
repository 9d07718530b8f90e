//! Names outlive the executable: histories are read right after it was built anew or deleted.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{ENDS, KNOWN, Package, differences, has_cargo};

fn coverage_errors(package: &Package, history: &Path) -> String {
    let output = package.lotse().args(["spy", "coverage", "--json"]).arg(history).output().unwrap();
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_history_is_read_without_its_executable() {
    if !has_cargo() {
        return;
    }
    let package = Package::new(KNOWN);
    assert!(package.record(&[], &[]).status.success());
    let before = package.operations();
    std::fs::remove_dir_all(package.path().join("cache")).unwrap();
    assert_eq!(package.operations(), before);
    assert_eq!(differences(&package, KNOWN), Vec::<String>::new());
}

#[test]
fn a_program_that_was_built_anew_is_not_mistaken_for_the_recorded_one() {
    if !has_cargo() {
        return;
    }
    let package = Package::new(ENDS);
    assert!(package.record(&[], &[]).status.success());
    let before = package.operations();
    let history = package.path().join("a.lotse-history");
    let kept = package.path().join("kept.lotse-history");
    std::fs::rename(&history, &kept).unwrap();
    let changed = ENDS.replace("fill(200)", "fill(300)").replace("fn fill", "\n\nfn fill");
    std::fs::write(package.path().join("src/main.rs"), changed).unwrap();
    assert!(package.record(&[], &[]).status.success());
    std::fs::rename(&kept, &history).unwrap();
    assert_eq!(package.operations(), before);
    assert_eq!(coverage_errors(&package, &history), "");
    // Without names in the history the executable would have to be the same.
    let bytes = std::fs::read(&history).unwrap();
    std::fs::write(&kept, without_names(&bytes)).unwrap();
    assert!(coverage_errors(&package, &kept).contains("built anew since it was recorded"));
}

/// A history without the chunks of names (kind 7), as after a recording that was cut off.
fn without_names(bytes: &[u8]) -> Vec<u8> {
    let mut kept = bytes[..16].to_vec();
    let mut rest = &bytes[16..];
    while !rest.is_empty() {
        let number = |at: usize| u32::from_le_bytes(rest[at..at + 4].try_into().unwrap());
        let (chunk, after) = rest.split_at(12 + number(4) as usize);
        if number(0) != 7 {
            kept.extend(chunk);
        }
        rest = after;
    }
    kept
}

const DOCUMENTED: &str = "\
/// Fills a vector.
///
/// ```
/// assert_eq!(sample::fill(300), 300);
/// ```
pub fn fill(n: u64) -> usize {
    let mut v = Vec::new();
    for i in 0..n {
        v.push(std::hint::black_box(i)); // FILL
    }
    v.len()
}
";

#[test]
fn doctests_are_read_after_rustdoc_deleted_them() {
    if !has_cargo() {
        return;
    }
    if !Command::new("rustdoc").arg("--version").output().is_ok_and(|output| output.status.success()) {
        test_support::skip_missing("rustdoc not found");
        return;
    }
    let package = Package::new("fn main() {}");
    std::fs::write(package.path().join("src/lib.rs"), DOCUMENTED).unwrap();
    let output = package
        .lotse()
        .args(["spy", "run", "--no-second-run", "-o", "a.lotse-history", "--"])
        .args(["cargo", "test", "--release", "--offline", "--doc"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(coverage_errors(&package, &PathBuf::from("a.lotse-history")), "");
    let output = package.lotse().args(["spy", "coverage", "--places", "a.lotse-history"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = DOCUMENTED.lines().position(|line| line.ends_with("// FILL")).unwrap() + 1;
    let wanted =
        text.lines().find(|found| found.contains(&format!("src/lib.rs:{line}")) && found.contains("Insert"));
    assert_eq!(wanted.and_then(|found| found.split('\t').nth(4)), Some("300"), "{text}");
}
