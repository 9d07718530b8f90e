//! Groups whose costs are exact, compared with stacks and with a brute-force search.

use lotse_model::Profile;
use lotse_model::id::ObjectId;
use lotse_model::profile::{Builder, Costs, EventType, Part, Samples, SelfCosts};
use proptest::prelude::*;

use super::super::tests::summed;
use super::super::{Analysis, CycleMode, GroupCosts, Grouping};

/// Assigns functions to objects by the letter after the dot of their names: `main.a`.
fn in_objects(mut profile: Profile) -> Profile {
    let letters: Vec<String> = profile
        .functions
        .ids()
        .map(|id| profile.function_name(id).rsplit_once('.').map_or("", |(_, object)| object).to_owned())
        .collect();
    // Any text can be the name of an object: that of the first function in it is used.
    let mut known: Vec<&str> = Vec::new();
    for (function, letter) in letters.iter().enumerate() {
        let at = known.iter().position(|it| it == letter).unwrap_or_else(|| {
            known.push(letter);
            profile.objects.push(profile.functions.name[function]);
            known.len() - 1
        });
        profile.functions.object[function] = ObjectId::from(at + 1);
    }
    profile.check().unwrap();
    profile
}

fn grouped(profile: &Profile) -> GroupCosts {
    Analysis::of_default_parts(profile, CycleMode::Folded).grouped(Grouping::Object)
}

/// Name of the first function, inclusive cost and whether it is exact.
fn shown(profile: &Profile) -> Vec<(String, u64, bool)> {
    let groups = grouped(profile);
    let row = |at: usize| (groups.names[at].clone(), groups.inclusive.row(at)[0], groups.exact[at]);
    (0..groups.names.len()).filter(|&at| groups.sizes[at] > 0).map(row).collect()
}

#[test]
fn groups_that_call_each_other_are_exact_where_no_chain_comes_back() {
    let profile = summed(
        &[("main.a", 1), ("run.b", 10), ("leaf.a", 5)],
        &[("main.a", "run.b", 1, 15), ("run.b", "leaf.a", 3, 5)],
    );
    let expected = [("main.a".to_owned(), 16, false), ("run.b".to_owned(), 15, true)];
    assert_eq!(shown(&in_objects(profile)), expected);
}

#[test]
fn a_chain_that_comes_back_over_other_groups_is_seen() {
    let profile = summed(
        &[("main.a", 1), ("one.b", 2), ("two.c", 3), ("back.b", 4)],
        &[("main.a", "one.b", 1, 9), ("one.b", "two.c", 1, 7), ("two.c", "back.b", 1, 4)],
    );
    let expected =
        [("main.a".to_owned(), 10, true), ("one.b".to_owned(), 10, false), ("two.c".to_owned(), 7, true)];
    assert_eq!(shown(&in_objects(profile)), expected);
}

#[test]
fn recursion_inside_a_group_does_not_hurt_it() {
    let profile = summed(
        &[("main.a", 1), ("even.b", 2), ("odd.b", 3), ("leaf.a", 4)],
        &[
            ("main.a", "even.b", 1, 9),
            ("even.b", "odd.b", 5, 7),
            ("odd.b", "even.b", 4, 6),
            ("odd.b", "leaf.a", 2, 4),
        ],
    );
    assert_eq!(shown(&in_objects(profile))[1], ("even.b".to_owned(), 9, true));
}

/// More groups than fit into one walk; every second one is entered again.
#[test]
fn many_groups_are_asked_about_in_several_walks() {
    let names: Vec<String> = (0..150).map(|at| format!("in{at}.{at}")).collect();
    let mut own = vec![("hub.x", 1)];
    let mut calls = Vec::new();
    for (at, name) in names.iter().enumerate() {
        own.push((name.as_str(), 1));
        calls.push((name.as_str(), "hub.x", 1, 0));
        calls.push((if at % 2 == 0 { "hub.x" } else { "start.x" }, name.as_str(), 1, 0));
    }
    let profile = in_objects(summed(&own, &calls));
    let found = shown(&profile);
    assert_eq!(found.len(), 151);
    for (name, _, exact) in &found[1..] {
        let number: usize = name["in".len()..name.find('.').unwrap()].parse().unwrap();
        assert_eq!(*exact, number % 2 == 1, "{name}");
    }
    assert!(!found[0].2);
}

#[test]
fn a_group_that_was_cut_to_the_total_is_not_exact() {
    let profile = summed(&[("main.a", 1), ("f.b", 4)], &[("main.a", "f.b", 1, 50)]);
    let expected = [("main.a".to_owned(), 5, false), ("f.b".to_owned(), 4, true)];
    assert_eq!(shown(&in_objects(profile)), expected);
}

#[test]
fn a_sum_that_does_not_fit_is_not_exact() {
    let most = u64::MAX;
    let profile = summed(&[("main.a", most), ("f.b", most)], &[("main.a", "f.b", 1, most)]);
    assert!(shown(&in_objects(profile)).iter().all(|(_, cost, exact)| *cost == most && !exact));
}

#[test]
fn no_groups_and_no_event_types_are_no_problem() {
    let empty = Profile::default();
    assert!(grouped(&empty).names.is_empty());
    let mut bare = summed(&[("a.a", 1)], &[("a.a", "b.b", 1, 1), ("b.b", "a.a", 1, 1)]);
    bare.events.clear();
    bare.parts[0] = Part::new("1", 0, false);
    assert_eq!(grouped(&in_objects(bare)).sizes.iter().sum::<usize>(), 0);
}

/// Stacks of few functions in few groups.
fn stacks() -> impl Strategy<Value = Vec<(Vec<&'static str>, u64)>> {
    let name = prop::sample::select(vec!["p.a", "q.a", "r.b", "s.b", "t.c", "u.d", "v.a"]);
    prop::collection::vec((prop::collection::vec(name, 1..7), 0_u64..100), 1..8)
}

fn stacked(stacks: &[(Vec<&str>, u64)]) -> Profile {
    let mut builder = Builder::new();
    builder.profile.events = vec![EventType::count("samples")];
    let mut part = Part::new("1", 1, false);
    for (names, cost) in stacks {
        let mut stack = None;
        for name in names {
            let function = builder.bare_function(name);
            let frame = builder.bare_frame(function);
            stack = Some(builder.stack(stack, frame));
        }
        part.samples.stack.push(stack);
        part.samples.costs.push(&[*cost]);
    }
    builder.profile.parts = vec![part];
    in_objects(builder.finish())
}

/// The same as self costs and calls, without the stacks.
fn called(profile: &Profile) -> Profile {
    let analysis = Analysis::of_default_parts(profile, CycleMode::Folded);
    let mut calls = profile.clone();
    let part = &mut calls.parts[0];
    part.samples = Samples::default();
    part.samples.costs = lotse_model::profile::Costs::new(1, false);
    part.own = SelfCosts { function: profile.functions.ids().collect(), costs: Costs::clone(&analysis.own) };
    part.calls = analysis.calls.clone().into_owned();
    calls.check().unwrap();
    calls
}

/// Whether a chain of calls leaves a group and comes back, by repeated single steps.
fn comes_back(analysis: &Analysis<'_>, group: &[u32], wanted: u32) -> bool {
    let calls: Vec<(usize, usize)> = analysis
        .calls
        .caller
        .iter()
        .zip(&analysis.calls.callee)
        .map(|(caller, callee)| (caller.index(), callee.index()))
        .collect();
    let mut outside = vec![false; group.len()];
    for _ in 0..=group.len() {
        for &(caller, callee) in &calls {
            if (group[caller] == wanted && group[callee] != wanted) || outside[caller] {
                outside[callee] = true;
            }
        }
    }
    (0..group.len()).any(|function| outside[function] && group[function] == wanted)
}

proptest! {
    /// A cost that is marked as exact equals that of the stacks, and any other is never too small.
    #[test]
    fn exact_costs_are_those_of_the_stacks(stacks in stacks()) {
        let profile = stacked(&stacks);
        let known = grouped(&profile);
        let calls = called(&profile);
        let found = grouped(&calls);
        prop_assert_eq!(&known.names, &found.names);
        prop_assert!(known.exact.iter().all(|exact| *exact));
        for at in 0..known.names.len() {
            let (known, bound) = (known.inclusive.row(at)[0], found.inclusive.row(at)[0]);
            prop_assert!(if found.exact[at] { known == bound } else { known <= bound }, "{known} {bound}");
        }
    }

    /// Every cost that the call graph determines exactly is marked as exact.
    #[test]
    fn doubt_is_only_where_a_chain_comes_back(stacks in stacks()) {
        let profile = called(&stacked(&stacks));
        let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
        let found = analysis.grouped(Grouping::Object);
        for at in 0..found.names.len() as u32 {
            prop_assert_eq!(found.exact[at as usize], !comes_back(&analysis, &found.group, at));
        }
    }
}
