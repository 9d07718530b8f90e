//! The part of an analysis that lists of functions need, without calls: small enough to be stored in an index.

use std::sync::Arc;

use lotse_model::id::PartId;
use lotse_model::profile::{Costs, Part};
use lotse_model::progress::Checked as _;

use super::{Analysis, CycleMode, InclusiveOrigin};

/// Costs and counts of every function.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    pub cycle_mode: CycleMode,
    pub origin: InclusiveOrigin,
    /// Self cost of every function.
    pub own: Arc<Costs>,
    /// Inclusive cost of every function.
    pub inclusive: Arc<Costs>,
    /// How often each function was called; `None` where the format does not count.
    pub called: Option<Vec<u64>>,
    /// How many of these calls came from the function itself or its cycle; `None` where the format does not count.
    pub recursed: Option<Vec<u64>>,
    /// The cycle each function belongs to.
    pub cycle: Vec<Option<u32>>,
    /// Whether the inclusive cost of each function is only a lower bound; empty if none is.
    pub lower_bounds: Arc<Vec<bool>>,
    /// Whether each function has any cost or call.
    pub active: Vec<bool>,
    /// The number of active functions; a digest has fewer rows.
    pub functions: usize,
    /// The sum of all self costs, per event type.
    pub totals: Vec<i128>,
    /// Distinct pairs of caller and callee.
    pub pairs: usize,
    /// Stack samples.
    pub samples: Option<usize>,
    /// Distinct stacks.
    pub stacks: Option<usize>,
    pub parts: Vec<PartSum>,
    /// What a reader of the numbers must know: estimates, bounds, cut values.
    pub notes: Vec<String>,
}

/// The totals of one part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartSum {
    /// Whether the summary includes it.
    pub chosen: bool,
    /// Totals of the profile's event types.
    pub totals: Vec<i128>,
    /// Stack samples in it.
    pub samples: Option<usize>,
}

impl Analysis<'_> {
    /// What a list of functions needs; the tables of costs are shared, not copied.
    pub fn summary(&self) -> Summary {
        let mut active = vec![false; self.profile.functions.len()];
        self.active().for_each(|function| active[function.index()] = true);
        Summary {
            cycle_mode: self.cycle_mode,
            origin: self.origin,
            called: self.called(),
            recursed: self.recursed(),
            pairs: self.calls.len(),
            samples: self.samples,
            stacks: self.stacks,
            parts: self.part_sums(),
            functions: active.iter().filter(|active| **active).count(),
            active,
            own: Arc::clone(&self.own),
            inclusive: Arc::clone(&self.inclusive),
            cycle: self.cycles.cycle.clone(),
            lower_bounds: self.lower_bounds(),
            totals: self.totals.clone(),
            notes: self.notes.clone(),
        }
    }

    /// The same as [`summary`](Self::summary), for an analysis that is not needed any more.
    pub fn into_summary(self) -> Summary {
        self.summary()
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

    /// For each function, the number of its calls from its own cycle or itself.
    fn recursed(&self) -> Option<Vec<u64>> {
        let mut recursed = vec![0_u64; self.profile.functions.len()];
        for row in (0..self.calls.len()).checked() {
            let callee = self.calls.callee[row];
            if self.cycles.inside(self.calls.caller[row], callee) {
                let sum = &mut recursed[callee.index()];
                *sum = sum.saturating_add(self.calls.count[row]);
            }
        }
        self.counted.then_some(recursed)
    }
}
