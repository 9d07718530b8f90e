//! What a list of functions needs to know, without the calls themselves: small enough to be kept in an index.

use lotse_model::id::PartId;
use lotse_model::profile::{Costs, Part};

use super::{Analysis, Origin, Way};

/// Costs and counts of every function.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    /// How recursion was dealt with.
    pub way: Way,
    /// Where inclusive costs come from.
    pub origin: Origin,
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
    /// How many have any; more than rows in a digest.
    pub functions: usize,
    /// The sum of all self costs, per event type.
    pub totals: Vec<i128>,
    /// Distinct pairs of caller and callee.
    pub pairs: usize,
    /// Stack samples.
    pub samples: Option<usize>,
    /// Distinct stacks.
    pub stacks: Option<usize>,
    /// What each part of the profile costs.
    pub parts: Vec<PartSum>,
    /// What a reader of the numbers must know.
    pub notes: Vec<String>,
}

/// What one part costs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartSum {
    /// Whether it counts.
    pub chosen: bool,
    /// Totals of the profile's event types.
    pub totals: Vec<i128>,
    /// Stack samples in it.
    pub samples: Option<usize>,
}

impl Analysis<'_> {
    /// What a list of functions needs.
    pub fn summary(&self) -> Summary {
        self.clone().into_summary()
    }

    /// The same; the tables of costs are not copied.
    pub fn into_summary(self) -> Summary {
        let mut active = vec![false; self.profile.functions.len()];
        self.active().for_each(|function| active[function.index()] = true);
        Summary {
            way: self.way,
            origin: self.origin,
            called: self.called(),
            recursed: self.recursed(),
            pairs: self.calls.len(),
            samples: self.samples,
            stacks: self.stacks,
            parts: self.part_sums(),
            functions: active.iter().filter(|active| **active).count(),
            active,
            own: self.own,
            inclusive: self.inclusive,
            cycle: self.cycles.cycle,
            totals: self.totals,
            notes: self.notes,
        }
    }

    fn part_sums(&self) -> Vec<PartSum> {
        let sum = |(index, part): (usize, &Part)| {
            let costs = if part.samples.is_empty() { &part.own.costs } else { &part.samples.costs };
            PartSum {
                chosen: self.parts.contains(&PartId::from(index)),
                totals: costs.totals(),
                samples: (!part.samples.is_empty()).then(|| part.samples.len()),
            }
        };
        self.profile.parts.iter().enumerate().map(sum).collect()
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
