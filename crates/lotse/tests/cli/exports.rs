//! What a measurement can be written as, for other programs to read.

use std::process::Command;

use serde_json::Value;

use crate::session::{Session, has, list, numbers, texts};

/// Measures a small scan with an export.
fn export(option: &str, file: &str) -> Session {
    let session = Session::new();
    let args = ["bench", "-q", "--runs", "3", "-L", "t", "0.001,0.002", option, file, "sleep {t}"];
    session.lotse(&args);
    session
}

#[test]
fn hyperfine_s_json_has_hyperfine_s_fields() {
    let json = export("--export-json", "r.json").read_json("r.json");
    assert_eq!(json["schema_version"], 2);
    assert_eq!(json["primary_metric"], "time_wall_clock");
    assert_eq!(texts(&json["results"], "command"), ["sleep 0.001", "sleep 0.002"]);
    for result in list(&json["results"]) {
        let measurements = list(&result["measurements"]);
        assert_eq!(measurements.len(), 3);
        for measurement in measurements {
            for metric in ["time_wall_clock", "time_user", "time_system", "time_cpu"] {
                assert_eq!(measurement[metric]["unit"], "second", "{measurement}");
                assert!(measurement[metric]["value"].is_f64(), "{measurement}");
            }
            assert_eq!(measurement["memory_peak_resident"]["unit"], "byte");
            assert_eq!(measurement["exit_code"], 0);
        }
        for statistic in ["count", "mean", "stddev", "median", "min", "max", "unit"] {
            assert!(!result["summary"]["time_wall_clock"][statistic].is_null(), "{statistic}");
        }
    }
    assert_eq!(json["results"][0]["parameters"], serde_json::json!({"t": {"value": "0.001"}}));
}

#[test]
fn the_fields_are_those_of_a_file_hyperfine_wrote() {
    let session = export("--export-json", "r.json");
    let theirs = std::fs::read_to_string(crate::session::fixture("hyperfine-2.0-parameters.json")).unwrap();
    let theirs: Value = serde_json::from_str(&theirs.replace("\"n\":", "\"t\":")).unwrap();
    let mut missing = Vec::new();
    collect_missing("", &theirs, &session.read_json("r.json"), &mut missing);
    assert!(missing.is_empty(), "{missing:?}");
}

/// Collects the paths of keys that `theirs` has and `ours` lacks; of lists the first elements are compared.
fn collect_missing(path: &str, theirs: &Value, ours: &Value, missing: &mut Vec<String>) {
    match theirs {
        Value::Object(map) => {
            for (key, value) in map {
                let path = format!("{path}/{key}");
                match ours.get(key) {
                    Some(own) => collect_missing(&path, value, own, missing),
                    None => missing.push(path),
                }
            }
        }
        Value::Array(elements) if !elements.is_empty() => {
            collect_missing(&format!("{path}/0"), &elements[0], &ours[0], missing);
        }
        _ => {}
    }
}

#[test]
fn hyperfine_s_json_of_version_1() {
    let json = export("--export-json1", "r.json").read_json("r.json");
    for result in list(&json["results"]) {
        let times = numbers(&result["times"]);
        assert_eq!(times.len(), 3);
        for statistic in ["mean", "stddev", "median", "user", "system", "min", "max"] {
            assert!(result[statistic].is_f64(), "{statistic} of {result}");
        }
        let mean = times.iter().sum::<f64>() / 3.0;
        assert!((result["mean"].as_f64().unwrap() - mean).abs() < 1e-12);
        assert_eq!(result["exit_codes"], serde_json::json!([0, 0, 0]));
        assert_eq!(numbers(&result["memory_usage_byte"]).len(), 3);
        assert!(result["parameters"]["t"].is_string());
    }
}

const PLOT: &str = "\
import json, statistics, sys
with open(sys.argv[1]) as file:
    results = json.load(file)['results']
for result in results:
    label = ' '.join(f'{k}={v}' for k, v in result['parameters'].items())
    times = result['times']
    assert abs(statistics.mean(times) - result['mean']) < 1e-9
    assert min(times) == result['min'] and max(times) == result['max']
    print(label, len(times), result['user'] >= 0, result['exit_codes'])
";

#[test]
fn a_script_written_for_hyperfine_works() {
    let session = export("--export-json1", "r.json");
    session.write("plot.py", PLOT);
    if !has("python3") {
        return;
    }
    let mut python = Command::new("python3");
    let output = python.args(["plot.py", "r.json"]).current_dir(session.file("")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let expected = "t=0.001 3 True [0, 0, 0]\nt=0.002 3 True [0, 0, 0]\n";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}

#[test]
fn csv() {
    let text = export("--export-csv", "r.csv").read("r.csv");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("command,mean,stddev,median,user,system,min,max,parameter_t"));
    let first: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!((first[0], first.len(), *first.last().unwrap()), ("sleep 0.001", 9, "0.001"));
    assert!(first[1].parse::<f64>().unwrap() >= 0.001);
}

#[test]
fn tables() {
    let markdown = export("--export-markdown", "r.md").read("r.md");
    assert!(
        markdown.lines().any(|line| line.starts_with("| ") && line.contains("sleep 0.001")),
        "{markdown}"
    );
    assert!(markdown.contains("|---") || markdown.contains("|:--"), "{markdown}");
    let asciidoc = export("--export-asciidoc", "r.adoc").read("r.adoc");
    assert_eq!(asciidoc.matches("|===").count(), 2, "{asciidoc}");
    let org = export("--export-orgmode", "r.org").read("r.org");
    assert!(org.contains("|--") && org.contains("sleep 0.002"), "{org}");
}

#[test]
fn temci_s_yaml_can_be_read_again() {
    let session = export("--export-temci", "r.yaml");
    let answer = session.lotse(&["bench", "report", "--json", "r.yaml"]).json();
    assert_eq!(list(&answer["programs"]).len(), 2);
    assert_eq!(list(&answer["programs"][0]["samples"]["wall"]).len(), 3);
}

#[test]
fn html_is_one_file_with_its_plots() {
    let html = export("--export-html", "r.html").read("r.html");
    assert!(html.to_lowercase().starts_with("<!doctype html") && html.contains("<svg"), "{}", &html[..200]);
    for fetch in ["src=\"http", "href=\"http", "url(http", "@import", "<script src", "<link "] {
        assert!(!html.contains(fetch), "{fetch}");
    }
}

#[test]
fn sarif() {
    let json = export("--export-sarif", "r.sarif").read_json("r.sarif");
    assert_eq!(json["version"], "2.1.0");
    let run = &json["runs"][0];
    assert!(!list(&run["tool"]["driver"]["rules"]).is_empty());
    let results = list(&run["results"]);
    assert!(results.iter().any(|result| result["ruleId"] == "bench-too-few-runs"), "{results:?}");
    assert!(results.iter().all(|result| result["message"]["text"].is_string()));
}

#[test]
fn several_exports_at_once() {
    let session = Session::new();
    let all = ["--export-json", "a", "--export-csv", "b", "--export-markdown", "c", "--export-html", "d"];
    session.lotse(&[&["bench", "-q", "--runs", "2"], &all[..], &["true"]].concat()).exits(0);
    for file in ["a", "b", "c", "d"] {
        assert!(!session.read(file).is_empty());
    }
}

#[test]
fn failed_runs_keep_their_exit_codes() {
    let session = Session::new();
    session.script("moody", "echo x >> tries; test $(($(wc -l < tries) % 4)) -ne 0");
    session.lotse(&["bench", "-q", "--runs", "8", "-i", "--export-json1", "r.json", "./moody"]).exits(0);
    assert_eq!(
        session.read_json("r.json")["results"][0]["exit_codes"],
        serde_json::json!([0, 0, 0, 1, 0, 0, 0, 1])
    );
}

#[test]
fn special_characters_in_names_are_escaped() {
    let session = Session::new();
    let name = "<b>|\"x, y\"&</b>";
    let formats =
        ["--export-html", "html", "--export-markdown", "md", "--export-csv", "csv", "--export-json1", "json"];
    session.lotse(&[&["bench", "-q", "--runs", "2", "-n", name], &formats[..], &["true"]].concat()).exits(0);
    assert!(!session.read("html").contains("<b>|"));
    let row = session.read("md").lines().nth(2).unwrap().to_owned();
    let columns = |line: &str| line.replace("\\|", "").matches('|').count();
    assert_eq!(columns(&row), columns(session.read("md").lines().next().unwrap()), "{row}");
    assert!(session.read("csv").contains("\"<b>|\"\"x, y\"\"&</b>\","));
    assert_eq!(session.read_json("json")["results"][0]["command"], name);
}

/// All exports of a measurement show its primary metric, and name it where it is not the wall time.
#[test]
fn all_exports_show_the_metric_that_was_asked_for() {
    let session = Session::new();
    let exports = ["--export-markdown", "m.md", "--export-csv", "m.csv", "--export-json", "m.json"];
    let words =
        ["bench", "--runs", "3", "--metric", "cpu", "--json", "--export-json1", "m1.json", "sleep 0.02"];
    let answer = session.lotse(&[&words[..], &exports].concat()).json();
    let cpu = numbers(&answer["programs"][0]["samples"]["cpu"]);
    let mean = cpu.iter().sum::<f64>() / 3.0;
    let is_mean = |found: f64| (found - mean).abs() < 1e-9;
    assert!(session.read("m.md").starts_with("| Command | Mean CPU time \\["), "{}", session.read("m.md"));
    let csv = session.lines("m.csv");
    assert_eq!(csv[0], "command,mean,stddev,median,user,system,min,max,metric,unit");
    let fields: Vec<&str> = csv[1].split(',').collect();
    assert!(is_mean(fields[1].parse().unwrap()) && fields[8..] == ["cpu", "second"], "{csv:?}");
    let json = session.read_json("m.json");
    assert_eq!(json["primary_metric"], "time_cpu");
    for entry in [&json["results"][0], &session.read_json("m1.json")["results"][0]] {
        assert!(is_mean(entry["mean"].as_f64().unwrap()), "{entry}");
        assert_eq!((entry["metric"].as_str(), numbers(&entry["times"])), (Some("cpu"), cpu.clone()));
    }
    // Read again, the times are not taken for wall times.
    let read = session.lotse(&["bench", "report", "m1.json", "--json"]).json();
    assert_eq!(numbers(&read["programs"][0]["samples"]["cpu"]), cpu);
    assert!(read["programs"][0]["samples"].get("wall").is_none());
}
