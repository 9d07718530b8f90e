//! Each reader is checked in four ways: what it reads, recognition by name and content, by content alone, and round trip.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write;

use expect_test::{ExpectFile, expect_file};
use lotse_formats::bench::{hyperfine, hyperfine_csv, lotse_log, temci_result, temci_suite};
use lotse_formats::{Diagnostic, Reading, claims, read_results, read_suite};
use lotse_model::bytes::Memory;
use lotse_model::{Metric, ResultSet, Suite};
use serde::Serialize;

macro_rules! fixture {
    ($name:literal) => {
        (
            Memory { name: $name, bytes: include_bytes!(concat!("../../../fixtures/bench/", $name)) },
            expect_file![concat!("../../../fixtures/bench/expected/", $name, ".txt")],
        )
    };
}

/// Writes a result set in the format it was read from.
type Rewrite = fn(&ResultSet) -> Vec<u8>;

fn check((source, expected): (Memory<'_>, ExpectFile), format: &str, rewrite: Option<Rewrite>) {
    let reading = read_results(&source, None).unwrap();
    assert_eq!(reading.format_id, format);
    expected.assert_eq(&shown_results(&reading));

    assert_eq!(claims(&source)[0].0.id, format, "by name and content");
    let nameless = Memory { name: "-", bytes: source.bytes };
    assert_eq!(read_results(&nameless, None).unwrap(), reading, "by content alone");

    if let Some(rewrite) = rewrite {
        let bytes = rewrite(&reading.value);
        let again = read_results(&Memory { name: "again", bytes: &bytes }, None).unwrap();
        assert_eq!(again.format_id, format);
        assert_eq!(again.value, reading.value, "{}", String::from_utf8_lossy(&bytes));
    }
}

/// One line per run, then the rest as JSON.
fn shown_results(reading: &Reading<ResultSet>) -> String {
    let runs = reading.value.runs.iter().map(|run| serde_json::to_string(run).unwrap() + "\n");
    let rest = ResultSet { runs: Vec::new(), ..reading.value.clone() };
    let rest =
        Reading { value: rest, format_id: reading.format_id, diagnostics: reading.diagnostics.clone() };
    runs.collect::<String>() + &shown(&rest)
}

fn shown<T: Serialize>(reading: &Reading<T>) -> String {
    let mut text = serde_json::to_string_pretty(&reading.value).unwrap();
    for Diagnostic { place, message, weight } in &reading.diagnostics {
        write!(text, "\n{weight:?}: {place}: {message}").unwrap();
    }
    text + "\n"
}

fn old(set: &ResultSet) -> Vec<u8> {
    let mut bytes = Vec::new();
    hyperfine::write(set, hyperfine::Version::V1, &Metric::named("wall"), None, &mut bytes).unwrap();
    bytes
}

fn new(set: &ResultSet) -> Vec<u8> {
    let mut bytes = Vec::new();
    hyperfine::write(set, hyperfine::Version::V2, &Metric::named("wall"), None, &mut bytes).unwrap();
    bytes
}

fn temci(set: &ResultSet) -> Vec<u8> {
    let mut bytes = Vec::new();
    temci_result::write(set, &mut bytes).unwrap();
    bytes
}

fn log(set: &ResultSet) -> Vec<u8> {
    lotse_log::to_text(&lotse_log::LogHeader::from_results(set), set, None).unwrap().into_bytes()
}

#[test]
fn hyperfine_1() {
    check(fixture!("hyperfine-1.5.json"), "hyperfine", Some(old));
    check(fixture!("hyperfine-1.10.json"), "hyperfine", Some(old));
    check(fixture!("hyperfine-1.18.json"), "hyperfine", Some(old));
    check(fixture!("hyperfine-1.20.json"), "hyperfine", Some(old));
}

#[test]
fn hyperfine_2() {
    check(fixture!("hyperfine-2.0-parameters.json"), "hyperfine", Some(new));
    check(fixture!("hyperfine-2.0-failing.json"), "hyperfine", Some(new));
    check(fixture!("hyperfine-2.0-one-run.json"), "hyperfine", Some(new));
    check(fixture!("hyperfine-2.0-environment.json"), "hyperfine", Some(new));
}

/// Every byte is the same, because the summaries are computed as hyperfine does.
#[test]
fn hyperfine_files_are_written_as_hyperfine_writes_them() {
    let files = [
        fixture!("hyperfine-2.0-parameters.json"),
        fixture!("hyperfine-2.0-failing.json"),
        fixture!("hyperfine-2.0-one-run.json"),
        fixture!("hyperfine-2.0-environment.json"),
    ];
    for (source, _) in files {
        let set = read_results(&source, None).unwrap().value;
        assert_eq!(String::from_utf8(new(&set)).unwrap(), std::str::from_utf8(source.bytes).unwrap());
    }
    for (source, _) in [fixture!("hyperfine-1.18.json"), fixture!("hyperfine-1.20.json")] {
        let set = read_results(&source, None).unwrap().value;
        assert_eq!(String::from_utf8(old(&set)).unwrap(), std::str::from_utf8(source.bytes).unwrap());
    }
}

#[test]
fn hyperfine_tables_are_written_as_hyperfine_writes_them() {
    let (source, _) = fixture!("hyperfine-2.0-parameters.json");
    let set = read_results(&source, None).unwrap().value;
    let mut csv = Vec::new();
    hyperfine_csv::write(&set, hyperfine::Version::V2, &Metric::named("wall"), &mut csv).unwrap();
    let expected = include_str!("../../../fixtures/bench/hyperfine-2.0-parameters.csv");
    assert_eq!(String::from_utf8(csv).unwrap(), expected);

    let mut csv = Vec::new();
    hyperfine_csv::write(&set, hyperfine::Version::V1, &Metric::named("wall"), &mut csv).unwrap();
    let csv = String::from_utf8(csv).unwrap();
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("command,mean,stddev,median,user,system,min,max,parameter_n"));
    assert!(lines.all(|line| line.split(',').count() == 9), "{csv}");
}

#[test]
fn temci_results() {
    check(fixture!("temci-0.8.5-short.yaml"), "temci", Some(temci));
    check(fixture!("temci-0.8.5-full.yaml"), "temci", Some(temci));
    check(fixture!("temci-0.8.5-internal-error.yaml"), "temci", Some(temci));
}

#[test]
fn lotse() {
    check(fixture!("lotse-log-1.jsonl"), "lotse-log", Some(log));
    check(fixture!("lotse-answer-1.json"), "lotse-json", None);
}

#[test]
fn temci_suites() {
    let (source, expected) = fixture!("temci-0.8.5-suite.yaml");
    let reading = read_suite(&source, None).unwrap();
    expected.assert_eq(&shown(&reading));
    let nameless = Memory { name: "-", bytes: source.bytes };
    assert_eq!(read_suite(&nameless, None).unwrap(), reading);

    let mut bytes = Vec::new();
    temci_suite::write(&reading.value, &mut bytes).unwrap();
    let again = read_suite(&Memory { name: "again", bytes: &bytes }, None).unwrap();
    let supported = Suite { ignored: Vec::new(), ..reading.value };
    assert_eq!(again.value, supported, "{}", String::from_utf8_lossy(&bytes));
    assert_eq!(again.diagnostics, []);
}
