//! Many simulated trials of one design, and their error rates.

use lotse_stats::descriptive::standard_error;
use lotse_stats::distribution::t_quantile;
use lotse_stats::paired::{Block, PairedEstimate};
use lotse_stats::sequential::{Decision, Look, Plan, Trial, Verdict, decide};

use crate::noise::{Noise, Simulator};

/// A plan with its looks, which do not depend on the data.
pub(crate) struct TrialDesign {
    plan: Plan,
    looks: Vec<Look>,
}

impl TrialDesign {
    /// Looks from the plan's least number of blocks on, then at every 5 % of `most` blocks.
    pub(crate) fn new(plan: Plan, most: usize) -> Self {
        let mut trial = Trial::new(plan, 1).expect("a sound plan");
        let times = (plan.min_blocks.min(most)..most).step_by(most.div_ceil(20)).chain([most]);
        let looks =
            times.map(|n| trial.look(n as f64 / most as f64, n).expect("looks in order")[0]).collect();
        Self { plan, looks }
    }

    pub(crate) fn most(&self) -> usize {
        self.looks.last().expect("a last look").information as usize
    }

    pub(crate) fn simulate(&self, noise: Noise, theta: f64, trials: usize) -> Rates {
        let mut simulator = Simulator::new(self.most() as u64);
        let mut rates = Rates { trials, ..Rates::default() };
        for _ in 0..trials {
            let (decision, blocks) = self.trial(&mut simulator, noise, theta);
            rates.faster += usize::from(decision.verdict == Verdict::Faster);
            rates.slower += usize::from(decision.verdict == Verdict::Slower);
            rates.missed += usize::from(!decision.theta.contains(theta));
            rates.blocks += blocks;
        }
        rates
    }

    /// Trials of equal programs in which some look shows a difference: the most false claims that a person can make by
    /// stopping at an arbitrary look.
    pub(crate) fn displayed_differences(&self, noise: Noise, trials: usize) -> Rates {
        let mut simulator = Simulator::new(self.most() as u64 + 1);
        let mut rates = Rates { trials, ..Rates::default() };
        for _ in 0..trials {
            let blocks = simulator.blocks(noise, self.most(), 0.0);
            let shown = self.looks.iter().map(|look| self.decide_at(look, &blocks).verdict);
            let claim = shown.into_iter().find(|v| matches!(v, Verdict::Faster | Verdict::Slower));
            rates.faster += usize::from(claim == Some(Verdict::Faster));
            rates.slower += usize::from(claim == Some(Verdict::Slower));
        }
        rates
    }

    /// The mean width of the last look's interval, relative to Student's t interval of the same blocks.
    pub(crate) fn width_against_t(&self, noise: Noise, trials: usize) -> f64 {
        let mut simulator = Simulator::new(self.most() as u64 + 2);
        let last = self.looks.last().expect("a last look");
        let ratio = |_| {
            let blocks = simulator.blocks(noise, self.most(), 0.0);
            let ratios: Vec<f64> =
                blocks.iter().map(|block| (block.program / block.reference).ln()).collect();
            let error = standard_error(&ratios).expect("finite ratios");
            let plain = error * t_quantile(0.975, ratios.len() as f64 - 1.0);
            self.decide_at(last, &blocks).theta.half_width() / plain
        };
        (0..trials).map(ratio).sum::<f64>() / trials as f64
    }

    fn decide_at(&self, look: &Look, blocks: &[Block]) -> Decision {
        let estimate = PairedEstimate::new(&blocks[..look.information as usize]).expect("finite blocks");
        decide(&self.plan, *look, &estimate)
    }

    /// One trial up to its first reason to stop.
    fn trial(&self, simulator: &mut Simulator, noise: Noise, theta: f64) -> (Decision, usize) {
        let blocks = simulator.blocks(noise, self.most(), theta);
        let at = |look: &Look| (self.decide_at(look, &blocks), look.information as usize);
        self.looks.iter().map(at).find(|(decision, _)| decision.stop.is_some()).expect("the last look stops")
    }
}

/// Counts over all trials.
#[derive(Debug, Default)]
pub(crate) struct Rates {
    pub(crate) trials: usize,
    pub(crate) faster: usize,
    pub(crate) slower: usize,
    /// Intervals at the stopping time without the true value.
    pub(crate) missed: usize,
    /// Blocks measured in all trials.
    pub(crate) blocks: usize,
}

impl Rates {
    pub(crate) fn share(&self, count: usize) -> f64 {
        count as f64 / self.trials as f64
    }

    /// At most 5 %, give or take three standard errors of the simulation.
    pub(crate) fn is_at_most_five_percent(&self, count: usize) -> bool {
        self.share(count) <= 0.05 + 3.0 * (0.05 * 0.95 / self.trials as f64).sqrt()
    }
}
