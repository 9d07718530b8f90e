//! Decisions that stay true however often one looks.
//!
//! Draft.
pub mod boundary;
pub mod decision;
pub mod spending;

pub use decision::{Decision, Plan, StopReason, Verdict, decide, holm_sequential};
pub use spending::{Look, Spending, SpendingFunction};

use crate::error::{Result, StatsError};
use crate::paired::PairedEstimate;

/// A trial of one or more programs against one reference, looked at from time to time.
#[derive(Debug, Clone)]
pub struct Trial {
    plan: Plan,
    /// Spending of alpha / 1, alpha / 2, .. alpha / m.
    levels: Vec<Spending>,
}

impl Trial {
    /// A trial that has not been looked at yet.
    pub fn new(plan: Plan, comparisons: usize) -> Result<Self> {
        plan.check()?;
        if comparisons == 0 {
            return Err(StatsError::TooFew { needed: 1, present: 0 });
        }
        let level = |m: usize| Spending::new(plan.alpha / m as f64, plan.spending);
        Ok(Self { plan, levels: (1..=comparisons).map(level).collect::<Result<_>>()? })
    }

    /// The next look, for each of Holm's levels from alpha to alpha / m.
    ///
    /// `fraction` is the share of the trial that is over: the larger one of the
    /// budget's share and of the blocks' share, never a function of what was
    /// measured. At 1 the rest of alpha is spent; nothing is left for later.
    pub fn look(&mut self, fraction: f64, blocks: usize) -> Result<Vec<Look>> {
        let plan = self.plan;
        let look = |level: &mut Spending| {
            if level.last().is_none() && too_early(&plan, level, fraction, blocks) {
                return Ok(Look::blind(fraction, blocks as f64));
            }
            level.look(fraction, blocks as f64)
        };
        self.levels.iter_mut().map(look).collect()
    }

    /// Looks and decides on all comparisons, in their order.
    pub fn decide(&mut self, fraction: f64, estimates: &[PairedEstimate]) -> Result<Vec<Decision>> {
        if estimates.len() != self.levels.len() {
            return Err(StatsError::Unpaired { left: self.levels.len(), right: estimates.len() });
        }
        let blocks = estimates.iter().map(PairedEstimate::blocks).max().unwrap_or(0);
        let looks = self.look(fraction, blocks)?;
        Ok(holm_sequential(&self.plan, &looks, estimates))
    }
}

/// Whether a first look could not conclude anything and so shall not spend anything:
/// the smallest p value of n signs is 2 / 2^n.
fn too_early(plan: &Plan, level: &Spending, fraction: f64, blocks: usize) -> bool {
    let unreachable = level.available(fraction) < 2.0 * 0.5_f64.powi(blocks.min(1000) as i32);
    fraction < 1.0 && (blocks < plan.min_blocks || unreachable)
}
