//! Group sequential tests: decisions that stay valid however often the data are looked at.
//!
//! Two programs are measured in randomised blocks, and after some of the blocks
//! the data are analysed (a *look*). A plain test at each look would raise false
//! alarms in a quarter of the trials. Here alpha is *spent* over the looks
//! ([`spending`]) by Lan and DeMets' method; boundaries come from the
//! distribution of a Brownian motion ([`boundary`]); each look has its own
//! confidence interval, and all intervals hold together with probability
//! 1 - alpha (Jennison and Turnbull's repeated confidence intervals). A trial may
//! therefore be looked at at any time and stopped for any reason, Ctrl-C
//! included, and the last interval is valid.
//!
//! ```text
//! blocks                0      10        20        30      40      50
//! look                          1         2         3       4       5
//! alpha spent so far    0      0.0004    0.0032    0.011   0.026   0.05      alpha t³ of 0.05
//! ```
//!
//! The default spends alpha · t³ in a trial of at most 50 blocks and nearly alpha · t² in a long one. Simulated with a
//! true difference of 0.5 %, a standard deviation of 1.8 % per block and 150 blocks, its power is 85 % (a z test of fixed
//! size and known deviation: 92 %), after 106 blocks on average. alpha · t² has hardly less power and linear spending 80 %;
//! alpha · t³ and O'Brien and Fleming's function have 87 %, but need 19 % and 62 % more blocks than t² to detect a
//! difference of 2 %. With 24 blocks little can be saved by stopping early, and t³ makes the last interval 5 % narrower
//! than t².
//!
//! The p value of n signs is at least 2 / 2^n. A first look that cannot conclude anything because of this limit spends
//! nothing.
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

/// A sequential trial of one or more programs against one reference.
#[derive(Debug, Clone)]
pub struct Trial {
    plan: Plan,
    /// The spending of alpha / 1, alpha / 2, .. alpha / m.
    levels: Vec<Spending>,
}

impl Trial {
    /// A trial before its first look.
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
    /// `fraction` is the elapsed share of the trial: the larger of the used
    /// shares of the time budget and of the blocks. It must not depend on the
    /// measured values. At 1 the rest of alpha is spent.
    pub fn look(&mut self, fraction: f64, blocks: usize) -> Result<Vec<Look>> {
        self.look_again(fraction, blocks, blocks)
    }

    /// The next look at `units` independent units, each measured several times, `blocks` times in total.
    ///
    /// Further measurements of the same units count as new information. Successive looks are then more correlated than
    /// assumed, which is conservative.
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

/// Whether a first look cannot conclude anything and therefore must not spend anything:
/// the smallest p value of n signs is 2 / 2^n.
fn too_early(plan: &Plan, level: &Spending, fraction: f64, blocks: usize) -> bool {
    let unreachable =
        level.available_at_first(fraction, blocks as f64) < 2.0 * 0.5_f64.powi(blocks.min(1000) as i32);
    fraction < 1.0 && (blocks < plan.min_blocks || unreachable)
}
