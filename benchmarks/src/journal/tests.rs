//! A journal goes on where it was left, and only there.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{Header, Journal};
use crate::error::Error;
use crate::machine::{Machine, Versions};

fn wanted(parameters: Value) -> Header {
    let machine = Machine {
        processor: Some("X".into()),
        cpus: Some(2),
        usable_cpus: Some(2),
        kernel: None,
        memory: None,
        virtual_machine: None,
    };
    let versions = Versions {
        lotse: "lotse 0.1.0".into(),
        lotse_file: "00".into(),
        hyperfine: None,
        gcc: "gcc".into(),
        profile: "release".into(),
    };
    let (benchmark, date) = ("aa".to_owned(), "2026-11-15T00:00:00Z".to_owned());
    Header { benchmark, date, machine, versions, parameters, facts: Value::Null }
}

fn open(path: &Path, parameters: Value, facts: Value) -> Result<Journal, Error> {
    Journal::open(path, wanted(parameters), || Ok(facts))
}

#[test]
fn a_rerun_finds_the_records_and_the_first_facts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new").join("a.jsonl");
    let mut journal = open(&path, json!({"seconds": 6.0}), json!({"steps": 7})).unwrap();
    assert!(journal.is_empty());
    journal.append("trial", &json!({"number": 0})).unwrap();
    journal.append("summary", &json!({"alarms": 0})).unwrap();
    drop(journal);
    let again = open(&path, json!({"seconds": 6.0}), json!({"steps": 8})).unwrap();
    assert_eq!(again.len(), 2);
    assert_eq!(again.facts::<Value>().unwrap(), json!({"steps": 7}));
    assert_eq!(again.records::<Value>("trial").unwrap(), [json!({"kind": "trial", "number": 0})]);
    let kinds: Vec<Value> = fs::read_to_string(&path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["kind"].clone())
        .collect();
    assert_eq!(kinds, ["header", "session", "trial", "summary", "session"]);
}

#[test]
fn a_torn_line_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let mut journal = open(&path, json!({}), Value::Null).unwrap();
    journal.append("trial", &json!({"number": 0})).unwrap();
    drop(journal);
    let torn = fs::read_to_string(&path).unwrap() + r#"{"kind":"trial","num"#;
    fs::write(&path, torn).unwrap();
    let mut journal = open(&path, json!({}), Value::Null).unwrap();
    journal.append("trial", &json!({"number": 1})).unwrap();
    drop(journal);
    let journal = open(&path, json!({}), Value::Null).unwrap();
    let numbers = journal.records::<Value>("trial").unwrap();
    assert_eq!(numbers.iter().map(|it| it["number"].as_u64().unwrap()).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn a_torn_header_is_a_new_journal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    fs::write(&path, r#"{"kind":"hea"#).unwrap();
    let journal = open(&path, json!({}), json!({"steps": 7})).unwrap();
    assert_eq!(journal.header.facts, json!({"steps": 7}));
}

#[test]
fn other_parameters_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    drop(open(&path, json!({"seconds": 6.0}), Value::Null).unwrap());
    let error = open(&path, json!({"seconds": 8.0}), Value::Null).unwrap_err().to_string();
    let end =
        r#"was begun with parameters {"seconds":6.0}, now it is {"seconds":8.0}: give another --journal"#;
    assert!(error.ends_with(end), "{error}");
}

#[test]
fn damage_in_the_middle_names_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    drop(open(&path, json!({}), Value::Null).unwrap());
    let damaged = fs::read_to_string(&path).unwrap() + "nonsense\n{}\n";
    fs::write(&path, damaged).unwrap();
    let error = open(&path, json!({}), Value::Null).unwrap_err().to_string();
    assert!(error.starts_with("line 3 of "), "{error}");
}
