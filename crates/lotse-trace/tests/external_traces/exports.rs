//! A trace that was exported as OTF2 shows the same waits, as recorded and as analysed.

use std::path::Path;

use lotse_host::{FolderFiles, FolderSource};
use lotse_model::rule::Thresholds;
use lotse_model::work::Sequential;
use lotse_trace::export::{Events, otf2};
use lotse_trace::store::Trace;
use lotse_trace::{open, waits};

use crate::{cases, changed};

#[test]
fn exported_traces_show_the_same_waits() {
    let (Some(others), Some(programs)) = (cases::all(), changed::cases()) else { return };
    let programs = programs.iter().map(|case| (case["case"].to_string(), changed::anchor(case)));
    let others = others.iter().map(|case| (case.name.clone(), case.anchor.clone()));
    let wrong: Vec<String> =
        programs.chain(others).flat_map(|(name, anchor)| differences(&name, &anchor)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn differences(name: &str, anchor: &Path) -> Vec<String> {
    let source = FolderSource::open(anchor).unwrap();
    let trace = open::read(&source, None, &Sequential).unwrap();
    let expected = severities(&trace);
    let input = lotse_formats::trace::open::open(&source, None).unwrap();
    let ways = [("recorded", Events::Recorded(&input)), ("analysed", Events::Analysed(&trace))];
    let mut wrong = Vec::new();
    for (way, events) in ways {
        let found = severities(&exported(events));
        for row in expected.iter().filter(|row| !found.contains(row)) {
            wrong.push(format!("{name}, as {way}: {row:?} is lost"));
        }
        for row in found.iter().filter(|row| !expected.contains(row)) {
            wrong.push(format!("{name}, as {way}: {row:?} is new"));
        }
    }
    wrong
}

fn exported(events: Events<'_>) -> Trace {
    let folder = tempfile::tempdir().unwrap();
    otf2(events, &FolderFiles::new(folder.path().to_owned()), "t").unwrap();
    let source = FolderSource::open(folder.path().join("t.otf2")).unwrap();
    open::read(&source, None, &Sequential).unwrap()
}

/// Metric, location, call path and ticks of all waits.
fn severities(trace: &Trace) -> Vec<(&'static str, u32, String, u64)> {
    let found = waits::search(trace, &Thresholds::default(), &Sequential);
    let row = |row: &waits::CubeRow| (row.metric.id, row.location.0, trace.path_name(row.path), row.ticks);
    let mut rows: Vec<_> = found.cube.iter().map(row).collect();
    rows.sort();
    rows
}
