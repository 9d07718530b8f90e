//! Wilcoxon's signed-rank statistic: its quantiles and its serial correlation.
//!
//! If the values are symmetric about zero, the distribution of the sum of the
//! ranks of the positive values depends on n only. It is computed exactly up to
//! [`EXACT`] values and approximated by a normal distribution with continuity
//! correction above, whose heavier tails are conservative.

use crate::distribution::normal_quantile;
use crate::rank::Ranking;
use crate::walsh::walsh_total;

/// Up to this many values the exact distribution is used.
const EXACT: usize = 40;

/// The index (from one) of the Walsh average that is the lower end of an interval
/// with error probability `tail`; `None` if not even the smallest is low enough.
///
/// `inflation` is the factor by which the variance of the statistic exceeds that
/// of independent values; distances from the centre grow by its square root.
pub(super) fn lower_index(n: usize, tail: f64, inflation: f64) -> Option<u64> {
    let centre = 0.5 * walsh_total(n) as f64 - 0.5;
    let distance =
        if n <= EXACT { centre - exact_quantile(n, tail)? as f64 } else { normal_distance(n, tail)? };
    let last = (centre - distance * inflation.sqrt()).floor();
    (last >= 0.0).then_some(last as u64 + 1)
}

fn normal_distance(n: usize, tail: f64) -> Option<f64> {
    let n = n as f64;
    let deviation = (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0).sqrt();
    (tail > 0.0).then(|| -normal_quantile(tail) * deviation)
}

/// The largest w with P(W <= w) <= `tail`: the distribution of the rank sum W is built up rank by rank.
fn exact_quantile(n: usize, tail: f64) -> Option<u64> {
    let half = walsh_total(n) as usize / 2;
    let mut share = vec![0.0; half + 1];
    share[0] = 0.5_f64.powi(n as i32);
    for rank in 1..=n.min(half) {
        for sum in (rank..=half).rev() {
            share[sum] += share[sum - rank];
        }
    }
    let mut total = 0.0;
    let fits = |p: &&f64| {
        total += **p;
        total <= tail
    };
    (share.iter().take_while(fits).count() as u64).checked_sub(1)
}

/// The autocorrelation at lag one of the signed ranks of `centred` values in time order.
pub(super) fn lag_one(centred: &[f64]) -> f64 {
    let scores = signed_ranks(centred);
    let squares: f64 = scores.iter().map(|s| s * s).sum();
    if squares == 0.0 {
        return 0.0;
    }
    scores.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / squares
}

/// The rank of each absolute value with its sign; ties share their mean rank, zeros have none.
fn signed_ranks(values: &[f64]) -> Vec<f64> {
    let sizes: Vec<f64> = values.iter().map(|v| v.abs()).collect();
    let sign = |(rank, &value): (f64, &f64)| if value == 0.0 { 0.0 } else { rank.copysign(value) };
    Ranking::from_values(&sizes).ranks.into_iter().zip(values).map(sign).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_quantiles_match_the_tables() {
        // Tables of the signed-rank test at two-sided 5 %: reject at w or below.
        for (n, w) in [(6, 0), (7, 2), (8, 3), (10, 8), (15, 25), (20, 52), (25, 89)] {
            assert_eq!(exact_quantile(n, 0.025), Some(w), "n = {n}");
        }
        assert_eq!(exact_quantile(5, 0.025), None);
        assert_eq!(exact_quantile(5, 0.032), Some(0));
    }

    #[test]
    fn exact_and_normal_agree_where_they_meet() {
        for tail in [0.025, 0.005, 0.0005] {
            let exact = exact_quantile(EXACT, tail).unwrap() as f64;
            let normal = 0.5 * walsh_total(EXACT) as f64 - 0.5 - normal_distance(EXACT, tail).unwrap();
            assert!((exact - normal).abs() < 8.0 && normal.floor() <= exact, "{tail}: {exact} {normal}");
        }
    }

    #[test]
    fn inflation_widens_until_nothing_is_left() {
        assert_eq!(lower_index(20, 0.025, 1.0), Some(53));
        assert!(lower_index(20, 0.025, 1.3) < Some(53));
        assert_eq!(lower_index(20, 0.025, 100.0), None);
        assert_eq!(lower_index(100, 0.0, 1.0), None);
    }

    #[test]
    fn ranks_share_ties_and_skip_zeros() {
        assert_eq!(signed_ranks(&[-3.0, 0.0, 1.0, -1.0]), [-4.0, 0.0, 2.5, -2.5]);
        assert!(lag_one(&[1.0, -1.0, 1.0, -1.0]) < -0.7);
        assert_eq!(lag_one(&[0.0, 0.0]), 0.0);
    }
}
