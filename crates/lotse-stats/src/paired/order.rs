//! The effect of running second in a block: a robust estimate, and its correction.
//!
//! If the second program of a block profits or suffers from the first (warm
//! caches, a hot processor), blocks in one order differ from blocks in the other
//! order by a shift. In a balanced design this does not bias the comparison; it
//! only adds variance, which the correction removes.

use crate::hypothesis::mann_whitney::mann_whitney;
use crate::walsh::median_difference;

/// With fewer blocks of either order there is no correction.
pub(super) const LEAST_BLOCKS: usize = 4;

/// How much more a program measures if it runs later in its block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrderEffect {
    /// Shift between blocks where the program ran after the reference and those where it ran before.
    pub shift: f64,
    /// Two-sided p value of the Mann-Whitney test of no such shift.
    pub p_value: f64,
}

impl OrderEffect {
    /// The shift of `values` between positive and negative `positions`, if there are enough of both.
    pub(super) fn estimate(values: &[f64], positions: &[i32]) -> Option<Self> {
        let side = |sign: i32| {
            let chosen = values.iter().zip(positions).filter(|(_, p)| p.signum() == sign);
            let mut side: Vec<f64> = chosen.map(|(v, _)| *v).collect();
            side.sort_by(f64::total_cmp);
            side
        };
        let (after, before) = (side(1), side(-1));
        if after.len().min(before.len()) < LEAST_BLOCKS {
            return None;
        }
        // For finite values the test fails only if all are equal; there is then no shift.
        let p_value = mann_whitney(&after, &before).map_or(1.0, |test| test.p);
        Some(Self { shift: median_difference(&after, &before), p_value })
    }

    /// The amount that the order of its programs adds to the difference of a block.
    pub(super) fn at(&self, position: i32) -> f64 {
        0.5 * self.shift * f64::from(position.signum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_shift() {
        let values = [1.0, 0.1, 1.2, 0.2, 1.1, 0.0, 1.3, 0.3];
        let positions = [1, -1, 1, -1, 1, -1, 2, -2];
        let effect = OrderEffect::estimate(&values, &positions).unwrap();
        assert!((effect.shift - 1.0).abs() < 1e-12);
        assert!((effect.at(-3) + 0.5).abs() < 1e-12);
        // scipy.stats.mannwhitneyu([1, 1.2, 1.1, 1.3], [.1, .2, 0, .3]).pvalue
        assert!((effect.p_value - 2.0 / 70.0).abs() < 1e-12, "{}", effect.p_value);
        assert_eq!(OrderEffect::estimate(&values[..7], &positions[..7]), None);
    }

    #[test]
    fn equal_values_have_no_shift() {
        let effect = OrderEffect::estimate(&[1.0; 8], &[1, -1, 1, -1, 1, -1, 1, -1]);
        assert_eq!(effect, Some(OrderEffect { shift: 0.0, p_value: 1.0 }));
    }
}
