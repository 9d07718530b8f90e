//! Trend tests: whether values depend on their order, with slope and randomness of a series.

use crate::descriptive::median;
use crate::distribution::normal_two_sided;
use crate::error::{Result, StatsError, check, finite};
use crate::rank::Ranking;

/// Up to this many values, the slope is the median over all pairs.
const ALL_PAIRS_UP_TO: usize = 500;

/// The outcome of a trend test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    /// Typical change from one value to the next.
    pub slope: f64,
    /// Mann-Kendall's S: the number of rising pairs minus that of falling pairs.
    pub score: i64,
    /// Two-sided p value of no trend.
    pub p: f64,
}

/// The slope and the p value of a trend in at least three values. Constant values do not drift: p is 1.
pub fn drift(values: &[f64]) -> Result<Drift> {
    check(values, 3)?;
    let (score, p) = mann_kendall(values)?;
    Ok(Drift { slope: theil_sen(values)?, score, p })
}

/// Theil-Sen's slope: the median slope over pairs of values.
///
/// Above 500 values only pairs half the series apart are taken (Theil's incomplete method).
pub fn theil_sen(values: &[f64]) -> Result<f64> {
    check(values, 2)?;
    let n = values.len();
    let slope = |i: usize, j: usize| (values[j] - values[i]) / (j - i) as f64;
    let slopes: Vec<f64> = if n <= ALL_PAIRS_UP_TO {
        (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).map(|(i, j)| slope(i, j)).collect()
    } else {
        (0..n / 2).map(|i| slope(i, i + n.div_ceil(2))).collect()
    };
    median(&slopes).map_err(|_| StatsError::Unrepresentable { what: "the slope" })
}

/// Mann-Kendall's score and its two-sided p value, by the normal limit corrected for ties and continuity.
pub fn mann_kendall(values: &[f64]) -> Result<(i64, f64)> {
    check(values, 3)?;
    let ranking = Ranking::from_values(values);
    let score = rising_minus_falling(&ranking.ranks);
    let n = values.len() as f64;
    let shape = |t: f64| t * (t - 1.0) * (2.0 * t + 5.0);
    let ties: f64 = ranking.groups.iter().map(|&t| shape(t as f64)).sum();
    let variance = (shape(n) - ties) / 18.0;
    if variance <= 0.0 || score == 0 {
        return Ok((score, 1.0));
    }
    Ok((score, normal_two_sided((score.unsigned_abs() - 1) as f64 / variance.sqrt())))
}

/// The number of rising pairs minus that of falling pairs, in O(n log n): a Fenwick tree over the doubled midranks counts
/// the earlier values that are smaller and larger than each value.
fn rising_minus_falling(ranks: &[f64]) -> i64 {
    let mut tree = vec![0_i64; 2 * ranks.len() + 2];
    let mut score = 0;
    for (seen, rank) in ranks.iter().enumerate() {
        let index = (2.0 * rank) as usize;
        let up_to = prefix_sum(&tree, index);
        let below = prefix_sum(&tree, index - 1);
        score += below - (seen as i64 - up_to);
        let mut node = index;
        while node < tree.len() {
            tree[node] += 1;
            node += node & node.wrapping_neg();
        }
    }
    score
}

/// The sum over the first `node` entries of a Fenwick tree.
fn prefix_sum(tree: &[i64], mut node: usize) -> i64 {
    let mut sum = 0;
    while node > 0 {
        sum += tree[node];
        node &= node - 1;
    }
    sum
}

/// The two-sided p value of a random order, from the number of peaks and valleys.
///
/// Of three independent values the middle one is the largest or smallest with probability 2/3. Equal neighbours are no
/// turning point, which would make quantised values look too smooth; repeated values are therefore removed first.
pub fn turning_points(values: &[f64]) -> Result<f64> {
    check(values, 3)?;
    let mut distinct = values.to_vec();
    distinct.dedup();
    if distinct.len() < 3 {
        return Err(StatsError::TooFew { needed: 3, present: distinct.len() });
    }
    let turns = distinct.windows(3).filter(|w| (w[0] < w[1]) != (w[1] < w[2])).count() as f64;
    let n = distinct.len() as f64;
    let (expected, variance) = (2.0 * (n - 2.0) / 3.0, (16.0 * n - 29.0) / 90.0);
    finite("the turning-point test", normal_two_sided((turns - expected) / variance.sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_line_drifts() {
        let line: Vec<f64> = (0..30).map(|i| 5.0 - 0.5 * f64::from(i)).collect();
        let drift = drift(&line).unwrap();
        assert_eq!((drift.slope, drift.score), (-0.5, -435));
        assert!(drift.p < 1e-12);
        assert!(turning_points(&line).unwrap() < 1e-12);
    }

    #[test]
    fn constants_do_not_drift() {
        assert_eq!(drift(&[2.0; 9]), Ok(Drift { slope: 0.0, score: 0, p: 1.0 }));
        assert_eq!(turning_points(&[2.0; 9]), Err(StatsError::TooFew { needed: 3, present: 1 }));
    }

    #[test]
    fn long_series_use_fewer_pairs() {
        let line: Vec<f64> = (0..2001).map(|i| 0.25 * f64::from(i)).collect();
        assert_eq!(theil_sen(&line), Ok(0.25));
    }
}
