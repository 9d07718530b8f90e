//! The costliest way to every function: the costliest node of a tree, or the costliest call from a function that has one.

use std::collections::BinaryHeap;

use lotse_model::id::FunctionId;

use crate::analysis::Analysis;
use crate::unfold::{Tree, greatest_share};

/// How to get to each function. Callers lead to a node or to a function that nobody calls, never in a circle.
pub(super) struct Ways {
    /// The costliest node of each function.
    pub(super) nodes: Vec<Option<u32>>,
    /// For functions without a node the caller to come from.
    pub(super) callers: Vec<Option<FunctionId>>,
}

impl Ways {
    pub(super) fn new(analysis: &Analysis<'_>, tree: &Tree) -> Self {
        let count = analysis.profile.functions.len();
        let mut ways = Self { nodes: vec![None; count], callers: vec![None; count] };
        let (signed, totals) = (tree.inclusive.signed(), &analysis.totals);
        let cost = |node: u32| greatest_share(tree.inclusive.row(node as usize), signed, totals);
        for (node, place) in tree.nodes.iter().zip(0_u32..) {
            let best = &mut ways.nodes[node.function.index()];
            if best.is_none_or(|best| cost(place) > cost(best)) {
                *best = Some(place);
            }
        }
        ways.reach(analysis);
        ways
    }

    /// Goes from functions that can be reached to those that they call, by the costliest call first.
    fn reach(&mut self, analysis: &Analysis<'_>) {
        let costs = &analysis.calls.costs;
        // Shares are never negative, and for such numbers the order of the bits is that of the values.
        let cost = |row: u32| match (row as usize) < costs.rows() {
            true => greatest_share(costs.row(row as usize), costs.signed(), &analysis.totals).to_bits(),
            false => 0,
        };
        let rows_of =
            |function: FunctionId| analysis.outgoing.of(function).iter().map(|&row| (cost(row), row));
        let mut reached: Vec<bool> = self.nodes.iter().map(Option::is_some).collect();
        let mut pending: BinaryHeap<(u64, u32)> =
            analysis.profile.functions.ids().filter(|it| reached[it.index()]).flat_map(rows_of).collect();
        while let Some((_, row)) = pending.pop() {
            let (caller, callee) = (analysis.calls.caller[row as usize], analysis.calls.callee[row as usize]);
            if !std::mem::replace(&mut reached[callee.index()], true) {
                self.callers[callee.index()] = Some(caller);
                pending.extend(rows_of(callee));
            }
        }
    }
}
