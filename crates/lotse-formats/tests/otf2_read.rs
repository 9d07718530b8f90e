//! OTF2 archives are read as `otf2-print` prints them. Archives that it refuses are compared with counts in reference files.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "a skipped test says so")]
#![expect(clippy::disallowed_methods, reason = "a test reads fixtures")]
#![expect(clippy::disallowed_types, reason = "the oracle is a program")]

#[path = "otf2_read/archive.rs"]
mod archive;
#[path = "otf2_read/fixtures.rs"]
mod fixtures;
#[path = "otf2_read/printed.rs"]
mod printed;

use std::collections::BTreeMap;
use std::path::Path;

use archive::{decode, open};
use fixtures::{anchors, archive};
use printed::{PrintedEvent, as_line, definition_lines, definitions_as_lines, lines, otf2_print};

/// Compares all events with those printed; `false` if otf2-print refuses the archive.
fn check_events(anchor: &Path) -> bool {
    let Some(printed) = otf2_print(&[], anchor) else { return false };
    let mut wanted: BTreeMap<u64, Vec<PrintedEvent>> = BTreeMap::new();
    for line in lines(&printed) {
        wanted.entry(line.location).or_default().push(line);
    }
    let files = archive(anchor);
    let input = open(&files);
    for (at, location) in input.definitions.locations.iter().enumerate() {
        let (rows, ends) = decode(&input, at);
        assert!(ends.iter().all(|end| end.damage.is_none() && end.skipped == 0), "{}", anchor.display());
        let found: Vec<PrintedEvent> = rows.iter().map(|row| as_line(&input, location.number, row)).collect();
        // otf2-print prints nothing for a location without events.
        let wanted = wanted.get(&location.number).map_or(&[][..], Vec::as_slice);
        for (found, wanted) in found.iter().zip(wanted) {
            assert_eq!(found, wanted, "{}", anchor.display());
        }
        assert_eq!(found.len(), wanted.len(), "{} location {}", anchor.display(), location.number);
    }
    let is_known = |number: &u64| input.definitions.locations.iter().any(|it| it.number == *number);
    assert!(wanted.keys().all(is_known));
    true
}

/// Compares the definitions with those printed, table by table.
fn check_definitions(anchor: &Path) {
    let Some(printed) = otf2_print(&["-G"], anchor) else { return };
    let files = archive(anchor);
    let (mut found, mut wanted) = (definitions_as_lines(&open(&files)), definition_lines(&printed));
    let kind = |line: &String| line.split(' ').next().map(str::to_owned);
    found.sort_by_key(kind);
    wanted.sort_by_key(kind);
    assert_eq!(found, wanted, "{}", anchor.display());
}

/// Compares counts with the reference file of the archive.
fn check_reference(anchor: &Path) {
    let Ok(text) = std::fs::read_to_string(anchor.with_file_name("reference.json")) else { return };
    let wanted: serde_json::Value = serde_json::from_str(&text).unwrap();
    let files = archive(anchor);
    let input = open(&files);
    let rows: Vec<_> = (0..input.streams.len()).flat_map(|at| decode(&input, at).0).collect();
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for (_, kind, _) in &rows {
        *kinds.entry(kind.name()).or_insert(0) += 1;
    }
    let name = anchor.display();
    assert_eq!(serde_json::to_value(&kinds).unwrap(), wanted["event_kinds"], "{name}");
    assert_eq!(rows.len() as u64, wanted["events"], "{name}");
    assert_eq!(rows.iter().map(|it| it.0).min().unwrap(), wanted["first_tick"], "{name}");
    assert_eq!(rows.iter().map(|it| it.0).max().unwrap(), wanted["last_tick"], "{name}");
    assert_eq!(input.streams.len() as u64, wanted["locations"], "{name}");
}

#[test]
fn synthetic_archives_are_read_as_printed() {
    for anchor in anchors("trace/synthetic") {
        check_definitions(&anchor);
        let accepted = check_events(&anchor);
        assert!(accepted || !is_installed() || anchor.to_string_lossy().contains("truncated"));
    }
}

#[test]
fn recorded_archives_are_read_as_printed_and_as_the_references_count() {
    for anchor in anchors("trace/recorded") {
        check_definitions(&anchor);
        check_events(&anchor);
        check_reference(&anchor);
    }
}

fn is_installed() -> bool {
    std::process::Command::new("otf2-print").arg("--version").output().is_ok()
}

/// Location 2 has lost the last six bytes: its last leave and the marks of the end.
#[test]
fn a_truncated_archive_keeps_its_events_and_reports_the_loss() {
    for anchor in anchors("trace/synthetic/20_truncated") {
        let files = archive(&anchor);
        let input = open(&files);
        for at in 0..input.streams.len() {
            let (rows, ends) = decode(&input, at);
            let complete = at != 2;
            assert_eq!(ends[0].damage.is_none(), complete);
            assert_eq!(rows.len() as u64 == input.streams[at].stated_events().unwrap(), complete);
            assert!(rows.len() >= 5);
        }
    }
}

/// EZTrace gives the list of locations and the group of the world communicator the same number, and each process its own
/// numbers.
#[test]
fn what_recorders_do_to_definitions_is_repaired_and_listed() {
    for anchor in anchors("trace/recorded/eztrace/comd-mpi4") {
        let files = archive(&anchor);
        let input = open(&files);
        let world = &input.definitions.communicators[1];
        assert_eq!((world.name.as_str(), world.members.len()), ("MPI_COMM_WORLD", 4));
        assert!(world.members.iter().all(Option::is_some));
        let listed: Vec<&str> = input.repairs.iter().map(|it| it.message.as_str()).collect();
        assert!(listed.iter().any(|it| it.starts_with("1 groups are defined again")), "{listed:?}");
        // The duplicate number loses nothing, as the members above show, so there is no message about it.
        assert!(!listed.iter().any(|it| it.contains("number")), "{listed:?}");
        assert!(input.repairs.iter().all(|it| !it.loss));
    }
}
