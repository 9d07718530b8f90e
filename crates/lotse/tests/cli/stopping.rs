//! A measurement that is interrupted or killed gives the interval of its last look.

use std::process::Child;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::session::{Answer, Session, WORK, eventually, list};

/// A long measurement of two programs: their `work` differs, but the requested precision is never reached.
fn long(session: &Session) -> Child {
    session.worker("old", &[100, 103, 98, 101, 99, 104, 97]).worker("new", &[80, 83, 78, 81, 79]);
    let args =
        [&["bench", "--json", "--budget", "20s", "--until", "0.0001%", "--out", "log"], &WORK[..]].concat();
    session.start(&[&args[..], &["./old", "./new"]].concat())
}

fn looks(session: &Session) -> Vec<Value> {
    let lines = session.lines("log").into_iter().filter(|line| line.starts_with("{\"look\""));
    lines.filter_map(|line| serde_json::from_str(&line).ok()).collect()
}

/// Waits for a look that bounds the ratio, and some blocks after it.
fn wait_for_looks(session: &Session) {
    // Earlier looks need more evidence than so few blocks can give.
    let bounded = |look: &Value| look["look"]["nominal_p"][0].as_f64() > Some(2e-4);
    eventually("a look that concludes something", || looks(session).iter().any(bounded));
    let blocks = session.lines("log").len();
    eventually("more blocks", || session.lines("log").len() > blocks + 2);
}

fn primary(answer: &Value) -> Value {
    list(&answer["comparisons"]).iter().find(|row| row["primary"] == true).unwrap().clone()
}

/// The comparison without the reason why measuring stopped.
fn without_reason(answer: &Value) -> Value {
    let mut row = primary(answer);
    row.as_object_mut().unwrap().remove("stopped_by");
    row
}

#[test]
fn an_interrupt_and_a_kill_give_the_same_interval() {
    let session = Session::new();
    let lotse = long(&session);
    wait_for_looks(&session);
    kill_process(Pid::from_child(&lotse), Signal::INT).unwrap();
    let interrupted = Answer::from_output(lotse.wait_with_output().unwrap()).exits(130).json();
    let row = primary(&interrupted);
    assert_eq!((&row["verdict"], &row["stopped_by"]), (&"faster".into(), &"interrupt".into()), "{row}");
    assert!(row["interval"][1].as_f64().unwrap() < 1.0, "{row}");
    let looked = looks(&session).last().unwrap()["look"]["blocks"].clone();
    assert_eq!(row["blocks"], looked, "the interval is about the blocks of the last look");
    // A kill at the same moment: the file is the same but has no end.
    let mut lines = session.lines("log");
    assert!(lines.pop().unwrap().starts_with("{\"end\""));
    session.write("cut", &(lines.join("\n") + "\n"));
    let killed = session.lotse(&["bench", "report", "--json", "cut"]).json();
    assert_eq!(primary(&killed)["stopped_by"], "kill");
    assert_eq!(without_reason(&killed), without_reason(&interrupted));
    // Reports on the complete file and on the answer give the same.
    let reported = session.lotse(&["bench", "report", "--json", "log"]).json();
    assert_eq!(primary(&reported), row);
    session.write("answer.json", &interrupted.to_string());
    let again = session.lotse(&["bench", "report", "--json", "answer.json"]).json();
    assert_eq!(primary(&again), row);
}

#[test]
fn a_kill_leaves_the_interval_of_the_last_look() {
    let session = Session::new();
    let mut lotse = long(&session);
    wait_for_looks(&session);
    kill_process(Pid::from_child(&lotse), Signal::KILL).unwrap();
    lotse.wait().unwrap();
    let row = primary(&session.lotse(&["bench", "report", "--json", "log"]).json());
    assert_eq!(row["blocks"], looks(&session).last().unwrap()["look"]["blocks"]);
    assert_eq!((&row["verdict"], &row["stopped_by"]), (&"faster".into(), &"kill".into()), "{row}");
}

#[test]
fn a_kill_before_the_first_look_bounds_nothing() {
    let session = Session::new();
    let mut lotse = long(&session);
    eventually("a block", || session.lines("log").len() >= 3);
    kill_process(Pid::from_child(&lotse), Signal::KILL).unwrap();
    lotse.wait().unwrap();
    // Only the header and two blocks: no look can have been made.
    let lines = session.lines("log");
    session.write("early", &(lines[..3].join("\n") + "\n"));
    let row = primary(&session.lotse(&["bench", "report", "--json", "early"]).exits(5).json());
    assert_eq!(row["interval"], serde_json::json!([null, null]));
    assert_eq!(row["warnings"][0], "it ended before the first look");
}

#[test]
fn a_finished_answer_read_again_has_the_same_interval() {
    let session = Session::new();
    session.worker("old", &[100, 103, 98, 101, 99, 104, 97]).worker("new", &[99, 103, 98, 100, 99, 104]);
    let direct = session.bench(&[&["-M", "40"], &WORK[..], &["./old", "./new"]].concat());
    session.write("answer.json", &direct.to_string());
    let again = session.lotse(&["bench", "report", "--json", "answer.json"]).json();
    assert_eq!(primary(&again), primary(&direct));
}
