//! Recorded traces from the fixtures folder next to the repository.

use std::path::{Path, PathBuf};

use lotse_formats::trace::otf2;
use lotse_host::FolderSource;
use lotse_model::rule::Thresholds;
use lotse_model::work::Sequential;
use serde_json::Value;

use crate::clock::{correct, violations};
use crate::store::{Trace, load};

fn fixtures() -> Option<PathBuf> {
    test_support::shared("fixtures/trace")
}

fn read(anchor: &Path) -> Trace {
    let folder = FolderSource::open(anchor).unwrap();
    load(otf2::open(&folder).unwrap(), &Sequential)
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn the_offset_of_a_trace_made_with_one_is_found() {
    let Some(fixtures) = fixtures() else { return };
    let folder = fixtures.join("synthetic/19_clock_offset");
    let expected = json(&folder.join("expected.json"));
    let mut trace = read(&folder.join("traces.otf2"));
    let correction = correct(&mut trace, &Sequential);
    assert_eq!(expected["clock_violations"], correction.before.messages);
    let number = |value: &Value| value.as_f64().unwrap();
    for row in expected["clock_offsets"].as_array().unwrap() {
        let found = &correction.offsets[row["location"].as_u64().unwrap() as usize];
        let off = found.seconds(&trace.definitions) - number(&row["seconds"]);
        assert!(off.abs() <= number(&expected["offset_tolerance"]), "{found:?}");
    }
    let waits = crate::waits::search(&trace, &Thresholds::default(), &Sequential);
    for row in expected["corrected_severities"].as_array().unwrap() {
        let is_it = |it: &&crate::waits::CubeRow| {
            it.metric.id == row["metric"]
                && row["location"] == it.location.0
                && row["callpath"] == trace.path_name(it.path)
        };
        let ticks = waits.cube.iter().find(is_it).map_or(0, |it| it.ticks);
        let off = trace.seconds(ticks) - number(&row["seconds"]);
        assert!(off.abs() <= number(&expected["tolerance"]), "{row} {ticks}");
    }
}

/// Collects the files with expected answers next to traces.
fn answers(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            answers(&path, found);
        } else if path.ends_with("expected.json") || path.ends_with("reference.json") {
            found.push(path);
        }
    }
}

fn anchor(folder: &Path) -> Option<PathBuf> {
    let mut files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| path.extension().is_some_and(|extension| extension == "otf2"))
}

#[test]
fn no_violation_is_left_in_recorded_traces() {
    let Some(fixtures) = fixtures() else { return };
    let mut found = Vec::new();
    answers(&fixtures, &mut found);
    for answer in found {
        let Some(anchor) = answer.parent().and_then(anchor) else { continue };
        let mut trace = read(&anchor);
        let correction = correct(&mut trace, &Sequential);
        if let Some(count) = json(&answer)["clock_violations"].as_u64() {
            assert_eq!(correction.before.messages, count, "{}", anchor.display());
        }
        assert!(violations(&trace, &Sequential).is_none(), "{}", anchor.display());
    }
}
