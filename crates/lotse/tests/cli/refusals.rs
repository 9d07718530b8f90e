//! Impossible requests are refused before anything is measured, each kind with its own exit status.

use std::process::Command;

use crate::session::{Answer, Session};

/// A session with a program that adds a line to the file `ran` when it runs.
fn tracing() -> Session {
    let session = Session::new();
    session.script("work", "echo x >> ran");
    session
}

fn lotse(session: &Session, args: &[&str]) -> Answer {
    session.lotse(&[&["bench", "-r", "3"], args, &["./work"]].concat())
}

#[test]
fn exports_that_cannot_be_written_are_known_before_the_first_run() {
    let session = tracing();
    session.write("folder/file", "");
    for option in [
        "--export-json",
        "--export-json1",
        "--export-csv",
        "--export-markdown",
        "--export-asciidoc",
        "--export-orgmode",
        "--export-temci",
        "--export-suite",
        "--export-html",
        "--export-sarif",
    ] {
        for place in ["no/such/place", "folder"] {
            let answer = lotse(&session, &[option, place]).exits(4).complains(place);
            assert_eq!(answer.stderr.lines().count(), 1, "{option} {place}: {}", answer.stderr);
        }
    }
    lotse(&session, &["--out", "no/log"]).exits(2).complains("no/log");
    lotse(&session, &["--export-json", "same", "--export-csv", "same"]).exits(2).complains("same");
    lotse(&session, &["--out", "same", "--export-csv", "same"]).exits(2).complains("same");
    assert!(session.lines("ran").is_empty());
}

#[test]
fn a_counter_that_is_not_there_ends_with_4_before_the_first_run() {
    let perf = Command::new("perf").args(["stat", "-x", ";", "-e", "instructions", "true"]).output();
    if !perf.is_ok_and(|output| String::from_utf8_lossy(&output.stderr).contains("not supported")) {
        test_support::skip_here("this machine counts instructions, or has no perf");
        return;
    }
    let session = tracing();
    for args in [
        &["--runner", "perf-events", "--events", "instructions,page-faults"][..],
        &["--runner", "perf-stat", "--events", "page-faults,instructions"],
        &["--metrics", "wall,instructions"],
        &["--runner", "perf-stat", "--metric", "instructions"],
    ] {
        let answer = lotse(&session, args).exits(4);
        assert!(answer.stderr.contains("does not offer 'instructions'"), "{args:?}: {}", answer.stderr);
    }
    assert!(session.lines("ran").is_empty());
}

#[test]
fn an_event_that_perf_does_not_know_ends_with_4_before_the_first_run() {
    if !Command::new("perf").args(["stat", "true"]).output().is_ok_and(|output| output.status.success()) {
        test_support::skip_here("perf stat does not run here");
        return;
    }
    let session = tracing();
    let answer = lotse(&session, &["--runner", "perf-stat", "--events", "no-such-event"]).exits(4);
    answer.complains("the runner perf-stat does not work here: event syntax error");
    assert!(session.lines("ran").is_empty());
}

#[test]
fn a_runner_that_gives_nothing_ends_with_4() {
    let session = Session::new();
    session.script("silent", "true").script("empty", "echo '{}'").script("words", "echo just words");
    for program in ["./silent", "./empty", "./words"] {
        let answer = session.lotse(&["bench", "-r", "5", "--runner", "output", program]).exits(4);
        let reason = format!("the runner output gave no value of '{program}'");
        assert!(answer.stderr.contains(&reason), "{program}: {}", answer.stderr);
    }
}

#[test]
fn before_too_few_runs_a_note_gives_a_sufficient_number() {
    let session = tracing();
    let run = |args: &[&str]| session.lotse(&[&["bench"], args, &["./work", "./work x"]].concat()).stderr;
    let note = "3 runs of each program cannot show a difference";
    let stderr = run(&["-r", "3"]);
    assert!(stderr.contains(note) && stderr.contains("10 runs would do (--runs 10)"), "{stderr}");
    assert!(!run(&["-r", "10"]).contains("cannot show"), "ten are enough");
    assert!(run(&["-M", "4"]).contains("4 runs of each program"));
    let alone = session.lotse(&["bench", "-r", "3", "./work"]);
    assert!(!alone.stderr.contains("cannot show"), "one program has no verdict: {}", alone.stderr);
}

#[test]
fn as_many_runs_as_advised_decide_a_plain_case() {
    let session = Session::new();
    session.worker("old", &[200, 201, 203, 202]).worker("new", &[100, 102, 101]);
    let work = ["--runner", "output", "--metric", "work"];
    let run = |runs: &str| session.lotse(&[&["bench", "-r", runs], &work[..], &["./old", "./new"]].concat());
    run("3").exits(5).complains("10 runs would do");
    run("10").exits(0).says("less work");
}
