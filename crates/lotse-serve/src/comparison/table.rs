//! The table of functions or groups, before and after.

use std::collections::{BTreeMap, HashMap};

use lotse_profile::bound::Bound;
use lotse_profile::diff::{DiffOrder, FunctionDiff, unknown_note};
use lotse_profile::events::{Column, Cost};
use lotse_profile::filter::Pattern;

use super::changed::{ChangedCosts, is_unknown};
use super::{Compared, ComparisonDocument, RowChoice};
use crate::api::{
    CostPair, FunctionName, FunctionRow, FunctionSort, FunctionTable, Problem, Question, Remark, Scope,
};
use crate::profile::{GroupCosts, MOST_ROWS, filtered, function_names, group_costs};

/// Some rows of the table of functions.
pub(super) fn functions(
    document: &ComparisonDocument<'_>,
    question: &Question,
) -> Result<FunctionTable, Problem> {
    let Question::Functions {
        scope, events, sort, ascending, inclusive, filter, within, offset, limit, ..
    } = question
    else {
        return Err(Problem::new("this is no question about functions"));
    };
    if within.as_ref().is_some_and(|within| within.group == "cycle") {
        return Err(cycles_differ());
    }
    let mut filter = filtered(filter, within.as_ref())?;
    // A row of an object or a file stands for those of both profiles.
    for (pattern, group) in [(&mut filter.object, "object"), (&mut filter.file, "file")] {
        let Some(Pattern::Whole(path)) = &*pattern else { continue };
        let matches = document.path_matches(group);
        let paths = [path.as_str()].into_iter().chain(matches.old_paths(path));
        *pattern = Some(Pattern::OneOf(paths.map(str::to_owned).collect()));
    }
    let inclusive = by_inclusive(*sort, *inclusive);
    let choice = RowChoice { order: order(*sort), inclusive, filter: &filter };
    let compared = document.compare(scope, events, choice)?;
    let mut found: Vec<&FunctionDiff> = compared.answer.functions.iter().collect();
    if *ascending != (*sort == FunctionSort::Name) {
        found.reverse();
    }
    let shown: Vec<&FunctionDiff> =
        found.iter().copied().skip(*offset).take((*limit).min(MOST_ROWS)).collect();
    let unknown = unknown_note(compared.answer.unknown_changes(), "function");
    let names = names(document, scope, &shown)?;
    let rows = shown.iter().zip(names).map(|(diff, name)| changed_row(&compared, diff, name)).collect();
    Ok(FunctionTable {
        events: compared.events(),
        count: found.len(),
        all: compared.answer.counts.matched + compared.answer.counts.gone + compared.answer.counts.new,
        rows,
        remarks: compared.notes.iter().cloned().chain(unknown).map(Remark::note).collect(),
    })
}

/// Why functions of two profiles are not grouped by cycle.
fn cycles_differ() -> Problem {
    Problem::new(
        "cycles have other numbers and members in each profile: they are not compared; open the profiles alone",
    )
}

/// Whether rows are sorted by inclusive costs.
fn by_inclusive(sort: FunctionSort, inclusive: bool) -> bool {
    match sort {
        FunctionSort::Inclusive => true,
        FunctionSort::Old | FunctionSort::Difference | FunctionSort::Ratio => inclusive,
        FunctionSort::Own | FunctionSort::Calls | FunctionSort::Name => false,
    }
}

fn order(sort: FunctionSort) -> DiffOrder {
    match sort {
        FunctionSort::Old => DiffOrder::Old,
        FunctionSort::Difference => DiffOrder::Difference,
        FunctionSort::Ratio => DiffOrder::Ratio,
        FunctionSort::Name => DiffOrder::Name,
        FunctionSort::Own | FunctionSort::Inclusive | FunctionSort::Calls => DiffOrder::New,
    }
}

/// The names of rows, each from the newest profile that has the function.
fn names(
    document: &ComparisonDocument<'_>,
    renames: &Scope,
    rows: &[&FunctionDiff],
) -> Result<Vec<FunctionName>, Problem> {
    let scope = Scope::default();
    let of_side = |is_old: bool| -> Result<Vec<FunctionName>, Problem> {
        let profile = if is_old { &document.old } else { &document.new };
        let scoped = profile.analysis(&scope)?;
        let at = usize::from(!is_old);
        let ids =
            rows.iter().filter(|row| row.ids[1].is_empty() == is_old).filter_map(|row| row.ids[at].first());
        Ok(function_names(&scoped.get().analysis, ids.copied()))
    };
    let ids = document.ids(renames)?;
    let (mut old, mut new) = (of_side(true)?.into_iter(), of_side(false)?.into_iter());
    let name = |row: &&FunctionDiff| match row.ids[1].is_empty() {
        true => old.next().map(|name| ids.renamed(name, true)),
        false => new.next(),
    };
    let names = rows.iter().map(name).map(|name| name.ok_or_else(|| Problem::new("a function has no name")));
    let mut names = names.collect::<Result<Vec<_>, _>>()?;
    tell_apart(names.iter_mut());
    Ok(names)
}

/// Adds places to functions of the same name that different profiles have, each of them once.
pub(super) fn tell_apart<'n>(names: impl Iterator<Item = &'n mut FunctionName>) {
    let mut names: Vec<&mut FunctionName> = names.collect();
    let mut counts: HashMap<String, usize> = HashMap::new();
    names.iter().for_each(|name| *counts.entry(name.name.clone()).or_default() += 1);
    for name in names.iter_mut().filter(|name| name.place.is_none() && counts[&name.name] > 1) {
        let line = name.line.map_or_else(String::new, |line| format!(":{line}"));
        let file = name.file.as_ref().map(|path| format!("{path}{line}"));
        name.place = file.or_else(|| name.object.clone());
    }
}

/// A row with its changes.
pub(super) fn changed_row(compared: &Compared, diff: &FunctionDiff, name: FunctionName) -> FunctionRow {
    let versus = &diff.versus[0];
    let inclusive_of = |at: usize| versus.inclusive.get(at).filter(|_| compared.columns[at].has_inclusive());
    let pair = |at: usize| {
        let bounds = inclusive_of(at).map_or([Bound::Exact; 2], |it| [it.old_bound, it.new_bound]);
        let own = ChangedCosts::own(compared, at);
        let inclusive = ChangedCosts::inclusive(compared, at).bounded(bounds);
        CostPair {
            own: own.new_amount(&versus.own[at]),
            inclusive: inclusive_of(at).map(|change| inclusive.new_amount(change)),
            own_change: Some(own.change(&versus.own[at], diff.status)),
            inclusive_change: inclusive_of(at).map(|change| inclusive.change(change, diff.status)),
        }
    };
    FunctionRow {
        name: diff.function.display.clone(),
        function: Some(name),
        size: None,
        calls: versus.calls.new.map(crate::profile::count),
        costs: (0..compared.columns.len()).map(pair).collect(),
    }
}

/// The table of groups, matched by name; objects and files that were renamed or moved are one row, under their new path.
pub(super) fn groups(
    document: &ComparisonDocument<'_>,
    question: &Question,
) -> Result<FunctionTable, Problem> {
    let Question::Functions {
        scope, events, sort, ascending, inclusive, filter, group, offset, limit, ..
    } = question
    else {
        return Err(Problem::new("this is no question about groups"));
    };
    let all_functions = lotse_profile::filter::Filter::default();
    let choice = RowChoice { order: DiffOrder::Name, inclusive: false, filter: &all_functions };
    let compared = document.compare(scope, events, choice)?;
    let by = group.as_deref().unwrap_or("");
    if by == "cycle" {
        return Err(cycles_differ());
    }
    let mut joined: BTreeMap<String, [Option<GroupCosts>; 2]> = BTreeMap::new();
    let moved = document.path_matches(by);
    for (name, costs) in group_costs(&document.old, scope, &compared.old_columns, by)? {
        joined.entry(moved.new_path(&name).to_owned()).or_default()[0] = Some(costs);
    }
    for (name, costs) in group_costs(&document.new, scope, &compared.columns, by)? {
        joined.entry(name).or_default()[1] = Some(costs);
    }
    let all = joined.len();
    let wanted = Pattern::parse(filter).map_err(Problem::new)?;
    let mut rows: Vec<FunctionRow> = joined
        .into_iter()
        .filter(|(name, _)| wanted.matches(name))
        .map(|(name, costs)| group_row(&compared, name, &costs))
        .collect();
    sort_rows(&mut rows, (*sort, *inclusive), *ascending);
    let count = rows.len();
    let unknown = unknown_note(rows.iter().filter(|row| has_unknown_change(row)).count(), "group");
    Ok(FunctionTable {
        events: compared.events(),
        count,
        all,
        rows: rows.into_iter().skip(*offset).take((*limit).min(MOST_ROWS)).collect(),
        remarks: compared
            .notes
            .iter()
            .cloned()
            .chain(moved.notes())
            .chain(unknown)
            .map(Remark::note)
            .collect(),
    })
}

/// A group with the changes of its costs; a side that lacks it counts as 0.
fn group_row(compared: &Compared, name: String, costs: &[Option<GroupCosts>; 2]) -> FunctionRow {
    let [old, new] = costs;
    let pair = |(at, column): (usize, &Column)| {
        let bounds = [old, new].map(|side| Bound::at_most_unless(side.as_ref().is_none_or(|it| it.exact)));
        let of_own = ChangedCosts::own(compared, at);
        let of_all = ChangedCosts::inclusive(compared, at).bounded(bounds);
        let has_inclusive = column.has_inclusive();
        let own = |side: &Option<GroupCosts>| side.as_ref().map(|it| it.own[at]);
        let inclusive = |side: &Option<GroupCosts>| side.as_ref().map(|it| it.inclusive[at]);
        CostPair {
            own: of_own.amount_of_new(own(new).unwrap_or(Cost::Exact(0))),
            inclusive: has_inclusive.then(|| of_all.amount_of_new(inclusive(new).unwrap_or(Cost::Exact(0)))),
            own_change: Some(of_own.between(own(old), own(new))),
            inclusive_change: has_inclusive.then(|| of_all.between(inclusive(old), inclusive(new))),
        }
    };
    FunctionRow {
        function: None,
        name,
        size: new.as_ref().or(old.as_ref()).map(|it| it.functions),
        calls: None,
        costs: compared.columns.iter().enumerate().map(pair).collect(),
    }
}

/// Whether it is not known how much the inclusive costs of a row changed.
fn has_unknown_change(row: &FunctionRow) -> bool {
    row.costs.iter().filter_map(|pair| pair.inclusive_change.as_ref()).any(is_unknown)
}

/// Sorts groups by the first event type; those whose change is not known come last.
fn sort_rows(rows: &mut [FunctionRow], (sort, inclusive): (FunctionSort, bool), ascending: bool) {
    let key = |row: &FunctionRow| {
        let pair = row.costs.first();
        let change = pair.and_then(|pair| match inclusive {
            true => pair.inclusive_change.as_ref(),
            false => pair.own_change.as_ref(),
        });
        let value = match sort {
            FunctionSort::Inclusive => pair.and_then(|pair| Some(pair.inclusive.as_ref()?.value)),
            FunctionSort::Old => change.map(|change| change.old.value),
            FunctionSort::Difference => {
                change.filter(|change| !is_unknown(change)).map(|change| change.difference.value.abs())
            }
            FunctionSort::Ratio => change.and_then(|change| Some(change.ratio_value?.ln().abs())),
            _ => pair.map(|pair| pair.own.value),
        };
        value.unwrap_or(f64::NEG_INFINITY)
    };
    if sort != FunctionSort::Name {
        rows.sort_by(|a, b| key(b).total_cmp(&key(a)));
    }
    if ascending != (sort == FunctionSort::Name) {
        rows.reverse();
    }
}
