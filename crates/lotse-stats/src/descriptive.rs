//! Descriptive statistics of one sample: location and spread.
//!
//! Sample variance divides by n - 1, population variance by n (as the
//! geometric deviation does); both exist because reports show both.

use crate::error::{Result, StatsError, check, check_pairs, check_positive, finite};
use crate::sum::{squared_deviations, sum};
use crate::walsh::{median_difference, median_walsh_average};

/// The arithmetic mean.
pub fn mean(values: &[f64]) -> Result<f64> {
    check(values, 1)?;
    finite("the mean", sum(values.iter().copied()) / values.len() as f64)
}

/// The geometric mean of positive values.
pub fn geometric_mean(values: &[f64]) -> Result<f64> {
    check_positive(values, 1)?;
    finite("the geometric mean", (sum(values.iter().map(|x| x.ln())) / values.len() as f64).exp())
}

/// The geometric standard deviation exp(sqrt(1/n * sum ln(x/gm)^2)) of positive values.
pub fn geometric_sd(values: &[f64]) -> Result<f64> {
    check_positive(values, 1)?;
    let logs: Vec<f64> = values.iter().map(|x| x.ln()).collect();
    finite("the geometric deviation", population_sd(&logs)?.exp())
}

/// The mean without the `share` lowest and the `share` highest values, each count rounded down.
pub fn trimmed_mean(values: &[f64], share: f64) -> Result<f64> {
    if !(0.0..0.5).contains(&share) {
        return Err(StatsError::Parameter { name: "trimmed share", value: share, range: "[0, 0.5)" });
    }
    check(values, 1)?;
    let cut = (values.len() as f64 * share) as usize;
    mean(&sorted(values)[cut..values.len() - cut])
}

/// The Hodges-Lehmann estimate of the centre: the median of all pairwise averages.
pub fn hodges_lehmann(values: &[f64]) -> Result<f64> {
    check(values, 1)?;
    Ok(median_walsh_average(&sorted(values)))
}

/// The Hodges-Lehmann estimate of the shift: the median of all differences x - y.
pub fn hodges_lehmann_shift(xs: &[f64], ys: &[f64]) -> Result<f64> {
    check(xs, 1)?;
    check(ys, 1)?;
    finite("the shift", median_difference(&sorted(xs), &sorted(ys)))
}

/// The variance with divisor n - 1.
pub fn sample_variance(values: &[f64]) -> Result<f64> {
    check(values, 2)?;
    finite("the variance", squared_deviations(values, mean(values)?) / (values.len() - 1) as f64)
}

/// The variance with divisor n.
pub fn population_variance(values: &[f64]) -> Result<f64> {
    check(values, 1)?;
    finite("the variance", squared_deviations(values, mean(values)?) / values.len() as f64)
}

/// The square root of [`sample_variance`].
pub fn sample_sd(values: &[f64]) -> Result<f64> {
    Ok(sample_variance(values)?.sqrt())
}

/// The square root of [`population_variance`].
pub fn population_sd(values: &[f64]) -> Result<f64> {
    Ok(population_variance(values)?.sqrt())
}

/// The sample deviation divided by the absolute value of the mean.
pub fn relative_sd(values: &[f64]) -> Result<f64> {
    let (sd, mean) = (sample_sd(values)?, mean(values)?);
    finite("the deviation relative to the mean", sd / mean.abs())
}

/// The standard error of the mean of independent values.
pub fn standard_error(values: &[f64]) -> Result<f64> {
    Ok(sample_sd(values)? / (values.len() as f64).sqrt())
}

/// The least value.
pub fn minimum(values: &[f64]) -> Result<f64> {
    check(values, 1)?;
    Ok(values.iter().copied().fold(f64::INFINITY, f64::min))
}

/// The greatest value.
pub fn maximum(values: &[f64]) -> Result<f64> {
    check(values, 1)?;
    Ok(values.iter().copied().fold(f64::NEG_INFINITY, f64::max))
}

/// The middle value, or the mean of the two middle values.
pub fn median(values: &[f64]) -> Result<f64> {
    check(values, 1)?;
    Ok(median_of_sorted(&sorted(values)))
}

/// The median distance from the median, without a scale factor.
pub fn median_absolute_deviation(values: &[f64]) -> Result<f64> {
    let center = median(values)?;
    let distances: Vec<f64> = values.iter().map(|x| (x - center).abs()).collect();
    finite("the median deviation", median(&distances)?)
}

/// The covariance of pairs, with divisor n - 1.
pub fn sample_covariance(xs: &[f64], ys: &[f64]) -> Result<f64> {
    check_pairs(xs, ys, 2)?;
    let (mx, my) = (mean(xs)?, mean(ys)?);
    let products = sum(xs.iter().zip(ys).map(|(x, y)| (x - mx) * (y - my)));
    finite("the covariance", products / (xs.len() - 1) as f64)
}

/// An ascending copy; checked values hold no NaN, so the total order is the usual one.
pub(crate) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut copy = values.to_vec();
    copy.sort_by(f64::total_cmp);
    copy
}

/// The median of ascending values. Panics if there are none.
pub(crate) fn median_of_sorted(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { sorted[middle - 1].midpoint(sorted[middle]) }
}
