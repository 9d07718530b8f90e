//! The callers and callees of a function, direct or at any distance.

use std::collections::VecDeque;

use lotse_model::id::FunctionId;
use lotse_model::progress::Checked as _;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::{Adjacency, Analysis, InclusiveOrigin};
use crate::answer::{DiagnosticAnswer, EventAnswer, FunctionAnswer, FunctionName};
use crate::events::{Column, Cost, CostRow, ranking};

/// Callers or callees of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Functions that call it.
    Callers,
    /// Functions that it calls.
    Callees,
}

/// `lotse profile callers --json` and `callees`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CallsAnswer {
    /// `lotse.profile.calls/1`.
    pub schema: &'static str,
    pub side: Side,
    /// Event types, in the order of all costs.
    pub events: Vec<EventAnswer>,
    /// The event type that is shown and ranked by unless another is chosen.
    pub default_event: Option<String>,
    /// The function whose callers or callees are listed.
    pub function: FunctionAnswer,
    /// Whether its inclusive cost is a lower bound, as that of a function in a cycle.
    pub lower_bound: bool,
    /// The callers or callees, the costliest first.
    pub rows: Vec<CallRow>,
    /// Problems of the file, and notes about the numbers.
    pub diagnostics: Vec<DiagnosticAnswer>,
}

/// A caller or a callee.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CallRow {
    /// Its names.
    #[serde(flatten)]
    pub function: FunctionName,
    /// Calls between the two; null where not counted or not direct.
    pub calls: Option<u64>,
    /// Inclusive cost of the calls; for distant functions an upper bound.
    pub cost: Vec<Cost>,
    /// The length of the shortest chain of calls; 1 for direct ones.
    pub distance: u32,
    /// Whether the cost is exact; otherwise it is an upper bound.
    pub exact: bool,
    /// Whether the call stays inside a cycle, so that its cost is not counted again.
    pub inside_cycle: bool,
}

/// Direct callers or callees of a function.
pub fn direct(analysis: &Analysis<'_>, columns: &[Column], function: FunctionId, side: Side) -> Vec<CallRow> {
    let adjacency = match side {
        Side::Callers => &*analysis.incoming(),
        Side::Callees => &analysis.outgoing,
    };
    let row = |&row: &u32| {
        let row = row as usize;
        let other = other(analysis, side, row);
        let count = analysis.counted.then(|| analysis.calls.count[row]);
        let (cost, exact) = cost_of_call(analysis, row);
        CallRow {
            function: FunctionName::new(analysis.profile, other),
            calls: count,
            cost: costs(analysis, columns, &cost, count),
            distance: 1,
            exact,
            inside_cycle: analysis.cycles.inside(analysis.calls.caller[row], analysis.calls.callee[row]),
        }
    };
    sorted(adjacency.rows_of(function).iter().map(row).collect(), columns)
}

/// The cost of a call, and whether it is exact. Where a file states inclusive costs, a call costs at most as much as
/// its callee: pyinstrument adds up all levels of a recursion.
fn cost_of_call(analysis: &Analysis<'_>, row: usize) -> (Vec<u64>, bool) {
    let cost = analysis.calls.costs.row(row).to_vec();
    if analysis.origin != InclusiveOrigin::File || analysis.profile.signed {
        return (cost, true);
    }
    let limits = analysis.inclusive.row(analysis.calls.callee[row].index());
    let least: Vec<u64> = cost.iter().zip(limits).map(|(cost, limit)| *cost.min(limit)).collect();
    // A limit that was rounded, or capped at a total of rounded numbers, may be slightly too low.
    let rounding = analysis.own.rows() as u64 / 2 + 1;
    let exact = cost.iter().zip(&least).all(|(cost, least)| cost - least <= rounding);
    (least, exact)
}

/// Callers or callees at any distance, each with its smallest distance.
///
/// The cost shared with a distant function is unknown; its upper bound is the smaller_inclusive of the two inclusive costs.
pub fn all(analysis: &Analysis<'_>, columns: &[Column], function: FunctionId, side: Side) -> Vec<CallRow> {
    let incoming;
    let adjacency = match side {
        Side::Callers => {
            incoming = analysis.incoming();
            &incoming
        }
        Side::Callees => &analysis.outgoing,
    };
    let direct_rows = direct(analysis, columns, function, side);
    let far = distances(analysis, adjacency, function, side);
    let row = |(other, distance): (FunctionId, u32)| CallRow {
        function: FunctionName::new(analysis.profile, other),
        calls: None,
        cost: costs(analysis, columns, &smaller_inclusive(analysis, function, other), None),
        distance,
        exact: false,
        inside_cycle: analysis.cycles.inside(function, other),
    };
    let far = far.into_iter().filter(|&(_, distance)| distance > 1).map(row);
    sorted(direct_rows.into_iter().chain(far).collect(), columns)
}

fn other(analysis: &Analysis<'_>, side: Side, row: usize) -> FunctionId {
    match side {
        Side::Callers => analysis.calls.caller[row],
        Side::Callees => analysis.calls.callee[row],
    }
}

/// The shortest distance in calls to every function that can be reached, by breadth-first search.
fn distances(
    analysis: &Analysis<'_>,
    adjacency: &Adjacency,
    from: FunctionId,
    side: Side,
) -> Vec<(FunctionId, u32)> {
    let mut distance = vec![None; adjacency.functions()];
    distance[from.index()] = Some(0);
    let mut queue = VecDeque::from([(from, 0)]);
    let mut found = Vec::new();
    let mut steps = (0_u64..).checked();
    while let (Some((function, far)), Some(_)) = (queue.pop_front(), steps.next()) {
        for &row in adjacency.rows_of(function) {
            let other = other(analysis, side, row as usize);
            if distance[other.index()].is_none() {
                distance[other.index()] = Some(far + 1);
                found.push((other, far + 1));
                queue.push_back((other, far + 1));
            }
        }
    }
    found
}

/// The smaller of the inclusive costs of two functions, per event type.
fn smaller_inclusive(analysis: &Analysis<'_>, one: FunctionId, other: FunctionId) -> Vec<u64> {
    upper_bound(analysis, one).iter().zip(upper_bound(analysis, other)).map(|(a, b)| *a.min(&b)).collect()
}

/// An upper bound of the inclusive cost of a function: the total for members of cycles, whose inclusive cost is
/// only a lower bound.
fn upper_bound(analysis: &Analysis<'_>, function: FunctionId) -> Vec<u64> {
    let known = analysis.inclusive.row(function.index());
    let in_cycle = analysis.cycles.cycle[function.index()].is_some();
    match in_cycle
        && !analysis.profile.signed
        && matches!(analysis.origin, InclusiveOrigin::Calls | InclusiveOrigin::Counts)
    {
        true => analysis.totals.iter().map(|&total| u64::try_from(total).unwrap_or(u64::MAX)).collect(),
        false => known.to_vec(),
    }
}

fn costs(analysis: &Analysis<'_>, columns: &[Column], costs: &[u64], calls: Option<u64>) -> Vec<Cost> {
    let row = CostRow { costs, signed: analysis.profile.signed, totals: &analysis.totals, calls };
    columns.iter().map(|column| column.inclusive_value(&row)).collect()
}

fn sorted(mut rows: Vec<CallRow>, columns: &[Column]) -> Vec<CallRow> {
    let at = ranking(columns);
    let rank = |row: &CallRow| Some(columns.get(at)?.rank_of_cost(*row.cost.get(at)?));
    rows.sort_by(|a, b| {
        let by_cost = match (rank(a), rank(b)) {
            (Some(a), Some(b)) => b.compare(&a),
            _ => std::cmp::Ordering::Equal,
        };
        a.distance.cmp(&b.distance).then(by_cost).then_with(|| a.function.name.cmp(&b.function.name))
    });
    rows
}

#[cfg(test)]
mod tests {
    use super::{Side, all, direct};
    use crate::analysis::tests::summed;
    use crate::analysis::{Analysis, CycleMode};
    use crate::events::EventTypes;
    use crate::names::find;

    fn rows(function: &str, side: Side, distant: bool) -> Vec<(String, Option<u64>, f64, u32, bool)> {
        let profile = summed(
            &[("main", 1), ("a", 2), ("b", 3), ("leaf", 4)],
            &[("main", "a", 1, 9), ("a", "b", 5, 9), ("b", "a", 4, 8), ("b", "leaf", 7, 4)],
        );
        let columns = EventTypes::new(&profile, &[]).unwrap().own();
        let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
        let id = find(&analysis, function).unwrap().function;
        let rows =
            if distant { all(&analysis, &columns, id, side) } else { direct(&analysis, &columns, id, side) };
        rows.into_iter()
            .map(|row| {
                (row.function.display, row.calls, row.cost[0].as_f64(), row.distance, row.inside_cycle)
            })
            .collect()
    }

    #[test]
    fn direct_callers_and_callees_are_sorted_by_cost() {
        let callers = [("main".into(), Some(1), 9.0, 1, false), ("b".into(), Some(4), 8.0, 1, true)];
        assert_eq!(rows("a", Side::Callers, false), callers);
        assert_eq!(rows("leaf", Side::Callees, false), []);
    }

    #[test]
    fn distant_callers_have_a_bound() {
        let callers: Vec<_> = rows("leaf", Side::Callers, true);
        let expected = [
            ("b".into(), Some(7), 4.0, 1, false),
            ("a".into(), None, 4.0, 2, false),
            ("main".into(), None, 4.0, 3, false),
        ];
        assert_eq!(callers, expected);
    }
}
