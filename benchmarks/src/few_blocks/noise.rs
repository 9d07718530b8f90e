//! Blocks of two programs with a known ratio, under several kinds of noise.

use lotse_stats::paired::Block;

use crate::dice::Dice;

/// Standard deviation of ln(time) of a run; that of a block's log ratio is 1.8 %.
const SPREAD: f64 = 0.018 / std::f64::consts::SQRT_2;

/// A kind of noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noise {
    /// Independent normal runs.
    Normal,
    /// Successive runs correlate by 0.15.
    CorrelatedRuns,
    /// Successive differences correlate by 0.15, which a random order does not cancel.
    CorrelatedDifferences,
    /// Student's t with three degrees of freedom.
    HeavyTails,
    /// Exponentials of normal values: many short runs, few long ones.
    Lognormal,
    /// Contention that comes and goes: one run in 20 begins a burst, of 3.3 runs on average.
    Bursts,
    /// 10 % slower over the trial, and a random walk.
    Drift,
    /// The second run in a block is 1 % slower.
    Order,
    /// Half of the runs take 5 % longer.
    Bimodal,
}

impl Noise {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Normal,
        Self::CorrelatedRuns,
        Self::CorrelatedDifferences,
        Self::HeavyTails,
        Self::Lognormal,
        Self::Bursts,
        Self::Drift,
        Self::Order,
        Self::Bimodal,
    ];

    /// A short name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::CorrelatedRuns => "runs correlate 0.15",
            Self::CorrelatedDifferences => "differences correlate 0.15",
            Self::HeavyTails => "t with 3 degrees",
            Self::Lognormal => "lognormal",
            Self::Bursts => "bursts of contention",
            Self::Drift => "drift",
            Self::Order => "order effect 1 %",
            Self::Bimodal => "bimodal",
        }
    }

    /// `count` blocks with the true log ratio `theta`, in random mirrored order.
    pub fn blocks(self, dice: &mut Dice, count: usize, theta: f64) -> Vec<Block> {
        let runs = self.runs(dice, 2 * count);
        let mut first = false;
        let mut shared = 2.0_f64.sqrt() * SPREAD * normal(dice);
        let block = |i: usize| {
            first = if i.is_multiple_of(2) { dice.once_in(2) } else { !first };
            if self == Self::CorrelatedDifferences {
                shared = correlated(dice, shared, 2.0_f64.sqrt() * SPREAD);
            }
            let own = if self == Self::CorrelatedDifferences { shared } else { 0.0 };
            let (mine, other) = if first { (2 * i, 2 * i + 1) } else { (2 * i + 1, 2 * i) };
            Block {
                program: (theta + runs[mine] + own).exp(),
                reference: runs[other].exp(),
                position: if first { -1 } else { 1 },
            }
        };
        (0..count).map(block).collect()
    }

    /// The disturbances of runs in the order of execution.
    fn runs(self, dice: &mut Dice, count: usize) -> Vec<f64> {
        let mut state = 0.0;
        let mut busy = false;
        let run = |i: usize| match self {
            Self::Normal => SPREAD * normal(dice),
            Self::CorrelatedRuns => {
                state = correlated(dice, state, SPREAD);
                state
            }
            Self::CorrelatedDifferences => 0.0,
            Self::HeavyTails => 0.6 * SPREAD * student(dice, 3),
            Self::Lognormal => 0.5 * SPREAD * normal(dice).exp(),
            Self::Bursts => {
                busy = if busy { uniform(dice) < 0.7 } else { dice.once_in(20) };
                0.7 * SPREAD * normal(dice) + if busy { 0.1 * uniform(dice) } else { 0.0 }
            }
            Self::Drift => {
                state += 0.003 * normal(dice);
                state + 0.1 * i as f64 / count as f64 + SPREAD * normal(dice)
            }
            Self::Order => SPREAD * normal(dice) + 0.01 * (i % 2) as f64,
            Self::Bimodal => 0.3 * SPREAD * normal(dice) + if dice.once_in(2) { 1.05_f64.ln() } else { 0.0 },
        };
        (0..count).map(run).collect()
    }
}

/// The next value of a first-order autoregression of 0.15 with that standard deviation.
fn correlated(dice: &mut Dice, last: f64, deviation: f64) -> f64 {
    0.15 * last + (1.0_f64 - 0.15 * 0.15).sqrt() * deviation * normal(dice)
}

fn uniform(dice: &mut Dice) -> f64 {
    ((dice.number() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

/// By Box and Muller.
fn normal(dice: &mut Dice) -> f64 {
    let radius = (-2.0 * uniform(dice).ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform(dice)).cos()
}

fn student(dice: &mut Dice, degrees: u32) -> f64 {
    let squares: f64 = (0..degrees).map(|_| normal(dice).powi(2)).sum();
    normal(dice) / (squares / f64::from(degrees)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::{Dice, Noise};

    /// The correlation of successive log ratios over many blocks, and their standard deviation.
    fn seen(noise: Noise) -> (f64, f64) {
        let blocks = noise.blocks(&mut Dice::new(1, "test", 1), 40_000, 0.0);
        let ratios: Vec<f64> = blocks.iter().map(|block| (block.program / block.reference).ln()).collect();
        let lag = lotse_stats::autocorrelation::autocorrelation(&ratios, 1).unwrap();
        (lag, lotse_stats::descriptive::sample_sd(&ratios).unwrap())
    }

    #[test]
    fn differences_correlate_as_requested() {
        let (lag, deviation) = seen(Noise::CorrelatedDifferences);
        assert!((lag - 0.15).abs() < 0.02 && (deviation - 0.018).abs() < 0.0005, "{lag} {deviation}");
        for noise in [Noise::Normal, Noise::Lognormal, Noise::Drift] {
            let (lag, _) = seen(noise);
            assert!(lag.abs() < 0.03, "{noise:?}: {lag}");
        }
    }

    #[test]
    fn the_ratio_is_the_one_asked_for() {
        for noise in Noise::ALL {
            let blocks = noise.blocks(&mut Dice::new(2, "test", 1), 20_000, 0.05);
            let mean = blocks.iter().map(|block| (block.program / block.reference).ln()).sum::<f64>() / 2e4;
            assert!((mean - 0.05).abs() < 0.002, "{noise:?}: {mean}");
        }
    }
}
