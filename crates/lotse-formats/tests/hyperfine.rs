//! Files of all versions of hyperfine, and files that Lotse writes for scripts made for hyperfine.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write;

use expect_test::{Expect, expect};
use lotse_formats::bench::hyperfine::{self, Version};
use lotse_formats::bench::hyperfine_csv;
use lotse_formats::{FormatError, Reading, read_results};
use lotse_model::bytes::Memory;
use lotse_model::id::ProgramId;
use lotse_model::{Metric, ResultSet};
use serde_json::{Value, json};

fn read(json: &str) -> Result<Reading<ResultSet>, FormatError> {
    read_results(&Memory { name: "file", bytes: json.as_bytes() }, Some("hyperfine"))
}

/// A line for each program, for each of its runs, and for each diagnostic.
fn check(json: &str, expected: Expect) {
    let reading = read(json).unwrap();
    let set = &reading.value;
    let mut text = String::new();
    for (id, program) in set.program_ids().zip(&set.programs) {
        let attributes = serde_json::to_string(&program.attributes).unwrap();
        writeln!(text, "{} ({}) {:?} {attributes}", program.name, program.command, program.parameters)
            .unwrap();
        for run in set.runs.iter().filter(|run| run.program == id) {
            writeln!(text, "  {}: {:?} {:?}", run.block.0, run.outcome.exit_code, run.values).unwrap();
        }
    }
    for odd in &reading.diagnostics {
        writeln!(text, "{:?}: {odd}", odd.weight).unwrap();
    }
    expected.assert_eq(&text);
}

fn check_errors(cases: &[&str], expected: Expect) {
    let errors: Vec<String> = cases.iter().map(|case| read(case).unwrap_err().to_string()).collect();
    expected.assert_eq(&errors.join("\n"));
}

#[test]
fn old_files_may_lack_all_but_the_command_and_the_times() {
    check(
        r#"{"results": [{"command": "a", "times": [1, 0.25]}, {"command": "b", "times": []}]}"#,
        expect![[r#"
            a (a) {} {}
              0: None {"wall": 1.0}
              1: None {"wall": 0.25}
            b (b) {} {}
        "#]],
    );
}

#[test]
fn a_summary_alone_is_kept_as_attributes_with_a_note() {
    check(
        r#"{"results": [{"command": "a", "mean": 2, "stddev": null, "median": 2, "min": 1, "max": 3,
            "user": 0.5, "system": null, "times": null}]}"#,
        expect![[r#"
            a (a) {} {"max":3,"mean":2,"median":2,"min":1,"user":0.5}
            Note: results[0].times: the file has no single runs, only their summary: there is nothing to compare
        "#]],
    );
}

#[test]
fn lists_of_other_lengths_lose_nothing_but_what_is_missing() {
    check(
        r#"{"results": [{"command": "a", "times": [1, 2, 3],
            "memory_usage_byte": [1024, 2048], "exit_codes": [0, null, 7, 9]}]}"#,
        expect![[r#"
            a (a) {} {}
              0: Some(0) {"peak_memory": 1024.0, "wall": 1.0}
              1: None {"peak_memory": 2048.0, "wall": 2.0}
              2: Some(7) {"wall": 3.0}
            Loss: results[0].memory_usage_byte: expected 3 values, one for each of `times`, found 2
            Loss: results[0].exit_codes: expected 3 values, one for each of `times`, found 4
            Note: the whole input: 1 of 3 runs of `a` ended with an exit code other than 0; they are counted, since hyperfine keeps such runs only where it is told to ignore failure
        "#]],
    );
}

#[test]
fn parameters_of_all_versions_are_texts() {
    check(
        r#"{"results": [
            {"command": "a", "times": [], "parameter": 3},
            {"command": "a", "times": [], "parameters": {"n": "1.50", "flag": true}},
            {"command": "a", "measurements": [], "parameters": {"n": {"value": "2"}, "m": {"value": 7}}},
            {"command": "a", "measurements": [], "parameters": {"n": {"value": "2"}, "m": {"value": 7}}}
        ]}"#,
        expect![[r#"
            a (a) {"parameter": "3"} {}
            a (flag = true, n = 1.50) (a) {"flag": "true", "n": "1.50"} {}
            a (m = 7, n = 2) (a) {"m": "7", "n": "2"} {}
            a (m = 7, n = 2) [2] (a) {"m": "7", "n": "2"} {}
        "#]],
    );
}

#[test]
fn unknown_fields_are_ignored() {
    check(
        r#"{"schema_version": 2, "comment": {"deep": [1]}, "metadata": {"host": "x"}, "results": [
            {"command": "a b", "name": "a", "colour": ["red"], "environment": {"E": "1"}, "summary": null,
             "measurements": [
                {"time_wall_clock": {"value": 0.5, "unit": "second", "clock": "tai"}, "exit_code": 0,
                 "energy": {"value": 2, "unit": "joule"}, "yaks": {"value": 3}, "note": "hot"},
                {"time_wall_clock": {"value": null, "unit": "second"}, "exit_code": 99999999999},
                {}
             ]}]}"#,
        expect![[r#"
            a (a b) {} {"environment":{"E":"1"},"metadata":{"host":"x"}}
              0: Some(0) {"energy": 2.0, "wall": 0.5, "yaks": 3.0}
              1: None {}
              2: None {}
            Loss: results[0].measurements[1].time_wall_clock: expected a number in `value`, found none
            Loss: results[0].measurements[2].time_wall_clock: expected a number in `value`, found none
        "#]],
    );
}

#[test]
fn what_cannot_be_read_is_reported_with_its_place() {
    check_errors(
        &[
            "[]",
            "{}",
            r#"{"results": 1}"#,
            r#"{"results": [{"times": [1]}]}"#,
            r#"{"results": [{"command": "a", "times": [1, null]}]}"#,
            r#"{"results": [{"command": "a", "exit_codes": ["0"]}]}"#,
            r#"{"results": [], "results"}"#,
            r#"{"schema_version": "two", "results": []}"#,
        ],
        expect![[r#"
            file: line 1, column 1: invalid type: sequence, expected an object with the key `results`
            file: line 1, column 2: missing field `results`
            file: line 1, column 13: invalid type: integer `1`, expected a list
            file: line 1, column 27: missing field `command`
            file: line 1, column 47: invalid type: null, expected f64
            file: line 1, column 48: invalid type: string "0", expected i32
            file: line 1, column 26: expected `:`
            file has the version "two"; this Lotse reads hyperfine's JSON of 1.x and schema 2"#]],
    );
}

/// Two programs of schema 2, the second without memory.
fn sample() -> ResultSet {
    let run = |wall: f64, user: f64| {
        json!({ "time_wall_clock": { "value": wall, "unit": "second" },
                "time_user": { "value": user, "unit": "second" }, "exit_code": 3 })
    };
    let mut heavy = run(0.5, 0.25);
    heavy["memory_peak_resident"] = json!({ "value": 4096, "unit": "byte" });
    let text = json!({ "schema_version": 2, "results": [
        { "command": "sort, 'x' 2", "name": "say \"hi\"", "measurements": [heavy],
          "parameters": { "n,m": { "value": "1,5" } } },
        { "command": "two\nlines", "measurements": [run(1.0, 0.5), run(2.0, 1.5)] },
    ] });
    read(&text.to_string()).unwrap().value
}

fn written(version: Version) -> Value {
    let mut bytes = Vec::new();
    hyperfine::write(&sample(), version, &Metric::named("wall"), Some("2026-01-02T03:04:05Z"), &mut bytes)
        .unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

#[test]
fn both_versions_in_one_file_serve_scripts_of_either_version() {
    let (old, new, both) = (written(Version::V1), written(Version::V2), written(Version::Both));
    for key in ["schema_version", "metadata", "primary_metric"] {
        assert_eq!(both[key], new[key], "{key}");
    }
    assert_eq!(both["metadata"]["start_time"], "2026-01-02T03:04:05Z");
    for index in 0..2 {
        let (old, new, both) = (&old["results"][index], &new["results"][index], &both["results"][index]);
        for (key, value) in new.as_object().unwrap() {
            assert_eq!(&both[key], value, "{key} is as in 2.x");
        }
        for (key, value) in old.as_object().unwrap() {
            let shared = ["command", "parameters"].contains(&key.as_str());
            assert!(shared || &both[key] == value, "{key} is as in 1.x: {both}");
        }
    }
    assert_eq!(both["results"][1]["times"], json!([1.0, 2.0]));
    assert_eq!(both["results"][1]["user"], json!(1.0));
    assert_eq!(both["results"][1]["exit_codes"], json!([3, 3]));
    assert_eq!(both["results"][0]["memory_usage_byte"], json!([4096]));
    assert_eq!(both["results"][1].get("memory_usage_byte"), None);
}

#[test]
fn both_versions_in_one_file_are_read_as_the_newer() {
    let reading = read(&written(Version::Both).to_string()).unwrap();
    let notes = reading.diagnostics.iter().all(|it| it.message.contains("exit code other than 0"));
    assert!(notes, "{:?}", reading.diagnostics);
    let before = sample();
    assert_eq!(reading.value.metrics, before.metrics);
    assert_eq!(reading.value.runs, before.runs);
    for (read, before) in reading.value.programs.iter().zip(&before.programs) {
        assert_eq!(
            (&read.name, &read.command, &read.parameters),
            (&before.name, &before.command, &before.parameters)
        );
    }
}

/// Parses CSV as defined in RFC 4180.
fn parse_csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.next_if_eq(&'"').is_some() => field.push('"'),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            other => field.push(other),
        }
    }
    assert!(row.is_empty() && field.is_empty() && !quoted, "cut off: {text}");
    rows
}

#[test]
fn a_table_keeps_its_columns_whatever_the_names_are() {
    for version in [Version::V1, Version::V2, Version::Both] {
        let mut bytes = Vec::new();
        hyperfine_csv::write(&sample(), version, &Metric::named("wall"), &mut bytes).unwrap();
        let rows = parse_csv(std::str::from_utf8(&bytes).unwrap());
        let value = |row: usize, title: &str| {
            let column = rows[0].iter().position(|field| field == title).unwrap();
            rows[row][column].clone()
        };
        assert_eq!(rows.len(), 3, "{version:?}");
        assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{version:?}: {rows:?}");
        assert_eq!([value(1, "command"), value(2, "command")], ["say \"hi\"", "two\nlines"]);
        assert_eq!([value(1, "parameter_n,m"), value(2, "parameter_n,m")], ["1,5", ""]);
        let prefix = if version == Version::V1 { "" } else { "time_wall_clock_" };
        assert_eq!(value(2, &format!("{prefix}mean")), "1.5");
        assert_eq!(value(1, &format!("{prefix}stddev")), "", "one run has no spread");
        if version != Version::V1 {
            let memory = [value(1, "memory_peak_resident_max"), value(2, "memory_peak_resident_max")];
            assert_eq!(memory, ["4096", ""], "{version:?}");
        }
    }
}

#[test]
fn programs_without_a_good_run_are_left_out() {
    let mut set = sample();
    let failed = ProgramId(0);
    for run in set.runs.iter_mut().filter(|run| run.program == failed) {
        run.outcome.status = lotse_model::results::Status::Failed;
    }
    for version in [Version::V1, Version::V2, Version::Both] {
        let mut bytes = Vec::new();
        hyperfine::write(&set, version, &Metric::named("wall"), None, &mut bytes).unwrap();
        let json: Value = serde_json::from_slice(&bytes).unwrap();
        let commands: Vec<&Value> =
            json["results"].as_array().unwrap().iter().map(|entry| &entry["command"]).collect();
        assert_eq!(commands, ["two\nlines"], "{version:?}");
    }
}
