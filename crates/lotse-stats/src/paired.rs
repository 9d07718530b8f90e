//! The ratio of two programs measured side by side in blocks.
//!
//! Each block runs both programs once, in random order, so that whatever slows
//! a whole block cancels in d = ln(program / reference). The location of d is
//! estimated by Hodges and Lehmann's median of pairwise averages; its interval
//! is the inverted Wilcoxon signed-rank test. Both need only that d is symmetric
//! when the programs are equal, which the random order guarantees; outliers
//! cannot move them far.
//!
//! Three corrections are made: the effect of the order within a block is taken
//! out ([`OrderEffect`]); the variance of the rank statistic is inflated by
//! (1 + r) / (1 - r) for a serial correlation r of its scores at lag one (never
//! below one), which is what was seen weighed with what is usual; and by
//! (n - 1) / (n - 2) for the order effect, which was estimated from the same blocks.
//!
//! A quantity that is constant over all blocks is exact and its interval a
//! point. Where some values are not positive, there is no logarithm: differences
//! take the place of ratios ([`Estimator`]), and where most are zero there is no ratio at all.

mod needed;
mod order;
mod signed_rank;

pub use needed::{blocks_needed, blocks_possible};
pub use order::OrderEffect;

use crate::distribution::normal_quantile;
use crate::error::{Result, StatsError, check_open_unit, finite};
use crate::interval::Interval;
use crate::walsh::{kth_walsh_average, median_walsh_average, walsh_total};

/// From this many blocks on serial correlation is corrected in full.
const FULLY_CORRECTED: f64 = 100.0;

/// Two measurements of one block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// The program's measurement.
    pub program: f64,
    /// The reference's measurement.
    pub reference: f64,
    /// The program's place in the block minus the reference's; zero when unknown or at once.
    pub position: i32,
}

/// What is compared, and so what the estimate's `theta` means. Zero is always "no difference".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Estimator {
    /// Logarithm of the ratio.
    LogRatio,
    /// Difference as a share of the reference's centre, for some values are zero.
    RelativeDifference,
    /// Plain difference: a program's values are mostly zero, or some are negative, so there is no ratio.
    Difference,
}

/// The paired comparison of two programs over some blocks.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedEstimate {
    /// What `theta` is.
    pub estimator: Estimator,
    /// The location of the differences, on the estimator's scale.
    pub theta: f64,
    /// All blocks agree exactly; the interval is a point.
    pub exact: bool,
    /// The effect of the order within blocks, which has been taken out, if there were blocks enough.
    pub order: Option<OrderEffect>,
    /// The adjusted differences, ascending.
    sorted: Vec<f64>,
    /// Serial correlation of their signed ranks about `theta`, as measured.
    lag_one: f64,
}

impl PairedEstimate {
    /// Compares program and reference over blocks in the order they were measured.
    pub fn new(blocks: &[Block]) -> Result<Self> {
        check_blocks(blocks)?;
        let (estimator, mut values) = differences(blocks);
        values.iter().try_for_each(|&v| finite("the difference of a block", v).map(drop))?;
        let positions: Vec<i32> = blocks.iter().map(|b| b.position).collect();
        // Judged before the order effect is taken out: what only differs by order is not constant.
        let exact = values.len() > 1 && values.windows(2).all(|pair| pair[0] == pair[1]);
        let order = OrderEffect::of(&values, &positions);
        if let Some(effect) = order {
            values.iter_mut().zip(&positions).for_each(|(v, &p)| *v -= effect.at(p));
        }
        let sorted = ascending(values.iter().copied());
        let theta = median_walsh_average(&sorted);
        let centred: Vec<f64> = values.iter().map(|v| v - theta).collect();
        Ok(Self { estimator, theta, exact, order, lag_one: signed_rank::lag_one(&centred), sorted })
    }

    /// The number of blocks.
    pub fn blocks(&self) -> usize {
        self.sorted.len()
    }

    /// The program's share of the reference (0.9: a tenth less), where there is one. It is positive.
    pub fn ratio(&self) -> Option<f64> {
        let point = self.ratio_scale(Interval::around(self.theta, 0.0, 1.0))?.low;
        (point > 0.0).then_some(point)
    }

    /// The interval of `theta` that is missed with the two-sided probability `p`.
    ///
    /// Its ends are infinite where so few blocks cannot exclude anything at that `p`.
    pub fn interval(&self, p: f64) -> Interval {
        if self.exact {
            return Interval::around(self.theta, 0.0, 1.0 - p);
        }
        self.inflated_interval(p, self.inflation(normal_quantile(0.5 * p)))
    }

    /// The same for a given factor by which the variance exceeds that of as many independent blocks: for studies of other
    /// corrections than the one that [`PairedEstimate::interval`] makes.
    pub fn inflated_interval(&self, p: f64, inflation: f64) -> Interval {
        let n = self.sorted.len();
        let Some(k) = signed_rank::lower_index(n, 0.5 * p, inflation) else {
            return Interval::around(self.theta, f64::INFINITY, 1.0 - p);
        };
        let mirrored = walsh_total(n) + 1 - k;
        let [low, high] = [k, mirrored].map(|k| kth_walsh_average(&self.sorted, k));
        Interval { low, high, level: 1.0 - p }
    }

    /// An interval of `theta` as one of the ratio, where there is one. No end is negative; a lower end of zero means
    /// that the data do not bound the ratio from below.
    pub fn ratio_scale(&self, theta: Interval) -> Option<Interval> {
        match self.estimator {
            Estimator::LogRatio => Some(theta.map(f64::exp)),
            Estimator::RelativeDifference => Some(theta.map(|t| (1.0 + t).max(0.0))),
            Estimator::Difference => None,
        }
    }

    /// Serial correlation of successive blocks as measured, about their common centre.
    pub fn lag_one(&self) -> f64 {
        self.lag_one
    }

    /// Serial correlation of successive blocks, at least zero, freed of the bias by their common centre.
    pub fn autocorrelation(&self) -> f64 {
        self.correlation_at(1.0)
    }

    /// The correlation if the true value lies `z` standard errors from the estimate.
    ///
    /// Values centred on their own estimate show z² / n less correlation than
    /// about the true value. An interval's end is z standard errors away, and
    /// without its z the false alarms of blocks correlated by 0.15 rise from 5 to
    /// 6 %. With few blocks the cut at zero is on the safe side already, by about
    /// 0.4 / √n; there the full correction only costs power (simulated).
    ///
    /// In 24 blocks the correlation seen varies by ± 0.2 from one trial to the next, so it is weighed with the usual one
    /// ([`USUAL_CORRELATION`]): that keeps the false alarms of blocks correlated by 0.15 at 5 %, with narrower and less
    /// changeable intervals than what was seen alone (`few_blocks` among the benchmarks).
    fn correlation_at(&self, z: f64) -> f64 {
        correlation(self.lag_one, self.sorted.len(), z)
    }

    /// The factor by which the variance exceeds that of as many independent blocks, `z` from the estimate.
    fn inflation(&self, z: f64) -> f64 {
        inflation(self.correlation_at(z), self.sorted.len(), self.order.is_some())
    }
}

/// [`PairedEstimate::correlation_at`] for a correlation `seen` at lag one in `blocks` blocks.
fn correlation(seen: f64, blocks: usize, z: f64) -> f64 {
    let n = blocks as f64;
    let distance = (z * z - 1.0).max(0.0) / n.max(FULLY_CORRECTED);
    let seen = seen + 1.0 / n + distance;
    ((n * seen + USUAL_BLOCKS * usual_correlation(blocks)) / (n + USUAL_BLOCKS)).clamp(0.0, 0.9)
}

/// The correlation that so many blocks are taken to have before any is seen.
///
/// Less than [`USUAL_CORRELATION`] does for few blocks: the test's p values are coarse there and err on the safe side. Six
/// blocks correlated by 0.15 have one sign in 5 % of trials, without any allowance.
fn usual_correlation(blocks: usize) -> f64 {
    if blocks <= 6 { 0.0 } else { USUAL_CORRELATION * (0.5 + blocks as f64 / 72.0).min(1.0) }
}

/// The inflation of the variance by a correlation `r` of neighbours and by an order effect estimated from the same blocks.
fn inflation(r: f64, blocks: usize, ordered: bool) -> f64 {
    let n = blocks as f64;
    let estimated = if ordered { (n - 1.0) / (n - 2.0) } else { 1.0 };
    estimated * (1.0 + r) / (1.0 - r)
}

/// The smallest true difference that these blocks would show at the two-sided
/// error probability `alpha` with the given `power`, on the scale of `theta`
/// (for small ones the same as the ratio's difference from one).
///
/// `None` where the blocks are too few to show any difference.
pub fn resolvable(estimate: &PairedEstimate, alpha: f64, power: f64) -> Result<Option<f64>> {
    check_open_unit("alpha", alpha)?;
    check_open_unit("power", power)?;
    let half_width = estimate.interval(alpha).half_width();
    let reach = 1.0 + normal_quantile(power) / -normal_quantile(0.5 * alpha);
    Ok(half_width.is_finite().then_some(half_width * reach))
}

/// The correlation of successive differences that intervals allow for before any is seen: together with what is seen, it
/// keeps false alarms at 5 % where the true one is 0.15. Differences of identical programs showed 0.04 and 0.12 on
/// real machines; single runs correlate far more, but that cancels within a block.
const USUAL_CORRELATION: f64 = 0.12;
/// The usual correlation counts as much as so many blocks.
const USUAL_BLOCKS: f64 = 60.0;

fn check_blocks(blocks: &[Block]) -> Result<()> {
    if blocks.is_empty() {
        return Err(StatsError::TooFew { needed: 1, present: 0 });
    }
    for (index, block) in blocks.iter().enumerate() {
        for value in [block.program, block.reference] {
            if !value.is_finite() {
                return Err(StatsError::NotFinite { index, value });
            }
        }
    }
    Ok(())
}

/// The differences of the blocks on the best scale their values allow.
fn differences(blocks: &[Block]) -> (Estimator, Vec<f64>) {
    if blocks.iter().all(|b| b.program > 0.0 && b.reference > 0.0) {
        let log = |b: &Block| if b.program == b.reference { 0.0 } else { b.program.ln() - b.reference.ln() };
        return (Estimator::LogRatio, blocks.iter().map(log).collect());
    }
    let centre = median_walsh_average(&ascending(blocks.iter().map(|b| b.reference)));
    let (estimator, unit) = if mostly_positive(blocks) && centre > 0.0 {
        (Estimator::RelativeDifference, centre)
    } else {
        (Estimator::Difference, 1.0)
    };
    (estimator, blocks.iter().map(|b| b.program / unit - b.reference / unit).collect())
}

/// Whether no value is negative and each program has more positive values than zeros: then a ratio says something.
fn mostly_positive(blocks: &[Block]) -> bool {
    let positive = |value: fn(&Block) -> f64| blocks.iter().filter(|block| value(block) > 0.0).count();
    let least = positive(|block| block.program).min(positive(|block| block.reference));
    blocks.iter().all(|block| block.program >= 0.0 && block.reference >= 0.0) && 2 * least > blocks.len()
}

fn ascending(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

#[cfg(test)]
mod tests;
