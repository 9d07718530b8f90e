//! Runs in order, selections and marks of the axis.

use std::collections::BTreeMap;

use lotse_model::{Metric, Unit};
use lotse_report::Document as ReportDocument;

use super::{BenchDocument, MeasuredRun};
use crate::api::{About, DocumentKind, RunSelection};
use crate::report::ReportFile;

/// Two programs in turn, with the times 1, 2, 3, … seconds; the last run failed.
fn document(count: usize) -> BenchDocument {
    let run = |at: usize| MeasuredRun {
        program: at % 2,
        round: (at / 2) as u32,
        place: (at % 2) as u32,
        contended: at == 1,
        failure: (at + 1 == count).then(|| "exit status 1".to_owned()),
        values: if at + 1 == count { BTreeMap::new() } else { [("wall".to_owned(), (at + 1) as f64)].into() },
    };
    let about = About {
        kind: DocumentKind::Bench,
        format: String::new(),
        sentence: String::new(),
        findings: Vec::new(),
        remarks: Vec::new(),
        profile: None,
        trace: None,
    };
    BenchDocument {
        file: ReportFile { about, report: ReportDocument::new(), values: BTreeMap::new() },
        metrics: vec![Metric { name: "wall".to_owned(), unit: Unit::Seconds }],
        primary: "wall".to_owned(),
        programs: vec!["old".to_owned(), "new".to_owned()],
        runs: (0..count).map(run).collect(),
    }
}

fn selection(first: usize, last: usize) -> RunSelection {
    RunSelection { first, last, low: None, high: None, metric: None }
}

#[test]
fn every_run_has_its_round_and_order() {
    let answer = document(5).runs(None, None).unwrap();
    let third = &answer.runs[2];
    assert_eq!((third.number, third.program, third.round, third.place), (3, 0, 2, 1));
    assert_eq!(third.text, "3.000 s");
    assert!(answer.runs[1].contended && answer.selected.is_none());
    let failed = &answer.runs[4];
    assert_eq!((failed.value, failed.text.as_str()), (None, "exit status 1"));
    // 1 and 3 are good runs of the first program, 2 and 4 of the second one.
    assert_eq!(answer.all.rows[0][2].value, Some(2.0));
    assert_eq!(answer.all.rows[1][1].text, "2");
}

#[test]
fn a_selection_is_described_and_gives_no_verdict() {
    let answer = document(9).runs(Some("wall"), Some(&selection(2, 5))).unwrap();
    let marked: Vec<usize> = answer.runs.iter().filter(|run| run.selected).map(|run| run.number).collect();
    assert_eq!(marked, [2, 3, 4, 5]);
    let table = answer.selected.unwrap();
    assert!(table.caption.contains("4 of 9") && table.caption.contains("no verdict"), "{}", table.caption);
    assert_eq!((table.rows[0][2].value, table.rows[1][2].value), (Some(4.0), Some(3.0)));
    let bounded = RunSelection { low: Some(2.5), high: Some(4.0), ..selection(1, 9) };
    let answer = document(9).runs(None, Some(&bounded)).unwrap();
    let marked: Vec<usize> = answer.runs.iter().filter(|run| run.selected).map(|run| run.number).collect();
    assert_eq!(marked, [3, 4], "both bounds belong to it");
}

#[test]
fn an_empty_selection_has_no_statistics() {
    let answer = document(9).runs(None, Some(&selection(100, 200))).unwrap();
    let table = answer.selected.unwrap();
    assert_eq!((table.rows[0][1].text.as_str(), table.rows[0][2].text.as_str()), ("0", "–"));
    assert!(document(9).runs(None, Some(&selection(5, 2))).is_err());
    assert!(document(9).runs(Some("cycles"), None).is_err());
}

#[test]
fn marks_of_the_axis_are_round_and_few() {
    let answer = document(41).runs(None, None).unwrap();
    let texts: Vec<&str> = answer.ticks.iter().map(|tick| tick.text.as_str()).collect();
    assert_eq!(texts, ["0", "10", "20", "30", "40"]);
    assert_eq!(answer.axis, "wall [s]");
    assert!(document(1).runs(None, None).unwrap().ticks.is_empty());
    let mut odd = document(3);
    odd.runs[0].values.insert("wall".to_owned(), 1e300);
    odd.runs[1].values.insert("wall".to_owned(), -1e300);
    assert!(odd.runs(None, None).unwrap().ticks.len() <= 33);
}
