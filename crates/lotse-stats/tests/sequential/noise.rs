//! Runs of two programs in randomised mirrored blocks, under several kinds of noise.

use lotse_stats::paired::Block;
use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Standard deviation of ln(time) of a run; that of a block's log ratio is 1.8 %.
const SPREAD: f64 = 0.018 / std::f64::consts::SQRT_2;

/// What disturbs the runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Noise {
    Normal,
    /// Successive runs correlate by 0.15.
    CorrelatedRuns,
    /// Successive log ratios correlate by 0.15.
    CorrelatedBlocks,
    /// Student's t with two degrees of freedom: no variance.
    HeavyTails,
    /// Exponentials of normal values: many short runs, few long ones.
    Lognormal,
    /// Bursts of contention: one run in 20 starts a burst, of 3.3 runs on average.
    Bursts,
    /// A tenth of the runs takes 20 % longer.
    Contaminated,
    /// 10 % slower over the trial, and a random walk.
    Drift,
    /// The second run in a block is 1 % slower.
    Order,
    /// Half of the runs takes 5 % longer.
    Bimodal,
}

impl Noise {
    pub(crate) const ALL: [Self; 10] = [
        Self::Normal,
        Self::CorrelatedRuns,
        Self::CorrelatedBlocks,
        Self::HeavyTails,
        Self::Lognormal,
        Self::Bursts,
        Self::Contaminated,
        Self::Drift,
        Self::Order,
        Self::Bimodal,
    ];
}

pub(crate) struct Simulator {
    random: Xoshiro256PlusPlus,
}

impl Simulator {
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }

    /// `count` blocks with the true log ratio `theta`.
    pub(crate) fn blocks(&mut self, noise: Noise, count: usize, theta: f64) -> Vec<Block> {
        let runs = self.runs(noise, 2 * count);
        let mut first = false;
        let mut shared = 0.0;
        let block = |i: usize| {
            first = if i.is_multiple_of(2) { self.uniform() < 0.5 } else { !first };
            if noise == Noise::CorrelatedBlocks {
                shared =
                    0.15 * shared + (1.0_f64 - 0.15 * 0.15).sqrt() * SPREAD * 2.0_f64.sqrt() * self.normal();
            }
            let (own, other) = if first { (2 * i, 2 * i + 1) } else { (2 * i + 1, 2 * i) };
            Block {
                program: (theta + runs[own] + shared).exp(),
                reference: runs[other].exp(),
                position: if first { -1 } else { 1 },
            }
        };
        (0..count).map(block).collect()
    }

    /// The disturbances of runs in the order they are made.
    fn runs(&mut self, noise: Noise, count: usize) -> Vec<f64> {
        let mut state = 0.0;
        let mut busy = false;
        let run = |i: usize| match noise {
            Noise::Normal => SPREAD * self.normal(),
            Noise::CorrelatedRuns => {
                state = 0.15 * state + (1.0_f64 - 0.15 * 0.15).sqrt() * SPREAD * self.normal();
                state
            }
            Noise::CorrelatedBlocks => 0.0,
            Noise::HeavyTails => 0.5 * SPREAD * self.student_two(),
            Noise::Lognormal => 0.5 * SPREAD * self.normal().exp(),
            Noise::Bursts => {
                busy = self.uniform() < if busy { 0.7 } else { 0.05 };
                0.7 * SPREAD * self.normal() + if busy { 0.1 * self.uniform() } else { 0.0 }
            }
            Noise::Contaminated => SPREAD * self.normal() + self.rarely(0.1, 1.2_f64.ln()),
            Noise::Drift => {
                state += 0.003 * self.normal();
                state + 0.1 * i as f64 / count as f64 + SPREAD * self.normal()
            }
            Noise::Order => SPREAD * self.normal() + 0.01 * (i % 2) as f64,
            Noise::Bimodal => 0.3 * SPREAD * self.normal() + self.rarely(0.5, 1.05_f64.ln()),
        };
        (0..count).map(run).collect()
    }

    fn rarely(&mut self, probability: f64, value: f64) -> f64 {
        if self.uniform() < probability { value } else { 0.0 }
    }

    fn uniform(&mut self) -> f64 {
        (self.random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// By Box and Muller.
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// By inversion: the quantile has a closed form at two degrees of freedom.
    fn student_two(&mut self) -> f64 {
        let u = self.uniform().clamp(1e-12, 1.0 - 1e-12);
        (2.0 * u - 1.0) / (2.0 * u * (1.0 - u)).sqrt()
    }
}
