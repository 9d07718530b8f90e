//! `--keep`, `lotse bench history`, `lotse bench gate` and `--max-regression`.

use crate::session::{Session, WORK};
use crate::tools::git;

/// Measures a program that prints these numbers, keeping the result.
fn kept(session: &Session, work: &[u32], more: &[&str]) {
    drop(std::fs::remove_file(session.file("app.count")));
    session.worker("app", work);
    let words = [&["bench", "--runs", "4", "-q", "-n", "app", "./app"], &WORK[..], more].concat();
    let answer = session.lotse(&words);
    assert_eq!(answer.status, 0, "{}", answer.stderr);
}

/// Ten results around 1000, each with runs that differ a little.
fn ten_results() -> Session {
    let session = Session::new();
    kept(&session, &[1000, 1001, 999, 1002], &["--keep"]);
    for work in [1008, 995, 1003, 991, 1004, 1010, 996, 1001, 998] {
        kept(&session, &[work, work + 1, work - 1, work + 2], &[]);
    }
    session
}

#[test]
fn nothing_is_kept_unless_asked_for() {
    let session = Session::new();
    kept(&session, &[1], &[]);
    assert!(!session.file(".lotse").exists());
    // A label names a result that is kept, and does not begin a history.
    let label = session.lotse(&[&["bench", "-q", "--label", "v1", "./app"], &WORK[..]].concat());
    assert_eq!(label.status, 2, "{}", label.stdout);
    assert!(
        label.stderr.contains("--keep begins one") && !session.file(".lotse").exists(),
        "{}",
        label.stderr
    );
    let none = session.lotse(&["bench", "history"]);
    assert_eq!(none.status, 4);
    assert!(none.stderr.contains("`lotse bench --keep CMD` begins one"), "{}", none.stderr);
    kept(&session, &[1], &["--keep"]);
    kept(&session, &[1], &[]);
    kept(&session, &[1], &["--no-keep"]);
    let history = session.lotse(&["bench", "history", "--json"]).json();
    assert_eq!(history["series"][0]["points"].as_array().unwrap().len(), 2);
    assert_eq!(history["series"][0]["metric"], "work");
}

#[test]
fn the_gate_decides_by_the_spread_of_results() {
    let session = ten_results();
    let judge = |work: u32| {
        kept(&session, &[work, work + 1], &[]);
        let answer = session.lotse(&["bench", "gate", "--json"]);
        // The result is judged and deleted, so that every one is compared with the same history.
        let id = answer.json()["result"]["id"].to_string();
        assert_eq!(session.lotse(&["bench", "history", "forget", &id]).status, 0);
        (answer.status, answer.json()["decision"].as_str().unwrap().to_owned())
    };
    assert_eq!(judge(1000), (0, "pass".to_owned()));
    assert_eq!(judge(1100), (1, "regression".to_owned()));
    assert_eq!(judge(1020), (5, "undecided".to_owned()));
}

#[test]
fn reports_for_machines_and_for_people() {
    let session = ten_results();
    kept(&session, &[1200, 1201], &["--label", "slow"]);
    let answer =
        session.lotse(&["bench", "gate", "--export-junit", "gate.xml", "--export-summary", "gate.md"]);
    assert_eq!(answer.status, 1, "{}", answer.stderr);
    assert!(answer.stdout.starts_with("regression: app: work +19.9 %"), "{}", answer.stdout);
    assert!(answer.stdout.contains("Judged: result 11 of 20"), "{}", answer.stdout);
    let junit = session.read("gate.xml");
    assert!(junit.contains("failures=\"1\"") && junit.contains("value=\"result 11 of 20"), "{junit}");
    let summary = session.read("gate.md");
    assert!(summary.starts_with("## Benchmarks: regression\n"), "{summary}");
    // Several steps of a job share this file.
    let mut command = session.command(&["bench", "gate", "--export-summary", "gate.md"]);
    assert_eq!(command.env("GITHUB_STEP_SUMMARY", "gate.md").status().unwrap().code(), Some(1));
    assert_eq!(session.read("gate.md"), format!("{summary}{summary}"));
    // The same file by another path.
    let mut command = session.command(&["bench", "gate", "--export-summary", "./gate.md"]);
    let whole = session.file("gate.md");
    assert_eq!(command.env("GITHUB_STEP_SUMMARY", whole).status().unwrap().code(), Some(1));
    assert_eq!(session.read("gate.md"), format!("{summary}{summary}{summary}"));
    let html =
        session.lotse(&["bench", "history", "--export-html", "history.html", "--export-csv", "history.csv"]);
    assert_eq!(html.status, 0, "{}", html.stderr);
    assert!(session.read("history.html").contains("<svg"));
    assert_eq!(session.read("history.csv").lines().count(), 12);
    assert!(html.stdout.contains("slow"), "{}", html.stdout);
}

#[test]
fn a_baseline_is_a_label_a_commit_or_a_file() {
    let session = ten_results();
    let git = |words: &[&str]| git(&session, words);
    git(&["init", "--quiet", "--initial-branch=main"]);
    session.write("source.c", "");
    git(&["add", "source.c"]);
    git(&["commit", "--quiet", "-m", "one"]);
    kept(&session, &[1000, 1001], &["--label", "v1"]);
    git(&["tag", "first"]);
    kept(&session, &[1500, 1501], &[]);
    let gate = |baseline: &str| {
        let answer = session.lotse(&["bench", "gate", "--baseline", baseline, "--json"]);
        (answer.status, answer.json()["baseline"].as_str().unwrap().to_owned())
    };
    assert_eq!(gate("v1"), (1, "the results named 'v1'".to_owned()));
    let (status, baseline) = gate("first");
    assert_eq!((status, baseline.starts_with("first (commit ")), (1, true), "{baseline}");
    assert_eq!(session.lotse(&["bench", "history", "export", "11", "v1.jsonl"]).status, 0);
    assert_eq!(gate("v1.jsonl"), (1, "the result file".to_owned()));
    let unknown = session.lotse(&["bench", "gate", "--baseline", "nothing"]);
    assert_eq!(unknown.status, 2);
    assert!(unknown.stderr.contains("no label of the history (there are v1)"), "{}", unknown.stderr);
}

#[test]
fn the_complete_result_is_kept() {
    let session = Session::new();
    session.worker("new", &[90, 91, 92]).worker("old", &[100, 101, 102]);
    let words = ["bench", "--runs", "12", "--keep", "--json", "./old", "./new"];
    let measured = session.lotse(&[&words[..], &WORK].concat()).json();
    session.lotse(&["bench", "history", "export", "1", "kept.jsonl"]);
    let read = session.lotse(&["bench", "report", "kept.jsonl", "--json"]).json();
    for key in ["seed", "runs", "comparisons", "conclusion", "programs"] {
        assert_eq!(measured[key], read[key], "{key}");
    }
}

#[test]
fn files_of_other_tools_are_added() {
    let session = Session::new();
    for (name, seconds) in [("a.json", 1.0), ("b.json", 1.1)] {
        let times: Vec<f64> = (0..6).map(|run| seconds + 0.001 * f64::from(run)).collect();
        session.write(name, &format!("{{\"results\": [{{\"command\": \"make\", \"times\": {times:?}}}]}}"));
    }
    let added =
        session.lotse(&["bench", "history", "add", "a.json", "b.json", "--this-machine", "--store", "h.db"]);
    assert_eq!(added.status, 0, "{}", added.stderr);
    let history = session.lotse(&["bench", "history", "--store", "h.db", "--json"]).json();
    assert_eq!(history["series"][0]["program"], "make");
    assert_eq!(history["series"][0]["points"][1]["runs"], 6);
    // Two results differ by 10 %; without a third, the usual spread of results is not known.
    let gate = session.lotse(&["bench", "gate", "--store", "h.db"]);
    assert_eq!(gate.status, 5, "{}", gate.stdout);
    assert!(gate.stdout.contains("--session-spread"), "{}", gate.stdout);
    let judged = session.lotse(&["bench", "gate", "--store", "h.db", "--session-spread", "1%"]);
    assert_eq!(judged.status, 1, "{}", judged.stdout);
}

#[test]
fn programs_measured_together_are_judged_by_their_pairs() {
    let session = Session::new();
    session.worker("new", &[110, 111, 112]).worker("old", &[100, 101, 102]);
    let gate = |limit: &str| {
        let words = ["bench", "--runs", "12", "-q", "--max-regression", limit, "./old", "./new"];
        session.lotse(&[&words[..], &WORK].concat())
    };
    let slower = gate("2%");
    assert_eq!(slower.status, 1, "{}", slower.stderr);
    assert!(slower.stdout.contains("regression: ./new: work +"), "{}", slower.stdout);
    assert_eq!(gate("30%").status, 0);
    let alone = session.lotse(&["bench", "--max-regression", "2%", "./old"]);
    assert_eq!(alone.status, 2);
    assert!(alone.stderr.contains("lotse bench gate"), "{}", alone.stderr);
    let nothing = session.lotse(&["bench", "--export-junit", "x.xml", "./old", "./new"]);
    assert_eq!(nothing.status, 2);
}

#[test]
fn failures_are_no_regressions() {
    let session = ten_results();
    session.script("app", "exit 7");
    let words = ["bench", "--runs", "3", "-q", "-n", "app", "./app"];
    assert_eq!(session.lotse(&[&words[..], &WORK].concat()).status, 3);
    let gate = session.lotse(&["bench", "gate"]);
    assert_eq!(gate.status, 3, "{}", gate.stdout);
    assert!(gate.stdout.contains("3 of 3 runs failed"), "{}", gate.stdout);
}
