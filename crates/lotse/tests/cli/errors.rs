//! The exact words for what goes wrong most often. `UPDATE_EXPECT=1` writes them anew.

use expect_test::{Expect, expect};

use crate::session::{Answer, Session};

/// Checks the status and everything on standard error, without the path of the session's directory.
#[track_caller]
fn check(answer: Answer, status: i32, expected: &Expect) {
    let answer = answer.exits(status);
    assert_eq!(answer.stdout, "");
    expected.assert_eq(&answer.stderr);
}

#[test]
fn a_wrong_file_name() {
    check(
        Session::new().lotse(&["bench", "report", "reslut.json"]),
        6,
        &expect![[r#"
        error: cannot read `reslut.json`: No such file or directory (os error 2)
    "#]],
    );
}

#[test]
fn a_wrong_name_of_a_suite() {
    check(
        Session::new().lotse(&["bench", "-f", "siute.yaml"]),
        6,
        &expect![[r#"
        error: cannot read `siute.yaml`: No such file or directory (os error 2)
    "#]],
    );
}

#[test]
fn an_unknown_format() {
    let session = Session::new();
    session.write("notes.txt", "Buy milk\n");
    check(
        session.lotse(&["bench", "report", "notes.txt"]),
        6,
        &expect![[r#"
        error: notes.txt is in none of the formats read here (lotse-log, lotse-json, hyperfine, temci); name one with --format to see what is wrong
    "#]],
    );
}

#[test]
fn a_format_that_does_not_exist() {
    let session = Session::new();
    session.write("notes.txt", "Buy milk\n");
    check(
        session.lotse(&["bench", "report", "--format", "hyprefine", "notes.txt"]),
        2,
        &expect![[r#"
        error: there is no format "hyprefine"; there are lotse-log, lotse-json, hyperfine, temci
    "#]],
    );
}

#[test]
fn a_directory() {
    let session = Session::new();
    session.write("results/a", "");
    check(
        session.lotse(&["bench", "report", "results"]),
        6,
        &expect![[r#"
        error: cannot read `results`: Is a directory (os error 21)
    "#]],
    );
}

#[test]
fn an_empty_file() {
    let session = Session::new();
    session.write("empty.json", "");
    check(
        session.lotse(&["bench", "report", "empty.json"]),
        6,
        &expect![[r#"
        error: empty.json is in none of the formats read here (lotse-log, lotse-json, hyperfine, temci); name one with --format to see what is wrong
    "#]],
    );
}

#[test]
fn a_missing_tool() {
    let session = Session::new();
    for (runner, expected) in [
        (
            "valgrind",
            expect![[r#"
        error: the runner valgrind needs the program valgrind, which is not on the PATH; install it: apt install valgrind
    "#]],
        ),
        (
            "perf-stat",
            expect![[r#"
        error: the runner perf-stat needs the program perf, which is not on the PATH; install it: apt install linux-perf
    "#]],
        ),
    ] {
        let mut command = session.command(&["bench", "--runner", runner, "true"]);
        check(Answer::from_output(command.env("PATH", "/nowhere").output().unwrap()), 4, &expected);
    }
}

#[test]
fn an_export_into_nowhere() {
    let session = Session::new();
    let answer =
        session.lotse(&["bench", "-q", "--runs", "1", "--export-json", "no/such/place.json", "true"]);
    let expected = expect![[r#"
        error: cannot write `no/such/place.json`: No such file or directory (os error 2)
    "#]];
    check(answer, 4, &expected);
}

#[test]
fn an_export_into_nowhere_does_not_lose_the_answer() {
    let session = Session::new();
    // The folder exists before the first run and is deleted by it.
    session.write("dir/file", "").script("work", "rm -rf dir");
    let args = ["bench", "--json", "--runs", "3", "--export-json", "dir/place.json", "./work"];
    let answer = session.lotse(&args).exits(4);
    assert_eq!(answer.json()["schema"], "lotse.bench/1");
}

#[test]
fn results_into_nowhere() {
    let session = Session::new();
    session.script("work", "echo x >> ran");
    let answer = session.lotse(&["bench", "-q", "--runs", "1", "--out", "no/such/log", "./work"]);
    assert!(session.lines("ran").is_empty());
    assert!(matches!(answer.status, 2 | 4), "{}", answer.status);
    expect![[r#"
        error: cannot keep results: cannot write `no/such/log`: No such file or directory (os error 2)
    "#]]
    .assert_eq(&answer.stderr);
}

#[test]
fn results_over_a_file() {
    let session = Session::new();
    session.write("log", "");
    let answer = session.lotse(&["bench", "--runs", "1", "--out", "log", "true"]).exits(2);
    answer.complains("`log`").complains("--force");
}
