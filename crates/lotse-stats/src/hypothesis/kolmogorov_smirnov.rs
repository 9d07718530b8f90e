//! Kolmogorov-Smirnov's test that two samples come from the same distribution.
//!
//! Exact for samples of up to 10,000 values (ties make it conservative),
//! otherwise by Kolmogorov's asymptotic distribution.

use crate::descriptive::sorted;
use crate::distribution::kolmogorov_sf;
use crate::error::{Result, check};
use crate::hypothesis::{PValueMethod, RankTest};

const EXACT_UP_TO: usize = 10_000;

/// The test of two samples; the statistic is the greatest distance of their distribution functions.
pub fn kolmogorov_smirnov(a: &[f64], b: &[f64]) -> Result<RankTest> {
    check(a, 1)?;
    check(b, 1)?;
    let (na, nb) = (a.len(), b.len());
    let distance = scaled_distance(&sorted(a), &sorted(b));
    let statistic = distance as f64 / (na as f64 * nb as f64);
    if na.max(nb) <= EXACT_UP_TO {
        return Ok(RankTest { statistic, p: exact_p(na, nb, distance), method: PValueMethod::Exact });
    }
    let effective = na as f64 * nb as f64 / (na + nb) as f64;
    Ok(RankTest {
        statistic,
        p: kolmogorov_sf(effective.sqrt() * statistic),
        method: PValueMethod::Approximate,
    })
}

/// The greatest distance of the distribution functions, times both sample sizes, which makes it an integer.
fn scaled_distance(a: &[f64], b: &[f64]) -> u64 {
    let (na, nb) = (a.len() as u64, b.len() as u64);
    let (mut i, mut j, mut greatest) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let at = a[i].min(b[j]);
        i += a[i..].partition_point(|&x| x <= at);
        j += b[j..].partition_point(|&x| x <= at);
        greatest = greatest.max((i as u64 * nb).abs_diff(j as u64 * na));
    }
    greatest
}

/// The share of lattice paths from (0, 0) to (na, nb) that reach a distance of at least `distance` from the diagonal,
/// where the distance at (x, y) is |x / na - y / nb| times na nb.
///
/// The share at (x, y) is the mean of the shares at its two predecessors, weighted by the number of paths through each.
/// Only positive terms are added, so that small p values have the same relative accuracy as large ones.
fn exact_p(na: usize, nb: usize, distance: u64) -> f64 {
    let strays = |x: usize, y: usize| (x as u64 * nb as u64).abs_diff(y as u64 * na as u64) >= distance;
    let mut row = vec![0.0_f64; nb + 1];
    for x in 0..=na {
        for y in 0..=nb {
            row[y] = if strays(x, y) {
                1.0
            } else {
                let from_left = x as f64 * row[y];
                let from_below = if y > 0 { y as f64 * row[y - 1] } else { 0.0 };
                (from_left + from_below) / (x + y).max(1) as f64
            };
        }
    }
    row[nb]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_samples_do_not_differ() {
        let test = kolmogorov_smirnov(&[5.0, 5.0], &[5.0]).unwrap();
        assert_eq!((test.statistic, test.p), (0.0, 1.0));
    }

    #[test]
    fn separate_samples_leave_two_of_all_paths() {
        let test = kolmogorov_smirnov(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]).unwrap();
        assert_eq!(test.statistic, 1.0);
        assert!((test.p - 2.0 / 20.0).abs() < 1e-15);
    }
}
