//! Anderson-Darling's test that k samples come from the same distribution.
//!
//! The midrank version of Scholz & Stephens (1987), equation 7, which allows for
//! ties. The p value is interpolated in their table of critical values, which
//! spans 0.1 % to 25 %; outside of it only a bound is known ([`TablePValue`]).

use crate::descriptive::sorted;
use crate::error::{Result, StatsError, check};
use crate::least_squares::{DesignMatrix, fit};

/// The outcome of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AndersonDarling {
    /// The statistic minus its mean, in standard deviations under the null hypothesis.
    pub statistic: f64,
    pub p: TablePValue,
}

/// A p value as far as a table reaches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TablePValue {
    /// Inside of the table.
    Interpolated(f64),
    /// Less extreme than the table's largest level: p is at least this.
    AtLeast(f64),
    /// More extreme than the table's smallest level: p is at most this.
    AtMost(f64),
}

impl TablePValue {
    /// The value or the bound.
    pub fn value(self) -> f64 {
        match self {
            Self::Interpolated(p) | Self::AtLeast(p) | Self::AtMost(p) => p,
        }
    }
}

/// The levels of the published table and the coefficients of its critical values.
const TABLE: [(f64, [f64; 3]); 7] = [
    (0.25, [0.675, -0.245, -0.105]),
    (0.1, [1.281, 0.25, -0.305]),
    (0.05, [1.645, 0.678, -0.362]),
    (0.025, [1.96, 1.149, -0.391]),
    (0.01, [2.326, 1.822, -0.396]),
    (0.005, [2.573, 2.364, -0.345]),
    (0.001, [3.085, 3.615, -0.154]),
];

/// The test of two or more samples with together at least four values.
pub fn anderson_darling(samples: &[&[f64]]) -> Result<AndersonDarling> {
    if samples.len() < 2 {
        return Err(StatsError::TooFew { needed: 2, present: samples.len() });
    }
    samples.iter().try_for_each(|sample| check(sample, 1))?;
    let all = sorted(&samples.concat());
    check(&all, 4)?;
    if all[0] == all[all.len() - 1] {
        return Err(StatsError::Constant { value: all[0] });
    }
    let df = (samples.len() - 1) as f64;
    let statistic = (midrank_statistic(samples, &all) - df) / null_variance(samples, all.len()).sqrt();
    Ok(AndersonDarling { statistic, p: table_p(statistic, df)? })
}

/// The sum over the samples of the squared distance between the distribution function of the sample and that of all
/// values `all` (ascending), weighted so that the tails count more. Distribution functions are taken at the middle of
/// each group of tied values.
fn midrank_statistic(samples: &[&[f64]], all: &[f64]) -> f64 {
    let total = all.len() as f64;
    let distance = |sample: &&[f64]| {
        let own = sorted(sample);
        let n = own.len() as f64;
        let (mut before, mut own_before, mut sum) = (0.0, 0, 0.0);
        for group in all.chunk_by(|a, b| a == b) {
            let ties = group.len() as f64;
            let own_ties = own[own_before..].partition_point(|&x| x <= group[0]);
            let middle = before + ties / 2.0;
            let own_middle = own_before as f64 + own_ties as f64 / 2.0;
            let excess = total * own_middle - middle * n;
            sum += ties / total * excess * excess / (middle * (total - middle) - total * ties / 4.0);
            before += ties;
            own_before += own_ties;
        }
        sum / n
    };
    (total - 1.0) / total * samples.iter().map(distance).sum::<f64>()
}

/// The variance of the statistic under the hypothesis, from the authors' equation 4.
fn null_variance(samples: &[&[f64]], total: usize) -> f64 {
    let k = samples.len() as f64;
    let n = total as f64;
    let inverse_sizes: f64 = samples.iter().map(|sample| 1.0 / sample.len() as f64).sum();
    let h: f64 = (1..total).map(|i| 1.0 / i as f64).sum();
    let g = double_harmonic(total);
    let a = (4.0 * g - 6.0) * (k - 1.0) + (10.0 - 6.0 * g) * inverse_sizes;
    let b = (2.0 * g - 4.0) * k * k + 8.0 * h * k + (2.0 * g - 14.0 * h - 4.0) * inverse_sizes - 8.0 * h
        + 4.0 * g
        - 6.0;
    let c = (6.0 * h + 2.0 * g - 2.0) * k * k
        + (4.0 * h - 4.0 * g + 6.0) * k
        + (2.0 * h - 6.0) * inverse_sizes
        + 4.0 * h;
    let d = (2.0 * h + 6.0) * k * k - 4.0 * h * k;
    (((a * n + b) * n + c) * n + d) / ((n - 1.0) * (n - 2.0) * (n - 3.0))
}

/// The sum of 1 / ((total - i) j) over 1 <= i < j < total.
fn double_harmonic(total: usize) -> f64 {
    let (mut inner, mut sum) = (0.0, 0.0);
    for j in 2..total {
        inner += 1.0 / (total - j + 1) as f64;
        sum += inner / j as f64;
    }
    sum
}

/// The p value of a statistic with `df` = k - 1: a parabola through the table, with the logarithm of the level as a
/// function of the critical value.
fn table_p(statistic: f64, df: f64) -> Result<TablePValue> {
    let critical = TABLE.map(|(_, [b0, b1, b2])| b0 + b1 / df.sqrt() + b2 / df);
    let (largest, smallest) = (TABLE[0].0, TABLE[TABLE.len() - 1].0);
    if statistic < critical[0] {
        return Ok(TablePValue::AtLeast(largest));
    }
    if statistic > critical[TABLE.len() - 1] {
        return Ok(TablePValue::AtMost(smallest));
    }
    let levels = TABLE.map(|(level, _)| level.ln());
    let squares = critical.map(|x| x * x);
    let parabola =
        fit(&DesignMatrix::new(vec![vec![1.0; TABLE.len()], critical.to_vec(), squares.to_vec()])?, &levels)?;
    let [c0, c1, c2] = [0, 1, 2].map(|i| parabola.coefficients[i].unwrap_or(0.0));
    Ok(TablePValue::Interpolated((c0 + statistic * (c1 + statistic * c2)).exp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_bounds() {
        let low: Vec<f64> = (0..20).map(f64::from).collect();
        let high: Vec<f64> = low.iter().map(|x| x + 100.0).collect();
        assert_eq!(anderson_darling(&[&low, &high]).unwrap().p, TablePValue::AtMost(0.001));
        assert_eq!(anderson_darling(&[&low, &low]).unwrap().p, TablePValue::AtLeast(0.25));
    }

    #[test]
    fn one_sample_or_one_value_is_not_enough() {
        assert!(anderson_darling(&[&[1.0, 2.0, 3.0, 4.0]]).is_err());
        assert_eq!(anderson_darling(&[&[1.0; 3], &[1.0; 3]]), Err(StatsError::Constant { value: 1.0 }));
    }
}
