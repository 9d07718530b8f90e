//! The costliest path to every function: through the costliest node of a tree that has the function, or else through
//! the costliest call from a function that has a path.

use std::collections::BinaryHeap;

use lotse_model::id::FunctionId;
use lotse_model::progress::{Checked as _, checkpoint};

use crate::analysis::Analysis;
use crate::unfold::{CallTree, greatest_share};

/// For each function, where the costliest path to it comes from. Following `callers` ends at a function with a node
/// or without a caller, never in a cycle.
pub(super) struct CostliestPaths {
    /// The costliest node of each function, if the tree has any.
    pub(super) nodes: Vec<Option<u32>>,
    /// For functions without a node, the caller on the costliest path.
    pub(super) callers: Vec<Option<FunctionId>>,
}

impl CostliestPaths {
    /// Paths through all nodes of a tree.
    pub(super) fn new(analysis: &Analysis<'_>, tree: &CallTree) -> Self {
        Self::among(analysis, tree, |_| true, &[])
    }

    /// Paths through some nodes of a tree, by their numbers, and not through calls to `closed` functions.
    pub(super) fn among(
        analysis: &Analysis<'_>,
        tree: &CallTree,
        counts: impl Fn(u32) -> bool,
        closed: &[FunctionId],
    ) -> Self {
        let count = analysis.profile.functions.len();
        let mut paths = Self { nodes: vec![None; count], callers: vec![None; count] };
        let (signed, totals) = (tree.inclusive.signed(), &analysis.totals);
        let cost = |node: u32| greatest_share(tree.inclusive.row(node as usize), signed, totals);
        for (node, place) in tree.nodes.iter().zip(0_u32..).filter(|(_, place)| counts(*place)).checked() {
            let best = &mut paths.nodes[node.function.index()];
            if best.is_none_or(|best| cost(place) > cost(best)) {
                *best = Some(place);
            }
        }
        paths.reach(analysis, closed);
        paths
    }

    /// Whether any path leads to a function.
    pub(super) fn lead_to(&self, function: FunctionId) -> bool {
        self.nodes[function.index()].is_some() || self.callers[function.index()].is_some()
    }

    /// Extends paths from functions that have one to their callees, the costliest call first (as Dijkstra's algorithm).
    fn reach(&mut self, analysis: &Analysis<'_>, closed: &[FunctionId]) {
        let costs = &analysis.calls.costs;
        // Shares are never negative, and non-negative floating-point numbers sort like their bits.
        let cost = |row: u32| match (row as usize) < costs.rows() {
            true => greatest_share(costs.row(row as usize), costs.signed(), &analysis.totals).to_bits(),
            false => 0,
        };
        let mut reached: Vec<bool> = self.nodes.iter().map(Option::is_some).collect();
        // No path leads to these, as if another one were known.
        closed.iter().for_each(|function| reached[function.index()] = true);
        // Calls of functions that have a path already are not queued: most functions have one.
        let rows_of = |function: FunctionId, reached: &[bool]| {
            let rows = analysis.outgoing.rows_of(function).iter().copied();
            let is_open = |row: &u32| !reached[analysis.calls.callee[*row as usize].index()];
            rows.filter(is_open).map(|row| (cost(row), row)).collect::<Vec<_>>()
        };
        let known = analysis.profile.functions.ids().filter(|it| self.nodes[it.index()].is_some());
        let mut pending: BinaryHeap<(u64, u32)> =
            known.checked().flat_map(|function| rows_of(function, &reached)).collect();
        while let Some((_, row)) = pending.pop() {
            checkpoint();
            let (caller, callee) = (analysis.calls.caller[row as usize], analysis.calls.callee[row as usize]);
            if !std::mem::replace(&mut reached[callee.index()], true) {
                self.callers[callee.index()] = Some(caller);
                pending.extend(rows_of(callee, &reached));
            }
        }
    }
}
