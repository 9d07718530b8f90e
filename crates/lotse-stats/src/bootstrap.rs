//! Confidence intervals by resampling: percentile and BCa (bias-corrected, accelerated).
//!
//! Seeded and reproducible: resamples are drawn in chunks of a fixed size. Each
//! chunk has its own generator, seeded from the seed and the chunk's number, so
//! the result does not depend on the number of threads.

mod bca;
mod draw;

use crate::error::{Result, StatsError, check, check_open_unit, check_pairs};
use crate::interval::Interval;
use crate::power::Pairing;
use crate::quantile::{QuantileType, quantile_of_sorted};
pub use bca::{bca_interval, percentile_interval};
use draw::{draw_all, gather};

/// How to turn the resampled statistics into an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BootstrapMethod {
    /// The quantiles of the resampled statistics as they are.
    Percentile,
    /// Quantiles corrected for bias and skewness (Efron 1987).
    #[default]
    Bca,
}

/// The parameters of a bootstrap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BootstrapOptions {
    pub method: BootstrapMethod,
    pub resamples: usize,
    pub level: f64,
    /// Seed; equal seeds give equal intervals.
    pub seed: u64,
    /// Number of threads; it does not change the result.
    pub threads: usize,
}

impl Default for BootstrapOptions {
    fn default() -> Self {
        Self { method: BootstrapMethod::Bca, resamples: 9999, level: 0.95, seed: 0, threads: 1 }
    }
}

impl BootstrapOptions {
    fn check(&self) -> Result<()> {
        check_open_unit("confidence level", self.level)?;
        if self.resamples >= 2 {
            return Ok(());
        }
        Err(StatsError::TooFew { needed: 2, present: self.resamples })
    }
}

/// A statistic with its bootstrap interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bootstrap {
    /// The statistic of the values themselves.
    pub estimate: f64,
    /// Its confidence interval; of width zero if the statistic is the same in all resamples.
    pub interval: Interval,
    /// Standard deviation of the resampled statistics.
    pub standard_error: f64,
}

/// The interval of a statistic of one sample of at least two values.
pub fn bootstrap<F>(values: &[f64], statistic: F, options: &BootstrapOptions) -> Result<Bootstrap>
where
    F: Fn(&[f64]) -> f64 + Sync,
{
    check(values, 2)?;
    options.check()?;
    let resampled =
        draw_all(options, |generator| statistic(&gather(values, &generator.indices(values.len()))));
    let jackknife = [leave_one_out(values.len(), |kept| statistic(&gather(values, kept)))];
    conclude(statistic(values), resampled, &jackknife, options)
}

/// The interval of a statistic of two samples of at least two values each. Independent samples are resampled
/// separately; paired samples with the same indices, so that pairs stay together.
pub fn bootstrap_two<F>(
    a: &[f64],
    b: &[f64],
    pairing: Pairing,
    statistic: F,
    options: &BootstrapOptions,
) -> Result<Bootstrap>
where
    F: Fn(&[f64], &[f64]) -> f64 + Sync,
{
    check(a, 2)?;
    check(b, 2)?;
    options.check()?;
    let resampled_statistic =
        |from_a: &[usize], from_b: &[usize]| statistic(&gather(a, from_a), &gather(b, from_b));
    let (all_a, all_b): (Vec<usize>, Vec<usize>) = ((0..a.len()).collect(), (0..b.len()).collect());
    let (resampled, jackknife) = match pairing {
        Pairing::Independent => {
            let draw =
                |g: &mut draw::Generator| resampled_statistic(&g.indices(a.len()), &g.indices(b.len()));
            let left_out_a = leave_one_out(a.len(), |kept| resampled_statistic(kept, &all_b));
            let left_out_b = leave_one_out(b.len(), |kept| resampled_statistic(&all_a, kept));
            (draw_all(options, draw), vec![left_out_a, left_out_b])
        }
        Pairing::Paired => {
            check_pairs(a, b, 2)?;
            let pairs = |indices: &[usize]| resampled_statistic(indices, indices);
            let resampled = draw_all(options, |g| pairs(&g.indices(a.len())));
            (resampled, vec![leave_one_out(a.len(), pairs)])
        }
    };
    conclude(statistic(a, b), resampled, &jackknife, options)
}

/// Estimate, interval and standard error from the resampled and the leave-one-out statistics.
fn conclude(
    estimate: f64,
    resampled: Vec<f64>,
    jackknife: &[Vec<f64>],
    options: &BootstrapOptions,
) -> Result<Bootstrap> {
    let interval = match options.method {
        BootstrapMethod::Percentile => percentile_interval(&resampled, options.level)?,
        BootstrapMethod::Bca => bca_interval(estimate, &resampled, jackknife, options.level)?,
    };
    Ok(Bootstrap { estimate, interval, standard_error: crate::descriptive::sample_sd(&resampled)? })
}

/// The statistic of all values but one, for each value left out.
fn leave_one_out(n: usize, statistic: impl Fn(&[usize]) -> f64) -> Vec<f64> {
    let without = |left_out: usize| -> Vec<usize> { (0..n).filter(|&i| i != left_out).collect() };
    (0..n).map(|left_out| statistic(&without(left_out))).collect()
}

/// The interval between two quantiles of ascending values.
fn between(sorted: &[f64], low: f64, high: f64, level: f64) -> Interval {
    let at = |q| quantile_of_sorted(sorted, q, QuantileType::Seven);
    Interval { low: at(low), high: at(high), level }
}
