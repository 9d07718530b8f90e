//! The list of the costliest functions.

use std::cmp::Ordering;

use lotse_model::Profile;
use lotse_model::id::FunctionId;
use lotse_model::progress::Checked as _;

use crate::analysis::Summary;
use crate::answer::FunctionAnswer;
use crate::events::{Column, Cost, CostRow, ranking};
use crate::filter::Filter;

/// What a list is sorted by; the greatest first, equal ones by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TopOrder {
    /// Self cost of the column that rows are ranked by.
    #[default]
    Own,
    /// Inclusive cost of the column that rows are ranked by.
    Inclusive,
    /// Number of calls.
    Calls,
    /// From A to Z.
    Name,
}

/// Which functions are listed, in which order, with which costs.
#[derive(Debug, Clone)]
pub struct TopQuery<'a> {
    pub columns: &'a [Column],
    pub order: TopOrder,
    /// The greatest number of functions; `None` for all.
    pub limit: Option<usize>,
    pub filter: &'a Filter,
}

/// The first functions in the order of the query.
pub fn top(profile: &Profile, summary: &Summary, query: &TopQuery<'_>) -> Vec<FunctionAnswer> {
    let answer = |function| FunctionAnswer::new(profile, summary, query.columns, function);
    ranked(profile, summary, query).into_iter().map(answer).collect()
}

/// The ids of the first functions in the order of the query.
pub fn ranked(profile: &Profile, summary: &Summary, query: &TopQuery<'_>) -> Vec<FunctionId> {
    let shown = |id: &FunctionId| summary.active[id.index()] && query.filter.accepts(profile, *id);
    let all = profile.functions.ids().checked().filter(shown).collect();
    let length = query.limit.filter(|&limit| limit > 0).unwrap_or(usize::MAX);
    ranked_page(profile, summary, query, all, RankedPage { reversed: false, offset: 0, length })
}

/// Some consecutive rows of a sorted list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankedPage {
    /// Whether the last function in the order of the query comes first.
    pub reversed: bool,
    pub offset: usize,
    pub length: usize,
}

/// A page of functions in the order of the query, whose filter and limit do not count. Only the page is sorted.
pub fn ranked_page(
    profile: &Profile,
    summary: &Summary,
    query: &TopQuery<'_>,
    functions: Vec<FunctionId>,
    page: RankedPage,
) -> Vec<FunctionId> {
    let key = |id: FunctionId| (rough_key(profile, summary, query, id), id);
    let mut keyed: Vec<(f64, FunctionId)> = functions.into_iter().checked().map(key).collect();
    let exact = |a: FunctionId, b: FunctionId| exact_order(profile, summary, query, a, b);
    let compare = |a: &(f64, FunctionId), b: &(f64, FunctionId)| {
        let order = b.0.total_cmp(&a.0).then_with(|| exact(a.1, b.1));
        if page.reversed { order.reverse() } else { order }
    };
    let end = page.offset.saturating_add(page.length);
    if page.length > 0 && end < keyed.len() {
        keyed.select_nth_unstable_by(end - 1, compare);
    }
    keyed.truncate(end);
    if page.offset > 0 && page.offset < keyed.len() {
        keyed.select_nth_unstable_by(page.offset, compare);
    }
    let mut page = keyed.split_off(page.offset.min(keyed.len()));
    page.sort_unstable_by(compare);
    page.into_iter().map(|(_, id)| id).collect()
}

/// A sort key as a floating-point number; functions with equal keys are compared exactly.
fn rough_key(profile: &Profile, summary: &Summary, query: &TopQuery<'_>, id: FunctionId) -> f64 {
    let cost = |kind| value(profile, summary, query, kind, id).map_or(0.0, |it| it.as_f64());
    let rough = match query.order {
        TopOrder::Own => cost(CostKind::Own),
        TopOrder::Inclusive => cost(CostKind::Inclusive),
        TopOrder::Calls => summary.called.as_ref().map_or(0.0, |called| called[id.index()] as f64),
        TopOrder::Name => 0.0,
    };
    if rough.is_nan() { f64::NEG_INFINITY } else { rough }
}

/// Compares two functions by exact costs, then by name and id.
fn exact_order(
    profile: &Profile,
    summary: &Summary,
    query: &TopQuery<'_>,
    a: FunctionId,
    b: FunctionId,
) -> Ordering {
    let by_cost = |kind| {
        let value = |id| value(profile, summary, query, kind, id);
        match (value(a), value(b)) {
            (Some(a), Some(b)) => b.compare(&a),
            _ => Ordering::Equal,
        }
    };
    let costs = match query.order {
        TopOrder::Own => by_cost(CostKind::Own).then_with(|| by_cost(CostKind::Inclusive)),
        TopOrder::Inclusive => by_cost(CostKind::Inclusive).then_with(|| by_cost(CostKind::Own)),
        TopOrder::Calls | TopOrder::Name => Ordering::Equal,
    };
    costs.then_with(|| profile.function_name(a).cmp(profile.function_name(b))).then(a.cmp(&b))
}

/// Which cost of a function is compared.
#[derive(Debug, Clone, Copy)]
enum CostKind {
    Own,
    Inclusive,
}

fn value(
    profile: &Profile,
    summary: &Summary,
    query: &TopQuery<'_>,
    kind: CostKind,
    id: FunctionId,
) -> Option<Cost> {
    let column = query.columns.get(ranking(query.columns))?;
    let costs = match kind {
        CostKind::Own => &summary.own,
        CostKind::Inclusive if !column.has_inclusive() => return Some(Cost::ABSENT),
        CostKind::Inclusive => &summary.inclusive,
    };
    let calls = summary.called.as_ref().map(|called| called[id.index()]);
    let row =
        CostRow { costs: costs.row(id.index()), signed: profile.signed, totals: &summary.totals, calls };
    Some(column.rank(&row))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{RankedPage, TopOrder, TopQuery, ranked, ranked_page};
    use crate::analysis::tests::summed;
    use crate::analysis::{Analysis, CycleMode};
    use crate::events::EventTypes;
    use crate::filter::Filter;

    proptest! {
        /// Costs are often equal, so that names and numbers decide.
        #[test]
        fn a_page_is_a_part_of_the_whole_list(
            costs in prop::collection::vec(0_u64..6, 1..30),
            (offset, length) in (0_usize..35, 0_usize..12),
            reversed in any::<bool>(),
            by_name in any::<bool>(),
        ) {
            let names: Vec<String> = (0..costs.len()).map(|at| format!("f{}", at * 7 % 10)).collect();
            let own: Vec<(&str, u64)> = names.iter().map(String::as_str).zip(costs).collect();
            let profile = summed(&own, &[("main", "f0", 1, 1)]);
            let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
            let summary = analysis.summary();
            let columns = EventTypes::new(&profile, &[]).unwrap().own();
            let (order, filter) = (if by_name { TopOrder::Name } else { TopOrder::Own }, Filter::default());
            let query = TopQuery { columns: &columns, order, limit: None, filter: &filter };
            let mut all = ranked(&profile, &summary, &query);
            if reversed {
                all.reverse();
            }
            let page = RankedPage { reversed, offset, length };
            let found = ranked_page(&profile, &summary, &query, filter.accepted(&analysis), page);
            let expected: Vec<_> = all.into_iter().skip(offset).take(length).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
