//! `--aa`: measuring a program against itself.

use crate::session::{Session, list, texts};

#[test]
fn a_hidden_copy_of_the_first_program() {
    let session = Session::new();
    session.script("one", "echo x >> ones");
    let answer = session.bench(&["--aa", "--runs", "20", "-n", "one", "./one", "-n", "two", "true"]);
    assert_eq!(texts(&answer["programs"], "name"), ["one", "two"]);
    assert_eq!(session.lines("ones").len(), 40);
    let check = &answer["self_check"];
    assert_eq!((&check["program"], &check["repeats"]), (&"one".into(), &1.into()));
    assert!(check["ratio"].as_f64().unwrap() > 0.0, "{check}");
    assert_eq!(list(&check["interval"]).len(), 2);
    assert!(check["alarms"].as_u64().unwrap() <= 1, "{check}");
    // If the data give no bounds, there is no value.
    assert!(check["resolvable"].as_f64().is_none_or(|share| share > 0.0), "{check}");
}

#[test]
fn repeated_and_counted() {
    let session = Session::new();
    let answer = session.bench(&["--aa=3", "--runs", "10", "true", "sleep 0.001"]);
    let check = &answer["self_check"];
    assert_eq!(check["repeats"], 3);
    assert!(check["alarms"].as_u64().unwrap() <= 3);
    assert_eq!(list(&answer["programs"]).len(), 2);
    session.lotse(&["bench", "--aa=0", "true"]).exits(2).complains("not a number of repetitions");
}

#[test]
fn the_screen_says_what_could_be_found() {
    let answer = Session::new().lotse(&["bench", "--aa", "--runs", "10", "-n", "one", "true", "sleep 0.001"]);
    let text = answer.stdout.to_lowercase();
    assert!(text.contains("against itself") || text.contains("self-check"), "{}", answer.stdout);
}

#[test]
fn the_copy_stays_hidden_in_a_report() {
    let session = Session::new();
    session.lotse(&["bench", "--aa", "--runs", "10", "--out", "log", "true", "sleep 0.001"]);
    let answer = session.lotse(&["bench", "report", "--json", "log"]).json();
    assert_eq!(texts(&answer["programs"], "name"), ["true", "sleep 0.001"]);
    assert_eq!(answer["self_check"]["repeats"], 1);
}
