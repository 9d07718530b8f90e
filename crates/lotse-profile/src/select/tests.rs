//! Selections with results computed by hand; the tests of the command line compare with pprof.

use super::{Selection, select};
use crate::analysis::tests::{stacked, summed};
use crate::analysis::{Analysis, CycleMode, PartChoice};
use lotse_model::Profile;
use lotse_model::profile::{Builder, EventType, Part};
use proptest::prelude::*;

/// Self and inclusive cost by function after a selection `focus|ignore|hide|show`, and the notes.
fn selected(profile: &Profile, texts: &str) -> (Vec<(String, u64, u64)>, Vec<String>) {
    let pieces: Vec<Option<&str>> = texts.split('|').map(|it| Some(it).filter(|it| !it.is_empty())).collect();
    let selection = Selection::parse([pieces[0], pieces[1], pieces[2], pieces[3]]).unwrap();
    let whole = Analysis::of_default_parts(profile, CycleMode::Folded);
    let kept = select(&whole, &selection).unwrap();
    kept.profile.check().unwrap();
    assert_eq!(kept.totals, whole.totals);
    let analysis = Analysis::new(&kept.profile, &PartChoice::All, CycleMode::Folded).unwrap();
    let row = |id: lotse_model::id::FunctionId| {
        let name = analysis.profile.function_name(id).to_owned();
        (name, analysis.own.row(id.index())[0], analysis.inclusive.row(id.index())[0])
    };
    let mut rows: Vec<_> = analysis.active().map(row).collect();
    rows.sort();
    (rows, kept.notes)
}

#[track_caller]
fn check(profile: &Profile, texts: &str, expected: &[(&str, u64, u64)]) {
    let expected: Vec<_> = expected.iter().map(|(name, own, all)| ((*name).to_owned(), *own, *all)).collect();
    assert_eq!(selected(profile, texts).0, expected, "{texts}");
}

fn stacks() -> Profile {
    stacked(&[("main;parse;malloc", 3), ("main;run;malloc", 5), ("main;run", 7), ("main;parse", 11)])
}

#[test]
fn samples_are_kept_by_any_frame() {
    check(&stacks(), "parse|||", &[("main", 0, 14), ("malloc", 3, 3), ("parse", 11, 14)]);
    check(&stacks(), "|malloc||", &[("main", 0, 18), ("parse", 11, 11), ("run", 7, 7)]);
    check(&stacks(), "parse|malloc||", &[("main", 0, 11), ("parse", 11, 11)]);
    check(&stacks(), "parse|main||", &[]);
}

#[test]
fn hidden_frames_leave_their_cost_to_the_caller() {
    check(&stacks(), "||malloc|", &[("main", 0, 26), ("parse", 14, 14), ("run", 12, 12)]);
    check(&stacks(), "|||main", &[("main", 26, 26)]);
    check(&stacks(), "run||run|malloc", &[("malloc", 5, 5)]);
}

#[test]
fn a_pattern_without_a_match_is_reported() {
    let (_, notes) = selected(&stacks(), "|mallok||");
    assert_eq!(notes[0], "--ignore mallok: no function on a stack matches; did you mean malloc?");
    assert_eq!(notes[1], "ignore=mallok keeps 100.0 % of samples; shares are of the whole profile");
    let profile = stacks();
    let whole = Analysis::of_default_parts(&profile, CycleMode::Folded);
    for (texts, expected) in [
        ([Some("^nobody$"), None, None, None], "--focus ^nobody$: no function on a stack matches"),
        ([None, None, None, Some("mian")], "--show mian: no function on a stack matches; did you mean main?"),
    ] {
        let selection = Selection::parse(texts).unwrap();
        assert_eq!(select(&whole, &selection).unwrap_err().to_string(), expected);
    }
}

#[test]
fn names_match_without_their_arguments() {
    let profile = stacked(&[("main;_ZN3app4sortEv", 3), ("main;run", 5)]);
    check(&profile, "^app::sort$|||", &[("_ZN3app4sortEv", 3, 3), ("main", 0, 3)]);
}

#[test]
fn calls_are_an_estimate_in_proportion() {
    // `leaf` is called by both; a third of its cost comes from b.
    let profile = summed(
        &[("main", 1), ("a", 10), ("b", 20), ("leaf", 30)],
        &[("main", "a", 1, 30), ("main", "b", 1, 30), ("a", "leaf", 2, 20), ("b", "leaf", 1, 10)],
    );
    check(&profile, "^b$|||", &[("b", 20, 30), ("leaf", 10, 10), ("main", 0, 30)]);
    let (_, notes) = selected(&profile, "^b$|||");
    assert!(notes[0].contains("the stacks are an estimate"), "{notes:?}");
}

/// Functions of the same name are told apart by their place, as in tables.
#[test]
fn a_place_in_brackets_selects_one_of_several_functions() {
    let mut builder = Builder::new();
    builder.profile.events = vec![EventType::count("Ir")];
    let mut part = Part::new("1", 1, false);
    for (file, line, cost) in [("x/a.c", 2, 3), ("x/b.c", 2, 5), ("y/b.c", 2, 7)] {
        let (file, name) = (builder.file(file), builder.name("work"));
        let object = builder.object("/bin/prog");
        part.own.function.push(builder.profile.functions.push(name, object, file, (line, 0)));
        part.own.costs.push(&[cost]);
    }
    builder.profile.parts = vec![part];
    let profile = builder.finish();
    for (text, cost) in [
        (r"^work \[a\.c:2\]$", 3),
        (r"^work \[prog: b\.c:2\]$", 12),
        (r"^work \[/bin/prog: x/b\.c:2\]$", 5),
        (r"^work \[y/b\.c:2\]$", 7),
        ("^work$", 15),
    ] {
        let (rows, _) = selected(&profile, &format!("{text}|||"));
        assert_eq!(rows.iter().map(|row| row.1).sum::<u64>(), cost, "{text}");
    }
}

/// `b` is called once, for 60 of 101: that much is kept, and the members above it are on the way to it.
#[test]
fn a_member_of_a_cycle_keeps_its_inclusive_cost() {
    let profile = summed(
        &[("main", 1), ("a", 10), ("b", 20), ("c", 70)],
        &[("main", "a", 1, 100), ("a", "b", 1, 60), ("b", "a", 4, 50), ("a", "c", 9, 70)],
    );
    check(&profile, "^b$|||", &[("a", 5, 60), ("b", 20, 60), ("c", 35, 35), ("main", 0, 60)]);
    check(&profile, "|^b$||", &[("a", 5, 40), ("c", 35, 35), ("main", 1, 41)]);
    check(&profile, "^a$|||", &[("a", 10, 100), ("b", 20, 20), ("c", 70, 70), ("main", 0, 100)]);
    check(&profile, "^c$|||", &[("a", 0, 70), ("c", 70, 70), ("main", 0, 70)]);
}

proptest! {
    /// A filter keeps the inclusive cost of the list of functions, even if functions call each other in cycles; what it
    /// keeps and what it drops is the whole.
    #[test]
    fn filters_in_cycles_keep_inclusive_costs(
        own in prop::collection::vec(1_u64 << 20..1 << 30, 5),
        calls in prop::collection::vec((0_usize..5, 0_usize..5, 1_u64..9, 0_u64..1 << 30), 0..14),
        wanted in 0_usize..5,
    ) {
        const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];
        let pairs: std::collections::BTreeMap<_, _> =
            calls.iter().map(|&(from, to, count, cost)| ((NAMES[from], NAMES[to]), (count, cost))).collect();
        let mut calls: Vec<_> = pairs.into_iter().map(|((from, to), (count, cost))| (from, to, count, cost)).collect();
        let names: Vec<(&str, u64)> = NAMES.into_iter().zip(own).collect();
        // Calls of a ring, so that all functions are one cycle.
        for at in 0..5 {
            let (from, to) = (NAMES[at], NAMES[(at + 1) % 5]);
            if !calls.iter().any(|call| (call.0, call.1) == (from, to)) {
                calls.push((from, to, 3, 1 << 20));
            }
        }
        let profile = summed(&names, &calls);
        let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
        let sum = |texts: &str| selected(&profile, texts).0.iter().map(|row| row.1).sum::<u64>();
        let name = NAMES[wanted];
        let (kept, dropped) = (sum(&format!("^{name}$|||")), sum(&format!("|^{name}$||")));
        prop_assert_eq!(i128::from(kept + dropped), analysis.totals[0]);
        let id = profile.functions.ids().find(|&id| profile.function_name(id) == name).unwrap();
        let inclusive = analysis.inclusive.row(id.index())[0];
        // Paths with less than a hundred-thousandth of the whole are not followed.
        prop_assert!(kept >= inclusive - (1 << 16), "{kept} {inclusive}");
    }
}
