//! `--out FILE`: results as they come, readable after a kill.

use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::Value;

use crate::failures::unique_sleep;
use crate::session::{Answer, Session, eventually, is_running, list};

/// Starts a long measurement of a program with `word` on its command line, and waits for some blocks.
fn long_measurement(session: &Session, word: &str, args: &[&str]) -> Child {
    session.script("work", "sleep 0.01");
    let command = format!("./work {word}");
    let all =
        [&["bench", "--budget", "60s", "--until", "0.0001%", "--out", "log"], args, &[&command]].concat();
    let lotse = session.start(&all);
    eventually("the third line of the log", || session.lines("log").len() >= 4);
    lotse
}

fn signal(lotse: &Child, signal: Signal) {
    kill_process(Pid::from_child(lotse), signal).unwrap();
}

fn records(session: &Session, name: &str) -> Vec<Value> {
    session.lines(name).iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_header_and_a_record_for_each_block() {
    let session = Session::new();
    session.lotse(&["bench", "--runs", "4", "--seed", "5", "--out", "log", "true", "true"]);
    let records = records(&session, "log");
    assert_eq!(records[0]["schema"], "lotse.bench.log/1");
    assert_eq!((&records[0]["seed"], list(&records[0]["programs"]).len()), (&5.into(), 2));
    for (block, record) in records[1..5].iter().enumerate() {
        assert_eq!(record["block"], block);
        assert_eq!(list(&record["runs"]).len(), 2);
    }
    assert_eq!(records.len(), 6);
    assert_eq!(records[5]["end"]["stopped_by"], "runs");
}

#[test]
fn a_report_on_the_log_says_the_same() {
    let session = Session::new();
    let args = ["--runs", "20", "--out", "log", "sleep 0.001", "sleep 0.004"];
    let direct = session.bench(&args);
    let read = session.lotse(&["bench", "report", "--json", "log"]).json();
    for key in ["schema", "machine", "seed", "design", "programs", "runs"] {
        assert_eq!(read[key], direct[key], "{key}");
    }
    for (read, direct) in list(&read["comparisons"]).iter().zip(list(&direct["comparisons"])) {
        for key in [
            "reference",
            "program",
            "metric",
            "primary",
            "ratio",
            "interval",
            "verdict",
            "blocks",
            "stopped_by",
        ] {
            assert_eq!(read[key], direct[key], "{key} of {direct}");
        }
    }
    assert_eq!(list(&read["comparisons"]).len(), list(&direct["comparisons"]).len());
}

#[test]
fn a_file_that_exists_is_kept() {
    let session = Session::new();
    session.write("log", "precious\n").script("work", "echo x >> ran");
    let answer = session.lotse(&["bench", "--runs", "2", "--out", "log", "./work"]).exits(2);
    answer.complains("log");
    assert_eq!(session.read("log"), "precious\n");
    assert!(session.lines("ran").is_empty());
    session.lotse(&["bench", "--runs", "2", "--out", "log", "--force", "./work"]).exits(0);
    assert_eq!(records(&session, "log").len(), 4);
}

#[test]
fn a_kill_loses_nothing_measured() {
    let session = Session::new();
    let word = unique_sleep();
    let mut lotse = long_measurement(&session, &word, &[]);
    signal(&lotse, Signal::KILL);
    lotse.wait().unwrap();
    eventually("the end of the measured program", || !is_running(&word));
    let blocks = session.lines("log").iter().filter(|line| line.starts_with("{\"block\"")).count();
    let report = session.lotse(&["bench", "report", "--json", "log"]);
    let runs = list(&report.json()["runs"]).len();
    assert!(runs >= 3 && (runs == blocks || runs + 1 == blocks), "{runs} runs of {blocks} blocks");
    session.lotse(&["bench", "report", "log"]).says(&word);
}

#[test]
fn an_interrupt_gives_what_was_measured() {
    let session = Session::new();
    let word = unique_sleep();
    let lotse = long_measurement(&session, &word, &["--json", "--cleanup", "echo done >> cleaned"]);
    signal(&lotse, Signal::INT);
    let answer = Answer::from_output(lotse.wait_with_output().unwrap()).exits(130);
    let json = answer.json();
    assert!(list(&json["runs"]).len() >= 3, "{}", json["runs"]);
    assert!(list(&json["runs"]).iter().all(|run| run["status"] == "ok"), "{}", json["runs"]);
    assert_eq!(records(&session, "log").last().unwrap()["end"]["stopped_by"], "interrupt");
    assert_eq!(session.lines("cleaned"), ["done"]);
    assert!(!is_running(&word));
}

#[test]
fn an_interrupt_reaches_a_program_that_hangs() {
    let session = Session::new();
    let sleep = unique_sleep();
    let lotse = session.start(&["bench", "--cleanup", "echo done >> cleaned", &format!("sleep {sleep}")]);
    eventually("the program", || is_running(&sleep));
    signal(&lotse, Signal::INT);
    Answer::from_output(lotse.wait_with_output().unwrap()).exits(130);
    assert!(!is_running(&sleep));
    assert_eq!(session.lines("cleaned"), ["done"]);
}

#[test]
fn sigterm_is_an_interrupt() {
    let session = Session::new();
    let word = unique_sleep();
    let lotse = long_measurement(&session, &word, &["--json"]);
    signal(&lotse, Signal::TERM);
    let answer = Answer::from_output(lotse.wait_with_output().unwrap()).exits(130);
    assert!(list(&answer.json()["runs"]).len() >= 3);
    assert!(!is_running(&word));
}

#[test]
fn an_interrupt_of_lotse_only() {
    let session = Session::new();
    let word = unique_sleep();
    let lotse = long_measurement(&session, &word, &[]);
    signal(&lotse, Signal::INT);
    Answer::from_output(lotse.wait_with_output().unwrap()).exits(130).says(&word);
    assert_eq!(records(&session, "log").last().unwrap()["end"]["stopped_by"], "interrupt");
    assert!(!is_running(&word));
}

/// What Ctrl-C does: every process of the terminal's foreground group gets the signal.
#[test]
fn an_interrupt_of_the_whole_group() {
    let session = Session::new();
    let sleep = unique_sleep();
    let mut command =
        session.command(&["bench", "--cleanup", "echo done >> cleaned", &format!("sleep {sleep}")]);
    let lotse = command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    eventually("the program", || is_running(&sleep));
    kill_process_group(Pid::from_child(&lotse), Signal::INT).unwrap();
    Answer::from_output(lotse.wait_with_output().unwrap()).exits(130);
    assert!(!is_running(&sleep));
    assert_eq!(session.lines("cleaned"), ["done"]);
}

#[test]
fn an_interrupt_reaches_a_hook_that_hangs() {
    let session = Session::new();
    let sleep = unique_sleep();
    let lotse = session.start(&["bench", "--prepare", &format!("sleep {sleep}"), "true"]);
    eventually("the hook", || is_running(&sleep));
    signal(&lotse, Signal::INT);
    Answer::from_output(lotse.wait_with_output().unwrap()).exits(130);
    assert!(!is_running(&sleep));
}
