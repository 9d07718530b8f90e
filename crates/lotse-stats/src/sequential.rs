//! Decisions that stay true however often one looks.
//!
//! Two programs are measured in randomised blocks, and after some of the blocks
//! one looks whether the answer is clear. A plain test at each look would raise
//! false alarms in a quarter of the trials. Here alpha is *spent* over the looks
//! ([`spending`]) by Lan and DeMets' method; boundaries come from the distribution of a
//! Brownian motion ([`boundary`]); each look has a confidence interval of its
//! own, and all of them hold together with probability 1 - alpha (Jennison and
//! Turnbull's repeated confidence intervals). So one may look whenever one
//! likes, stop for any reason, Ctrl-C included, and the last interval is valid.
//!
//! The default spends alpha · t³ in a trial of at most 50 blocks and nearly alpha · t² in a long one. Simulated at a
//! true 0.5 % with 1.8 % of spread per block and 150 blocks it finds 85 % (a z test of fixed size and known spread:
//! 92 %) after 106 blocks on average. alpha · t² finds hardly less and linear spending 80 %; alpha · t³ and O'Brien and
//! Fleming's function find 87 %, but need 19 % and 62 % more blocks than t² to see a difference of 2 %. In 24 blocks there is little to end early, and t³
//! makes the last interval 5 % narrower than t².
//!
//! A first look that could conclude nothing, for n signs have no p value below
//! 2 / 2^n, spends nothing.
//!
//! ```
//! use lotse_stats::paired::{Block, PairedEstimate};
//! use lotse_stats::sequential::{Plan, Trial, Verdict};
//!
//! let mut trial = Trial::new(Plan::default(), 1)?;
//! let mut blocks = Vec::new();
//! let verdict = loop {
//!     let i = blocks.len();
//!     let noise = 0.01 * ((i * 7 % 10) as f64 - 4.5);
//!     let position = if i % 2 == 0 { 1 } else { -1 };
//!     blocks.push(Block { program: 0.9 + noise, reference: 1.0, position });
//!     if blocks.len() % 5 == 0 {
//!         let estimate = PairedEstimate::new(&blocks)?;
//!         let decision = trial.decide(blocks.len() as f64 / 100.0, &[estimate])?[0];
//!         if decision.stop.is_some() {
//!             break decision.verdict;
//!         }
//!     }
//! };
//! assert_eq!(verdict, Verdict::Faster);
//! assert!(blocks.len() <= 30);
//! # Ok::<(), lotse_stats::StatsError>(())
//! ```

pub mod boundary;
pub mod decision;
pub mod spending;

pub use decision::{Decision, Plan, StopReason, Verdict, decide, decide_among, decide_together};
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

    /// The next look, for each of the levels alpha, alpha / 2, .. alpha / m.
    ///
    /// `fraction` is the share of the trial that is over: the larger one of the
    /// budget's share and of the blocks' share, never a function of what was
    /// measured. At 1 the rest of alpha is spent; nothing is left for later.
    pub fn look(&mut self, fraction: f64, blocks: usize) -> Result<Vec<Look>> {
        self.look_again(fraction, blocks, blocks)
    }

    /// The next look at `units` independent parts of which each was measured several times, `blocks` times in all.
    ///
    /// Measuring the same units again changes what is seen, so every look has new information. Looks are then more
    /// alike than their blocks say, which errs on the safe side.
    pub fn look_again(&mut self, fraction: f64, units: usize, blocks: usize) -> Result<Vec<Look>> {
        let plan = self.plan;
        let look = |level: &mut Spending| {
            if level.last().is_none() && too_early(&plan, level, fraction, units) {
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
        Ok(decide_together(&self.plan, &looks, estimates))
    }
}

/// Whether a first look could not conclude anything and so shall not spend anything:
/// the smallest p value of n signs is 2 / 2^n.
fn too_early(plan: &Plan, level: &Spending, fraction: f64, blocks: usize) -> bool {
    let unreachable =
        level.available_at_first(fraction, blocks as f64) < 2.0 * 0.5_f64.powi(blocks.min(1000) as i32);
    fraction < 1.0 && (blocks < plan.min_blocks || unreachable)
}
