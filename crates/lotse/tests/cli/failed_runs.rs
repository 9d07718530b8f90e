//! Runs that fail: every form of the answer says so, with the output of the program.

use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};

use crate::session::{Answer, Session, eventually, has, list};

/// A program that fails in every third run, and says why.
fn flaky(session: &Session) -> &Session {
    session.script(
        "flaky",
        "echo x >> n\n[ $(($(wc -l < n) % 3)) = 0 ] || exit 0\necho 'no more space' >&2\nexit 7",
    )
}

#[test]
fn a_report_on_failed_runs_ends_as_the_measurement_did() {
    let session = Session::new();
    flaky(&session).lotse(&["bench", "--runs", "15", "--out", "log", "./flaky", "true"]).exits(3);
    session.lotse(&["bench", "report", "log"]).exits(3).says("10 + 5 failed");
    let json = session.lotse(&["bench", "report", "--json", "log"]).exits(3);
    session.write("answer.json", &json.stdout);
    session.lotse(&["bench", "report", "--quiet", "answer.json"]).exits(3);
    session.lotse(&["bench", "report", "log", "answer.json"]).exits(3);
}

#[test]
fn the_last_lines_on_standard_error_are_shown() {
    let session = Session::new();
    let answer = flaky(&session).lotse(&["bench", "--json", "--runs", "9", "./flaky"]).exits(3);
    let text = "3 of 9 runs failed: ended with exit code 7; its error output ends with: no more space";
    assert!(answer.stderr.contains(text), "{}", answer.stderr);
    let findings = &answer.json()["findings"];
    assert!(findings.to_string().contains(text), "{findings}");
}

#[test]
fn exports_for_hyperfine_say_what_they_leave_out() {
    let session = Session::new();
    let note = "3 failed runs of ./flaky left out of the export";
    flaky(&session)
        .lotse(&["bench", "--runs", "9", "--out", "log", "--export-json", "h.json", "./flaky"])
        .exits(3)
        .complains(note);
    assert_eq!(list(&session.read_json("h.json")["results"][0]["times"]).len(), 6);
    session.lotse(&["bench", "report", "--to", "hyperfine", "log"]).exits(3).complains(note);
    session.lotse(&["bench", "report", "--to", "markdown", "log"]).exits(3);
}

#[test]
fn unequal_numbers_of_runs_are_both_stated() {
    let session = Session::new();
    flaky(&session)
        .lotse(&["bench", "--runs", "15", "--order", "sequential", "./flaky", "sleep 0.001"])
        .exits(3)
        .says("15 and 10");
}

#[test]
fn a_measurement_without_a_block_says_so_and_shows_no_table() {
    let session = Session::new();
    let hook = session.lotse(&["bench", "-s", "exit 4", "sleep 0.01", "sleep 0.02"]).exits(3);
    assert!(hook.stdout.starts_with("nothing was measured"), "{}", hook.stdout);
    assert_eq!(hook.stdout.lines().count(), 1, "{}", hook.stdout);
    hook.complains("the setup command of 'sleep 0.01' ended with exit code 4");
    let lotse = session.start(&["bench", "--out", "log", "sleep 20", "sleep 21"]);
    eventually("the header", || !session.lines("log").is_empty());
    kill_process(Pid::from_child(&lotse), Signal::INT).unwrap();
    let stopped = Answer::from_output(lotse.wait_with_output().unwrap()).exits(130);
    assert_eq!(stopped.stdout, "nothing was measured: it ended before every program had run once\n");
    session.lotse(&["bench", "report", "log"]).exits(6).complains("log: no measurement in it");
    session.lotse(&["bench", "report", "log", "log"]).exits(6).complains("no measurement in it");
}

#[test]
fn a_report_on_failures_alone_says_that_no_run_was_successful() {
    let session = Session::new();
    session.lotse(&["bench", "--runs", "3", "--out", "log", "false", "sh -c 'exit 2'"]).exits(3);
    session.lotse(&["bench", "report", "log"]).exits(3).complains("runs failed: ended with exit code 1");
}

#[test]
fn hyperfine_files_have_no_error_beside_a_verdict_and_no_empty_table() {
    if !has("hyperfine") {
        return;
    }
    let session = Session::new();
    let hyperfine = |args: &[&str]| {
        let status = Command::new("hyperfine").args(args).current_dir(session.file(".")).output().unwrap();
        assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stderr));
    };
    hyperfine(&["-N", "-w", "1", "-r", "30", "--export-json", "h.json", "sleep 0.004", "sleep 0.012"]);
    let answer = session.lotse(&["bench", "report", "--json", "h.json"]).json();
    let decided = list(&answer["comparisons"]).iter().all(|row| row["verdict"] != "undecided");
    let doubted = answer["findings"].to_string().contains("bench-small-difference");
    assert!(!(decided && doubted), "{answer}");
    let mut summary = session.read_json("h.json");
    for result in summary["results"].as_array_mut().unwrap() {
        result.as_object_mut().unwrap().retain(|key, _| key != "times" && key != "measurements");
    }
    session.write("summary.json", &summary.to_string());
    let text = session.lotse(&["bench", "report", "summary.json"]).stdout;
    assert!(!text.contains("Differences"), "{text}");
}
