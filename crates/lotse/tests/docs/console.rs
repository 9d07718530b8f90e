//! Every `$ lotse …` line of a `console` block in the documents is run and must end as the page says.
//!
//! The commands of one page share a directory, which holds small programs to measure and the repository's sample
//! profiles and traces. A trailing comment states the exit status (`# exit 5`, `# exit 0 or 4`); without one it is 0.
//! What is printed is not compared: it depends on the machine.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::book;
use crate::program;

/// Programs and files that the pages mention. The slow ones take so much longer that no load can hide it.
const STAND_INS: &[(&str, &str)] = &[
    ("old", "i=0; while [ $i -lt 8000 ]; do i=$((i+1)); done"),
    ("new", "i=0; while [ $i -lt 200 ]; do i=$((i+1)); done"),
    ("target/release/plain", "i=0; while [ $i -lt 8000 ]; do i=$((i+1)); done"),
    ("target/release/tuned", "i=0; while [ $i -lt 200 ]; do i=$((i+1)); done"),
    ("server", "echo 'requests: 1000'; echo 'latency: [0.5, 0.7, 0.6]'"),
    ("faster-server", "echo 'requests: 1900'; echo 'latency: [0.2, 0.3, 0.1]'"),
    ("flaky", "exit 1"),
];

/// A command line of a page.
struct Line {
    page: String,
    number: usize,
    command: String,
    statuses: BTreeSet<i32>,
}

impl Line {
    fn new(page: &str, number: usize, text: &str) -> Self {
        let (command, comment) = text.split_once(" # exit ").unwrap_or((text, "0"));
        let statuses = comment.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok());
        Self {
            page: page.to_owned(),
            number,
            command: command.trim().to_owned(),
            statuses: statuses.collect(),
        }
    }
}

fn lines(page: &str, text: &str) -> Vec<Line> {
    let mut inside = false;
    let mut found = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let Some(command) =
            line.strip_prefix("$ ").filter(|command| inside && command.starts_with("lotse"))
        {
            found.push(Line::new(page, number, command));
        }
    }
    found
}

/// A directory with `lotse` on the path and the programs that pages measure.
fn stage() -> TempDir {
    let stage = tempfile::tempdir().unwrap();
    fs::create_dir(stage.path().join("bin")).unwrap();
    symlink(program::executable(), stage.path().join("bin/lotse")).unwrap();
    fs::create_dir(stage.path().join("fixtures")).unwrap();
    for pillar in ["profile", "trace"] {
        let fixtures = program::repository(&format!("fixtures/{pillar}"));
        symlink(fixtures, stage.path().join("fixtures").join(pillar)).unwrap();
    }
    symlink(program::repository("examples"), stage.path().join("examples")).unwrap();
    for (name, body) in STAND_INS {
        script(&stage.path().join(name), body);
    }
    for (name, content) in book::files_shown() {
        fs::write(stage.path().join(name), content).unwrap();
    }
    stage
}

fn script(path: &Path, body: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The command as it is run here: a server, which would run until the user ends it, is asked to end once it serves.
/// The address of the page's command before is gone by then: a server that is just starting must not be ended.
fn ending(command: &str) -> String {
    if !command.starts_with("lotse open") {
        return command.to_owned();
    }
    let command = command.split_once(" #").map_or(command, |(command, _)| command);
    format!(
        ": > address; {command} --no-open 2>> address & until grep -q http:// address; do sleep 0.1; done; kill -TERM $!; wait $!"
    )
}

/// What is wrong with a command, if anything.
fn complaint(stage: &Path, line: &Line) -> Option<String> {
    let mut paths = vec![stage.join("bin")];
    paths.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let mut command = Command::new("sh");
    command.args(["-c", &ending(&line.command)]).env("PATH", std::env::join_paths(paths).unwrap());
    let output = program::in_directory(command, stage);
    let status = output.status.code().unwrap_or(-1);
    let Line { page, number, command, statuses } = line;
    let stderr = String::from_utf8_lossy(&output.stderr);
    // Whether a few runs decide depends on what else the machine does: where a page promises 0, 5 is accepted.
    let undecided = status == 5 && statuses.contains(&0) && command.contains("lotse bench");
    (!statuses.contains(&status) && !undecided)
        .then(|| format!("{page}:{number}: {command}\n  ended with {status}, not {statuses:?}\n{stderr}"))
}

fn page_complaints((page, text): (PathBuf, String)) -> Vec<String> {
    let lines = lines(&page.display().to_string(), &text);
    if lines.is_empty() {
        return Vec::new();
    }
    let stage = stage();
    lines.iter().filter_map(|line| complaint(stage.path(), line)).collect()
}

#[test]
fn every_command_ends_as_its_page_says() {
    let complaints: Vec<String> = book::pages().into_iter().flat_map(page_complaints).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn lines_and_statuses_are_understood() {
    let text = "$ lotse no\n```console\n$ lotse a\n$ cargo b\nlotse c\n$ lotse d 'x # y' # exit 0 or 4\n```\n$ lotse e\n";
    let found: Vec<(usize, String, Vec<i32>)> = lines("p", text)
        .into_iter()
        .map(|line| (line.number, line.command, line.statuses.into_iter().collect()))
        .collect();
    let expected = [(3, "lotse a".to_owned(), vec![0]), (6, "lotse d 'x # y'".to_owned(), vec![0, 4])];
    assert_eq!(found, expected);
}
