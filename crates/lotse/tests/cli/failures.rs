//! Programs that fail, hang, write without end, leave children behind or are not there.

use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

use crate::session::{Answer, Session, eventually, is_running, list, texts};

/// A sleep time that no other process uses, so that the processes of one test can be found by it.
pub(crate) fn unique_sleep() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    format!("1000.{:07}{:03}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed))
}

fn bench(session: &Session, args: &[&str]) -> (Answer, Value) {
    let answer = session.lotse(&[&["bench", "--json"], args].concat());
    let json = answer.json();
    (answer, json)
}

fn rules(answer: &Value) -> Vec<&str> {
    list(&answer["findings"]).iter().map(|finding| finding["rule"]["id"].as_str().unwrap()).collect()
}

#[test]
fn a_program_that_fails() {
    let session = Session::new();
    session.script("bad", "exit 9");
    let (answer, json) = bench(&session, &["--runs", "2", "./bad"]);
    answer.exits(3);
    assert_eq!(json["runs"][0]["status"], "failed");
    assert_eq!(json["runs"][0]["exit_code"], 9);
    assert!(rules(&json).contains(&"bench-failed-runs"), "{:?}", rules(&json));
    session.lotse(&["bench", "--runs", "2", "./bad"]).exits(3).says("./bad").says("9");
}

#[test]
fn a_program_that_keeps_failing_ends_the_measurement() {
    let session = Session::new();
    session.script("bad", "echo x >> tries; exit 1");
    session.lotse(&["bench", "./bad", "sleep 0.001"]).exits(3);
    assert!(session.lines("tries").len() <= 10, "{} tries", session.lines("tries").len());
}

#[test]
fn a_program_that_fails_sometimes() {
    let session = Session::new();
    session.script("moody", "echo x >> tries; test $(($(wc -l < tries) % 4)) -ne 0");
    let (answer, json) = bench(&session, &["--runs", "8", "./moody", "true"]);
    answer.exits(3);
    let failed = list(&json["runs"]).iter().filter(|run| run["status"] == "failed").count();
    assert_eq!((failed, list(&json["runs"]).len()), (2, 16));
    assert_eq!(list(&json["programs"][0]["samples"]["wall"]).len(), 6);
    assert_eq!(list(&json["programs"][1]["samples"]["wall"]).len(), 8);
}

#[test]
fn a_program_ended_by_a_signal() {
    let session = Session::new();
    session.script("crash", "kill -SEGV $$");
    let (answer, json) = bench(&session, &["--runs", "2", "./crash"]);
    answer.exits(3);
    assert_eq!((&json["runs"][0]["status"], &json["runs"][0]["signal"]), (&"failed".into(), &11.into()));
}

#[test]
fn a_program_that_does_not_exist() {
    let session = Session::new();
    let (answer, json) = bench(&session, &["no-such-program --fast"]);
    answer.exits(3);
    assert!(texts(&json["runs"], "status").iter().all(|status| *status == "missing"), "{}", json["runs"]);
    let human = session.lotse(&["bench", "no-such-program --fast"]).exits(3);
    let screen = format!("{}{}", human.stdout, human.stderr);
    let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("there is no program `no-such-program`"), "{screen}");
}

#[test]
fn a_missing_program_does_not_lose_the_other() {
    let session = Session::new();
    let (answer, json) = bench(&session, &["--runs", "3", "true", "no-such-program"]);
    answer.exits(3);
    assert!(!list(&json["programs"][0]["samples"]["wall"]).is_empty());
}

#[test]
fn a_file_that_is_no_program() {
    let session = Session::new();
    session.write("text", "hello\n");
    std::fs::set_permissions(session.file("text"), std::fs::Permissions::from_mode(0o644)).unwrap();
    let answer = session.lotse(&["bench", "./text"]).exits(3);
    let screen = format!("{}{}", answer.stdout, answer.stderr);
    assert!(screen.contains("`./text` may not be executed") && screen.contains("chmod +x"), "{screen}");
}

#[test]
fn a_program_that_hangs() {
    let session = Session::new();
    let sleep = unique_sleep();
    let (answer, json) = bench(&session, &["--runs", "2", "--timeout", "50ms", &format!("sleep {sleep}")]);
    answer.exits(3);
    assert_eq!(texts(&json["runs"], "status"), ["timeout", "timeout"]);
    assert!(!is_running(&sleep));
}

#[test]
fn a_hanging_program_s_children_are_stopped_with_it() {
    let session = Session::new();
    let sleep = unique_sleep();
    session.script("tree", &format!("trap '' TERM; (sleep {sleep} & sleep {sleep}) & sleep {sleep}"));
    let (answer, json) = bench(&session, &["--runs", "1", "--timeout", "80ms", "./tree"]);
    answer.exits(3);
    assert_eq!(json["runs"][0]["status"], "timeout");
    eventually("the end of all children", || !is_running(&sleep));
}

#[test]
fn children_left_behind_are_found_and_ended() {
    let session = Session::new();
    let sleep = unique_sleep();
    session.script("leave", &format!("sleep {sleep} > /dev/null 2>&1 &"));
    let (_, json) = bench(&session, &["--runs", "3", "./leave"]);
    assert!(rules(&json).contains(&"bench-left-behind"), "{:?}", rules(&json));
    assert!(!is_running(&sleep));
}

#[test]
fn children_in_their_own_session_are_found_too() {
    let session = Session::new();
    let sleep = unique_sleep();
    session.script("daemon", &format!("setsid sleep {sleep} > /dev/null 2>&1 & sleep 0.05"));
    let (_, json) = bench(&session, &["--runs", "2", "./daemon"]);
    assert!(rules(&json).contains(&"bench-left-behind"), "{:?}", rules(&json));
    assert!(!is_running(&sleep));
}

#[test]
fn a_program_that_kills_its_parent() {
    let session = Session::new();
    session.script("ungrateful", "echo x >> tries; test $(wc -l < tries) -le 4 || kill -9 $PPID");
    let args = ["bench", "--json", "--runs", "8", "./ungrateful"];
    let answer = session.lotse(&args).exits(4).complains("launcher");
    assert_eq!(list(&answer.json()["runs"]).len(), 4);
}

#[test]
fn a_gigabyte_of_output() {
    for args in [&["--output", "null"][..], &["--output", "pipe"], &["--expect-lacks", "x"]] {
        let limited = format!(
            "ulimit -v 300000; exec {} bench --json --runs 1 {} 'head -c 1000000000 /dev/zero'",
            crate::session::LOTSE,
            args.join(" ")
        );
        let output = std::process::Command::new("sh").args(["-c", &limited]).output().unwrap();
        let json = Answer::from_output(output).json();
        let status = &json["runs"][0]["status"];
        assert!(
            status == "ok" || (args[0] == "--expect-lacks" && status == "invalid"),
            "{}",
            json["runs"][0]
        );
    }
}

#[test]
fn a_quiet_failure_still_says_why() {
    let session = Session::new();
    session.lotse(&["bench", "-q", "--runs", "2", "no-such-program"]).exits(3).complains("no-such-program");
    session.lotse(&["bench", "--style", "none", "--runs", "2", "false"]).exits(3).complains("false");
}
