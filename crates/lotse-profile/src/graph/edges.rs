//! Calls between the elements of a graph: one edge for each pair of elements, in the order of the first call.
//!
//! Most elements are one function, and most edges one row of the analysis' calls. Only the edges of elements that have
//! several functions are looked up by their ends, and costs are added when they are asked for: a copy of the calls of a
//! large profile would take more memory than all the rest of a graph.

use hashbrown::HashMap;
use lotse_model::id::FunctionId;
use lotse_model::profile::Costs;
use lotse_model::progress::Checked as _;

use crate::analysis::{Adjacency, Analysis, Cycles};
use crate::events::{Column, Cost};
use crate::unfold::value;

/// Which calls are between which elements. Elements are numbered as functions are.
#[derive(Debug)]
pub(super) enum EdgeRows {
    /// Every element is one function: the edges are the rows of the analysis' calls.
    Calls,
    Merged(MergedCalls),
}

/// Calls between elements of several functions.
#[derive(Debug)]
pub(super) struct MergedCalls {
    from: Vec<FunctionId>,
    to: Vec<FunctionId>,
    /// The rows of the analysis' calls that each edge has.
    rows: Adjacency,
}

impl EdgeRows {
    /// Finds the edges between elements; `loops` is whether those from an element to itself count.
    pub(super) fn new(analysis: &Analysis<'_>, element_of: &[u32], (count, loops): (usize, bool)) -> Self {
        if count == element_of.len() && loops {
            return Self::Calls;
        }
        let mut sizes = vec![0_u32; count];
        element_of.iter().for_each(|&element| sizes[element as usize] += 1);
        let several = |element: u32| sizes[element as usize] > 1;
        let (mut from, mut to) = (Vec::new(), Vec::new());
        let mut known: HashMap<(u32, u32), usize> = HashMap::new();
        let mut edge_of = |caller: FunctionId, callee: FunctionId| {
            let ends = (element_of[caller.index()], element_of[callee.index()]);
            if ends.0 == ends.1 && !loops {
                return None;
            }
            let next = from.len();
            // A pair of functions has one row of calls, so that a pair of single functions cannot be known.
            let edge = match several(ends.0) || several(ends.1) {
                true => *known.entry(ends).or_insert(next),
                false => next,
            };
            if edge == next {
                from.push(FunctionId(ends.0));
                to.push(FunctionId(ends.1));
            }
            Some(FunctionId::from(edge))
        };
        let pairs = analysis.calls.caller.iter().zip(&analysis.calls.callee);
        let edges: Vec<Option<FunctionId>> =
            pairs.checked().map(|(&caller, &callee)| edge_of(caller, callee)).collect();
        // Rows without an edge are listed behind the last one.
        let behind = FunctionId::from(from.len());
        let edges: Vec<FunctionId> = edges.into_iter().map(|edge| edge.unwrap_or(behind)).collect();
        let rows = Adjacency::new(from.len() + 1, &edges);
        Self::Merged(MergedCalls { from, to, rows })
    }
}

impl EdgeRows {
    /// The callers of all edges.
    fn from<'a>(&'a self, analysis: &'a Analysis<'_>) -> &'a [FunctionId] {
        match self {
            Self::Calls => &analysis.calls.caller,
            Self::Merged(merged) => &merged.from,
        }
    }

    /// The callees of all edges.
    fn to<'a>(&'a self, analysis: &'a Analysis<'_>) -> &'a [FunctionId] {
        match self {
            Self::Calls => &analysis.calls.callee,
            Self::Merged(merged) => &merged.to,
        }
    }

    /// The cycles among `count` elements.
    pub(super) fn cycles(&self, analysis: &Analysis<'_>, count: usize) -> Cycles {
        Cycles::find(&Adjacency::new(count, self.from(analysis)), self.to(analysis))
    }
}

/// The edges of a graph with the costs of one event type.
#[derive(Clone, Copy)]
pub(super) struct Edges<'a> {
    pub(super) analysis: &'a Analysis<'a>,
    pub(super) column: &'a Column,
    pub(super) rows: &'a EdgeRows,
}

impl<'a> Edges<'a> {
    pub(super) fn len(&self) -> usize {
        self.from().len()
    }

    /// The callers of all edges.
    pub(super) fn from(&self) -> &'a [FunctionId] {
        self.rows.from(self.analysis)
    }

    /// The callees of all edges.
    pub(super) fn to(&self) -> &'a [FunctionId] {
        self.rows.to(self.analysis)
    }

    /// The elements at the two ends of an edge.
    pub(super) fn ends(&self, edge: usize) -> (usize, usize) {
        (self.from()[edge].index(), self.to()[edge].index())
    }

    /// The number of calls; `None` where the format does not count.
    pub(super) fn count(&self, edge: usize) -> Option<u64> {
        let count = &self.analysis.calls.count;
        let sum = match self.rows {
            EdgeRows::Calls => count[edge],
            EdgeRows::Merged(merged) => {
                let rows = merged.rows.rows_of(FunctionId::from(edge)).iter();
                rows.fold(0_u64, |sum, &row| sum.saturating_add(count[row as usize]))
            }
        };
        self.analysis.counted.then_some(sum)
    }

    /// The cost of the calls.
    pub(super) fn cost(&self, edge: usize) -> Cost {
        let costs = &self.analysis.calls.costs;
        let one = |row: usize| value(self.analysis, self.column, costs.row(row), self.count(edge));
        match self.rows {
            EdgeRows::Calls => one(edge),
            EdgeRows::Merged(merged) => match merged.rows.rows_of(FunctionId::from(edge)) {
                [row] => one(*row as usize),
                rows => {
                    let mut sum = Costs::zeros(costs.width(), costs.signed(), 1);
                    rows.iter().for_each(|&row| sum.add(0, costs.row(row as usize)));
                    value(self.analysis, self.column, sum.row(0), self.count(edge))
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use lotse_model::Profile;
    use proptest::prelude::*;

    use super::{EdgeRows, Edges};
    use crate::analysis::tests::summed;
    use crate::analysis::{Analysis, CycleMode};
    use crate::events::EventTypes;

    const FUNCTIONS: usize = 7;

    fn profile(calls: &[(usize, usize, u64)]) -> Profile {
        let names: Vec<String> = (0..FUNCTIONS).map(|number| format!("f{number}")).collect();
        let own: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), 1)).collect();
        let pairs: std::collections::BTreeMap<(usize, usize), u64> =
            calls.iter().map(|&(from, to, cost)| ((from, to), cost)).collect();
        let calls: Vec<(&str, &str, u64, u64)> =
            pairs.iter().map(|((from, to), cost)| (&*names[*from], &*names[*to], cost / 3, *cost)).collect();
        summed(&own, &calls)
    }

    proptest! {
        /// Ends, number of calls and cost of each edge, in the order of the first call, from a map of all pairs.
        #[test]
        fn calls_are_added_by_pairs_of_elements(
            element_of in prop::collection::vec(0_u32..FUNCTIONS as u32, FUNCTIONS),
            calls in prop::collection::vec((0..FUNCTIONS, 0..FUNCTIONS, 1_u64..100), 0..30),
            loops in any::<bool>(),
        ) {
            let profile = profile(&calls);
            let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
            let mut places: HashMap<(usize, usize), usize> = HashMap::new();
            let mut expected: Vec<((usize, usize), u64, f64)> = Vec::new();
            for row in 0..analysis.calls.len() {
                let element = |function: lotse_model::id::FunctionId| element_of[function.index()] as usize;
                let ends = (element(analysis.calls.caller[row]), element(analysis.calls.callee[row]));
                if ends.0 != ends.1 || loops {
                    let place = *places.entry(ends).or_insert(expected.len());
                    if place == expected.len() {
                        expected.push((ends, 0, 0.0));
                    }
                    expected[place].1 += analysis.calls.count[row];
                    expected[place].2 += analysis.calls.costs.row(row)[0] as f64;
                }
            }
            let rows = EdgeRows::new(&analysis, &element_of, (FUNCTIONS + 1, loops));
            let column = &EventTypes::new(&profile, &[]).unwrap().own()[0];
            let edges = Edges { analysis: &analysis, column, rows: &rows };
            let count = |edge: usize| edges.count(edge).unwrap_or(0);
            let found: Vec<_> =
                (0..edges.len()).map(|it| (edges.ends(it), count(it), edges.cost(it).as_f64())).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
