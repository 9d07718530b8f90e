//! The number of blocks that a comparison needs before it can show a difference.

use super::{correlation, inflation, order, signed_rank};
use crate::distribution::normal_quantile;
use crate::error::{Result, check_open_unit};

/// No sensible probability needs more blocks than this.
const MOST_NEEDED: usize = 1000;

/// The least number of blocks whose interval at the two-sided probability `p` is bounded for any correlation of successive
/// blocks.
///
/// The p value of n signs is at least 2 / 2^n, so fewer than six blocks show nothing at 5 %, and six to nine only if
/// successive blocks are not correlated.
pub fn blocks_needed(p: f64) -> Result<usize> {
    check_open_unit("p value", p)?;
    let bounded = |&n: &usize| {
        let ordered = n >= 2 * order::LEAST_BLOCKS;
        let worst = inflation(correlation(1.0, n, normal_quantile(0.5 * p)), n, ordered);
        signed_rank::lower_index(n, 0.5 * p, worst).is_some()
    };
    Ok((1..MOST_NEEDED).find(bounded).unwrap_or(MOST_NEEDED))
}

/// The least number of blocks whose interval at the two-sided probability `p` can be bounded, with the most negative
/// correlation of successive blocks. Between this number and [`blocks_needed`] it depends on the measured values.
pub fn blocks_possible(p: f64) -> Result<usize> {
    check_open_unit("p value", p)?;
    let bounded = |&n: &usize| {
        // The best case has no order effect to correct, as with blocks of unknown order.
        let best = inflation(correlation(-1.0, n, normal_quantile(0.5 * p)), n, false);
        signed_rank::lower_index(n, 0.5 * p, best).is_some()
    };
    Ok((1..MOST_NEEDED).find(bounded).unwrap_or(MOST_NEEDED))
}

#[cfg(test)]
mod tests {
    use super::{blocks_needed, blocks_possible};
    use crate::paired::{Block, PairedEstimate};

    #[test]
    fn ten_blocks_do_for_two_programs_and_more_for_several() {
        assert_eq!(blocks_needed(0.05), Ok(10));
        assert!(blocks_needed(0.025).unwrap() > 10 && blocks_needed(0.01).unwrap() < 20);
        assert!(blocks_needed(0.0).is_err());
    }

    /// Blocks with the strongest correlation: the first half low, the second half high.
    #[test]
    fn that_many_blocks_are_bounded_and_too_few_are_not() {
        let bounded = |n: usize, p: f64| {
            let block = |i: usize| Block {
                program: if 2 * i < n { 1.5 } else { 1.6 } + 1e-4 * i as f64,
                reference: 1.0,
                position: if i.is_multiple_of(2) { 1 } else { -1 },
            };
            let blocks: Vec<Block> = (0..n).map(block).collect();
            PairedEstimate::new(&blocks).unwrap().interval(p).half_width().is_finite()
        };
        for p in [0.1, 0.05, 0.025, 0.01, 0.005] {
            let needed = blocks_needed(p).unwrap();
            assert!((needed..40).all(|n| bounded(n, p)), "{p}: {needed}");
        }
        assert!(!bounded(5, 0.05) && !bounded(8, 0.05));
    }

    /// Blocks that alternate, the largest differences side by side, so that no correlation widens the interval.
    #[test]
    fn fewer_than_possible_are_never_bounded_and_that_many_may_be() {
        let bounded = |n: usize, p: f64| {
            let block = |i: usize| Block {
                program: {
                    let size = 0.05 + 1e-3 * i.min(n - 1 - i) as f64 + 1e-4 * (i % 2) as f64;
                    1.55 + if i.is_multiple_of(2) { size } else { -size }
                },
                reference: 1.0,
                position: 0,
            };
            let blocks: Vec<Block> = (0..n).map(block).collect();
            PairedEstimate::new(&blocks).unwrap().interval(p).half_width().is_finite()
        };
        for (p, possible) in [(0.05, 6), (0.05 / 3.0, 7), (0.005, 9)] {
            assert_eq!(blocks_possible(p), Ok(possible));
            assert!(!(2..possible).any(|n| bounded(n, p)) && bounded(possible, p), "{p}");
            assert!(blocks_needed(p).unwrap() > possible);
        }
    }
}
