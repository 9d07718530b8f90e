//! Cycles in a call graph: the costs that enter them, and upper bounds of their calls.
//!
//! Formats with calls have the cost of a recursive call once for every level, so that the calls inside a cycle can cost
//! more than the whole program. But the cost of the whole cycle is known: the self costs of its members plus the calls
//! that leave it.

use lotse_model::id::FunctionId;

use super::Edge;
use crate::analysis::{Adjacency, Cycles};

/// The cycles among the elements of a graph.
#[derive(Debug, Default)]
pub(super) struct Recursion {
    /// For each element, the share of the calls that enter its cycle there; 0 if it is in none.
    pub(super) entering: Vec<f64>,
    component: Vec<u32>,
    /// The share of each component.
    cost: Vec<f64>,
}

impl Recursion {
    /// Finds cycles; `own` gives the self share of an element, `edge_share` that of a call.
    pub(super) fn find(
        count: usize,
        edges: &[Edge],
        own: impl Fn(usize) -> f64,
        edge_share: impl Fn(&Edge) -> f64,
    ) -> Self {
        let ends = |end: fn(&Edge) -> usize| -> Vec<FunctionId> {
            edges.iter().map(|edge| FunctionId::from(end(edge))).collect()
        };
        let cycles = Cycles::find(&Adjacency::new(count, &ends(|edge| edge.from)), &ends(|edge| edge.to));
        let component = cycles.component;
        let mut cost = vec![0.0_f64; cycles.components as usize];
        (0..count).for_each(|element| cost[component[element] as usize] += own(element));
        let mut entering = vec![0.0_f64; count];
        for edge in edges.iter().filter(|edge| component[edge.from] != component[edge.to]) {
            cost[component[edge.from] as usize] += edge_share(edge);
            if cycles.cycle[edge.to].is_some() {
                entering[edge.to] += edge_share(edge);
            }
        }
        entering.iter_mut().for_each(|share| *share = share.min(1.0));
        Self { entering, component, cost }
    }

    /// The upper bound of a call's share; `None` for a call that is not inside a cycle.
    pub(super) fn limit(&self, edge: &Edge) -> Option<f64> {
        let component = self.component[edge.from];
        (component == self.component[edge.to]).then(|| self.cost[component as usize].min(1.0))
    }
}
