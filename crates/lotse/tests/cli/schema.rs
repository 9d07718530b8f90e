//! What `lotse bench --json` prints: keys, types, and how values depend on each other.

use serde_json::Value;

use crate::session::{Session, WORK, list, numbers, texts};

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[track_caller]
fn assert_has(value: &Value, expected: &[&str]) {
    for key in expected {
        assert!(keys(value).contains(key), "no {key} in {value}");
    }
}

#[test]
fn every_key_is_there() {
    let answer = Session::new().bench(&["--runs", "3", "--tag", "quick,small", "true", "sleep 0.001"]);
    assert_eq!(answer["schema"], "lotse.bench/1");
    assert_has(&answer, &["machine", "seed", "programs", "runs", "comparisons", "findings"]);
    assert!(answer["seed"].is_u64() && answer["machine"].is_object());
    for program in list(&answer["programs"]) {
        assert_has(program, &["name", "command", "parameters", "tags", "samples"]);
        assert_eq!(program["tags"], serde_json::json!(["quick", "small"]));
        assert_has(&program["samples"], &["wall", "user", "system", "peak_memory"]);
    }
    for run in list(&answer["runs"]) {
        assert_has(run, &["program", "block", "position", "build", "layout", "process", "status"]);
        assert_has(run, &["contended", "steal", "involuntary_switches", "pressure"]);
        assert!(run["contended"].is_boolean() && run["status"] == "ok");
    }
    for comparison in list(&answer["comparisons"]) {
        assert_has(comparison, &["reference", "program", "metric", "primary", "ratio", "interval", "level"]);
        assert_has(comparison, &["delta", "verdict", "estimator", "blocks", "stopped_by", "warnings"]);
        assert_eq!(
            (&comparison["reference"], &comparison["program"]),
            (&"true".into(), &"sleep 0.001".into())
        );
        assert_eq!(list(&comparison["interval"]).len(), 2);
        assert_eq!(comparison["primary"], comparison["metric"] == "wall");
        assert!(list(&comparison["warnings"]).iter().all(Value::is_string));
    }
}

#[test]
fn seconds_and_bytes() {
    let answer = Session::new().bench(&["--runs", "3", "sleep 0.02"]);
    let samples = &answer["programs"][0]["samples"];
    assert!(numbers(&samples["wall"]).iter().all(|wall| (0.02..10.0).contains(wall)), "{samples}");
    assert!(numbers(&samples["peak_memory"]).iter().all(|&bytes| bytes > 100_000.0), "{samples}");
    assert_eq!(answer["comparisons"], serde_json::json!([]));
}

#[test]
fn a_ratio_is_program_by_reference() {
    let session = Session::new();
    session.worker("old", &[100, 104, 98, 101, 99]).worker("new", &[202, 200, 197, 205, 196]);
    let answer = session.bench(&[&["--seed", "1", "--runs", "20"], &WORK[..], &["./old", "./new"]].concat());
    let work = &list(&answer["comparisons"]).iter().find(|it| it["metric"] == "work").unwrap();
    let (ratio, interval) = (work["ratio"].as_f64().unwrap(), numbers(&work["interval"]));
    assert!((ratio - 2.0).abs() < 0.05, "{work}");
    assert!(interval[0] <= ratio && ratio <= interval[1], "{work}");
    assert_eq!((&work["verdict"], &work["primary"]), (&"slower".into(), &true.into()));
    assert_eq!((&work["level"], &work["delta"], &work["blocks"]), (&0.95.into(), &0.01.into(), &20.into()));
}

#[test]
fn samples_are_those_of_good_runs_in_their_order() {
    let session = Session::new();
    session.script("moody", "echo x >> count; n=$(wc -l < count); echo \"value: $n\"; test $((n % 3)) -ne 0");
    let answer = session.bench(&["--runs", "7", "--runner", "output", "./moody"]);
    assert_eq!(texts(&answer["runs"], "status"), ["ok", "ok", "failed", "ok", "ok", "failed", "ok"]);
    assert_eq!(numbers(&answer["programs"][0]["samples"]["value"]), [1.0, 2.0, 4.0, 5.0, 7.0]);
    assert_eq!(numbers(&answer["programs"][0]["samples"]["wall"]).len(), 5);
}

#[test]
fn metrics_are_shown_in_the_order_asked_for() {
    let answer = Session::new().bench(&["--runs", "3", "--metrics", "peak_memory,wall", "true", "true"]);
    assert_eq!(texts(&answer["comparisons"], "metric"), ["peak_memory", "wall"]);
    assert_eq!(answer["comparisons"][0]["primary"], true);
    assert_eq!(answer["comparisons"][1]["primary"], false);
}

#[test]
fn only_verdicts_when_quiet() {
    let session = Session::new();
    session.worker("old", &[100, 104, 98, 101, 99]).worker("new", &[202, 200, 197, 205, 196]);
    let args = [&["bench", "-q", "--seed", "1", "--runs", "20"], &WORK[..], &["./old", "./new"]].concat();
    let answer = session.lotse(&args).exits(0);
    assert_eq!(answer.stdout.lines().count(), 1, "{}", answer.stdout);
    assert!(answer.stdout.starts_with("./new needs "), "{}", answer.stdout);
    assert!(answer.stdout.contains(" times as much work as ./old (95 %: "), "{}", answer.stdout);
    assert_eq!(answer.stderr, "");
    let nothing = session.lotse(&["bench", "--style", "none", "--runs", "3", "true"]).exits(0);
    assert_eq!((nothing.stdout, nothing.stderr), (String::new(), String::new()));
}

#[test]
fn a_pipe_gets_colours_only_on_request() {
    let session = Session::new();
    let plain = session.lotse(&["bench", "--runs", "3", "true", "true"]);
    assert!(!plain.stdout.contains('\x1b') && !plain.stderr.contains('\x1b'), "{}", plain.stdout);
    let coloured = session.lotse(&["bench", "--runs", "3", "--style", "color", "true", "true"]);
    assert!(coloured.stdout.contains('\x1b'), "{}", coloured.stdout);
}

#[test]
fn the_unit_of_times_can_be_chosen() {
    let session = Session::new();
    for unit in ["s", "ms", "us", "ns"] {
        let answer = session.lotse(&["bench", "--runs", "3", "-u", unit, "true"]).exits(0);
        let shown = if unit == "us" { "µs" } else { unit };
        assert!(answer.stdout.contains(&format!(" {shown}")), "{unit}: {}", answer.stdout);
    }
}

#[test]
fn the_summary_is_sorted_as_asked() {
    let session = Session::new();
    let rows = |sort: &str| {
        let args = ["bench", "--runs", "2", "--sort", sort, "-n", "long", "-n", "short", "sleep 0.2", "true"];
        let answer = session.lotse(&args);
        let names = answer.stdout.lines().filter_map(|line| line.split_whitespace().next());
        names.filter(|name| ["long", "short"].contains(name)).take(2).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(rows("command"), ["long", "short"]);
    assert_eq!(rows("auto"), ["short", "long"]);
    assert_eq!(rows("mean-time"), ["short", "long"]);
}
