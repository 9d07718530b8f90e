//! What makes a run a good one.

use serde_json::Value;

use crate::session::{Session, texts};

fn statuses(args: &[&str]) -> (i32, Vec<String>) {
    let session = Session::new();
    let answer = session.lotse(&[&["bench", "--json", "--runs", "2"], args].concat());
    let json: Value = answer.json();
    (answer.status, texts(&json["runs"], "status").into_iter().map(str::to_owned).collect())
}

#[track_caller]
fn check(args: &[&str], exit: i32, status: &str) {
    let (ended, statuses) = statuses(args);
    assert!(statuses.iter().all(|it| it == status), "{args:?}: {statuses:?}");
    assert_eq!(ended, exit, "{args:?}");
}

#[test]
fn exit_codes() {
    check(&["true"], 0, "ok");
    check(&["false"], 3, "failed");
    check(&["--expect-code", "1", "false"], 0, "ok");
    check(&["--expect-code", "0,1", "false"], 0, "ok");
    check(&["--expect-code", "2", "false"], 3, "failed");
    check(&["--expect-code", "1", "true"], 3, "failed");
}

#[test]
fn failures_that_do_not_matter() {
    check(&["-i", "false"], 0, "ok");
    check(&["--ignore-failure", "false"], 0, "ok");
    check(&["-i=1", "false"], 0, "ok");
    check(&["--ignore-failure=all-non-zero", "false"], 0, "ok");
    check(&["--ignore-failure=2,3", "false"], 3, "failed");
    check(&["--ignore-failure=2,3", "true"], 0, "ok");
    Session::new().lotse(&["bench", "-i=some", "false"]).exits(2).complains("neither all-non-zero nor");
}

#[test]
fn output() {
    check(&["--expect-output", "hello\n", "echo hello"], 0, "ok");
    check(&["--expect-output", "hello", "echo hello"], 0, "ok");
    check(&["--expect-output", "hell", "echo hello"], 3, "invalid");
    check(&["--expect-contains", "ell", "echo hello"], 0, "ok");
    check(&["--expect-contains", "ell", "--expect-contains", "x", "echo hello"], 3, "invalid");
    check(&["--expect-lacks", "error", "echo hello"], 0, "ok");
    check(&["--expect-lacks", "error", "echo an error"], 3, "invalid");
}

#[test]
fn an_invalid_run_says_what_was_wrong() {
    let answer = Session::new().bench(&["--runs", "2", "--expect-contains", "42", "echo 41"]);
    assert!(answer["runs"][0]["problem"].as_str().unwrap().contains("42"), "{}", answer["runs"][0]);
    assert!(answer["programs"][0]["samples"].get("wall").is_none());
}
