//! In which order programs run.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::session::{Session, list};

const THREE: [&str; 6] = ["-n", "a", "-n", "b", "-n", "c"];
const COMMANDS: [&str; 3] = ["true", "true x", "true y"];

fn measure(session: &Session, args: &[&str]) -> Value {
    session.bench(&[args, &THREE, &COMMANDS].concat())
}

/// The programs in the order they ran.
fn sequence(answer: &Value) -> String {
    list(&answer["runs"]).iter().map(|run| run["program"].as_str().unwrap()).collect()
}

fn blocks(answer: &Value) -> Vec<String> {
    let mut blocks: BTreeMap<u64, String> = BTreeMap::new();
    for run in list(&answer["runs"]) {
        let block = blocks.entry(run["block"].as_u64().unwrap()).or_default();
        assert_eq!(run["position"].as_u64().unwrap(), block.len() as u64);
        block.push_str(run["program"].as_str().unwrap());
    }
    blocks.into_values().collect()
}

#[test]
fn blocks_are_complete_and_every_second_mirrors_the_one_before() {
    let blocks = blocks(&measure(&Session::new(), &["--runs", "8", "--seed", "1"]));
    assert_eq!(blocks.len(), 8);
    for couple in blocks.chunks(2) {
        let mut programs: Vec<char> = couple[0].chars().collect();
        assert_eq!(couple[1], programs.iter().rev().collect::<String>());
        programs.sort_unstable();
        assert_eq!(programs, ['a', 'b', 'c']);
    }
}

#[test]
fn the_same_seed_gives_the_same_order() {
    let session = Session::new();
    let first = measure(&session, &["--runs", "10", "--seed", "42"]);
    assert_eq!(first["seed"], 42);
    assert_eq!(sequence(&first), sequence(&measure(&session, &["--runs", "10", "--seed", "42"])));
    assert_ne!(sequence(&first), sequence(&measure(&session, &["--runs", "10", "--seed", "43"])));
}

#[test]
fn a_drawn_seed_is_reported_and_can_be_given_again() {
    let session = Session::new();
    let first = measure(&session, &["--runs", "6"]);
    let seed = first["seed"].to_string();
    assert_eq!(sequence(&first), sequence(&measure(&session, &["--runs", "6", "--seed", &seed])));
}

#[test]
fn programs_run_in_the_recorded_order() {
    let session = Session::new();
    session.script("say", "echo -n $1 >> order");
    let names = ["-n", "a", "-n", "b"];
    let answer =
        session.bench(&[&["--runs", "9", "--seed", "3"], &names[..], &["./say a", "./say b"]].concat());
    assert_eq!(session.read("order"), sequence(&answer));
}

#[test]
fn sequential_on_request() {
    let session = Session::new();
    let answer = measure(&session, &["--runs", "3", "--order", "sequential"]);
    assert_eq!(sequence(&answer), "aaabbbccc");
    assert_eq!(answer["design"], "sequential");
    let rules: Vec<&Value> = list(&answer["findings"]).iter().map(|finding| &finding["rule"]["id"]).collect();
    assert!(rules.contains(&&"bench-not-interleaved".into()), "{rules:?}");
}

#[test]
fn a_duet_runs_both_at_once() {
    let session = Session::new();
    // Each program waits for the other one, so that runs one after the other would never end.
    let wait =
        "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do test -s $2 && sleep 0.1 && exit 0; sleep 0.05; done; exit 1";
    session.script("meet", &format!("echo in > $1; {wait}"));
    let args = ["--order", "duet", "--runs", "2", "--prepare", "rm -f x y", "./meet x y", "./meet y x"];
    let answer = session.lotse(&[&["bench", "--json"], &args[..]].concat());
    if answer.stderr.contains("needs two CPUs") {
        test_support::skip_here("one CPU");
        return;
    }
    let answer = answer.json();
    assert_eq!(answer["design"], "duet");
    assert!(list(&answer["runs"]).iter().all(|run| run["status"] == "ok"), "{}", answer["runs"]);
}

#[test]
fn a_duet_needs_two_programs() {
    let session = Session::new();
    let answer = session.lotse(&["bench", "--order", "duet", "--runs", "2", "true"]).exits(2);
    assert_eq!(answer.stderr, "error: a duet is for exactly two programs, not 1\n");
}

#[test]
fn a_duet_has_no_self_check() {
    let session = Session::new();
    let answer = session.lotse(&["bench", "--order", "duet", "--aa", "--runs", "2", "true", "true"]).exits(2);
    answer.complains("--aa");
}
