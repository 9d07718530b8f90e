//! A recorded history of data structures: its findings lead to pictures of their structures, which are also tables.

use serde_json::{Value, json};

use crate::server::{Server, fixture};

const HISTORY: &str = "samples/lotse-history/queue.lotse-history";

fn lotse(args: &[&str]) -> Vec<u8> {
    let mut lotse = std::process::Command::new(env!("CARGO_BIN_EXE_lotse"));
    let output = lotse.args(args).current_dir(fixture("")).output().unwrap();
    assert!(output.status.success() || !output.stdout.is_empty(), "{output:?}");
    output.stdout
}

fn figures(report: &Value) -> Vec<&Value> {
    let blocks = report["blocks"].as_array().unwrap().iter();
    blocks.filter(|block| block["block"] == "figure").collect()
}

/// The picture that a finding leads to is the one that the command line draws of the structure of this finding.
#[test]
fn a_finding_leads_to_the_picture_of_its_structure() {
    let server = Server::start(&[HISTORY]);
    let about = server.settled(0)["stage"]["about"].clone();
    let analysed: Value = serde_json::from_slice(&lotse(&["spy", "analyze", HISTORY, "--json"])).unwrap();
    let report = server.answer(&json!({"ask": "report"}));
    let figures = figures(&report);
    let findings = about["findings"].as_array().unwrap();
    let expected = analysed["findings"].as_array().unwrap();
    assert!(!findings.is_empty() && findings.len() == expected.len());
    let folder = tempfile::tempdir().unwrap();
    for (finding, expected) in findings.iter().zip(expected) {
        assert_eq!(finding["rule"], expected["rule"]["id"]);
        let figure = figures[finding["figure"].as_u64().unwrap() as usize];
        let instance = expected["instance"].to_string();
        let drawn = folder.path().join("picture.svg");
        let place = figure["title"].as_str().unwrap().split(": ").next().unwrap();
        lotse(&["spy", "history", HISTORY, place, "--instance", &instance, "--svg", drawn.to_str().unwrap()]);
        let svg = std::fs::read_to_string(&drawn).unwrap();
        // The titles differ; the marks do not.
        let marks =
            |svg: &str| svg.lines().filter(|line| line.contains("<path")).collect::<Vec<_>>().join("\n");
        assert!(
            !marks(&svg).is_empty() && marks(&svg) == marks(figure["svg"].as_str().unwrap()),
            "{finding}"
        );
        assert!(figure["title"].as_str().unwrap().ends_with(&format!(" {instance}")), "{figure}");
    }
}

/// The queue of the sample is filled at its end and emptied at its front: 500 insertions, then 500 deletions.
#[test]
fn the_table_has_what_the_picture_shows() {
    let server = Server::start(&[HISTORY]);
    server.settled(0);
    let report = server.answer(&json!({"ask": "report"}));
    let figure = figures(&report)[0];
    let table = &figure["tables"][0];
    assert_eq!(table["block"], "table");
    let rows = table["rows"].as_array().unwrap();
    let text = |row: usize, cell: usize| rows[row][cell]["text"].as_str().unwrap();
    assert_eq!((text(0, 0), text(0, 1)), ("0", "1"));
    assert!(text(0, 2).starts_with("insert 0"), "{}", text(0, 2));
    let row = rows.iter().position(|row| row[2]["text"].as_str().unwrap().contains("delete")).unwrap();
    assert!(text(row, 0).starts_with("500"), "{}", text(row, 0));
    assert!(rows[row..].iter().all(|row| row[2]["text"].as_str().unwrap().starts_with("delete 0")));
}
