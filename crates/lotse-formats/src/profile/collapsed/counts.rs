//! Guesses whether weights are numbers of samples. The format does not say what they are: `perf script |
//! stackcollapse-perf` writes periods or samples, off-CPU tools microseconds, allocation profilers bytes.
//!
//! Most stacks of a sampled program are seen a few times, and at least one of them once. Periods, nanoseconds and
//! bytes are large; perf in frequency mode begins with a period of 1, so that a single 1 among large weights proves
//! nothing. Weights that fail the test may still be numbers of samples; only the user knows.

use super::weight::DecimalWeight;

/// Half of the stacks of a sampled program have fewer samples than this.
const LARGEST_MEDIAN: i128 = 1000;

/// Whether the weights of a file are numbers of samples.
pub(super) fn are_samples(weights: impl Iterator<Item = DecimalWeight>) -> bool {
    let weights: Vec<DecimalWeight> = weights.filter(|weight| weight.value != 0).collect();
    if weights.iter().any(|weight| weight.digits > 0 || weight.value < 0) {
        return false;
    }
    let mut values: Vec<i128> = weights.into_iter().map(|weight| weight.value).collect();
    values.sort_unstable();
    values.first() == Some(&1) && values[values.len() / 2] < LARGEST_MEDIAN
}

#[cfg(test)]
mod tests {
    use super::{DecimalWeight, are_samples};

    fn samples(weights: &[&str]) -> bool {
        are_samples(weights.iter().map(|text| DecimalWeight::parse(text.as_bytes()).unwrap()))
    }

    #[test]
    fn numbers_of_samples_are_small_and_begin_with_one() {
        assert!(samples(&["1", "2", "70"]) && samples(&["1"]) && samples(&["5000", "1", "3"]));
    }

    #[test]
    fn everything_else_is_a_weight() {
        for weights in [
            &["70", "30"][..],
            &["10101010", "20202020"],
            &["1", "1", "250000", "250000", "300000"],
            &["1", "0.5"],
            &["1", "-2"],
            &["0"],
            &[],
        ] {
            assert!(!samples(weights), "{weights:?}");
        }
    }
}
