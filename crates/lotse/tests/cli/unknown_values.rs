//! Metrics that only some runs have.

use serde_json::Value;

use crate::session::{Session, list};

#[test]
fn every_sample_has_a_value_or_null_for_each_run_and_is_read_again() {
    let session = Session::new();
    session.script(
        "odd",
        "echo x >> n\necho 'work: 5'\n[ $(($(wc -l < n) % 2)) = 0 ] && echo \"extra: $(wc -l < n)\"\ntrue",
    );
    let args = ["--runner", "output", "--metric", "work", "--runs", "6", "--out", "log", "./odd"];
    let direct = session.bench(&args);
    let samples = direct["programs"][0]["samples"].as_object().unwrap();
    assert!(samples.values().all(|values| list(values).len() == 6), "{samples:?}");
    assert_eq!(samples["extra"], serde_json::json!([null, 2.0, null, 4.0, null, 6.0]));
    session.write("answer.json", &direct.to_string());
    let again = session.lotse(&["bench", "report", "--json", "answer.json"]).exits(0);
    assert_eq!(again.json()["programs"], direct["programs"]);
    assert_eq!(again.stderr, "");
    let log: Value = session.lotse(&["bench", "report", "--json", "log"]).exits(0).json();
    assert_eq!(log["programs"][0]["samples"], direct["programs"][0]["samples"]);
}

#[test]
fn values_that_the_system_lacks_for_short_runs_do_not_damage_the_answer() {
    let session = Session::new();
    let direct = session.bench(&["--runs", "40", "true"]);
    let samples = direct["programs"][0]["samples"].as_object().unwrap();
    assert!(samples.values().all(|values| list(values).len() == 40), "{samples:?}");
    session.write("answer.json", &direct.to_string());
    session.lotse(&["bench", "report", "answer.json"]).exits(0);
}

#[test]
fn unknown_metrics_suggest_the_one_that_is_meant() {
    let session = Session::new();
    for (asked, meant) in [("maxrss", "peak_memory"), ("rss", "peak_memory"), ("utime", "user")] {
        let hint = format!("did you mean {meant}?");
        session.lotse(&["bench", "--runs", "2", "--metrics", asked, "true"]).exits(2).complains(&hint);
    }
    session.bench(&["--runs", "2", "--out", "log", "true"]);
    session
        .lotse(&["bench", "report", "--metric", "stime", "log"])
        .exits(2)
        .complains("did you mean system?");
}
