//! Tests that were skipped: counted and printed, and a failure where nothing may be missing.
//!
//! Tests note a skip in the file that `LOTSE_SKIPS` names (`crates/test-support`).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use test_support::{MISSING, SKIPS_VARIABLE};

use super::programs;
use crate::failure::Failure;
use crate::shell;

/// Where notes are collected, below the target folder of Cargo.
const FILE: &str = "target/skipped-tests.tsv";

/// Inputs made by others. Where they are, whatever else tests need can be installed, too.
const FIXTURES: &str = "../shared/fixtures";

/// A note: its kind, the package, the test and the reason.
type Note<'a> = [&'a str; 4];

/// Runs the tests of the workspace, with all features.
pub(super) fn run_tests(root: &Path) -> Result<(), Failure> {
    let path = notes_file(root);
    let emptied = fs::create_dir_all(root.join("target")).and_then(|()| fs::write(&path, ""));
    emptied.map_err(|source| xtask::Error::File { path: path.clone(), source })?;
    let options = ["--workspace", "--locked", "--features", "lotse/parquet"];
    let notes = path.to_string_lossy();
    let environment = [(SKIPS_VARIABLE, &*notes)];
    programs::run(programs::build(root, &options)?, &environment)?;
    shell::run(root, &environment, &[&["cargo", "test", "--doc"], &options[..]].concat())
}

/// Prints what was skipped; fails if something was missing although the inputs of others are there.
pub(super) fn report(root: &Path) -> Result<(), Failure> {
    let path = notes_file(root);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(source) => return Err(xtask::Error::File { path, source }.into()),
    };
    let notes = notes(&text);
    println!("{}", summary(&notes));
    let missing = notes.iter().filter(|[kind, ..]| *kind == MISSING).count();
    if missing > 0 && root.join(FIXTURES).is_dir() { Err(Failure::Skipped(missing)) } else { Ok(()) }
}

fn notes_file(root: &Path) -> PathBuf {
    root.join(FILE)
}

fn notes(text: &str) -> Vec<Note<'_>> {
    text.lines().filter_map(|line| line.split('\t').collect::<Vec<_>>().try_into().ok()).collect()
}

/// The reasons, each with the tests that it kept from running.
fn summary(notes: &[Note<'_>]) -> String {
    let mut reasons: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for [kind, package, test, reason] in notes {
        let tests = reasons.entry((kind, reason)).or_default();
        let name = format!("{package} {test}");
        if !tests.contains(&name) {
            tests.push(name);
        }
    }
    let tests: usize = reasons.values().map(Vec::len).sum();
    let lines = reasons.iter().map(|((kind, reason), tests)| {
        let what = if *kind == MISSING { "missing" } else { "not on this machine" };
        format!("\n  {what}: {reason}\n    {}", tests.join("\n    "))
    });
    format!("{tests} skips in tests{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::{FILE, notes, report, summary};
    use crate::failure::Failure;
    use std::fs;

    const NOTES: &str =
        "missing\ta\tx::y\tperf\nmachine\tb\tz\tone CPU\nmissing\ta\tx::y\tperf\nmissing\tb\tw\tperf\n";

    #[test]
    fn tests_are_listed_by_reason() {
        let expected =
            "3 skips in tests\n  not on this machine: one CPU\n    b z\n  missing: perf\n    a x::y\n    b w";
        assert_eq!(summary(&notes(NOTES)), expected);
        assert_eq!(summary(&[]), "0 skips in tests");
    }

    #[test]
    fn what_is_missing_is_a_failure_only_beside_the_inputs_of_others() {
        let beside = tempfile::tempdir().unwrap();
        let root = beside.path().join("lotse");
        fs::create_dir_all(root.join("target")).unwrap();
        assert!(report(&root).is_ok(), "nothing was skipped");
        fs::write(root.join(FILE), NOTES).unwrap();
        assert!(report(&root).is_ok());
        fs::create_dir_all(beside.path().join("shared/fixtures")).unwrap();
        assert!(matches!(report(&root), Err(Failure::Skipped(3))));
        fs::write(root.join(FILE), "machine\tb\tz\tone CPU\n").unwrap();
        assert!(report(&root).is_ok());
    }
}
