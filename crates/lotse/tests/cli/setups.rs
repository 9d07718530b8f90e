//! Setups that differ between the programs, and names of programs with parameters; hyperfine is the oracle.

use std::process::Command;

use serde_json::Value;

use crate::session::{Session, has, list, numbers, texts};

const SCAN: [&str; 3] = ["-L", "n", "2,6"];
const SETUP: [&str; 2] = ["-s", "echo sleep 0.0{n} > x.sh"];

/// The fastest run: a busy machine slows some runs down, but hardly all of them.
fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The ratio of the second program's fastest run to the first's.
fn ratio(answer: &Value) -> f64 {
    let [first, second] =
        [0, 1].map(|program| least(&numbers(&answer["programs"][program]["samples"]["wall"])));
    second / first
}

#[test]
fn setups_with_parameters_measure_what_hyperfine_measures() {
    if !has("hyperfine") {
        return;
    }
    let session = Session::new();
    let args = [&["--runs", "8"][..], &SCAN, &SETUP, &["sh x.sh"]].concat();
    let hyperfine = [&["--style", "none", "--export-json", "theirs.json"][..], &args].concat();
    let ended = Command::new("hyperfine").args(&hyperfine).current_dir(session.file("")).output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let theirs = session.read_json("theirs.json");
    let expected =
        theirs["results"][1]["min"].as_f64().unwrap() / theirs["results"][0]["min"].as_f64().unwrap();
    let ours = ratio(&session.bench(&args));
    // 60 ms over 20 ms, and what a shell and a busy machine add to both.
    assert!(expected > 1.5 && ours > 1.5, "hyperfine {expected}, lotse {ours}");
    assert!((0.6..1.7).contains(&(ours / expected)), "hyperfine {expected}, lotse {ours}");
}

#[test]
fn each_program_runs_between_its_own_setup_and_cleanup() {
    let session = Session::new();
    session.script("run", "echo run >> trace");
    let hooks = ["-s", "echo setup{n} >> trace", "-c", "echo cleanup{n} >> trace"];
    let answer =
        session.lotse(&[&["bench", "--json", "-r", "2", "-w", "1"][..], &SCAN, &hooks, &["./run"]].concat());
    let one =
        |n: &str| [format!("setup{n}"), "run".into(), "run".into(), "run".into(), format!("cleanup{n}")];
    assert_eq!(session.lines("trace"), [one("2"), one("6")].concat());
    let json = answer.json();
    assert_eq!(json["design"], "sequential");
    assert!(json["design_note"].as_str().unwrap().contains("--prepare instead of --setup"), "{json}");
    assert!(json["comparisons"][0]["estimator"].as_str().unwrap().starts_with("welch"), "{json}");
    assert!(answer.stderr.contains("unpaired"), "{}", answer.stderr);
    let finding =
        list(&json["findings"]).iter().find(|it| it["rule"]["id"] == "bench-not-interleaved").unwrap();
    assert!(finding["reason"]["text"].as_str().unwrap().contains("--prepare"), "{finding}");
}

#[test]
fn the_same_words_in_another_environment_are_another_setup() {
    let session = Session::new();
    session.script("run", "true");
    let design = |args: &[&str]| session.bench(&[&["-r", "2"], args].concat())["design"].clone();
    let setup = ["-s", "echo $N > n", "./run a", "./run b"];
    assert_eq!(design(&[&["--env", "N=1", "--env", "N=2"][..], &setup].concat()), "sequential");
    assert_eq!(design(&[&["--env", "N=1"][..], &setup].concat()), "blocks");
    assert_eq!(design(&["-s", "true", "./run a", "./run b"]), "blocks");
    assert_eq!(design(&["--prepare", "true", "--prepare", "false || true", "./run a", "./run b"]), "blocks");
}

#[test]
fn a_log_of_setups_that_differ_says_so_too() {
    let session = Session::new();
    session.script("run", "true");
    session.bench(&[&["-r", "3", "--out", "log"][..], &SCAN, &SETUP, &["./run"]].concat());
    let json = session.lotse(&["bench", "report", "--json", "log"]).json();
    assert_eq!(json["design"], "sequential");
    assert!(json["design_note"].as_str().unwrap().contains("differ"), "{json}");
}

#[test]
fn what_needs_pairs_is_refused_where_setups_differ() {
    let session = Session::new();
    let scan = ["-s", "echo {n} > x", "-L", "n", "1,2", "true"];
    for (options, word) in [(["--order", "duet"], "duet"), (["--aa=2", "-r3"], "--aa")] {
        session.lotse(&[&["bench"], &options[..], &scan].concat()).exits(2).complains(word);
    }
    // A duet prepares both programs before it starts them: the second would undo the first.
    let prepares = ["bench", "--order", "duet", "-p", "echo {n} > x", "-L", "n", "1,2", "true"];
    session.lotse(&prepares).exits(2).complains("at once");
    assert!(session.lines("x").is_empty());
}

#[test]
fn a_failed_setup_of_the_second_program_keeps_the_first_and_cleans_up_once() {
    let session = Session::new();
    session.script("run", "echo run >> trace");
    let hooks = ["-s", "test {n} = 2", "-c", "echo cleanup{n} >> trace"];
    let answer =
        session.lotse(&[&["bench", "--json", "-r", "2"][..], &SCAN, &hooks, &["./run"]].concat()).exits(3);
    assert_eq!(list(&answer.json()["runs"]).len(), 2);
    assert_eq!(session.lines("trace"), ["run", "run", "cleanup2", "cleanup6"]);
}

#[test]
fn programs_of_one_name_show_their_parameters() {
    let session = Session::new();
    let names = |args: &[&str]| {
        let answer = session.bench(&[&["-r", "1"], args].concat());
        texts(&answer["programs"], "name").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(names(&["-L", "n", "1,3", "-p", "true {n}", "true"]), ["true (n = 1)", "true (n = 3)"]);
    assert_eq!(names(&["-L", "n", "1,3", "-n", "size {n}", "true {n}"]), ["size 1", "size 3"]);
    assert_eq!(names(&["-L", "n", "1,3", "-n", "plain", "true {n}"]), ["plain (n = 1)", "plain (n = 3)"]);
    let two = ["-L", "n", "1,3", "-n", "a{n}", "-n", "b{n}", "true {n}", "true x {n}"];
    assert_eq!(names(&two), ["a1", "a3", "b1", "b3"]);
    let pattern = ["-L", "n", "1,3", "-n", "p{n}", "true {n}", "true x {n}"];
    assert_eq!(names(&pattern), ["p1 (n = 1)", "p3 (n = 3)", "p1 (n = 1) #2", "p3 (n = 3) #2"]);
}
