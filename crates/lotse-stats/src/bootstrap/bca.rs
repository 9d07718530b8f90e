//! From resampled statistics to an interval.

use super::between;
use crate::descriptive::{mean, sorted};
use crate::distribution::{normal_cdf, normal_quantile};
use crate::error::{Result, StatsError, check, check_open_unit};
use crate::interval::Interval;
use crate::sum::sum;

/// The interval between the outer quantiles of the resampled statistics.
pub fn percentile_interval(resampled: &[f64], level: f64) -> Result<Interval> {
    check_statistics(resampled)?;
    check_open_unit("confidence level", level)?;
    let tail = (1.0 - level) / 2.0;
    Ok(between(&sorted(resampled), tail, 1.0 - tail, level))
}

/// Efron's BCa interval from the resampled statistics and, for each sample, the leave-one-out statistics.
///
/// The bias is the normal quantile of the share of resamples below the estimate. This share is clamped to half a
/// resample above zero and below one, since the quantiles of zero and one are infinite.
pub fn bca_interval(
    estimate: f64,
    resampled: &[f64],
    jackknife: &[Vec<f64>],
    level: f64,
) -> Result<Interval> {
    check_statistics(&[estimate])?;
    check_statistics(resampled)?;
    jackknife.iter().try_for_each(|left_out| check_statistics(left_out))?;
    check_open_unit("confidence level", level)?;
    let sorted = sorted(resampled);
    let bias = normal_quantile(share_below(&sorted, estimate));
    let acceleration = acceleration(jackknife)?;
    let corrected = |q: f64| {
        let z = bias + normal_quantile(q);
        normal_cdf(bias + z / (1.0 - acceleration * z))
    };
    let tail = (1.0 - level) / 2.0;
    Ok(between(&sorted, corrected(tail), corrected(1.0 - tail), level))
}

/// The share of values below the estimate, equal ones counted by half.
fn share_below(sorted: &[f64], estimate: f64) -> f64 {
    let below = sorted.partition_point(|&x| x < estimate);
    let up_to = sorted.partition_point(|&x| x <= estimate);
    let half = 0.5 / sorted.len() as f64;
    ((below + up_to) as f64 * half).clamp(half, 1.0 - half)
}

/// The acceleration: how fast the standard error of the statistic changes with its value, from the skewness of the
/// leave-one-out statistics.
fn acceleration(jackknife: &[Vec<f64>]) -> Result<f64> {
    let (mut cubes, mut squares) = (0.0, 0.0);
    for left_out in jackknife {
        let n = left_out.len() as f64;
        let center = mean(left_out)?;
        let influence = |x: &f64| (n - 1.0) * (center - x) / n;
        cubes += sum(left_out.iter().map(|x| influence(x).powi(3)));
        squares += sum(left_out.iter().map(|x| influence(x).powi(2)));
    }
    // A statistic that no value influences does not vary; its acceleration is 0.
    Ok(if squares > 0.0 { cubes / (6.0 * squares.powf(1.5)) } else { 0.0 })
}

fn check_statistics(values: &[f64]) -> Result<()> {
    check(values, 1).map_err(|error| match error {
        StatsError::NotFinite { .. } => {
            StatsError::Unrepresentable { what: "the statistic of some resample" }
        }
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statistic_that_never_varies_has_an_interval_of_width_zero() {
        let interval = bca_interval(3.0, &[3.0; 99], &[vec![3.0; 5]], 0.95).unwrap();
        assert_eq!((interval.low, interval.high), (3.0, 3.0));
    }

    #[test]
    fn an_estimate_outside_of_all_resamples_still_has_an_interval() {
        let resampled: Vec<f64> = (0..99).map(f64::from).collect();
        let interval = bca_interval(-1.0, &resampled, &[vec![1.0, 2.0, 3.0]], 0.95).unwrap();
        assert!(interval.low >= 0.0 && interval.high <= 98.0);
    }

    #[test]
    fn a_statistic_without_value_is_an_error() {
        let error = percentile_interval(&[1.0, f64::NAN], 0.95).unwrap_err();
        assert_eq!(error, StatsError::Unrepresentable { what: "the statistic of some resample" });
    }
}
