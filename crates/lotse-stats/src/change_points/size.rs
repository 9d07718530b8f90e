//! The size of a step relative to the spread on both sides of it, for segments that are too short for ranks.
//!
//! ```text
//! 100.2 100.0 99.7 100.1 99.9 100.0 | 110.1 109.9 110.0
//! ```
//! Of the 84 ways to choose three of nine values, two are as extreme as this one, so that no test by ranks gives a p value
//! below 0.02. By their size, the three values are 60 standard deviations away.

use crate::descriptive::mean;
use crate::distribution::t_two_sided;
use crate::sum::squared_deviations;

/// Ranks suffice for longer segments; in these, correlated noise would look like a step now and then.
pub(super) const LONGEST: usize = 16;

/// The t test assumes normal values, and run times are not: its p value must be smaller by this factor.
pub(super) const STRICTER: f64 = 0.1;

/// The p value of a t test with pooled variance, the statistic divided by `shrink`; 1 if the sides overlap or are too short.
pub(super) fn p_value(before: &[f64], after: &[f64], shrink: f64) -> f64 {
    let freedom = (before.len() + after.len()) as f64 - 2.0;
    let (Ok(low), Ok(high)) = (mean(before), mean(after)) else { return 1.0 };
    if freedom < 1.0 || !(is_below(before, after) || is_below(after, before)) {
        return 1.0;
    }
    let variance = (squared_deviations(before, low) + squared_deviations(after, high)) / freedom;
    let sizes = 1.0 / before.len() as f64 + 1.0 / after.len() as f64;
    t_two_sided((high - low).abs() / (variance * sizes).sqrt() / shrink, freedom)
}

/// Whether every value of `lower` is below every value of `upper`.
fn is_below(lower: &[f64], upper: &[f64]) -> bool {
    let highest = lower.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    upper.iter().all(|value| *value > highest)
}

#[cfg(test)]
mod tests {
    use super::p_value;

    #[test]
    fn the_p_value_is_that_of_a_t_test() {
        let (before, after) = ([1.0, 2.0, 3.0, 2.0], [5.0, 6.0, 7.0]);
        // t = 4 / sqrt(0.8 (1/4 + 1/3)) = 5.8554; the density with 5 degrees of freedom integrated beyond it, twice.
        let p = p_value(&before, &after, 1.0);
        assert!((p - 0.002_058_524).abs() < 1e-8, "{p}");
        assert_eq!(p_value(&before, &after, 1.0), p_value(&after, &before, 1.0));
        assert!(p_value(&before, &after, 2.0) > p_value(&before, &after, 1.0));
        // Sides that overlap, and a side without values.
        assert_eq!(p_value(&before, &[2.5, 6.0, 7.0], 1.0), 1.0);
        assert_eq!(p_value(&[], &after, 1.0), 1.0);
        // Without any spread the step is certain.
        assert_eq!(p_value(&[1.0, 1.0, 1.0], &[2.0, 2.0, 2.0], 1.0), 0.0);
    }
}
