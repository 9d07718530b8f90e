//! Extreme costs: negative, saturated, or none at all.

use lotse_model::Profile;
use lotse_model::profile::{Builder, EventType, Part};
use lotse_profile::analysis::{Analysis, CycleMode, Grouping};
use lotse_profile::answer::EventAnswer;
use lotse_profile::calls::{Side, all, direct};
use lotse_profile::events::Cost;
use lotse_profile::filter::Filter;
use lotse_profile::groups::groups;
use lotse_profile::report::{self, Numbers, Relative};
use lotse_profile::top::{TopOrder, TopQuery, top};

use crate::input::{columns, csv, function};

/// A profile of self costs and calls with costs; costs are two's complement if signed.
fn profile(signed: bool, own: &[(&str, u64)], calls: &[(&str, &str, u64)]) -> Profile {
    let mut builder = Builder::new();
    builder.profile.events = vec![EventType::count("delta")];
    builder.profile.signed = signed;
    let mut part = Part::new("1", 1, signed);
    for (name, cost) in own {
        part.own.function.push(builder.bare_function(name));
        part.own.costs.push(&[*cost]);
    }
    for (caller, callee, cost) in calls {
        part.calls.caller.push(builder.bare_function(caller));
        part.calls.callee.push(builder.bare_function(callee));
        part.calls.count.push(1);
        part.calls.costs.push(&[*cost]);
    }
    builder.profile.parts = vec![part];
    let profile = builder.finish();
    profile.check().unwrap();
    profile
}

fn minus(cost: i64) -> u64 {
    (-cost).cast_unsigned()
}

fn costs(profile: &Profile, order: TopOrder) -> Vec<(String, Cost, Cost)> {
    let columns = columns(profile);
    let summary = Analysis::of_default_parts(profile, CycleMode::Folded).summary();
    let query = TopQuery { columns: &columns, order, limit: None, filter: &Filter::default() };
    let rows = top(profile, &summary, &query);
    rows.into_iter().map(|row| (row.function.name, row.own[0], row.inclusive[0])).collect()
}

fn exact(rows: &[(&str, i128, i128)]) -> Vec<(String, Cost, Cost)> {
    let row = |&(name, own, inclusive): &(&str, i128, i128)| {
        (name.to_owned(), Cost::Exact(own), Cost::Exact(inclusive))
    };
    rows.iter().map(row).collect()
}

#[test]
fn negative_costs_are_added_and_ranked_by_magnitude() {
    let profile = profile(
        true,
        &[("main", 1), ("less", minus(7)), ("more", 5)],
        &[("main", "less", minus(7)), ("main", "more", 5)],
    );
    let expected = [("less", -7, -7), ("more", 5, 5), ("main", 1, -1)];
    assert_eq!(costs(&profile, TopOrder::Own), exact(&expected));
    let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
    assert_eq!((analysis.totals[0], analysis.notes.len()), (-1, 0));
}

#[test]
fn groups_of_negative_costs_are_not_cut() {
    let profile = profile(
        true,
        &[("_ZN1A1fEv", minus(5)), ("_ZN1B1gEv", minus(6))],
        &[("_ZN1A1fEv", "_ZN1B1gEv", minus(6))],
    );
    let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
    let found = groups(&analysis, &columns(&profile), Grouping::Class, TopOrder::Own);
    let shown: Vec<(&str, Cost, bool)> =
        found.iter().map(|group| (group.name.as_str(), group.inclusive[0], group.exact)).collect();
    // By self cost: -6 is more than -5.
    assert_eq!(shown, [("B", Cost::Exact(-6), true), ("A", Cost::Exact(-11), true)]);
}

#[test]
fn a_sum_that_does_not_fit_is_cut_and_reported() {
    let most = u64::MAX;
    let mut profile = profile(false, &[("a", most), ("b", most)], &[("a", "b", most)]);
    let more = Part { name: "2".to_owned(), ..profile.parts[0].clone() };
    profile.parts.push(more);
    let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
    assert_eq!(analysis.own.row(0), [most]);
    assert!(analysis.notes.iter().any(|note| note.contains("does not fit 64 bits")), "{:?}", analysis.notes);
    // The total is exact, because it is wider than any cost.
    assert_eq!(analysis.totals[0], 2 * i128::from(most));
    assert_eq!(costs(&profile, TopOrder::Own)[0].1, Cost::Exact(i128::from(most)));
}

#[test]
fn counts_of_calls_stop_at_the_largest_number() {
    let mut profile = profile(false, &[("f", 1)], &[("a", "f", 1), ("b", "f", 1)]);
    profile.parts[0].calls.count = vec![u64::MAX, 9];
    let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
    let called = analysis.called().unwrap();
    assert_eq!(called[function(&profile, "f").index()], u64::MAX);
}

#[test]
fn a_profile_without_costs_has_shares_of_nothing() {
    let profile = profile(false, &[("main", 0)], &[("main", "f", 0)]);
    let columns = columns(&profile);
    let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
    let main = function(&profile, "main");
    assert_eq!(analysis.shares(main, 0), (0.0, 0.0));
    assert_eq!(direct(&analysis, &columns, main, Side::Callees).len(), 1);
    let query = TopQuery { columns: &columns, order: TopOrder::Own, limit: None, filter: &Filter::default() };
    let rows = top(&profile, &analysis.summary(), &query);
    let events = EventAnswer::for_columns(&columns, &analysis.totals);
    let table =
        csv(&report::top(&columns, &events, &rows, analysis.origin, (Numbers::Bare, Relative::Total)));
    assert_eq!(table.lines().nth(1), Some("0,0,0,0,1,f,"));
}

#[test]
fn an_empty_profile_answers_everything() {
    let profile = Profile::default();
    let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
    assert!(analysis.totals.is_empty() && analysis.active().next().is_none());
    for by in [Grouping::Object, Grouping::File, Grouping::Class, Grouping::Cycle] {
        assert!(groups(&analysis, &[], by, TopOrder::Own).is_empty());
    }
    for cycle_mode in [CycleMode::Gprof, CycleMode::Raw] {
        assert!(Analysis::of_default_parts(&profile, cycle_mode).calls.is_empty());
    }
}

#[test]
fn callers_are_sorted_by_distance_then_cost_then_name() {
    let profile = profile(
        false,
        &[("leaf", 10)],
        &[("y", "leaf", 3), ("x", "leaf", 3), ("z", "leaf", 4), ("root", "x", 3), ("root", "root", 0)],
    );
    let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
    let rows = all(&analysis, &columns(&profile), function(&profile, "leaf"), Side::Callers);
    let shown: Vec<(&str, u32, bool)> =
        rows.iter().map(|row| (row.function.name.as_str(), row.distance, row.exact)).collect();
    assert_eq!(shown, [("z", 1, true), ("x", 1, true), ("y", 1, true), ("root", 2, false)]);
    let own = direct(&analysis, &columns(&profile), function(&profile, "root"), Side::Callees);
    let inside: Vec<(&str, bool)> =
        own.iter().map(|row| (row.function.name.as_str(), row.inside_cycle)).collect();
    assert_eq!(inside, [("x", false), ("root", true)]);
}
