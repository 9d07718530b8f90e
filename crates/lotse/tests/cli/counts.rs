//! How often programs run: counted by the programs themselves.

use crate::session::{Session, list};

fn counting() -> Session {
    let session = Session::new();
    session.script("one", "echo x >> ones").script("two", "echo x >> twos");
    session
}

fn counted(session: &Session) -> (usize, usize) {
    (session.lines("ones").len(), session.lines("twos").len())
}

#[test]
fn exactly_as_many_runs_as_asked_for() {
    let session = counting();
    let answer = session.bench(&["--runs", "7", "./one", "./two"]);
    assert_eq!(counted(&session), (7, 7));
    assert_eq!(list(&answer["runs"]).len(), 14);
    assert_eq!(answer["comparisons"][0]["stopped_by"], "runs");
    assert_eq!(answer["comparisons"][0]["blocks"], 7);
}

#[test]
fn a_single_run() {
    let session = counting();
    session.lotse(&["bench", "--runs", "1", "./one"]).exits(0).says("./one");
    assert_eq!(counted(&session), (1, 0));
}

#[test]
fn two_programs_once_each_are_undecided() {
    let session = counting();
    session.lotse(&["bench", "--runs", "1", "./one", "./two"]).exits(5);
    assert_eq!(counted(&session), (1, 1));
}

#[test]
fn warm_up_runs_come_before_and_are_not_measured() {
    let session = counting();
    let answer = session.bench(&["--warmup", "3", "--runs", "4", "./one", "./two"]);
    assert_eq!(counted(&session), (7, 7));
    assert_eq!(list(&answer["runs"]).len(), 8);
}

#[test]
fn no_more_runs_than_the_most() {
    let session = counting();
    let answer = session.bench(&["-M", "12", "--budget", "60s", "--until", "0.001%", "./one", "./two"]);
    assert_eq!(counted(&session), (12, 12));
    assert_eq!(answer["comparisons"][0]["stopped_by"], "runs");
}

#[test]
fn no_fewer_runs_than_the_least() {
    let session = counting();
    session.bench(&["-m", "15", "--budget", "1ms", "./one", "./two"]);
    let (ones, twos) = counted(&session);
    assert!(ones >= 15 && ones == twos, "{ones} {twos}");
}

#[test]
fn the_least_and_the_most_at_once() {
    let session = counting();
    session.bench(&["-m", "6", "-M", "6", "./one"]);
    assert_eq!(counted(&session), (6, 0));
    let answer = session.lotse(&["bench", "-m", "6", "-M", "5", "./one"]).exits(2);
    assert_eq!(answer.stderr, "error: --min-runs 6 is more than --max-runs 5\n");
}
