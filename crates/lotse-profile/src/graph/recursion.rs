//! Cycles in a call graph: the costs that enter them, and upper bounds of their calls.
//!
//! Formats with calls have the cost of a recursive call once for every level, so that the calls inside a cycle can cost
//! more than the whole program. But the cost of the whole cycle is known: the self costs of its members plus the calls
//! that leave it.

use super::edges::Edges;
use crate::analysis::Cycles;
use lotse_model::progress::Checked as _;

/// The cycles among the elements of a graph, with costs as shares of the total.
#[derive(Debug)]
pub(super) struct Recursion<'a> {
    /// For each element, the share of the calls that enter its cycle there; 0 if it is in none.
    pub(super) entering: Vec<f64>,
    component: &'a [u32],
    /// The share of each component that has calls inside it.
    cost: Vec<f64>,
}

impl<'a> Recursion<'a> {
    /// Adds up the costs of cycles; `own` gives the self share of an element, `share` that of an edge.
    pub(super) fn new(
        cycles: &'a Cycles,
        edges: Edges<'_>,
        own: impl Fn(usize) -> f64,
        share: impl Fn(usize) -> f64,
    ) -> Self {
        let component = &cycles.component;
        let mut cost = vec![0.0_f64; cycles.components as usize];
        (0..component.len()).for_each(|element| cost[component[element] as usize] += own(element));
        let mut entering = vec![0.0_f64; component.len()];
        // A byte for each element, so that the loop over all edges stays in the caches of the processor.
        let is_cycle: Vec<bool> = cycles.cycle.iter().map(Option::is_some).collect();
        let has_limit: Vec<bool> =
            is_cycle.iter().zip(&cycles.recursive).map(|(&cycle, &recursive)| cycle || recursive).collect();
        for (edge, (from, to)) in edges.from().iter().zip(edges.to()).enumerate().checked() {
            let (from, to) = (from.index(), to.index());
            // Most edges neither leave nor enter a cycle: their costs need not be looked up.
            if !has_limit[from] && !is_cycle[to] || component[from] == component[to] {
                continue;
            }
            let share = share(edge);
            cost[component[from] as usize] += share;
            if is_cycle[to] {
                entering[to] += share;
            }
        }
        entering.iter_mut().for_each(|share| *share = share.min(1.0));
        Self { entering, component, cost }
    }

    /// The upper bound of the share of an edge between two elements; `None` if it is not inside a cycle.
    pub(super) fn limit(&self, (from, to): (usize, usize)) -> Option<f64> {
        let component = self.component[from];
        (component == self.component[to]).then(|| self.cost[component as usize].min(1.0))
    }
}
