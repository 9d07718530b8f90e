//! Comparisons of small profiles, with answers computed by hand.

use lotse_model::Profile;
use lotse_model::profile::{Builder, EventType, Part};

use super::{Basis, Comparison, DiffAnswer, DiffOrder, DiffQuery, DiffSide, Status, calls, sampling_note};
use crate::analysis::tests::{stacked, summed};
use crate::analysis::{Analysis, CycleMode};
use crate::bound::Bound;
use crate::events::{Column, Cost, EventTypes};
use crate::filter::Filter;

/// All rows by cost, greatest difference first.
pub(crate) fn everything() -> DiffQuery<'static> {
    static ALL: std::sync::LazyLock<Filter> = std::sync::LazyLock::new(Filter::default);
    DiffQuery {
        basis: Basis::Cost,
        order: DiffOrder::Difference,
        inclusive: false,
        limit: None,
        min_change: 0.0,
        filter: &ALL,
    }
}

/// Compares the first event types of profiles.
pub(crate) fn compared(profiles: &[Profile], query: &DiffQuery<'_>) -> DiffAnswer {
    with_sides(profiles, |sides| Comparison::new(sides, query.basis).answer(query))
}

fn with_sides<T>(profiles: &[Profile], ask: impl FnOnce(&[DiffSide<'_>]) -> T) -> T {
    let analyses: Vec<Analysis<'_>> =
        profiles.iter().map(|profile| Analysis::of_default_parts(profile, CycleMode::Folded)).collect();
    let columns: Vec<Vec<Column>> =
        profiles.iter().map(|profile| EventTypes::new(profile, &[]).unwrap().own()).collect();
    let sides: Vec<DiffSide<'_>> = analyses
        .iter()
        .zip(&columns)
        .map(|(analysis, columns)| DiffSide { file: "a.out", format: "callgrind", analysis, columns })
        .collect();
    ask(&sides)
}

/// Name, status, old, new and difference of a row.
type Row<'a> = (&'a str, Status, Option<Cost>, Option<Cost>, Cost);

fn row(it: &super::FunctionDiff) -> Row<'_> {
    let change = it.versus[0].own[0];
    (&it.function.display, it.status, change.old, change.new, change.difference)
}

fn rows(answer: &DiffAnswer) -> Vec<Row<'_>> {
    answer.functions.iter().map(row).collect()
}

fn exact(cost: i128) -> Option<Cost> {
    Some(Cost::Exact(cost))
}

#[test]
fn every_function_has_old_new_difference_and_ratio() {
    let old = summed(&[("main", 10), ("sort", 90), ("gone", 5)], &[("main", "sort", 3, 90)]);
    let new = summed(&[("fresh", 7), ("sort", 40), ("main", 10)], &[("main", "sort", 3, 40)]);
    let answer = compared(&[old, new], &everything());
    let expected = [
        ("sort", Status::Matched, exact(90), exact(40), Cost::Exact(-50)),
        ("fresh", Status::New, None, exact(7), Cost::Exact(7)),
        ("gone", Status::Gone, exact(5), None, Cost::Exact(-5)),
        ("main", Status::Matched, exact(10), exact(10), Cost::Exact(0)),
    ];
    assert_eq!(rows(&answer), expected);
    let main = &answer.functions[3].versus[0];
    assert_eq!((main.own[0].ratio, main.inclusive[0].difference), (Some(1.0), Cost::Exact(-50)));
    assert_eq!(answer.functions[0].versus[0].calls, super::Counts { old: Some(3), new: Some(3) });
    let total = answer.totals[0][0];
    assert_eq!((total.old, total.new, total.difference), (exact(105), exact(57), Cost::Exact(-48)));
    assert_eq!((answer.counts.matched, answer.counts.gone, answer.counts.new), (2, 1, 1));
}

#[test]
fn small_changes_are_hidden_and_summed() {
    let old = summed(&[("main", 10_000), ("a", 10), ("b", 20), ("same", 4)], &[]);
    let new = summed(&[("main", 9_000), ("a", 12), ("b", 17), ("same", 4)], &[]);
    let answer = compared(&[old, new], &DiffQuery { min_change: 0.001, ..everything() });
    assert_eq!(rows(&answer).len(), 1);
    let hidden = &answer.hidden;
    assert_eq!((hidden.unchanged, hidden.changed, hidden.difference[0][0]), (1, 2, Cost::Exact(-1)));
}

#[test]
fn rows_can_be_sorted_by_anything() {
    let old = summed(&[("a", 100), ("b", 10), ("c", 1)], &[]);
    let new = summed(&[("a", 120), ("b", 5), ("c", 1)], &[]);
    let profiles = [old, new];
    let order = |order| {
        let answer = compared(&profiles, &DiffQuery { order, ..everything() });
        answer.functions.iter().map(|it| it.function.display.clone()).collect::<String>()
    };
    let found =
        [DiffOrder::Difference, DiffOrder::Ratio, DiffOrder::New, DiffOrder::Old, DiffOrder::Name].map(order);
    assert_eq!(found, ["abc", "bac", "abc", "abc", "abc"]);
}

#[test]
fn further_profiles_get_columns_of_their_own() {
    let profiles =
        [summed(&[("f", 10)], &[]), summed(&[("f", 20), ("g", 1)], &[]), summed(&[("g", 2), ("f", 5)], &[])];
    let answer = compared(&profiles, &everything());
    let found: Vec<Vec<Cost>> = answer
        .functions
        .iter()
        .map(|row| row.versus.iter().map(|versus| versus.own[0].difference).collect())
        .collect();
    assert_eq!(found, [[Cost::Exact(10), Cost::Exact(-5)], [Cost::Exact(1), Cost::Exact(2)]]);
    assert_eq!(answer.counts.new, 1);
}

#[test]
fn shares_are_compared_across_event_types() {
    let profiles = [summed(&[("f", 500), ("g", 500)], &[]), stacked(&[("f", 3), ("g", 1)])];
    let answer = compared(&profiles, &DiffQuery { basis: Basis::Share, ..everything() });
    let change = answer.functions[0].versus[0].own[0];
    assert_eq!((change.difference, change.ratio), (Cost::Real(0.25), Some(1.5)));
}

#[test]
fn a_renamed_function_is_hinted_at_and_not_merged() {
    let old = summed(
        &[("main", 10), ("parse_header", 50), ("read", 5)],
        &[("main", "parse_header", 1, 55), ("parse_header", "read", 9, 5)],
    );
    let new = summed(
        &[("main", 10), ("parse_header_fast", 45), ("read", 5)],
        &[("main", "parse_header_fast", 1, 50), ("parse_header_fast", "read", 9, 5)],
    );
    let answer = compared(&[old, new], &everything());
    assert_eq!((answer.counts.gone, answer.counts.new), (1, 1));
    let hint = &answer.renames[0];
    assert_eq!((hint.old.as_str(), hint.new.as_str()), ("parse_header", "parse_header_fast"));
    assert_eq!(hint.reasons, ["similar name", "same callers and callees", "similar cost"]);
    let unrelated = compared(&[summed(&[("parse", 50)], &[]), summed(&[("render", 2)], &[])], &everything());
    assert_eq!(unrelated.renames, []);
}

#[test]
fn calls_are_compared_by_pair() {
    let old = summed(&[("main", 1), ("f", 9)], &[("main", "f", 3, 9)]);
    let new = summed(&[("main", 1), ("f", 6), ("g", 2)], &[("main", "f", 2, 6), ("main", "g", 1, 2)]);
    let profiles = [old, new];
    let found = with_sides(&profiles, |sides| calls(&Comparison::new(sides, Basis::Cost), &everything()));
    let shown: Vec<(&str, Cost, Option<u64>)> = found
        .iter()
        .map(|it| (it.callee.display.as_str(), it.versus[0].cost[0].difference, it.versus[0].calls.new))
        .collect();
    assert_eq!(shown, [("f", Cost::Exact(-3), Some(2)), ("g", Cost::Exact(2), Some(1))]);
}

#[test]
fn samples_are_uncertain_and_counted_events_are_not() {
    let profiles = [stacked(&[("f", 100), ("g", 400)]), stacked(&[("f", 110), ("g", 200)])];
    let answer = compared(&profiles, &everything());
    let noise: Vec<bool> = answer.functions.iter().map(|row| row.versus[0].own[0].noise).collect();
    assert_eq!(noise, [false, true]);
    assert!(with_sides(&profiles, sampling_note).unwrap().contains("a.out: 500 samples"));
    assert_eq!(with_sides(&[summed(&[("f", 1)], &[])], sampling_note), None);
}

/// The same program built elsewhere, with a function in two files.
fn built(directory: &str, costs: [u64; 2]) -> Profile {
    let mut builder = Builder::new();
    builder.profile.events = vec![EventType::count("Ir")];
    let object = builder.object(&format!("{directory}/app"));
    let mut part = Part::new("1", 1, false);
    for (file, cost) in ["net/init.c", "disk/init.c"].into_iter().zip(costs) {
        let file = builder.file(&format!("{directory}/src/{file}"));
        part.own.function.push(builder.function("init", object, file));
        part.own.costs.push(&[cost]);
    }
    builder.profile.parts = vec![part];
    builder.finish()
}

#[test]
fn build_directories_do_not_matter() {
    let answer = compared(&[built("/old", [10, 20]), built("/new/place", [11, 50])], &everything());
    let differences: Vec<Cost> = answer.functions.iter().map(|row| row.versus[0].own[0].difference).collect();
    assert_eq!(differences, [Cost::Exact(30), Cost::Exact(1)]);
}

#[test]
fn profiles_of_nothing_are_compared() {
    let answer = compared(
        &[Profile::default(), summed(&[("f", 1)], &[])].map(|mut profile| {
            profile.events.truncate(0);
            profile.parts.clear();
            profile
        }),
        &everything(),
    );
    assert_eq!((answer.functions.len(), answer.totals.len()), (0, 1));
}

#[test]
fn noise_is_hidden_with_small_changes() {
    let profiles = [stacked(&[("f", 100), ("g", 400)]), stacked(&[("f", 110), ("g", 200)])];
    let answer = compared(&profiles, &DiffQuery { min_change: 0.001, ..everything() });
    let shown: Vec<&str> = answer.functions.iter().map(|row| row.function.display.as_str()).collect();
    assert_eq!((shown, answer.hidden.noise, answer.hidden.changed), (vec!["g"], 1, 1));
}

/// `a` and `b` call each other; what `b` costs with its calls is only known to be at least something.
fn recursive(cost: u64) -> Profile {
    summed(
        &[("main", 1), ("a", 10 * cost), ("b", 5)],
        &[("main", "a", 1, 10 * cost + 5), ("a", "b", 4, 9 * cost), ("b", "a", 3, 8 * cost)],
    )
}

/// A difference of two lower bounds says nothing: it is absent, and such rows come last but are not hidden.
#[test]
fn the_difference_of_two_bounds_is_not_known() {
    let query = DiffQuery { inclusive: true, min_change: 0.001, ..everything() };
    let answer = compared(&[recursive(100), recursive(300)], &query);
    let last = answer.functions.last().unwrap();
    assert_eq!(last.function.display, "b");
    let change = last.versus[0].inclusive[0];
    assert_eq!((change.old_bound, change.new_bound), (Bound::AtLeast, Bound::AtLeast));
    assert!(change.difference.is_absent() && change.ratio.is_none() && change.bound().is_none());
    assert_eq!(answer.unknown_changes(), 1);
    let exact = answer.functions.iter().find(|it| it.function.display == "main").unwrap();
    assert!(exact.has_exact_inclusive() && !last.has_exact_inclusive());
    assert_eq!(exact.versus[0].inclusive[0].difference, Cost::Exact(2000));
}

/// What is exact before and a bound now bounds the difference.
#[test]
fn one_bound_bounds_the_difference() {
    let plain = summed(&[("main", 1), ("b", 5)], &[("main", "b", 4, 5)]);
    let answer = compared(&[plain, recursive(100)], &DiffQuery { inclusive: true, ..everything() });
    let row = answer.functions.iter().find(|it| it.function.display == "b").unwrap();
    let change = row.versus[0].inclusive[0];
    assert_eq!(change.bound(), Some(Bound::AtLeast));
    assert!(change.ratio.is_some() && !change.difference.is_absent());
}
