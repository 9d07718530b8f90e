//! Traces made by others, with values that an independent program computed: all of them are reproduced.
//!
//! The traces and the program that compares are next to the repository; without them the test is skipped with a note.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::Command;

use test_support::shared;

/// Folders below one that hold values to compare with, each with the file of the values.
fn cases(folder: &Path) -> Vec<(PathBuf, PathBuf)> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        let known = ["expected.json", "reference.json"].map(|name| folder.join(name));
        found.extend(known.into_iter().filter(|file| file.exists()).map(|file| (folder.clone(), file)));
        let inside = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        waiting.extend(inside.filter(|path| path.is_dir()));
    }
    found.sort();
    found
}

/// The answer, and the verdict of the independent program on it.
fn verdict(check: &Path, trace: &Path, expected: &Path, threads: &str) -> (Vec<u8>, String) {
    let run = Command::new(env!("CARGO_BIN_EXE_lotse"))
        .args(["trace", "analyze", "--json", "--threads", threads])
        .arg(trace)
        .output()
        .unwrap();
    let status = run.status.code();
    assert!(matches!(status, Some(0 | 6)), "{}: {}", trace.display(), String::from_utf8_lossy(&run.stderr));
    let scratch = tempfile::tempdir().unwrap();
    let answer = scratch.path().join("answer.json");
    std::fs::write(&answer, &run.stdout).unwrap();
    let output = Command::new("python3").arg(check).arg(&answer).arg(expected).output().unwrap();
    (run.stdout, String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[test]
fn answers_agree_with_those_of_independent_programs() {
    let (Some(check), Some(fixtures)) = (shared("tools/check_trace.py"), shared("fixtures/trace")) else {
        return;
    };
    if Command::new("python3").arg("--version").output().is_err() {
        test_support::skip_missing("python3 not found");
        return;
    }
    let cases = cases(&fixtures);
    assert!(cases.len() >= 29, "only {} cases in {}", cases.len(), fixtures.display());
    let mut differing = 0;
    for (trace, expected) in &cases {
        let name = trace.strip_prefix(&fixtures).unwrap().display();
        let (answer, verdict_text) = verdict(&check, trace, expected, "1");
        println!("{name:60} {verdict_text}");
        differing += usize::from(verdict_text != "agrees");
        // Any number of threads gives the same bytes.
        assert!(verdict(&check, trace, expected, "3").0 == answer, "{name}: threads change the answer");
    }
    assert_eq!(differing, 0, "{differing} of {} answers differ", cases.len());
}
