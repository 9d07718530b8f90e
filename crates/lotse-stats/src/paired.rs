//! The ratio of two programs measured side by side in blocks.
//!
//! Each block runs both programs once, in random order, so that whatever slows
//! down a whole block cancels in d = ln(program / reference). The location of d
//! is estimated by Hodges and Lehmann's median of pairwise averages; its interval
//! is the inverted Wilcoxon signed-rank test. Both only assume that d is
//! symmetric if the programs are equal, which the random order guarantees, and
//! both are robust against outliers.
//!
//! ```text
//! block      1        2        3
//! order      P R      R P      P R       P program, R reference
//! d          +0.02    +0.03    +0.01     ln(P / R): location 0.02
//! ```
//!
//! Three corrections are made:
//! - the effect of the order within a block is subtracted ([`OrderEffect`]);
//! - the variance of the rank statistic is inflated by (1 + r) / (1 - r), at
//!   least 1, for a serial correlation r of its scores at lag one; r is a weighted
//!   mean of the observed and the usual correlation;
//! - it is inflated by (n - 1) / (n - 2), since the order effect was estimated
//!   from the same blocks.
//!
//! A quantity that is constant over all blocks is exact and its interval a
//! point. If some values are not positive, there is no logarithm and differences
//! are used instead of ratios ([`Estimator`]); if most are zero, there is no
//! ratio at all.

mod needed;
mod order;
mod signed_rank;

pub use needed::{blocks_needed, blocks_possible};
pub use order::OrderEffect;

use crate::distribution::normal_quantile;
use crate::error::{Result, StatsError, check_open_unit, finite};
use crate::interval::Interval;
use crate::walsh::{kth_walsh_average, median_walsh_average, walsh_total};

/// From this many blocks on, the serial correlation is corrected in full.
const FULLY_CORRECTED: f64 = 100.0;

/// Two measurements of one block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// The program's measurement.
    pub program: f64,
    /// The reference's measurement.
    pub reference: f64,
    /// The program's position in the block minus the reference's; zero if unknown or if both ran at the same time.
    pub position: i32,
}

/// The scale of the comparison, and so the meaning of `theta`. Zero always means "no difference".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Estimator {
    /// Logarithm of the ratio.
    LogRatio,
    /// The difference divided by the centre of the reference, since some values are zero.
    RelativeDifference,
    /// The difference: most values of a program are zero, or some are negative, so there is no ratio.
    Difference,
}

/// The paired comparison of two programs over some blocks.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedEstimate {
    /// The scale of `theta`.
    pub estimator: Estimator,
    /// The location of the differences, on the estimator's scale.
    pub theta: f64,
    /// Whether all blocks have exactly the same difference; the interval is then a point.
    pub exact: bool,
    /// The effect of the order within blocks, which has been subtracted; `None` if there are too few blocks.
    pub order: Option<OrderEffect>,
    /// The differences without the order effect, ascending.
    sorted: Vec<f64>,
    /// The observed serial correlation of their signed ranks about `theta`.
    lag_one: f64,
}

impl PairedEstimate {
    /// Compares program and reference over blocks, which are in the order of their measurement.
    pub fn new(blocks: &[Block]) -> Result<Self> {
        check_blocks(blocks)?;
        let (estimator, mut values) = differences(blocks);
        values.iter().try_for_each(|&v| finite("the difference of a block", v).map(drop))?;
        let positions: Vec<i32> = blocks.iter().map(|b| b.position).collect();
        // Checked before the order effect is subtracted: blocks that differ only by their order are not constant.
        let exact = values.len() > 1 && values.windows(2).all(|pair| pair[0] == pair[1]);
        let order = OrderEffect::estimate(&values, &positions);
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

    /// The ratio of program to reference (0.9: a tenth less), if there is one. It is positive.
    pub fn ratio(&self) -> Option<f64> {
        let point = self.ratio_scale(Interval::around(self.theta, 0.0, 1.0))?.low;
        (point > 0.0).then_some(point)
    }

    /// The interval that does not contain the true `theta` with the two-sided probability `p`.
    ///
    /// Its ends are infinite if the blocks are too few to exclude any value at that `p`.
    pub fn interval(&self, p: f64) -> Interval {
        if self.exact {
            return Interval::around(self.theta, 0.0, 1.0 - p);
        }
        self.inflated_interval(p, self.inflation(normal_quantile(0.5 * p)))
    }

    /// As [`PairedEstimate::interval`], for a given factor by which the variance exceeds that of independent blocks. It is
    /// public for studies of other corrections.
    pub fn inflated_interval(&self, p: f64, inflation: f64) -> Interval {
        let n = self.sorted.len();
        let Some(k) = signed_rank::lower_index(n, 0.5 * p, inflation) else {
            return Interval::around(self.theta, f64::INFINITY, 1.0 - p);
        };
        let mirrored = walsh_total(n) + 1 - k;
        let [low, high] = [k, mirrored].map(|k| kth_walsh_average(&self.sorted, k));
        Interval { low, high, level: 1.0 - p }
    }

    /// Converts an interval of `theta` into one of the ratio, if there is a ratio. No end is negative; a lower end of zero
    /// means that the data do not bound the ratio from below.
    pub fn ratio_scale(&self, theta: Interval) -> Option<Interval> {
        match self.estimator {
            Estimator::LogRatio => Some(theta.map(f64::exp)),
            Estimator::RelativeDifference => Some(theta.map(|t| (1.0 + t).max(0.0))),
            Estimator::Difference => None,
        }
    }

    /// The observed serial correlation of successive blocks, about their common centre.
    pub fn lag_one(&self) -> f64 {
        self.lag_one
    }

    /// The serial correlation of successive blocks, at least zero, corrected for the bias that centring introduces.
    pub fn autocorrelation(&self) -> f64 {
        self.correlation_at(1.0)
    }

    /// The correlation if the true value lies `z` standard errors from the estimate.
    ///
    /// Values centred at their own estimate have a correlation that is z² / n smaller than about the true value. The end
    /// of an interval is z standard errors away; without this correction, the false alarms of blocks with a correlation
    /// of 0.15 rise from 5 to 6 %. With few blocks the clamp at zero is already conservative, by about 0.4 / √n; there the
    /// full correction would only cost power (simulated).
    ///
    /// In 24 blocks the observed correlation varies by ± 0.2 between trials, so a weighted mean with the usual correlation
    /// ([`USUAL_CORRELATION`]) is used: it keeps the false alarms of blocks with a correlation of 0.15 at 5 %, and the
    /// intervals are narrower and vary less than with the observed correlation alone (benchmark `few_blocks`).
    fn correlation_at(&self, z: f64) -> f64 {
        correlation(self.lag_one, self.sorted.len(), z)
    }

    /// The factor by which the variance exceeds that of independent blocks, `z` standard errors from the estimate.
    fn inflation(&self, z: f64) -> f64 {
        inflation(self.correlation_at(z), self.sorted.len(), self.order.is_some())
    }
}

/// [`PairedEstimate::correlation_at`] for an observed correlation at lag one in `blocks` blocks.
fn correlation(observed: f64, blocks: usize, z: f64) -> f64 {
    let n = blocks as f64;
    let distance = (z * z - 1.0).max(0.0) / n.max(FULLY_CORRECTED);
    let unbiased = observed + 1.0 / n + distance;
    ((n * unbiased + USUAL_BLOCKS * usual_correlation(blocks)) / (n + USUAL_BLOCKS)).clamp(0.0, 0.9)
}

/// The prior correlation for a number of blocks.
///
/// Less than [`USUAL_CORRELATION`] for few blocks, where the p values of the test are coarse and conservative: six blocks
/// with a correlation of 0.15 all have the same sign in 5 % of trials, without any correction.
fn usual_correlation(blocks: usize) -> f64 {
    if blocks <= 6 { 0.0 } else { USUAL_CORRELATION * (0.5 + blocks as f64 / 72.0).min(1.0) }
}

/// The inflation of the variance by a correlation `r` of neighbours and, if `ordered`, by the estimation of the order effect
/// from the same blocks.
fn inflation(r: f64, blocks: usize, ordered: bool) -> f64 {
    let n = blocks as f64;
    let estimated = if ordered { (n - 1.0) / (n - 2.0) } else { 1.0 };
    estimated * (1.0 + r) / (1.0 - r)
}

/// The smallest true difference that these blocks would detect at the two-sided
/// error probability `alpha` with the given `power`, on the scale of `theta`
/// (for small differences the same as the ratio minus one).
///
/// `None` if the blocks are too few to detect any difference.
pub fn resolvable(estimate: &PairedEstimate, alpha: f64, power: f64) -> Result<Option<f64>> {
    check_open_unit("alpha", alpha)?;
    check_open_unit("power", power)?;
    let half_width = estimate.interval(alpha).half_width();
    let reach = 1.0 + normal_quantile(power) / -normal_quantile(0.5 * alpha);
    Ok(half_width.is_finite().then_some(half_width * reach))
}

/// The prior correlation of successive differences. Combined with the observed one, it keeps false alarms at 5 % if the true
/// correlation is 0.15. Differences of identical programs had 0.04 and 0.12 on real machines; single runs correlate far
/// more, but that cancels within a block.
const USUAL_CORRELATION: f64 = 0.12;
/// The weight of the prior correlation, in blocks.
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

/// The differences of the blocks: logarithms of ratios if all values are positive, else relative or plain differences.
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

/// Whether no value is negative and each program has more positive values than zeros; a ratio is then meaningful.
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
