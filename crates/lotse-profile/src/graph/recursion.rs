//! Circles in a call graph: what enters them, and what they cost at most.
//!
//! A file that tells calls has the cost of a recursive call once for every level, so that the calls of a circle can
//! cost more than the whole program. What a circle costs is known all the same: the self costs of its members and
//! the calls that leave it.

use lotse_model::id::FunctionId;

use super::Edge;
use crate::analysis::{Adjacency, Cycles};

/// The circles among some elements.
#[derive(Debug, Default)]
pub(super) struct Recursion {
    /// For each element the share that enters its circle there from outside; 0 where it is in none.
    pub(super) entering: Vec<f64>,
    component: Vec<u32>,
    /// The share of each component.
    cost: Vec<f64>,
}

impl Recursion {
    /// Finds circles; `own` gives the share of an element itself, `through` that of a call.
    pub(super) fn find(
        count: usize,
        edges: &[Edge],
        own: impl Fn(usize) -> f64,
        through: impl Fn(&Edge) -> f64,
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
            cost[component[edge.from] as usize] += through(edge);
            if cycles.cycle[edge.to].is_some() {
                entering[edge.to] += through(edge);
            }
        }
        entering.iter_mut().for_each(|share| *share = share.min(1.0));
        Self { entering, component, cost }
    }

    /// What a call costs at most; `None` for one that stays in no circle.
    pub(super) fn limit(&self, edge: &Edge) -> Option<f64> {
        let component = self.component[edge.from];
        (component == self.component[edge.to]).then(|| self.cost[component as usize].min(1.0))
    }
}
