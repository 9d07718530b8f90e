//! Profiles of one kind written as another and read again.

use lotse_formats::write::WRITERS;
use lotse_model::NoProgress;
use lotse_model::bytes::Memory;

use super::prepare;
use crate::analysis::{Analysis, CycleMode};
use crate::open::{Opened, Request, open};

const CALLGRIND: &str = "# callgrind format\nevents: Ir Dr\nfl=(1) a.c\nfn=(1) main\n3 10 2\ncfn=(2) f\n\
                         calls=3 20\n4 300 7\nfn=(2)\n20 300 7\ntotals: 310 9\n";
const COLLAPSED: &str = "main;f;g 12\nmain;f 3\nmain 1\nmain;f;f;g 4\n";

fn with(bytes: &[u8], check: impl FnOnce(&Opened<'_>, &Analysis<'_>)) {
    let source = Memory { name: "x", bytes };
    let opened = open(&source, &Request::default(), &mut NoProgress).unwrap();
    check(&opened, &Analysis::of_default_parts(&opened.profile, CycleMode::Folded));
}

/// Total, self and inclusive costs of functions by name, first event type.
fn costs(analysis: &Analysis<'_>) -> Vec<(String, i128, i128)> {
    let row = |id: lotse_model::id::FunctionId| {
        let name = analysis.profile.function_name(id).to_owned();
        (name, analysis.own.value(id.index(), 0), analysis.inclusive.value(id.index(), 0))
    };
    let mut rows: Vec<_> = analysis.active().map(row).collect();
    rows.sort();
    rows
}

fn converted(text: &str, to: &str, first: Option<usize>) -> (Vec<(String, i128, i128)>, Vec<String>) {
    let writer = WRITERS.iter().find(|writer| writer.id == to).unwrap();
    let (mut bytes, mut notes) = (Vec::new(), Vec::new());
    with(text.as_bytes(), |opened, analysis| {
        let prepared = prepare(opened, analysis, writer, first).unwrap();
        prepared.profile.check().unwrap();
        (writer.write)(&prepared.profile, &mut bytes).unwrap();
        notes = prepared.notes;
    });
    let mut found = Vec::new();
    with(&bytes, |_, analysis| found = costs(analysis));
    (found, notes)
}

fn rows(rows: &[(&str, i128, i128)]) -> Vec<(String, i128, i128)> {
    rows.iter().map(|&(name, own, inclusive)| (name.to_owned(), own, inclusive)).collect()
}

#[test]
fn stacks_become_calls() {
    let (found, notes) = converted(COLLAPSED, "callgrind", None);
    // Direct recursion of f is folded: its inclusive cost stays that of the stacks.
    assert_eq!(found, rows(&[("f", 3, 19), ("g", 16, 16), ("main", 1, 20)]));
    assert!(notes[0].contains("summed"));
}

#[test]
fn calls_become_estimated_stacks() {
    for to in ["collapsed", "speedscope", "pprof"] {
        let (found, notes) = converted(CALLGRIND, to, None);
        assert_eq!(found, rows(&[("f", 300, 300), ("main", 10, 310)]), "{to}");
        assert!(notes[0].contains("estimate"), "{to}");
    }
}

#[test]
fn what_fits_is_kept_as_it_is() {
    let (found, notes) = converted(CALLGRIND, "callgrind", None);
    assert_eq!((found, notes), (rows(&[("f", 300, 300), ("main", 10, 310)]), vec![]));
    let (found, _) = converted(COLLAPSED, "speedscope", None);
    assert_eq!(found, rows(&[("f", 3, 19), ("g", 16, 16), ("main", 1, 20)]));
}

#[test]
fn another_event_type_can_come_first() {
    let (found, _) = converted(CALLGRIND, "collapsed", Some(1));
    assert_eq!(found, rows(&[("f", 7, 7), ("main", 2, 9)]));
}
