//! `lotse bench history` and `lotse bench gate` on histories that lack something, and all their exit statuses.

use lotse_model::Fingerprint;
use lotse_model::unit::Unit;
use lotse_store::{MetricPoint, NewResult, ResultFile, SourceOrigin, Store};
use serde_json::Value;

use crate::predict_schemas::check;
use crate::session::{Answer, Session, list, numbers, texts};

/// Fixed noise of about 1 %.
const SCATTER: [f64; 10] = [0.003, -0.011, 0.008, 0.0, -0.006, 0.012, -0.009, 0.005, -0.002, 0.01];

fn point(program: &str, seconds: f64) -> MetricPoint {
    MetricPoint {
        program: program.into(),
        command: format!("./{program}"),
        commit: None,
        metric: "wall".into(),
        unit: Unit::Seconds,
        runs: 20,
        failed: 0,
        contended: 0,
        centre: Some(seconds),
        error: Some(0.002),
    }
}

/// A result of one program, measured here on some day of the year.
fn result(day: usize, seconds: f64) -> NewResult {
    NewResult {
        date: format!("2026-{:02}-{:02}T10:00:00Z", day / 28 + 1, day % 28 + 1),
        origin: SourceOrigin::default(),
        machine: Some(lotse_host::fingerprint("1")),
        primary: Some("wall".into()),
        labels: Vec::new(),
        file: ResultFile { format: "lotse-log".into(), content: b"not looked at".to_vec() },
        points: vec![point("app", seconds)],
    }
}

fn keep(session: &Session, results: &[NewResult]) {
    let mut store = Store::create(&session.file(".lotse/history.db")).unwrap();
    for result in results {
        store.add(result).unwrap();
    }
}

/// A session whose project has these results, after ten around one second.
fn after_ten(more: &[NewResult]) -> Session {
    let session = Session::new();
    let ten: Vec<NewResult> =
        SCATTER.iter().enumerate().map(|(day, scatter)| result(day, 1.0 + scatter)).collect();
    keep(&session, &ten);
    keep(&session, more);
    session
}

fn gate(session: &Session, words: &[&str]) -> Answer {
    session.lotse(&[&["bench", "gate"], words].concat())
}

fn history(session: &Session, words: &[&str]) -> Answer {
    session.lotse(&[&["bench", "history"], words].concat())
}

#[test]
fn a_history_without_results_says_how_to_get_one() {
    let session = Session::new();
    keep(&session, &[]);
    history(&session, &[]).exits(2).complains("the history is empty: `lotse bench --keep CMD` adds a result");
    gate(&session, &[]).exits(4).complains("the history is empty");
    history(&session, &["forget", "1"]).exits(2).complains("has no result 1");
    history(&session, &["label", "1", "x"]).exits(2).complains("has no result 1");
    history(&session, &["export", "1", "x.jsonl"]).exits(2).complains("has no result 1");
    assert!(!session.file("x.jsonl").exists());
}

#[test]
fn one_result_has_nothing_to_be_compared_with() {
    let session = Session::new();
    keep(&session, &[result(1, 1.0)]);
    gate(&session, &[]).exits(4).complains("no earlier result of this program in the history");
    // A baseline without results is no pass, even if results of all machines count.
    gate(&session, &["--across-machines"]).exits(4);
    gate(&session, &["--baseline", "label:typo", "--across-machines"]).exits(4);
    history(&session, &[]).exits(0).says("app: wall, 1 result");
}

#[test]
fn results_of_other_machines_are_left_out_and_counted() {
    let session = Session::new();
    let other = Some(Fingerprint { processor: Some("Another One 3000".into()), ..Fingerprint::default() });
    let elsewhere = |day: usize| NewResult { machine: other.clone(), ..result(day, 2.0) };
    keep(&session, &[elsewhere(1), elsewhere(2), elsewhere(3)]);
    history(&session, &[]).exits(2).complains("all 3 results were made on another machine");
    history(&session, &["--across-machines"]).exits(0).says("app: wall, 3 results");
    keep(&session, &[result(4, 1.0)]);
    history(&session, &[])
        .exits(0)
        .says("app: wall, 1 result\n")
        .says("3 results were made on another machine");
    let refused = gate(&session, &[]).exits(4).complains("all results of this program were made on another");
    assert!(refused.stderr.contains("Another One 3000"), "{}", refused.stderr);
    // On request machines are compared: half the time of the other machine.
    gate(&session, &["--across-machines", "--session-spread", "1%"]).exits(0);
}

#[test]
fn a_metric_that_nobody_measured_is_named() {
    let session = after_ten(&[]);
    history(&session, &["--metric", "swaps"]).exits(2).complains("no result has the metric swaps");
    gate(&session, &["--metric", "swaps"]).exits(2).complains("swaps");
    history(&session, &["other"]).exits(2).complains("no result of other");
    history(&session, &["app", "--metric", "wall"]).exits(0);
}

#[test]
fn as_many_results_as_are_asked_for() {
    let more: Vec<NewResult> = (10..30).map(|day| result(day, 1.0 + SCATTER[day % 10])).collect();
    let session = after_ten(&more);
    let rows = |words: &[&str]| {
        let shown = history(&session, words).exits(0).stdout;
        shown.lines().filter(|line| line.contains("2026-")).count()
    };
    assert_eq!((rows(&[]), rows(&["--all"]), rows(&["--last", "7"])), (20, 30, 7));
    history(&session, &[]).says("The newest 20; 10 older ones are not shown (--all)");
    let last = history(&session, &["--last", "7", "--json"]).json();
    let ids: Vec<i64> =
        list(&last["series"][0]["points"]).iter().map(|it| it["id"].as_i64().unwrap()).collect();
    assert_eq!(ids, (24..=30).collect::<Vec<i64>>());
    history(&session, &["--last", "0"]).exits(2);
}

#[test]
fn results_are_forgotten_all_or_none() {
    let session = after_ten(&[]);
    history(&session, &["forget", "3", "99", "4"]).exits(2).complains("has no result 99");
    let count = || list(&history(&session, &["--json"]).json()["series"][0]["points"]).len();
    assert_eq!(count(), 10);
    history(&session, &["forget", "3", "4"]).exits(0);
    assert_eq!(count(), 8);
}

#[test]
fn labels_are_shown_found_and_listed() {
    let session = after_ten(&[result(10, 1.2)]);
    history(&session, &["label", "5", "it's v1"]).exits(0);
    history(&session, &["label", "6", "it's v1"]).exits(0);
    let shown = history(&session, &["--json"]).json();
    assert_eq!(shown["series"][0]["points"][4]["labels"], serde_json::json!(["it's v1"]));
    let answer = gate(&session, &["--baseline", "it's v1", "--json"]).exits(1).json();
    assert_eq!(
        (&answer["baseline"], &answer["checks"][0]["results"]),
        (&"the results named 'it's v1'".into(), &2.into())
    );
    gate(&session, &["--baseline", "v1"]).exits(2).complains("there are it's v1");
    gate(&session, &["--baseline", "label:v1"]).exits(4).complains("--label v1");
}

#[test]
fn histories_at_other_paths_and_a_folder_in_place_of_the_file() {
    let session = Session::new();
    history(&session, &["--store", "no/where/h.db"])
        .exits(4)
        .complains("there is no history at `no/where/h.db`");
    gate(&session, &["--store", "no/where/h.db"]).exits(4).complains("there is no history at");
    assert!(!session.file("no").exists(), "to look must not create anything");
    session.lotse(&["bench", "--runs", "2", "-q", "--store", "new/where/h.db", "true"]).exits(0);
    history(&session, &["--store", "new/where/h.db"]).exits(0).says("true: wall, 1 result");
    // A folder where the file should be: refused before anything runs.
    session.write(".lotse/history.db/inside", "");
    session.script("app", "touch ran");
    session.lotse(&["bench", "--runs", "2", "--keep", "./app"]).exits(6).complains(".lotse/history.db");
    assert!(!session.file("ran").exists());
    session.write("text.db", "this is no database, whatever its name says, and long enough to be one");
    session.lotse(&["bench", "--runs", "2", "--store", "text.db", "./app"]).exits(6).complains("text.db");
    assert!(!session.file("ran").exists());
}

#[test]
fn every_status_of_the_gate() {
    let status = |seconds: f64, words: &[&str]| gate(&after_ten(&[result(10, seconds)]), words).status;
    assert_eq!(status(0.95, &[]), 0);
    assert_eq!(status(1.1, &[]), 1);
    assert_eq!(status(1.025, &[]), 5);
    assert_eq!(status(1.1, &["--max-regression", "20%"]), 0);
    assert_eq!(status(1.1, &["--max-regression", "9%"]), 5);
    // Less confidence is a narrower interval: what was undecided at 95 % is decided at 50 %.
    assert_eq!(status(1.04, &["--level", "99%"]), 5);
    assert_eq!(status(1.04, &["--level", "50%"]), 1);
    for wrong in ["0", "100%", "1.5", "x"] {
        assert_eq!(status(1.0, &["--level", wrong]), 2, "{wrong}");
        assert_eq!(status(1.0, &["--max-regression", wrong]), 2, "{wrong}");
    }
    assert_eq!(status(1.0, &["--result", "99"]), 2);
    assert_eq!(status(1.0, &["--baseline", "last:0"]), 2);
}

#[test]
fn an_earlier_result_is_judged_by_what_came_before_it() {
    let session = after_ten(&[result(10, 1.3), result(11, 1.0)]);
    gate(&session, &["--result", "11"]).exits(1);
    let interval = |id: &str| {
        let check = gate(&session, &["--result", id, "--json"]).json()["checks"][0].clone();
        let ends = numbers(&check["interval"]);
        (check["results"].as_u64().unwrap(), ends[1] - ends[0])
    };
    let (before, after) = (interval("10"), interval("12"));
    assert_eq!((before.0, after.0), (9, 10));
    // The tenth result is judged without the slow eleventh; for the twelfth, that one widens the interval.
    assert!(before.1 < 0.08 && after.1 > 0.2, "{before:?} {after:?}");
    // No result is older than the first.
    gate(&session, &["--result", "1"]).exits(4);
}

#[test]
fn new_programs_do_not_hide_slower_ones() {
    let with = |points: Vec<MetricPoint>| after_ten(&[NewResult { points, ..result(10, 1.0) }]);
    let slower = with(vec![point("fresh", 1.0), point("app", 1.2)]);
    let answer = gate(&slower, &["--json"]).exits(1).json();
    assert_eq!(texts(&answer["checks"], "decision"), ["new", "regression"]);
    gate(&with(vec![point("fresh", 1.0), point("app", 0.95)]), &[]).exits(0);
    // Nothing at all could be compared, and that is no pass.
    let only_new = gate(&with(vec![point("fresh", 1.0)]), &[]).exits(4);
    only_new.says("absent: app: wall: it was measured in result 10 and is not in this result");
    let failed = MetricPoint { failed: 3, runs: 0, centre: None, error: None, ..point("app", 1.0) };
    gate(&with(vec![failed, point("fresh", 1.0)]), &[]).exits(3).says("3 of 3 runs failed");
}

/// After an accepted step, the results of the new level are what a slower one is compared with.
#[test]
fn an_accepted_level_is_the_baseline() {
    let accepted = NewResult { labels: vec!["accepted".into()], ..result(10, 1.1) };
    let session = after_ten(&[accepted, result(11, 1.101), result(12, 1.09), result(13, 1.25)]);
    let check = gate(&session, &["--json"]).exits(1).json()["checks"][0].clone();
    let number = |key: &str| check[key].as_f64().unwrap();
    assert_eq!((&check["together"], &check["results"]), (&1.into(), &3.into()), "{check}");
    assert!((number("value") / number("baseline") - number("ratio")).abs() < 1e-9, "{check}");
    assert!((number("ratio") - 1.25 / 1.097).abs() < 0.002, "{check}");
    gate(&session, &["--result", "13"]).exits(0);
}

#[test]
fn a_number_of_results_is_not_negative() {
    let session = after_ten(&[NewResult { labels: vec!["cur".into()], ..result(10, 1.0) }]);
    gate(&session, &["--baseline", "last:-1"]).exits(2).complains("last: takes a number of results");
    gate(&session, &["--baseline", "cur"]).exits(4).complains("only the judged result itself has that label");
}

/// A result file of hyperfine.
fn hyperfine(session: &Session, name: &str, seconds: f64) {
    let times: Vec<f64> = SCATTER.iter().map(|scatter| seconds * (1.0 + scatter / 10.0)).collect();
    session.write(name, &format!("{{\"results\": [{{\"command\": \"make\", \"times\": {times:?}}}]}}"));
}

#[test]
fn files_are_judged_without_a_history() {
    let session = Session::new();
    for (name, seconds) in [("a.json", 1.0), ("b.json", 1.01), ("c.json", 0.99), ("slow.json", 1.5)] {
        hyperfine(&session, name, seconds);
    }
    let against = |files: &[&str]| {
        let words: Vec<&str> = files.iter().flat_map(|file| ["--baseline", *file]).collect();
        gate(&session, &[&["--result", "slow.json", "--json"], &words[..]].concat())
    };
    let several = against(&["a.json", "file:b.json", "c.json"]).exits(1).json();
    assert_eq!(
        (&several["baseline"], &several["checks"][0]["results"]),
        (&"3 result files".into(), &3.into())
    );
    against(&["a.json"]).exits(5);
    // A file counts once, by whatever name, and not against itself.
    session.write("copy.json", &session.read("a.json"));
    let twice = against(&["a.json", "./a.json", "copy.json", "slow.json"]).exits(5).json();
    assert_eq!(twice["checks"][0]["results"], 1);
    assert_eq!(list(&twice["remarks"]).len(), 2, "{twice}");
    against(&["slow.json"]).exits(4).complains("the baseline is the result that is judged");
    session.write("val.py", "print(1)");
    against(&["val.py"]).exits(6).complains("`lotse bench report --format FORMAT val.py` reads it as one");
    against(&["a.json", "none.json"]).exits(2).complains("'none.json' is no file");
    against(&["a.json", "last:3"]).exits(2).complains("only files can be several baselines");
    session.write("broken.json", "{\"results\": [");
    against(&["broken.json"]).exits(6);
    assert!(!session.file(".lotse").exists());
}

#[test]
fn a_broken_file_adds_nothing() {
    let session = Session::new();
    hyperfine(&session, "a.json", 1.0);
    session.write("broken.json", "{\"results\": [");
    history(&session, &["add", "a.json", "broken.json", "--this-machine"]).exits(6);
    assert!(!session.file(".lotse").exists());
    history(&session, &["add", "a.json"]).exits(0).complains("add --this-machine if it was this one");
    history(&session, &[]).exits(2).complains("another machine");
}

fn schema(name: &str) -> Value {
    let path = format!("{}/../../docs/schema/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn answers_are_as_their_schemas_say() {
    let failed = MetricPoint { failed: 3, runs: 0, centre: None, error: None, ..point("bad", 1.0) };
    let points = vec![point("app", 1.2), point("fresh", 1.0), failed];
    let session = after_ten(&[NewResult { points, labels: vec!["v1".into()], ..result(10, 1.0) }]);
    let of_gate = gate(&session, &["--json"]).exits(3).json();
    check(&of_gate, &schema("lotse.bench.gate-1"), &schema("lotse.bench.gate-1"), "gate");
    let of_history = history(&session, &["--json"]).exits(0).json();
    check(&of_history, &schema("lotse.bench.history-1"), &schema("lotse.bench.history-1"), "history");
    assert_eq!(texts(&of_history["series"], "program"), ["app", "fresh", "bad"]);
    assert_eq!(of_history["series"][2]["points"][0]["value"], Value::Null);
}
