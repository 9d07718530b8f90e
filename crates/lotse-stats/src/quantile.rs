//! Quantiles of a sample by three of the nine usual definitions (Hyndman & Fan 1996).

use crate::descriptive::sorted;
use crate::error::{Result, StatsError, check};

/// Which definition of a sample quantile, by its usual number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QuantileType {
    /// Type 6, Weibull: position (n + 1) q.
    Six,
    /// Type 7, linear between order statistics: position (n - 1) q + 1. The default of numpy and R.
    #[default]
    Seven,
    /// Type 8, approximately median-unbiased: position (n + 1/3) q + 1/3.
    Eight,
}

/// The three quartiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quartiles {
    /// 25 % of the values are below.
    pub q1: f64,
    /// The middle.
    pub median: f64,
    /// 75 % of the values are below.
    pub q3: f64,
}

impl Quartiles {
    /// The interquartile range.
    pub fn iqr(&self) -> f64 {
        self.q3 - self.q1
    }
}

/// The `q` quantile of the values by the given definition.
pub fn quantile(values: &[f64], q: f64, kind: QuantileType) -> Result<f64> {
    check(values, 1)?;
    check_share(q)?;
    Ok(quantile_of_sorted(&sorted(values), q, kind))
}

/// Several quantiles of the values, with a single sort.
pub fn quantiles(values: &[f64], qs: &[f64], kind: QuantileType) -> Result<Vec<f64>> {
    check(values, 1)?;
    qs.iter().try_for_each(|&q| check_share(q))?;
    let sorted = sorted(values);
    Ok(qs.iter().map(|&q| quantile_of_sorted(&sorted, q, kind)).collect())
}

/// The quartiles by the default definition.
pub fn quartiles(values: &[f64]) -> Result<Quartiles> {
    check(values, 1)?;
    Ok(quartiles_of_sorted(&sorted(values)))
}

pub(crate) fn quartiles_of_sorted(sorted: &[f64]) -> Quartiles {
    let at = |q| quantile_of_sorted(sorted, q, QuantileType::Seven);
    Quartiles { q1: at(0.25), median: at(0.5), q3: at(0.75) }
}

/// The quantile of ascending values, with `q` in [0, 1]. Panics if there are no values.
pub(crate) fn quantile_of_sorted(sorted: &[f64], q: f64, kind: QuantileType) -> f64 {
    let n = sorted.len() as f64;
    let position = match kind {
        QuantileType::Six => (n + 1.0) * q - 1.0,
        QuantileType::Seven => (n - 1.0) * q,
        QuantileType::Eight => (n + 1.0 / 3.0) * q + 1.0 / 3.0 - 1.0,
    }
    .clamp(0.0, n - 1.0);
    let (below, above) = (sorted[position.floor() as usize], sorted[position.ceil() as usize]);
    let share = position.fract();
    // The weighted form cannot overflow, and is exact where both neighbours agree.
    if below == above { below } else { below * (1.0 - share) + above * share }
}

fn check_share(q: f64) -> Result<()> {
    if (0.0..=1.0).contains(&q) {
        return Ok(());
    }
    Err(StatsError::Parameter { name: "quantile", value: q, range: "[0, 1]" })
}
