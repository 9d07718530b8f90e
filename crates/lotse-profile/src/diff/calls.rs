//! Calls of several profiles side by side, by caller and callee.

use hashbrown::HashMap;
use lotse_model::profile::Costs;
use schemars::JsonSchema;
use serde::Serialize;

use super::functions::Comparison;
use super::order::sort_by;
use super::{Change, Counts, Query, Side};
use crate::answer::FunctionName;
use crate::events::{Cost, Row};

/// A caller and a callee with the changes of their calls.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CallDiff {
    /// Who calls.
    pub caller: FunctionName,
    /// Who is called.
    pub callee: FunctionName,
    /// The change from the first profile to each of the others.
    pub versus: Vec<CallVersus>,
}

/// The change of calls from the first profile to another.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CallVersus {
    /// Of the inclusive cost of these calls, per event type.
    pub cost: Vec<Change>,
    /// Of their number.
    pub calls: Counts,
}

/// What the calls of a pair cost in one profile.
#[derive(Debug, Clone, Default)]
struct Sum {
    cells: Vec<u64>,
    count: u64,
}

type Pair = (usize, usize);

/// The calls between matched functions in the order asked for; small changes are left out.
pub fn calls(comparison: &Comparison<'_>, query: &Query<'_>) -> Vec<CallDiff> {
    let sides = comparison.sides;
    let mut pairs: HashMap<Pair, Vec<Option<Sum>>> = HashMap::new();
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

/// The calls of one profile between rows.
fn sums(comparison: &Comparison<'_>, at: usize, side: &Side<'_>) -> HashMap<Pair, Sum> {
    let analysis = side.analysis;
    let mut row_of = vec![usize::MAX; analysis.profile.functions.len()];
    for (row, functions) in comparison.rows.iter().enumerate() {
        functions[at].iter().for_each(|function| row_of[function.index()] = row);
    }
    let mut sums: HashMap<Pair, Sum> = HashMap::new();
    for call in 0..analysis.calls.len() {
        let ends = [analysis.calls.caller[call], analysis.calls.callee[call]].map(|end| row_of[end.index()]);
        let sum = sums.entry((ends[0], ends[1])).or_default();
        sum.count = sum.count.saturating_add(analysis.calls.count[call]);
        sum.add(&analysis.calls.costs, call);
    }
    sums
}

impl Sum {
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

    fn values(&self, side: &Side<'_>) -> Vec<Cost> {
        let analysis = side.analysis;
        let calls = analysis.counted.then_some(self.count);
        let row =
            Row { costs: &self.cells, signed: analysis.profile.signed, totals: &analysis.totals, calls };
        side.columns.iter().map(|column| column.value(&row)).collect()
    }
}

fn row(comparison: &Comparison<'_>, query: &Query<'_>, pair: Pair, sums: &[Option<Sum>]) -> Option<CallDiff> {
    let sides = comparison.sides;
    let values: Vec<Option<Vec<Cost>>> =
        sides.iter().zip(sums).map(|(side, sum)| Some(sum.as_ref()?.values(side))).collect();
    let count = |at: usize| {
        let sum: Option<&Sum> = sums[at].as_ref();
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
