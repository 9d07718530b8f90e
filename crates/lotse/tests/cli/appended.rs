//! `--append`, and `--watch`: results that grow.

use crate::session::{Session, WORK, list};

fn session() -> Session {
    let session = Session::new();
    session.worker("a", &[10, 11, 12]).worker("b", &[13, 14, 15]);
    session
}

fn run(session: &Session, words: &[&str]) -> crate::session::Answer {
    session.lotse(&[&["bench", "./a", "./b", "--seed", "1"], &WORK[..], words].concat())
}

/// The second answer is about all runs, at a level that allows for the first one having been seen.
#[test]
fn runs_are_added_to_a_log() {
    let session = session();
    let out = ["--out", "log", "--json"];
    let first = run(&session, &[&out[..], &["--runs", "12"]].concat()).json();
    assert_eq!(first["comparisons"][0]["level"], 0.95);
    let refused = run(&session, &[&out[..], &["--runs", "8"]].concat()).exits(2);
    assert!(refused.stderr.contains("exists already"), "{}", refused.stderr);
    let second = run(&session, &[&out[..], &["--runs", "8", "--append"]].concat()).json();
    assert_eq!(list(&second["programs"][0]["samples"]["work"]).len(), 20);
    assert_eq!(second["comparisons"][0]["level"], 0.975);
    let third = run(&session, &[&out[..], &["--runs", "3", "--append"]].concat()).json();
    assert_eq!(third["comparisons"][0]["level"], 0.9875);
    let blocks: Vec<u64> = list(&third["runs"]).iter().map(|run| run["block"].as_u64().unwrap()).collect();
    assert_eq!(blocks.iter().max(), Some(&22));
    let report = session.lotse(&["bench", "report", "log", "--json"]).json();
    assert_eq!(report["comparisons"], third["comparisons"], "the file says the same");
}

#[test]
fn other_programs_and_questions_are_refused() {
    let session = session();
    session.worker("c", &[1]);
    run(&session, &["--out", "log", "--runs", "3"]);
    let before = session.read("log");
    let other =
        session.lotse(&[&["bench", "./a", "./c", "--out", "log", "--append"], &WORK[..]].concat()).exits(2);
    assert!(
        other.stderr.contains("it is about other programs (./a, ./b) than these (./a, ./c)"),
        "{}",
        other.stderr
    );
    let order = run(&session, &["--out", "log", "--append", "--order", "sequential"]).exits(2);
    assert!(order.stderr.contains("--order"), "{}", order.stderr);
    let reference = run(&session, &["--out", "log", "--append", "--reference", "./b"]).exits(2);
    assert!(reference.stderr.contains("its reference is ./a, not ./b"), "{}", reference.stderr);
    let nowhere = run(&session, &["--append"]).exits(2);
    assert!(nowhere.stderr.contains("--out or --export-temci"), "{}", nowhere.stderr);
    assert_eq!(session.read("log"), before, "a refused measurement leaves the file as it is");
}

#[test]
fn runs_are_added_to_temci_s_results() {
    let session = session();
    for _ in 0..2 {
        run(&session, &["--runs", "3", "--export-temci", "out.yaml", "--append"]);
    }
    let report = session.lotse(&["bench", "report", "out.yaml", "--json", "--metric", "work"]).json();
    let works: Vec<usize> =
        list(&report["programs"]).iter().map(|program| list(&program["samples"]["work"]).len()).collect();
    assert_eq!(works, [6, 6]);
    session.write("out.yaml", "- attributes: {description: ./a}\n  data: {work: [1, x]}\n");
    let damaged = run(&session, &["--runs", "3", "--export-temci", "out.yaml", "--append"]);
    assert!(damaged.stderr.contains("damaged"), "{}", damaged.stderr);
    assert_eq!(session.lines("a.count").len(), 6, "nothing was measured that could not be kept");
}

#[test]
fn while_measuring_figures_are_shown_but_no_verdict() {
    let session = session();
    let answer = run(&session, &["--runs", "4", "--watch=2", "-q"]);
    let shown = answer
        .stderr
        .split("So far, without a verdict")
        .nth(1)
        .unwrap_or_else(|| panic!("{}", answer.stderr));
    assert!(shown.contains("./a") && shown.contains("deviation"), "{shown}");
    assert!(run(&session, &["--runs", "4", "-q"]).stderr.find("So far").is_none());
}

#[test]
fn another_command_under_the_same_name_is_shown() {
    let session = Session::new();
    let run = |command: &str| {
        session.lotse(&["bench", "--runs", "2", "--out", "log", "--append", "-n", "app", command])
    };
    run("true 1").exits(0);
    run("true 2").exits(2).complains("its app is another command (`true 1`) than this one (`true 2`)");
}
