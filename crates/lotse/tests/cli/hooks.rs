//! Commands around the runs: in which order, how often, and what happens when one fails.

use crate::session::{Session, list};

const ALL: [&str; 8] = [
    "--setup",
    "echo setup >> trace",
    "--prepare",
    "echo prepare >> trace",
    "--conclude",
    "echo conclude >> trace",
    "--cleanup",
    "echo cleanup >> trace",
];

fn tracing() -> Session {
    let session = Session::new();
    session.script("run", "echo run$1 >> trace");
    session
}

#[test]
fn the_order_for_one_program() {
    let session = tracing();
    session.bench(&[&["--runs", "2"], &ALL[..], &["./run"]].concat());
    let expected = ["setup", "prepare", "run", "conclude", "prepare", "run", "conclude", "cleanup"];
    assert_eq!(session.lines("trace"), expected);
}

#[test]
fn warm_up_runs_have_their_hooks_too() {
    let session = tracing();
    session.bench(&[&["--runs", "1", "--warmup", "1"], &ALL[..], &["./run"]].concat());
    let expected = ["setup", "prepare", "run", "conclude", "prepare", "run", "conclude", "cleanup"];
    assert_eq!(session.lines("trace"), expected);
}

#[test]
fn every_program_is_set_up_and_cleaned_up_once() {
    let session = tracing();
    session.bench(&[&["--runs", "3"], &ALL[..], &["./run a", "./run b"]].concat());
    let trace = session.lines("trace");
    let count = |word: &str| trace.iter().filter(|line| *line == word).count();
    assert_eq!(["setup", "cleanup", "prepare", "conclude", "runa", "runb"].map(count), [2, 2, 6, 6, 3, 3]);
    assert_eq!(trace[..2], ["setup", "setup"]);
    assert_eq!(trace[trace.len() - 2..], ["cleanup", "cleanup"]);
}

#[test]
fn a_hook_for_each_program() {
    let session = tracing();
    let each = ["--prepare", "echo for-a >> trace", "--prepare", "echo for-b >> trace"];
    session.bench(&[&["--runs", "3"], &each[..], &["./run a", "./run b"]].concat());
    let trace = session.lines("trace");
    for pair in trace.chunks(2) {
        assert_eq!(pair[0].replace("for-", "run"), pair[1], "{trace:?}");
    }
    assert_eq!(trace.len(), 12);
}

#[test]
fn a_hook_must_be_given_once_or_once_for_each_program() {
    let session = tracing();
    let args = ["bench", "--prepare", "true", "--prepare", "true", "./run a", "./run b", "./run c"];
    let answer = session.lotse(&args).exits(2);
    assert_eq!(
        answer.stderr,
        "error: --prepare is given 2 times for 3 commands: give it once, or once for each\n"
    );
    assert!(session.lines("trace").is_empty());
}

#[test]
fn parameters_reach_the_hooks() {
    let session = tracing();
    session.bench(&["--runs", "1", "-L", "x", "1,2", "--setup", "echo setup{x} >> trace", "./run {x}"]);
    assert_eq!(session.lines("trace"), ["setup1", "run1", "setup2", "run2"]);
}

#[test]
fn the_number_of_the_run_reaches_hooks_and_the_commands_of_a_shell() {
    let session = tracing();
    session.script("number", "echo run $HYPERFINE_ITERATION $LOTSE_ITERATION >> trace");
    session.bench(&["-S", "--runs", "2", "--prepare", "echo prepare $LOTSE_ITERATION >> trace", "./number"]);
    assert_eq!(session.lines("trace"), ["prepare 0", "run 0 0", "prepare 1", "run 1 1"]);
}

#[test]
fn a_setup_that_fails_ends_the_measurement_before_the_first_run() {
    let session = tracing();
    let args =
        ["bench", "--runs", "2", "--setup", "echo no disk >&2; exit 7", "--cleanup", "echo cleanup >> trace"];
    let answer = session.lotse(&[&args[..], &["./run"]].concat()).exits(3);
    assert!(
        answer.stderr.contains("the setup command of './run' ended with exit code 7"),
        "{}",
        answer.stderr
    );
    answer.complains("no disk");
    assert_eq!(session.lines("trace"), ["cleanup"]);
}

#[test]
fn a_prepare_that_fails_keeps_what_was_measured() {
    let session = tracing();
    session.script("flaky", "echo x >> flaky-count; test $(wc -l < flaky-count) -le 4");
    let args = ["bench", "--json", "--runs", "20", "--out", "log", "--prepare", "./flaky", "./run"];
    let answer = session.lotse(&args).exits(3).complains("the prepare command of './run'");
    assert_eq!(list(&answer.json()["runs"]).len(), 4);
    assert_eq!(session.lines("trace").len(), 4);
    session.lotse(&["bench", "report", "log"]).exits(0).says("./run");
}

#[test]
fn a_cleanup_that_fails_still_gives_the_answer() {
    let session = tracing();
    let answer = session.lotse(&["bench", "--json", "--runs", "3", "--cleanup", "exit 4", "./run"]).exits(3);
    assert_eq!(list(&answer.json()["runs"]).len(), 3);
    answer.complains("the cleanup command of './run' ended with exit code 4");
}
