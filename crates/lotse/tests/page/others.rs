//! Traces, results of measurements and recordings.

use serde_json::{Value, json};

use crate::runs::opened;
use crate::server::{Server, fixture};

const TRACE: &str = "trace/heat-4";

/// What a command of the same program prints.
fn printed(args: &[&str]) -> Value {
    let lotse = std::process::Command::new(env!("CARGO_BIN_EXE_lotse"));
    let output = { lotse }.args(args).current_dir(fixture("")).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

fn timeline(from: &Value, to: &Value, columns: u32) -> Value {
    json!({"ask": "timeline", "from": from, "to": to, "columns": columns, "lanes": 64, "first_lane": 0, "merge": false})
}

#[test]
fn a_trace_has_the_findings_of_the_command_line() {
    let server = Server::start(&[TRACE]);
    let about = server.settled(0)["stage"]["about"].clone();
    let analysed = printed(&["trace", "analyze", TRACE, "--json"]);
    assert_eq!(about["kind"], "trace");
    assert!(!about["sentence"].as_str().unwrap().is_empty());
    let rules = |findings: &Value, rule: &dyn Fn(&Value) -> Value| -> Vec<Value> {
        findings.as_array().unwrap().iter().map(rule).collect()
    };
    assert_eq!(
        rules(&about["findings"], &|finding| finding["rule"].clone()),
        rules(&analysed["findings"], &|finding| finding["rule"]["id"].clone())
    );
    let explained = about["findings"][0]["explanation"].as_str().unwrap();
    assert!(explained.contains("What to do"), "{explained}");
    assert_eq!(about["trace"]["runtime"], analysed["corrected"]["runtime"]);
}

/// A finding leads to a window of the run in which the location waits.
#[test]
fn a_finding_leads_to_its_place() {
    let server = Server::start(&[TRACE]);
    let about = server.settled(0)["stage"]["about"].clone();
    let findings = about["findings"].as_array().unwrap();
    let window = findings.iter().find_map(|finding| finding["window"].as_array());
    let window = window.expect("a finding of a wait has a window");
    let (from, to) = (window[0].as_f64().unwrap(), window[1].as_f64().unwrap());
    assert!(0.0 <= from && from < to && to <= about["trace"]["runtime"].as_f64().unwrap());
    let shown = server.answer(&timeline(&json!(from), &json!(to), 400));
    let waits = |lane: &Value| lane["waits"].as_array().unwrap().len();
    assert!(shown["lanes"].as_array().unwrap().iter().map(waits).sum::<usize>() > 0);
}

#[test]
fn the_time_line_is_that_of_the_command_line() {
    let server = Server::start(&[TRACE]);
    let shown = server.answer(&timeline(&Value::Null, &Value::Null, 1000));
    let drawn = printed(&["trace", "timeline", TRACE, "--json"]);
    assert_eq!(shown["lanes"].as_array().unwrap().len(), drawn["lanes"].as_array().unwrap().len());
    for (lane, expected) in shown["lanes"].as_array().unwrap().iter().zip(drawn["lanes"].as_array().unwrap())
    {
        assert_eq!(lane["name"], expected["name"]);
        let spans: Vec<&Value> =
            expected["spans"].as_array().unwrap().iter().map(|span| &span["from"]).collect();
        assert_eq!(lane["from"].as_array().unwrap().iter().collect::<Vec<_>>(), spans);
    }
    assert_eq!(
        shown["critical_path"].as_array().unwrap().len(),
        drawn["critical_path"].as_array().unwrap().len()
    );
    assert_eq!(shown["message_count"].as_f64(), drawn["message_count"].as_f64());
}

#[test]
fn windows_outside_of_the_run_are_refused() {
    let server = Server::start(&[TRACE]);
    for (from, to) in [(json!(5.0), json!(4.0)), (json!(1e9), json!(2e9)), (json!(1.0), json!(1.0))] {
        assert_eq!(server.ask(&timeline(&from, &to, 100)).status, 422, "{from} {to}");
    }
    let huge = server.answer(&timeline(&json!(-1.0), &json!(1e300), 4_000_000_000));
    assert_eq!(huge["columns"], 8192);
}

/// The time of a metric by call path adds up to its total, and callers contain their callees.
#[test]
fn call_paths_add_up() {
    let server = Server::start(&[TRACE]);
    let about = server.settled(0)["stage"]["about"].clone();
    let metrics = about["trace"]["metrics"].as_array().unwrap();
    assert!(!metrics.is_empty());
    for metric in metrics {
        let table = server.answer(&json!({"ask": "call_paths", "metric": metric["name"]}));
        let rows = table["rows"].as_array().unwrap();
        let seconds = |row: &Value, kind: &str| row[kind]["value"].as_f64().unwrap();
        let sum: f64 = rows.iter().map(|row| seconds(row, "exclusive")).sum();
        let total = table["metric"]["total"]["value"].as_f64().unwrap();
        assert!((sum - total).abs() < 1e-6, "{metric}");
        let roots: f64 =
            rows.iter().filter(|row| row["depth"] == 0).map(|row| seconds(row, "inclusive")).sum();
        assert!((roots - total).abs() < 1e-6, "{metric}");
    }
    assert_eq!(server.ask(&json!({"ask": "call_paths", "metric": "no-such-metric"})).status, 422);
}

#[test]
fn a_result_opens_with_its_verdict_and_plots() {
    let (_folder, server) = opened();
    let about = server.settled(0)["stage"]["about"].clone();
    assert_eq!(about["kind"], "bench", "{about}");
    assert!(about["sentence"].as_str().unwrap().contains("faster"), "{about}");
    let report = server.answer(&json!({"ask": "report"}));
    let kinds: Vec<&str> =
        report["blocks"].as_array().unwrap().iter().map(|block| block["block"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"table") && kinds.contains(&"figure"), "{kinds:?}");
}

/// Every sample of the repository opens, or says why not: the list of formats is the same as the command line's.
#[test]
fn every_format_opens() {
    let mut files: Vec<String> = Vec::new();
    for folder in std::fs::read_dir(fixture("samples")).unwrap().map(|entry| entry.unwrap().path()) {
        if folder.is_dir() && folder.file_name().is_some_and(|name| name != "temci-suite") {
            // Some samples have their source or their program beside them.
            let is_sample = |path: &std::path::PathBuf| {
                path.is_file()
                    && path.extension().is_none_or(|it| it != "rs")
                    && !std::fs::read(path).unwrap().starts_with(b"\x7fELF")
            };
            let first =
                std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).find(is_sample);
            files.extend(first.map(|path| path.to_str().unwrap().to_owned()));
        }
    }
    assert!(files.len() > 10, "{files:?}");
    let arguments: Vec<&str> = files.iter().map(String::as_str).collect();
    let server = Server::start(&arguments);
    for (at, file) in files.iter().enumerate() {
        let state = server.settled(at);
        assert_eq!(state["stage"]["stage"], "ready", "{file}: {state}");
        assert!(!state["stage"]["about"]["sentence"].as_str().unwrap().is_empty(), "{file}");
    }
}

/// A suite is no result: the page says what shows it.
#[test]
fn what_has_no_view_is_named() {
    let suite = fixture("bench/temci-0.8.5-suite.yaml");
    let server = Server::start(&[suite.to_str().unwrap()]);
    let state = server.settled(0);
    assert_eq!(state["stage"]["stage"], "failed");
    assert!(state["stage"]["problem"]["message"].as_str().unwrap().contains("lotse bench"), "{state}");
}

/// A saved prediction opens with its sentence, its findings, its table and a picture.
#[test]
fn a_prediction_opens_with_its_findings_and_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let source = fixture("../examples/matrices/product.c");
    let machine = fixture("../examples/matrices/laptop.toml");
    let lotse = |options: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_lotse"));
        command.arg("predict").arg(&source).arg("--machine").arg(&machine).args(options).output().unwrap()
    };
    let saved = |name: &str, options: &[&str]| {
        let path = folder.path().join(name);
        let options: Vec<&str> = options.iter().copied().chain(["--json"]).collect();
        let output = lotse(&options);
        assert!(output.status.success(), "{output:?}");
        std::fs::write(&path, &output.stdout).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let one = ["--function", "product", "-D", "N=1000"];
    let (function, list) = (saved("one.json", &one), saved("list.json", &["-D", "N=1000"]));
    let cut = folder.path().join("cut.json");
    let whole = std::fs::read(&function).unwrap();
    std::fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
    let server = Server::start(&[&function, &list, cut.to_str().unwrap()]);
    let about = server.settled(0)["stage"]["about"].clone();
    assert_eq!(about["kind"], "predict", "{about}");
    let printed = String::from_utf8(lotse(&one).stdout).unwrap();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&printed).contains(&words(about["sentence"].as_str().unwrap())), "{about}\n{printed}");
    let answer: Value = serde_json::from_slice(&whole).unwrap();
    let rules = |findings: &Value, rule: fn(&Value) -> &Value| -> Vec<Value> {
        findings.as_array().unwrap().iter().map(|finding| rule(finding).clone()).collect()
    };
    let expected = rules(&answer["findings"], |finding| &finding["rule"]["id"]);
    assert!(!expected.is_empty());
    assert_eq!(rules(&about["findings"], |finding| &finding["rule"]), expected);
    let report = server.answer(&json!({"ask": "report"}));
    let blocks = report["blocks"].as_array().unwrap();
    let block = |kind: &str| blocks.iter().find(|block| block["block"] == kind).unwrap();
    assert!(block("figure")["svg"].as_str().unwrap().starts_with("<svg"));
    let rows = block("table")["rows"].as_array().unwrap();
    assert_eq!(rows.len(), answer["loops"].as_array().unwrap().len());
    assert_eq!(rows[0][2]["value"], answer["loops"][0]["seconds"]);
    let listed = server.settled(1)["stage"]["about"].clone();
    assert_eq!(listed["kind"], "predict");
    assert!(!rules(&listed["findings"], |finding| &finding["rule"]).is_empty(), "{listed}");
    let refused = server.settled(2);
    assert!(refused["stage"]["problem"]["message"].as_str().unwrap().contains("not complete"), "{refused}");
}

/// A single repair is named in the singular, as by the command line.
#[test]
fn one_repair_is_singular() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("traces")).unwrap();
    for entry in ["", "traces"].map(|name| std::fs::read_dir(fixture(TRACE).join(name)).unwrap()) {
        for file in entry.map(Result::unwrap).filter(|file| file.path().is_file()) {
            let name = file.path().strip_prefix(fixture(TRACE)).unwrap().to_owned();
            let bytes = std::fs::read(file.path()).unwrap();
            // Without its last leave, the events of the first rank have one open call.
            let kept = bytes.len() - if name.ends_with("0.evt") { 4 } else { 0 };
            std::fs::write(folder.path().join(name), &bytes[..kept]).unwrap();
        }
    }
    let server = Server::start(&[folder.path().to_str().unwrap()]);
    let remarks = server.settled(0)["stage"]["about"]["remarks"].to_string();
    assert!(remarks.contains("1 call still open at the end"), "{remarks}");
}
