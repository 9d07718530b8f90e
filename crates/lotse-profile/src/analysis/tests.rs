//! Small profiles with costs computed by hand, and properties of random ones.

use lotse_model::Profile;
use lotse_model::id::FunctionId;
use lotse_model::profile::{Builder, EventType, Part};
use proptest::prelude::*;

use super::{Analysis, CycleMode, Grouping, PartChoice};

/// A profile of stacks written as `main;f;g`.
pub(crate) fn stacked(stacks: &[(&str, u64)]) -> Profile {
    let mut builder = Builder::new();
    builder.profile.events = vec![EventType::count("samples")];
    let mut part = Part::new("1", 1, false);
    for (text, cost) in stacks {
        let mut stack = None;
        for name in text.split(';') {
            let function = builder.bare_function(name);
            let frame = builder.bare_frame(function);
            stack = Some(builder.stack(stack, frame));
        }
        part.samples.stack.push(stack);
        part.samples.costs.push(&[*cost]);
    }
    builder.profile.parts = vec![part];
    builder.finish()
}

/// A profile of self costs and calls (caller, callee, count, inclusive cost).
pub(crate) fn summed(own: &[(&str, u64)], calls: &[(&str, &str, u64, u64)]) -> Profile {
    let mut builder = Builder::new();
    builder.profile.events = vec![EventType::count("Ir")];
    let mut part = Part::new("1", 1, false);
    for (name, cost) in own {
        part.own.function.push(builder.bare_function(name));
        part.own.costs.push(&[*cost]);
    }
    for (caller, callee, count, cost) in calls {
        part.calls.caller.push(builder.bare_function(caller));
        part.calls.callee.push(builder.bare_function(callee));
        part.calls.count.push(*count);
        part.calls.costs.push(&[*cost]);
    }
    builder.profile.parts = vec![part];
    builder.finish()
}

fn inclusive(analysis: &Analysis<'_>, name: &str) -> u64 {
    let mut ids = analysis.profile.functions.ids();
    let id = ids.find(|&id| analysis.profile.function_name(id) == name).unwrap();
    analysis.inclusive.row(id.index())[0]
}

fn check(profile: &Profile, cycle_mode: CycleMode, expected: &[(&str, u64)]) {
    profile.check().unwrap();
    let analysis = Analysis::new(profile, &PartChoice::Default, cycle_mode).unwrap();
    let found: Vec<(&str, u64)> =
        expected.iter().map(|&(name, _)| (name, inclusive(&analysis, name))).collect();
    assert_eq!(found, expected, "{cycle_mode:?}");
}

#[test]
fn a_recursive_function_counts_once_per_stack() {
    let profile = stacked(&[("main;fib;fib;fib", 3), ("main;fib", 1), ("main", 1)]);
    check(&profile, CycleMode::Folded, &[("main", 5), ("fib", 4)]);
    check(&profile, CycleMode::Raw, &[("main", 5), ("fib", 10)]);
}

#[test]
fn only_a_function_twice_on_one_stack_recurs() {
    let cycles = |stacks: &[(&str, u64)]| -> Vec<Vec<String>> {
        let profile = stacked(stacks);
        let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
        let names = |members: &Vec<FunctionId>| {
            members.iter().map(|id| profile.function_name(*id).to_owned()).collect()
        };
        analysis.cycles.members.iter().map(names).collect()
    };
    assert!(cycles(&[("main;a;b", 1), ("main;b;a", 1), ("b;c;main", 1)]).is_empty());
    assert_eq!(cycles(&[("main;a;b;a;c", 1), ("main;c;a", 1)]), [["a", "b"]]);
    assert_eq!(cycles(&[("main;a;b;c;a", 1), ("c;b;x", 1)]), [["a", "b", "c"]]);
    assert_eq!(cycles(&[("a;b;c;b;a;d", 1)]), [["a", "b", "c"]]);
}

/// main (1) calls a (2) once; a and b (3) call each other; b calls leaf (4).
fn circle() -> Profile {
    summed(
        &[("main", 1), ("a", 2), ("b", 3), ("leaf", 4)],
        &[("main", "a", 1, 9), ("a", "b", 5, 9), ("b", "a", 4, 8), ("b", "leaf", 7, 4)],
    )
}

#[test]
fn a_cycle_is_folded() {
    let profile = circle();
    // All of the cycle is entered at `a`; of `b`, only its self cost and the call of `leaf` are known.
    check(&profile, CycleMode::Folded, &[("main", 10), ("a", 9), ("b", 7), ("leaf", 4)]);
    let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
    assert_eq!(analysis.totals, [10]);
    let groups = analysis.grouped(Grouping::Cycle);
    let cycle = groups.names.iter().position(|name| name == "<cycle 1>").unwrap();
    assert_eq!(
        (groups.own.row(cycle), groups.inclusive.row(cycle), groups.sizes[cycle]),
        (&[5][..], &[9][..], 2)
    );
    assert!(groups.exact.iter().all(|exact| *exact));
}

#[test]
fn raw_counts_inner_calls_again_and_says_so() {
    let profile = circle();
    check(&profile, CycleMode::Raw, &[("main", 10), ("a", 11), ("b", 15), ("leaf", 4)]);
    let analysis = Analysis::of_default_parts(&profile, CycleMode::Raw);
    assert!(analysis.notes[0].contains("2 functions exceed the total"), "{:?}", analysis.notes);
}

#[test]
fn gprof_spreads_by_calls() {
    let profile = summed(
        &[("main", 0), ("a", 10), ("b", 0), ("work", 90)],
        &[("main", "a", 1, 0), ("main", "b", 1, 0), ("a", "work", 2, 0), ("b", "work", 1, 0)],
    );
    check(&profile, CycleMode::Gprof, &[("main", 100), ("a", 70), ("b", 30), ("work", 90)]);
    check(&circle(), CycleMode::Gprof, &[("main", 10), ("a", 9), ("b", 7)]);
}

#[test]
fn calls_without_costs_are_spread_with_a_note() {
    let mut profile = summed(&[("main", 1), ("f", 4)], &[("main", "f", 3, 0)]);
    profile.parts[0].calls.costs = lotse_model::profile::Costs::new(1, false);
    check(&profile, CycleMode::Folded, &[("main", 5), ("f", 4)]);
    let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
    assert_eq!(analysis.cycle_mode, CycleMode::Gprof);
    assert!(analysis.notes[0].contains("estimate"));
}

#[test]
fn calls_that_do_not_add_up_are_cut_to_the_total() {
    let profile = summed(&[("main", 1), ("f", 4)], &[("main", "f", 3, 50)]);
    check(&profile, CycleMode::Folded, &[("main", 5), ("f", 4)]);
    let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
    assert!(analysis.notes[0].contains("1 function exceeded"), "{:?}", analysis.notes);
}

#[test]
fn parts_add_up_and_can_be_chosen() {
    let mut profile = circle();
    let more = Part { name: "2".into(), ..profile.parts[0].clone() };
    profile.parts.push(more);
    let all = Analysis::of_default_parts(&profile, CycleMode::Folded);
    assert_eq!((all.totals[0], inclusive(&all, "main"), all.calls.len()), (20, 20, 4));
    let row = all.calls.count.iter().max().unwrap();
    assert_eq!(*row, 14);
    let one = Analysis::new(&profile, &PartChoice::Named(vec!["2".into()]), CycleMode::Folded).unwrap();
    assert_eq!((one.totals[0], inclusive(&one, "main")), (10, 10));
}

#[test]
fn a_group_that_is_entered_again_has_an_upper_bound() {
    let mut profile = summed(
        &[("main", 1), ("sort", 2), ("compare", 3)],
        &[("main", "sort", 1, 5), ("sort", "compare", 9, 3)],
    );
    let objects = ["app", "libc"].map(|name| {
        let mut builder = Builder::default();
        builder.name(name)
    });
    assert_eq!(objects[0].0, 1);
    profile.functions.object = [0, 1, 0].map(lotse_model::id::ObjectId).to_vec();
    let name = profile.functions.name[1];
    profile.objects.push(name);
    let groups = Analysis::of_default_parts(&profile, CycleMode::Folded).grouped(Grouping::Object);
    assert_eq!(groups.names, ["(unknown)", "sort"]);
    assert_eq!(groups.inclusive.row(0), [6]);
    // What sort calls never comes back to it.
    assert_eq!((groups.exact, groups.inclusive.row(1)), (vec![false, true], &[5][..]));
}

#[test]
fn a_stack_deeper_than_any_recursion_is_no_problem() {
    let mut builder = Builder::new();
    builder.profile.events = vec![EventType::count("samples")];
    let functions = ["even", "odd"].map(|name| builder.bare_function(name));
    let frames = functions.map(|function| builder.bare_frame(function));
    let mut stack = None;
    for depth in 0..250_000 {
        stack = Some(builder.stack(stack, frames[depth % 2]));
    }
    let mut part = Part::new("1", 1, false);
    part.samples.stack.push(stack);
    part.samples.costs.push(&[7]);
    builder.profile.parts = vec![part];
    check(&builder.finish(), CycleMode::Folded, &[("even", 7), ("odd", 7)]);
}

/// Random stacks over few names, so that recursion is common.
fn stacks() -> impl Strategy<Value = Vec<(String, u64)>> {
    let stack = prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "d"]), 1..7);
    prop::collection::vec((stack.prop_map(|names| names.join(";")), 0_u64..100), 1..12)
}

proptest! {
    #[test]
    fn inclusive_is_between_self_and_total(stacks in stacks()) {
        let stacks: Vec<(&str, u64)> = stacks.iter().map(|(text, cost)| (text.as_str(), *cost)).collect();
        let profile = stacked(&stacks);
        for cycle_mode in [CycleMode::Folded, CycleMode::Gprof] {
            let analysis = Analysis::of_default_parts(&profile, cycle_mode);
            prop_assert_eq!(analysis.own.total(0), analysis.totals[0]);
            for function in profile.functions.ids() {
                let (own, inclusive) =
                    (analysis.own.value(function.index(), 0), analysis.inclusive.value(function.index(), 0));
                prop_assert!(own <= inclusive && inclusive <= analysis.totals[0], "{own} {inclusive} {cycle_mode:?}");
            }
        }
    }

    /// The inclusive cost is the sum over stacks that name the function.
    #[test]
    fn inclusive_is_what_counting_by_hand_gives(stacks in stacks()) {
        let stacks: Vec<(&str, u64)> = stacks.iter().map(|(text, cost)| (text.as_str(), *cost)).collect();
        let profile = stacked(&stacks);
        let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
        for function in profile.functions.ids() {
            let name = profile.function_name(function);
            let on = |text: &str| text.split(';').any(|part| part == name);
            let by_hand: u64 = stacks.iter().filter(|(text, _)| on(text)).map(|(_, cost)| cost).sum();
            prop_assert_eq!(analysis.inclusive.row(function.index())[0], by_hand);
        }
    }
}

#[test]
fn functions_without_any_cost_are_not_active() {
    let mut builder = Builder::new();
    builder.bare_function("never");
    builder.profile.events = vec![EventType::count("Ir")];
    let main = builder.bare_function("main");
    let mut part = Part::new("1", 1, false);
    part.own.function.push(main);
    part.own.costs.push(&[1]);
    builder.profile.parts = vec![part];
    let profile = builder.finish();
    let active: Vec<FunctionId> = Analysis::of_default_parts(&profile, CycleMode::Folded).active().collect();
    assert_eq!(active, [main]);
}

#[test]
fn an_analysis_with_known_sums_is_the_same() {
    let own = [("main", 10), ("a", 300), ("b", 500), ("leaf", 90), ("self", 7)];
    let calls = [
        ("main", "a", 1, 890),
        ("a", "b", 5, 800),
        ("b", "a", 4, 700),
        ("b", "leaf", 7, 90),
        ("self", "self", 2, 7),
    ];
    let profile = summed(&own, &calls);
    let computed = Analysis::of_default_parts(&profile, CycleMode::Folded);
    let known = Analysis::of_summary(&profile, &computed.summary()).unwrap();
    assert_eq!((&known.own, &known.inclusive), (&computed.own, &computed.inclusive));
    assert_eq!((&known.calls, &known.outgoing), (&computed.calls, &computed.outgoing));
    assert_eq!((&known.cycles, &known.totals), (&computed.cycles, &computed.totals));
    assert_eq!((known.counted, &known.entries), (computed.counted, &computed.entries));
    assert_eq!((known.origin, known.cycle_mode), (computed.origin, computed.cycle_mode));
    assert_eq!((&known.parts, &known.notes), (&computed.parts, &computed.notes));
    assert!(!known.notes.is_empty(), "the costs of the cycle are bounds");
    assert_eq!(known.summary(), computed.summary());
    // Costs of calls that were spread by counts are not those of the file.
    let spread = Analysis::of_default_parts(&profile, CycleMode::Gprof).summary();
    assert!(Analysis::of_summary(&profile, &spread).is_none());
    let stacks = stacked(&[("main;a", 3)]);
    let sampled = Analysis::of_default_parts(&stacks, CycleMode::Folded).summary();
    assert!(Analysis::of_summary(&stacks, &sampled).is_none());
}
