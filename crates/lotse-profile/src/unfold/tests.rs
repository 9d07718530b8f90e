//! Trees computed by hand, and sums that hold for every tree.

use lotse_model::Profile;
use lotse_model::id::FunctionId;
use lotse_model::profile::{Builder, EventType, Part};
use proptest::prelude::*;

use super::{CallTree, Direction, Limits, UnfoldQuery, unfold};
use crate::analysis::tests::{stacked, summed};
use crate::analysis::{Analysis, CycleMode};
use crate::events::EventTypes;

/// More calls than the stack of a thread has space for, and more than a tree has nodes by default.
const DEEP: usize = 250_000;
const ALL: Limits = Limits { min_share: 0.0, depth: None, nodes: 100_000, every_event: false };

fn grown(profile: &Profile, start: Option<&str>, direction: Direction, limits: Limits) -> CallTree {
    let columns = EventTypes::new(profile, &[]).unwrap().own();
    let analysis = Analysis::of_default_parts(profile, CycleMode::Folded);
    let start = start.map(|start| {
        let is_start = |id: &FunctionId| profile.function_name(*id) == start;
        profile.functions.ids().find(is_start).unwrap()
    });
    unfold(&analysis, &UnfoldQuery { start, direction, weight: &columns[0], limits })
}

/// `name inclusive self`, indented by dots.
fn shown(profile: &Profile, tree: &CallTree) -> Vec<String> {
    let line = |(place, node): (usize, &super::CallTreeNode)| {
        let dots = ".".repeat(node.depth as usize);
        let name = profile.function_name(node.function);
        format!("{dots}{name} {} {}", tree.inclusive.row(place)[0], tree.own.row(place)[0])
    };
    tree.nodes.iter().enumerate().map(line).collect()
}

fn check(profile: &Profile, start: Option<&str>, direction: Direction, expected: &[&str]) {
    let tree = grown(profile, start, direction, ALL);
    assert_eq!(shown(profile, &tree), expected, "{start:?} {direction:?}");
    consistent(&tree);
}

/// Self cost, children and omitted branches add up to a node; roots and omitted roots add up to the whole.
fn consistent(tree: &CallTree) {
    let mut rest: Vec<i128> = (0..tree.nodes.len()).map(|node| tree.inclusive.value(node, 0)).collect();
    let mut roots = 0;
    for (place, node) in tree.nodes.iter().enumerate() {
        rest[place] -= tree.own.value(place, 0);
        match node.parent {
            Some(parent) => {
                assert!((parent as usize) < place);
                assert_eq!(tree.nodes[parent as usize].depth + 1, node.depth);
                rest[parent as usize] -= tree.inclusive.value(place, 0);
            }
            None => roots += tree.inclusive.value(place, 0),
        }
    }
    assert!(rest.iter().all(|&rest| rest >= 0));
    let left_out = tree.left_out_costs();
    assert!(rest.iter().enumerate().all(|(node, &rest)| left_out.value(node, 0) == rest));
    // Omitted branches below a node are in the cost of that node.
    let below: i128 = rest.iter().sum();
    assert_eq!(roots + tree.omitted.costs[0], tree.totals[0] + below);
}

fn recursive() -> Profile {
    stacked(&[("main;f;f;g", 3), ("main;f", 1), ("main;h;f", 4), ("idle", 2)])
}

#[test]
fn stacks_unfold_exactly_with_recursion_in_sight() {
    let all = ["main 8 0", ".f 4 1", "..f 3 0", "...g 3 3", ".h 4 0", "..f 4 4", "idle 2 2"];
    check(&recursive(), None, Direction::Callees, &all);
    check(&recursive(), Some("f"), Direction::Callees, &["f 8 5", ".f 3 0", "..g 3 3"]);
}

#[test]
fn stacks_unfold_towards_callers() {
    let all = [
        "f 5 0",
        ".h 4 0",
        "..main 4 4",
        ".main 1 1",
        "g 3 0",
        ".f 3 0",
        "..f 3 0",
        "...main 3 3",
        "idle 2 2",
    ];
    check(&recursive(), None, Direction::Callers, &all);
    let one = ["f 8 0", ".h 4 0", "..main 4 4", ".f 3 0", "..main 3 3", ".main 1 1"];
    check(&recursive(), Some("f"), Direction::Callers, &one);
}

#[test]
fn calls_are_shared_out_in_proportion() {
    let profile = summed(
        &[("main", 10), ("a", 10), ("b", 20), ("work", 60)],
        &[("main", "a", 1, 30), ("main", "b", 1, 60), ("a", "work", 1, 20), ("b", "work", 2, 40)],
    );
    let down = ["main 100 10", ".b 60 20", "..work 40 40", ".a 30 10", "..work 20 20"];
    check(&profile, None, Direction::Callees, &down);
    let up = ["work 60 0", ".b 40 0", "..main 40 40", ".a 20 0", "..main 20 20"];
    check(&profile, Some("work"), Direction::Callers, &up);
    let tree = grown(&profile, None, Direction::Callees, ALL);
    let calls: Vec<Option<u64>> = tree.nodes.iter().map(|node| node.calls).collect();
    assert_eq!(calls, [None, Some(1), Some(2), Some(1), Some(1)]);
    assert!(tree.estimated && !grown(&recursive(), None, Direction::Callees, ALL).estimated);
}

/// main (1) calls a (2) and b (3), which call each other; b calls leaf (4).
fn circle() -> Profile {
    summed(
        &[("main", 1), ("a", 2), ("b", 3), ("leaf", 4)],
        &[("main", "a", 1, 9), ("a", "b", 5, 9), ("b", "a", 4, 8), ("b", "leaf", 7, 4)],
    )
}

#[test]
fn a_cycle_becomes_the_member_it_was_entered_through() {
    check(&circle(), None, Direction::Callees, &["main 10 1", ".a 9 2", "..b 7 3", "...leaf 4 4"]);
    check(&circle(), Some("b"), Direction::Callees, &["b 7 3", ".leaf 4 4"]);
    let up = ["leaf 4 0", ".b 4 0", "..a 4 0", "...main 4 4"];
    check(&circle(), Some("leaf"), Direction::Callers, &up);
}

#[test]
fn calls_that_do_not_add_up_do_not_make_a_tree_larger_than_the_profile() {
    let profile = summed(&[("main", 1), ("f", 4)], &[("main", "f", 3, 50)]);
    check(&profile, None, Direction::Callees, &["main 5 1", ".f 4 4"]);
    let partly = summed(&[("main", 1), ("f", 4)], &[("main", "f", 3, 3)]);
    check(&partly, None, Direction::Callees, &["main 4 1", ".f 3 3", "f 1 1"]);
}

#[test]
fn omitted_nodes_are_reported() {
    let profile = recursive();
    let tree = grown(
        &profile,
        None,
        Direction::Callees,
        Limits { min_share: 0.35, depth: Some(1), nodes: 9, ..ALL },
    );
    assert_eq!(shown(&profile, &tree), ["main 8 0", ".f 4 1", ".h 4 0"]);
    assert_eq!((tree.omitted.small, tree.omitted.deep, tree.omitted.costs[0]), (2, 1, 9));
    assert_eq!((tree.left_out_costs().row(1), tree.nodes[1].left_out), (&[3][..], 1));
    let few = grown(&profile, None, Direction::Callees, Limits { nodes: 2, ..ALL });
    assert_eq!((few.nodes.len(), few.omitted.many, few.omitted.costs[0]), (2, 3, 9));
}

#[test]
fn a_stack_deeper_than_any_recursion_is_no_problem() {
    let mut builder = Builder::new();
    builder.profile.events = vec![EventType::count("samples")];
    let functions = ["even", "odd"].map(|name| builder.bare_function(name));
    let frames = functions.map(|function| builder.bare_frame(function));
    let mut stack = None;
    for depth in 0..DEEP {
        stack = Some(builder.stack(stack, frames[depth % 2]));
    }
    let mut part = Part::new("1", 1, false);
    part.samples.stack.push(stack);
    part.samples.costs.push(&[7]);
    builder.profile.parts = vec![part];
    let profile = builder.finish();
    let whole = grown(&profile, None, Direction::Callees, Limits { nodes: 2 * DEEP, ..ALL });
    assert_eq!((whole.nodes.len(), whole.nodes[DEEP - 1].depth), (DEEP, DEEP as u32 - 1));
    let cut = grown(&profile, None, Direction::Callers, Limits::default());
    assert_eq!((cut.nodes.len(), cut.omitted.many), (200_000, 1));
}

#[test]
fn a_chain_of_calls_longer_than_any_recursion_is_no_problem() {
    let mut builder = Builder::new();
    builder.profile.events = vec![EventType::count("Ir")];
    let functions: Vec<FunctionId> = (0..DEEP).map(|at| builder.bare_function(&format!("f{at}"))).collect();
    let mut part = Part::new("1", 1, false);
    for pair in functions.windows(2) {
        part.calls.caller.push(pair[0]);
        part.calls.callee.push(pair[1]);
        part.calls.count.push(1);
        part.calls.costs.push(&[7]);
    }
    part.own.function.push(functions[DEEP - 1]);
    part.own.costs.push(&[7]);
    builder.profile.parts = vec![part];
    let profile = builder.finish();
    let whole = grown(&profile, None, Direction::Callees, Limits { nodes: 2 * DEEP, ..ALL });
    assert_eq!((whole.nodes.len(), whole.own.row(DEEP - 1)), (DEEP, &[7][..]));
    let cut = grown(&profile, None, Direction::Callers, Limits::default());
    assert_eq!((cut.nodes.len(), cut.omitted.costs[0]), (200_000, 7));
}

fn names() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b", "c", "d", "e"])
}

fn limits() -> impl Strategy<Value = Limits> {
    (prop_oneof![Just(0.0), 0.0..0.5], prop::option::of(0_u32..4), 1_usize..50, any::<bool>())
        .prop_map(|(min_share, depth, nodes, every_event)| Limits { min_share, depth, nodes, every_event })
}

proptest! {
    #[test]
    fn trees_of_stacks_add_up(
        stacks in prop::collection::vec((prop::collection::vec(names(), 1..7), 0_u64..100), 1..12),
        limits in limits(),
        callers: bool,
    ) {
        let texts: Vec<(String, u64)> = stacks.iter().map(|(names, cost)| (names.join(";"), *cost)).collect();
        let stacks: Vec<(&str, u64)> = texts.iter().map(|(text, cost)| (text.as_str(), *cost)).collect();
        let profile = stacked(&stacks);
        let direction = if callers { Direction::Callers } else { Direction::Callees };
        let whole: u64 = stacks.iter().map(|(_, cost)| cost).sum();
        for limits in [limits, ALL] {
            let tree = grown(&profile, None, direction, limits);
            consistent(&tree);
            prop_assert_eq!(tree.totals[0], i128::from(whole));
        }
        let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
        let start = stacks[0].0.split(';').next().unwrap();
        let tree = grown(&profile, Some(start), direction, ALL);
        let id = profile.functions.ids().find(|&id| profile.function_name(id) == start).unwrap();
        prop_assert_eq!(tree.totals[0], analysis.inclusive.value(id.index(), 0));
    }

    /// The sums hold even if the calls are inconsistent.
    #[test]
    fn trees_of_calls_add_up(
        own in prop::collection::vec((names(), 0_u64..100), 1..6),
        calls in prop::collection::hash_map((names(), names()), (1_u64..9, 0_u64..200), 0..12),
        limits in limits(),
        callers: bool,
    ) {
        let calls: Vec<(&str, &str, u64, u64)> =
            calls.into_iter().map(|((from, to), (count, cost))| (from, to, count, cost)).collect();
        let profile = summed(&own, &calls);
        let direction = if callers { Direction::Callers } else { Direction::Callees };
        for limits in [limits, ALL] {
            let tree = grown(&profile, None, direction, limits);
            consistent(&tree);
            prop_assert_eq!(tree.totals[0], own.iter().map(|(_, cost)| i128::from(*cost)).sum::<i128>());
        }
    }

    /// Towards callees, the self costs of a function's nodes add up to its self cost.
    #[test]
    fn nodes_of_a_function_share_its_self_cost(
        calls in prop::collection::hash_map((names(), names()), (1_u64..9, 0_u64..200), 0..12),
    ) {
        let calls: Vec<(&str, &str, u64, u64)> =
            calls.into_iter().map(|((from, to), (count, cost))| (from, to, count, cost)).collect();
        let profile = summed(&[("a", 900), ("b", 500), ("c", 700)], &calls);
        let tree = grown(&profile, None, Direction::Callees, ALL);
        let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
        for function in profile.functions.ids() {
            let nodes = (0..tree.nodes.len()).filter(|&node| tree.nodes[node].function == function);
            let shared: i128 = nodes.map(|node| tree.own.value(node, 0)).sum();
            let own = analysis.own.value(function.index(), 0);
            prop_assert!((shared - own).abs() <= tree.nodes.len() as i128, "{shared} {own}");
        }
    }
}

/// The example of the module `cycle`; b calls d three times as expensively as c does.
fn diamond(own: [u64; 5]) -> Profile {
    let [main, a, b, c, d] = own;
    let whole = a + b + c + d;
    summed(
        &[("main", main), ("a", a), ("b", b), ("c", c), ("d", d)],
        &[
            ("main", "a", 1, whole),
            ("a", "b", 2, b + d),
            ("b", "a", 1, a),
            ("a", "c", 1, c + d),
            ("b", "d", 3, 3 * d),
            ("c", "d", 1, d),
            ("d", "a", 1, a),
        ],
    )
}

#[test]
fn members_of_a_cycle_are_below_members_that_call_them() {
    let profile = diamond([1, 10, 20, 30, 40]);
    let down = ["main 101 1", ".a 100 10", "..b 50 20", "...d 30 30", "..c 40 30", "...d 10 10"];
    check(&profile, None, Direction::Callees, &down);
    let up = ["d 40 0", ".b 30 0", "..a 30 0", "...main 30 30", ".c 10 0", "..a 10 0", "...main 10 10"];
    check(&profile, Some("d"), Direction::Callers, &up);
    // d costs at least 40; no more is below it.
    check(&profile, Some("d"), Direction::Callees, &["d 40 40"]);
}

/// A tree that begins at a member has all of its self cost, and a part of the others up to its inclusive cost.
#[test]
fn a_tree_from_a_member_has_its_inclusive_cost() {
    let profile = summed(
        &[("main", 1), ("a", 10), ("b", 20), ("c", 70)],
        &[("main", "a", 1, 100), ("a", "b", 1, 60), ("b", "a", 4, 50), ("a", "c", 9, 70)],
    );
    // `b` is called once, for 60: 20 of its own, and half of what a and c cost.
    check(&profile, Some("b"), Direction::Callees, &["b 60 20", ".a 40 5", "..c 35 35"]);
}

type Chord = (usize, usize, u64);

/// A ring of five functions that is entered at the first, with other calls inside.
fn ring(own: &[u64], chords: &[Chord]) -> Profile {
    const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];
    let costs: Vec<(&str, u64)> =
        NAMES.iter().copied().zip(own.iter().copied()).chain([("main", 7)]).collect();
    let mut calls = std::collections::BTreeMap::new();
    for at in 0..5 {
        calls.insert((NAMES[at], NAMES[(at + 1) % 5]), (2, own[at]));
    }
    for &(from, to, cost) in chords.iter().filter(|(from, to, _)| from != to) {
        calls.insert((NAMES[from], NAMES[to]), (1 + cost % 5, cost));
    }
    calls.insert(("main", "a"), (1, own.iter().sum()));
    let calls: Vec<(&str, &str, u64, u64)> =
        calls.into_iter().map(|((from, to), (count, cost))| (from, to, count, cost)).collect();
    summed(&costs, &calls)
}

/// The paths of a tree, in the order of names.
fn paths(profile: &Profile, tree: &CallTree) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for node in &tree.nodes {
        let above = node.parent.map_or_else(String::new, |parent| format!("{};", paths[parent as usize]));
        paths.push(above + profile.function_name(node.function));
    }
    paths.sort();
    paths
}

proptest! {
    /// Two runs of a program have the same calls with other costs; nothing in one tree is new in the other.
    #[test]
    fn paths_in_cycles_do_not_depend_on_costs(
        calls in prop::collection::vec((0_usize..5, 0_usize..5), 0..9),
        costs in prop::collection::vec((1_u64 << 30..1 << 40, 1_u64 << 30..1 << 40), 14),
    ) {
        let with = |costs: Vec<u64>| {
            let chords: Vec<Chord> = calls.iter().zip(&costs[5..]).map(|(&(a, b), &cost)| (a, b, cost)).collect();
            ring(&costs[..5], &chords)
        };
        let (one, other) = (with(costs.iter().map(|it| it.0).collect()), with(costs.iter().map(|it| it.1).collect()));
        let tree = |profile: &Profile| grown(profile, None, Direction::Callees, ALL);
        prop_assert_eq!(paths(&one, &tree(&one)), paths(&other, &tree(&other)));
        consistent(&tree(&one));
    }
}
