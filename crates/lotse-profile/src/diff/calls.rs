//! The calls of several profiles compared, by caller and callee.

use hashbrown::HashMap;
use lotse_model::profile::Costs;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::functions::Comparison;
use super::order::sort_by;
use super::{Change, Counts, DiffQuery, DiffSide};
use crate::answer::FunctionName;
use crate::events::{Cost, CostRow};

/// A caller and a callee with the changes of their calls.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CallDiff {
    pub caller: FunctionName,
    pub callee: FunctionName,
    /// The change from the first profile to each of the others.
    pub versus: Vec<CallVersus>,
}

/// The change of calls from the first profile to another.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CallVersus {
    /// Change of the inclusive cost of these calls, per event type.
    pub cost: Vec<Change>,
    /// Change of their number.
    pub calls: Counts,
}

/// The cost and number of calls of a pair in one profile.
#[derive(Debug, Clone, Default)]
struct CallSum {
    cells: Vec<u64>,
    count: u64,
}

/// The rows of caller and callee in the comparison.
type Pair = (usize, usize);

/// The calls between matched functions in the order of the query, without small changes.
pub fn calls(comparison: &Comparison<'_>, query: &DiffQuery<'_>) -> Vec<CallDiff> {
    let sides = comparison.sides;
    let mut pairs: HashMap<Pair, Vec<Option<CallSum>>> = HashMap::new();
    for (at, side) in sides.iter().enumerate() {
        for (pair, sum) in sums(comparison, at, side) {
            pairs.entry(pair).or_insert_with(|| vec![None; sides.len()])[at] = Some(sum);
        }
    }
    let mut rows: Vec<CallDiff> =
        pairs.into_iter().filter_map(|(pair, sums)| row(comparison, query, pair, &sums)).collect();
    let ranked = comparison.ranked();
    sort_by(
        &mut rows,
        query.order,
        |row| row.versus.iter().filter_map(|versus| versus.cost.get(ranked)).collect(),
        |row| format!("{} {}", row.caller.display, row.callee.display),
    );
    rows.truncate(query.limit.unwrap_or(usize::MAX));
    rows
}

/// The calls of one profile, summed by pairs of rows.
fn sums(comparison: &Comparison<'_>, at: usize, side: &DiffSide<'_>) -> HashMap<Pair, CallSum> {
    let analysis = side.analysis;
    let mut row_of = vec![usize::MAX; analysis.profile.functions.len()];
    for (row, functions) in comparison.rows.iter().enumerate() {
        functions[at].iter().for_each(|function| row_of[function.index()] = row);
    }
    let mut sums: HashMap<Pair, CallSum> = HashMap::new();
    for call in 0..analysis.calls.len() {
        let ends = [analysis.calls.caller[call], analysis.calls.callee[call]].map(|end| row_of[end.index()]);
        let sum = sums.entry((ends[0], ends[1])).or_default();
        sum.count = sum.count.saturating_add(analysis.calls.count[call]);
        sum.add(&analysis.calls.costs, call);
    }
    sums
}

impl CallSum {
    fn add(&mut self, costs: &Costs, row: usize) {
        if costs.width() == 0 || row >= costs.rows() {
            return;
        }
        let mut sum = Costs::from_cells(
            costs.width(),
            costs.signed(),
            match self.cells.len() {
                0 => vec![0; costs.width()],
                _ => std::mem::take(&mut self.cells),
            },
        );
        sum.add(0, costs.row(row));
        self.cells = sum.row(0).to_vec();
    }

    fn values(&self, side: &DiffSide<'_>) -> Vec<Cost> {
        let analysis = side.analysis;
        let calls = analysis.counted.then_some(self.count);
        let row =
            CostRow { costs: &self.cells, signed: analysis.profile.signed, totals: &analysis.totals, calls };
        side.columns.iter().map(|column| column.value(&row)).collect()
    }
}

/// The changes of a pair; `None` if they are all below the least change of the query, or its filter accepts neither
/// function.
fn row(
    comparison: &Comparison<'_>,
    query: &DiffQuery<'_>,
    pair: Pair,
    sums: &[Option<CallSum>],
) -> Option<CallDiff> {
    let sides = comparison.sides;
    let values: Vec<Option<Vec<Cost>>> =
        sides.iter().zip(sums).map(|(side, sum)| Some(sum.as_ref()?.values(side))).collect();
    let count = |at: usize| {
        let sum: Option<&CallSum> = sums[at].as_ref();
        sum.filter(|_| sides[at].analysis.counted).map(|sum| sum.count)
    };
    let versus = |at: usize| CallVersus {
        cost: comparison.changes(values[0].as_ref(), values[at].as_ref(), at),
        calls: Counts { old: count(0), new: count(at) },
    };
    let versus: Vec<CallVersus> = (1..sides.len()).map(versus).collect();
    let ranked = comparison.ranked();
    let change = |(at, versus): (usize, &'_ CallVersus)| Some((at + 1, *versus.cost.get(ranked)?));
    let changes: Vec<(usize, Change)> = versus.iter().enumerate().filter_map(change).collect();
    let relative = changes.iter().map(|(at, change)| comparison.relative_to_total(change, *at));
    let kept = query.min_change <= 0.0 || relative.fold(0.0, f64::max) >= query.min_change;
    let accepted = [pair.0, pair.1].iter().any(|&row| comparison.accepts(row, query));
    if !kept || !accepted {
        return None;
    }
    Some(CallDiff { caller: comparison.name(pair.0)?, callee: comparison.name(pair.1)?, versus })
}
