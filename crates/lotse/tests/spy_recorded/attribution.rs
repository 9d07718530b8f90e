//! Operations are attributed to the structure that they work on, and to the line that calls them.

use super::{Package, differences, has_cargo};

const ROWS: &str = include_str!("rows.rs");
const TAILS: &str = include_str!("tails.rs");

fn check(source: &str, levels: &[&str]) {
    if !has_cargo() {
        return;
    }
    let package = Package::new(source);
    for &level in levels {
        let output = package.record(&[("CARGO_PROFILE_RELEASE_OPT_LEVEL", level)], &[]);
        assert!(output.status.success(), "{level}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(differences(&package, source), Vec::<String>::new(), "level {level}");
    }
}

#[test]
fn of_several_rows_the_right_one() {
    check(ROWS, &["1", "3"]);
}

#[test]
fn lines_of_functions_that_end_with_a_jump() {
    check(TAILS, &["1", "2", "3"]);
}

/// What an index operation returns is counted where it is read, and not once more as an operation that touched nothing.
#[test]
fn index_operations_are_counted_once() {
    if !has_cargo() {
        return;
    }
    let package = Package::new(ROWS);
    let output = package.record(&[("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")], &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = package.lotse().args(["spy", "coverage", "--json", "a.lotse-history"]).output().unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let unbound = answer["unbound"].as_object().unwrap();
    assert!(!["index", "index_mut", "get"].iter().any(|method| unbound.contains_key(*method)), "{unbound:?}");
}
