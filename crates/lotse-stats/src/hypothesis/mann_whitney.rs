//! The Mann-Whitney U test: whether one of two independent samples tends to larger values.
//!
//! Exact if one sample has at most eight values and there are no ties, otherwise
//! the normal approximation with corrections for ties and continuity, as scipy's
//! `method="auto"`.

use crate::distribution::normal_sf;
use crate::error::{Result, StatsError, check};
use crate::hypothesis::{PValueMethod, RankTest};
use crate::rank::Ranking;

/// Up to this size of the smaller sample, the null distribution is enumerated.
const EXACT_UP_TO: usize = 8;
/// The counts of 20,008 choose 8 arrangements still fit into 128 bits.
const EXACT_LARGER_UP_TO: usize = 20_000;

/// The test of two samples; the statistic is U of the first: the number of pairs it wins, ties by half.
pub fn mann_whitney(a: &[f64], b: &[f64]) -> Result<RankTest> {
    check(a, 1)?;
    check(b, 1)?;
    let all = [a, b].concat();
    let ranking = Ranking::from_values(&all);
    if ranking.groups.len() == 1 {
        return Err(StatsError::Constant { value: a[0] });
    }
    let (na, nb) = (a.len() as f64, b.len() as f64);
    let u = ranking.ranks[..a.len()].iter().sum::<f64>() - na * (na + 1.0) / 2.0;
    let (smaller, larger) = (a.len().min(b.len()), a.len().max(b.len()));
    let exact = smaller <= EXACT_UP_TO && larger <= EXACT_LARGER_UP_TO && !ranking.has_ties();
    let (p, method) = if exact {
        (exact_p(u.min(na * nb - u) as usize, smaller, larger), PValueMethod::Exact)
    } else {
        (approximate_p(u.max(na * nb - u), na, nb, ranking.tie_term()), PValueMethod::Approximate)
    };
    Ok(RankTest { statistic: u, p: p.min(1.0), method })
}

/// The two-sided p value: twice the share of arrangements with a U of at most `u`.
fn exact_p(u: usize, smaller: usize, larger: usize) -> f64 {
    let counts = arrangements(u, smaller, larger);
    let tail: u128 = counts.iter().sum();
    2.0 * tail as f64 / binomial(smaller + larger, smaller) as f64
}

/// The number of arrangements of the two samples with U = 0, 1, .. `most`.
///
/// The generating function is the Gaussian binomial, the product of
/// (1 - q^(larger + i)) / (1 - q^i) over i = 1..=smaller. One factor after the
/// other is multiplied or divided in, modulo 2^128; the coefficients fit.
fn arrangements(most: usize, smaller: usize, larger: usize) -> Vec<u128> {
    let mut counts = vec![0_u128; most + 1];
    counts[0] = 1;
    for i in 1..=smaller {
        for u in (larger + i..=most).rev() {
            counts[u] = counts[u].wrapping_sub(counts[u - larger - i]);
        }
        for u in i..=most {
            counts[u] = counts[u].wrapping_add(counts[u - i]);
        }
    }
    counts
}

fn binomial(n: usize, k: usize) -> u128 {
    (1..=k as u128).fold(1, |product, i| product * (n as u128 - k as u128 + i) / i)
}

fn approximate_p(u: f64, na: f64, nb: f64, tie_term: f64) -> f64 {
    let n = na + nb;
    let sd = (na * nb / 12.0 * ((n + 1.0) - tie_term / (n * (n - 1.0)))).sqrt();
    2.0 * normal_sf((u - na * nb / 2.0 - 0.5) / sd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrangements_are_counted_out() {
        // C(4, 2) = 6 orders of two and two values: U = 0, 1, 2 (twice), 3, 4.
        assert_eq!(arrangements(4, 2, 2), [1, 1, 2, 1, 1]);
        let all: u128 = arrangements(8 * 20_000, 8, 20_000).iter().sum();
        assert_eq!(all, binomial(20_008, 8));
    }

    #[test]
    fn equal_values_have_no_test() {
        assert_eq!(mann_whitney(&[1.0], &[1.0, 1.0]), Err(StatsError::Constant { value: 1.0 }));
    }
}
