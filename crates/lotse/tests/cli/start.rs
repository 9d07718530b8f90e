//! The first minutes: no arguments, help, and commands that do not exist.

use std::process::Stdio;

use crate::session::{Answer, Session};

#[test]
fn alone_it_shows_five_things_to_try() {
    let answer = Session::new().lotse(&[]).exits(0).says("Five things to try");
    let commands = answer.stdout.lines().filter(|line| line.starts_with("  lotse ")).count();
    assert_eq!(commands, 5, "{}", answer.stdout);
}

#[test]
fn the_help_it_promises_exists() {
    let session = Session::new();
    let hello = session.lotse(&[]).exits(0);
    for (promise, args) in [("'lotse help'", &["help"][..]), ("--help", &["bench", "--help"])] {
        if hello.stdout.contains(promise) {
            session.lotse(args).exits(0).says("Usage: lotse");
        }
    }
}

#[test]
fn every_command_has_help() {
    let session = Session::new();
    session.lotse(&["--help"]).exits(0).says("Usage: lotse");
    for command in ["bench", "explain", "doctor", "config", "completions", "man"] {
        session.lotse(&[command, "--help"]).exits(0).says(&format!("Usage: lotse {command}"));
    }
    for verb in ["run", "report"] {
        session.lotse(&["bench", verb, "--help"]).exits(0).says(&format!("Usage: lotse bench {verb}"));
    }
}

#[test]
fn the_version_is_that_of_the_package() {
    let version = format!("lotse {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(Session::new().lotse(&["--version"]).exits(0).stdout, version);
}

#[test]
fn wrong_arguments_are_usage_errors() {
    let session = Session::new();
    session.lotse(&["bnech"]).exits(2).complains("bench");
    session.lotse(&["bench"]).exits(2).complains("CMD");
    session.lotse(&["bench", "--rusn", "3", "true"]).exits(2).complains("--runs");
    session.lotse(&["bench", "--runs", "0", "true"]).exits(2).complains("--runs");
    session.lotse(&["bench", "--runs", "3", "--min-runs", "3", "true"]).exits(2).complains("--min-runs");
    session
        .lotse(&["bench", "--until", "150%", "true"])
        .exits(2)
        .complains("must be above 0 % and below 100 %");
    session.lotse(&["bench", "--budget", "3 parsecs", "true"]).exits(2).complains("not a unit of time");
}

/// Runs a command whose output pipe is already closed by the reader.
#[track_caller]
fn check_broken_pipe(args: &[&str]) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = Session::new().command(args).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
    let ended = Answer::from_output(output.wait_with_output().unwrap());
    assert_eq!(ended.exits(0).stderr, "", "{args:?}");
}

#[test]
fn a_closed_pipe_is_no_failure() {
    for args in [&["explain", "--json"][..], &["man"], &["config"], &["doctor"]] {
        check_broken_pipe(args);
    }
    check_broken_pipe(&["bench", "--runs", "3", "true"]);
    check_broken_pipe(&["bench", "--json", "--runs", "3", "true"]);
}

#[test]
fn a_closed_pipe_is_no_failure_of_completions() {
    check_broken_pipe(&["completions", "bash"]);
}

#[test]
fn a_closed_pipe_is_no_failure_of_the_greeting() {
    check_broken_pipe(&[]);
}

#[track_caller]
fn check_full_disk(args: &[&str]) {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let answer = Answer::from_output(
        Session::new().command(args).stdout(full).stderr(Stdio::piped()).output().unwrap(),
    );
    assert_eq!(
        answer.exits(4).stderr,
        "error: cannot write the answer: No space left on device (os error 28)\n"
    );
}

#[test]
fn a_full_disk_is_an_error() {
    check_full_disk(&["config"]);
    check_full_disk(&["man"]);
    check_full_disk(&["bench", "--runs", "2", "true"]);
}

#[test]
fn a_full_disk_is_an_error_of_completions_and_the_greeting() {
    check_full_disk(&["completions", "zsh"]);
    check_full_disk(&[]);
}
