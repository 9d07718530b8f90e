//! `lotse bench --max-regression` with several programs, failing ones, and runs that are stopped.

use std::process::Command;

use crate::session::{Answer, Session, WORK, eventually};

fn judged(session: &Session, words: &[&str]) -> Answer {
    session.lotse(&[&["bench", "--runs", "14", "-q", "--max-regression", "2%"], words, &WORK].concat())
}

#[test]
fn the_worst_of_several_programs_decides() {
    let session = Session::new();
    session.worker("old", &[100, 101, 102]).worker("fast", &[90, 91, 92]).worker("slow", &[110, 111, 112]);
    let words = ["--export-junit", "gate.xml", "--export-summary", "gate.md", "./old", "./fast", "./slow"];
    let answer = judged(&session, &words).exits(1).says("regression: ./slow: work +");
    assert!(!answer.stdout.contains("regression: ./fast"), "{}", answer.stdout);
    let junit = session.read("gate.xml");
    assert!(junit.contains("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""), "{junit}");
    assert!(session.read("gate.md").starts_with("## Benchmarks: regression\n"));
    judged(&session, &["./old", "./fast"]).exits(0).says("pass: ./fast");
    // The programs are compared with the reference that was chosen.
    judged(&session, &["--reference", "./slow", "./old", "./fast", "./slow"]).exits(0);
}

#[test]
fn measuring_goes_on_until_the_limit_is_decided() {
    let session = Session::new();
    // 3 % apart with a noise of 3 %. Lists of different lengths, so that the pairs differ.
    session.worker("old", &[9600, 10400, 9900, 10100, 9700, 10300, 10000]);
    session.worker("new", &[10700, 9900, 10500, 10100, 10300, 9950, 10650, 10200, 10400, 10250, 10350]);
    let words = ["bench", "--budget", "60s", "--json", "--max-regression", "2%", "./old", "./new"];
    let answer = session.lotse(&[&words[..], &WORK].concat()).exits(1).complains("more than 2.0 %");
    let answer = answer.json();
    let comparison = &answer["comparisons"][0];
    assert_eq!(comparison["stopped_by"], "limit", "{comparison}");
    assert!(comparison["interval"][0].as_f64().unwrap() > 1.02, "{comparison}");
}

#[test]
fn values_of_zero_are_judged_and_not_waited_for() {
    let session = Session::new();
    session.worker("none", &[0]).worker("some", &[1, 2, 3]);
    judged(&session, &["./none", "./none"]).exits(0);
    judged(&session, &["./none", "./some"]).exits(1).says("0 in every run");
}

#[test]
fn a_program_that_fails_is_no_pass() {
    let session = Session::new();
    session.worker("old", &[100, 101, 102]).script("bad", "exit 7");
    judged(&session, &["./old", "./bad"]).exits(3);
    // It is no pass either if the reference fails, or only some runs.
    judged(&session, &["./bad", "./old"]).exits(3);
    let body = "echo x >> n; test $(wc -l < n) -ne 5 || exit 1; echo work: 50";
    session.script("sometimes", body);
    let answer = judged(&session, &["--export-junit", "gate.xml", "./old", "./sometimes"]).exits(3);
    assert!(answer.stdout.contains("failed: ./sometimes"), "{}", answer.stdout);
    assert!(session.read("gate.xml").contains("errors=\"1\""));
}

#[test]
fn json_stays_one_value() {
    let session = Session::new();
    session.worker("old", &[100, 101, 102]).worker("slow", &[110, 111, 112]);
    let answer = judged(&session, &["--json", "./old", "./slow"]).exits(1);
    assert_eq!(answer.json()["schema"], "lotse.bench/1");
    answer.complains("./slow: work +").complains("more than 2.0 %");
}

#[test]
fn a_measurement_that_was_stopped_decides_nothing() {
    let session = Session::new();
    session.script("old", "echo x >> ran; echo work: 100").script("slow", "sleep 0.05; echo work: 200");
    let words = ["bench", "--runs", "2000", "-q", "--max-regression", "2%", "./old", "./slow"];
    let child = session.start(&[&words[..], &WORK].concat());
    eventually("the twentieth run", || session.lines("ran").len() > 20);
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    // Although twenty pairs show twice the work, the status says that the measurement was stopped.
    Answer::from_output(child.wait_with_output().unwrap()).exits(130);
}
