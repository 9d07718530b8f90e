//! What a list of functions needs to know, without the calls themselves: small enough to be kept in an index.

use lotse_model::profile::Costs;

use super::{Analysis, Way};

/// Costs and counts of every function.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// How recursion was dealt with.
    pub way: Way,
    /// Self cost of every function.
    pub own: Costs,
    /// Inclusive cost of every function.
    pub inclusive: Costs,
    /// How often each function was called; `None` where the format does not count.
    pub called: Option<Vec<u64>>,
    /// How many of these calls came from its own cycle or itself; `None` where the format does not count.
    pub recursed: Option<Vec<u64>>,
    /// The cycle each function belongs to.
    pub cycle: Vec<Option<u32>>,
    /// Whether each function has any cost or call.
    pub active: Vec<bool>,
    /// The sum of all self costs, per event type.
    pub totals: Vec<i128>,
    /// Distinct pairs of caller and callee.
    pub pairs: usize,
    /// Stack samples.
    pub samples: Option<usize>,
    /// Distinct stacks.
    pub stacks: Option<usize>,
    /// What a reader of the numbers must know.
    pub notes: Vec<String>,
}

impl Analysis<'_> {
    /// What a list of functions needs.
    pub fn summary(&self) -> Summary {
        let mut active = vec![false; self.profile.functions.len()];
        self.active().for_each(|function| active[function.index()] = true);
        Summary {
            way: self.way,
            own: self.own.clone(),
            inclusive: self.inclusive.clone(),
            called: self.called(),
            recursed: self.recursed(),
            cycle: self.cycles.cycle.clone(),
            active,
            totals: self.totals.clone(),
            pairs: self.calls.len(),
            samples: self.samples,
            stacks: self.stacks,
            notes: self.notes.clone(),
        }
    }

    /// Calls of a function from its own cycle.
    fn recursed(&self) -> Option<Vec<u64>> {
        let mut recursed = vec![0_u64; self.profile.functions.len()];
        for row in 0..self.calls.len() {
            let callee = self.calls.callee[row];
            if self.cycles.inside(self.calls.caller[row], callee) {
                let sum = &mut recursed[callee.index()];
                *sum = sum.saturating_add(self.calls.count[row]);
            }
        }
        self.counted.then_some(recursed)
    }
}
