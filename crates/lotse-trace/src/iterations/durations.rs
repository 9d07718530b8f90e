//! Statistics of the durations of iterations, and outliers.

use lotse_model::trace::Ticks;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::store::Trace;

/// Durations of iterations, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Durations {
    /// Number of iterations.
    pub count: usize,
    /// The shortest duration.
    pub least: f64,
    /// The median; the lower of the two middle durations.
    pub median: f64,
    /// The arithmetic mean.
    pub mean: f64,
    /// The sample standard deviation.
    pub deviation: f64,
    /// The longest duration.
    pub most: f64,
}

/// An iteration that took notably longer than the others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Slow"))]
pub struct SlowIteration {
    /// Its number, from 0.
    pub iteration: usize,
    /// Its duration.
    pub seconds: f64,
    /// Its duration divided by the median.
    pub times_median: f64,
}

/// Statistics and outliers. An iteration is slow if it exceeds the median by a tenth and by three standard deviations, as
/// estimated by the median absolute deviation.
pub(super) fn describe(trace: &Trace, ticks: &[Ticks]) -> (Durations, Vec<SlowIteration>) {
    let median = median(ticks);
    let deviations: Vec<Ticks> = ticks.iter().map(|it| it.abs_diff(median)).collect();
    // 1.4826 makes the median absolute deviation of a normal distribution its standard deviation.
    let limit = median as f64 + (3.0 * 1.4826 * self::median(&deviations) as f64).max(0.1 * median as f64);
    let slow = |(iteration, &it): (usize, &Ticks)| SlowIteration {
        iteration,
        seconds: trace.seconds(it),
        times_median: it as f64 / median.max(1) as f64,
    };
    let slow = ticks.iter().enumerate().filter(|(_, it)| **it as f64 > limit).map(slow).collect();
    (durations(trace, ticks, median), slow)
}

fn durations(trace: &Trace, ticks: &[Ticks], median: Ticks) -> Durations {
    let count = ticks.len();
    let sum: u128 = ticks.iter().map(|&it| u128::from(it)).sum();
    let mean = sum as f64 / count.max(1) as f64;
    let squares: f64 = ticks.iter().map(|&it| (it as f64 - mean).powi(2)).sum();
    let resolution = trace.definitions.clock.resolution.max(1) as f64;
    Durations {
        count,
        least: trace.seconds(ticks.iter().copied().min().unwrap_or(0)),
        median: trace.seconds(median),
        mean: mean / resolution,
        deviation: (squares / count.saturating_sub(1).max(1) as f64).sqrt() / resolution,
        most: trace.seconds(ticks.iter().copied().max().unwrap_or(0)),
    }
}

fn median(ticks: &[Ticks]) -> Ticks {
    let mut sorted = ticks.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or(0)
}
