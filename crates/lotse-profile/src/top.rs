//! The list of the costliest functions.

use std::cmp::Ordering;

use lotse_model::Profile;
use lotse_model::id::FunctionId;

use crate::analysis::Summary;
use crate::answer::FunctionAnswer;
use crate::events::{Column, CostRow, ranking};
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
    let mut keyed: Vec<(f64, FunctionId)> = profile
        .functions
        .ids()
        .filter(shown)
        .map(|id| (rough_key(profile, summary, query, id), id))
        .collect();
    let exact = |a: FunctionId, b: FunctionId| exact_order(profile, summary, query, a, b);
    let compare =
        |a: &(f64, FunctionId), b: &(f64, FunctionId)| b.0.total_cmp(&a.0).then_with(|| exact(a.1, b.1));
    if let Some(limit) = query.limit.filter(|&limit| limit > 0 && limit < keyed.len()) {
        keyed.select_nth_unstable_by(limit - 1, compare);
        keyed.truncate(limit);
    }
    keyed.sort_unstable_by(compare);
    keyed.into_iter().map(|(_, id)| id).collect()
}

/// A sort key as a floating-point number; functions with equal keys are compared exactly.
fn rough_key(profile: &Profile, summary: &Summary, query: &TopQuery<'_>, id: FunctionId) -> f64 {
    let cost = |costs: &lotse_model::profile::Costs| {
        value(profile, summary, query, costs, id).map_or(0.0, |it| it.as_f64())
    };
    let rough = match query.order {
        TopOrder::Own => cost(&summary.own),
        TopOrder::Inclusive => cost(&summary.inclusive),
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
    let by_cost = |costs: &lotse_model::profile::Costs| {
        let value = |id| value(profile, summary, query, costs, id);
        match (value(a), value(b)) {
            (Some(a), Some(b)) => b.compare(&a),
            _ => Ordering::Equal,
        }
    };
    let costs = match query.order {
        TopOrder::Own => by_cost(&summary.own).then_with(|| by_cost(&summary.inclusive)),
        TopOrder::Inclusive => by_cost(&summary.inclusive).then_with(|| by_cost(&summary.own)),
        TopOrder::Calls | TopOrder::Name => Ordering::Equal,
    };
    costs.then_with(|| profile.function_name(a).cmp(profile.function_name(b))).then(a.cmp(&b))
}

fn value(
    profile: &Profile,
    summary: &Summary,
    query: &TopQuery<'_>,
    costs: &lotse_model::profile::Costs,
    id: FunctionId,
) -> Option<crate::events::Cost> {
    let calls = summary.called.as_ref().map(|called| called[id.index()]);
    let row =
        CostRow { costs: costs.row(id.index()), signed: profile.signed, totals: &summary.totals, calls };
    query.columns.get(ranking(query.columns)).map(|column| column.rank(&row))
}
