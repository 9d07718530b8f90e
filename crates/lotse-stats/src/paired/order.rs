//! The effect of running second: measured robustly and taken out.
//!
//! When the second program of a block profits or suffers from the first (warm
//! caches, a heated processor), blocks of one order differ from those of the
//! other by a shift. A balanced design does not let it bias the comparison; it
//! only adds spread, which the adjustment removes.

use crate::sequential::normal::tail;
use crate::walsh::{difference_count, median_difference};

/// With fewer blocks of either order there is no adjustment.
const LEAST_BLOCKS: usize = 4;

/// How much later in its block a program measures more than it would earlier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrderEffect {
    /// Shift between blocks where the program ran after the reference and those where it ran before.
    pub shift: f64,
    /// Two-sided p value of the Mann-Whitney test of no such shift (normal approximation).
    pub p_value: f64,
}

impl OrderEffect {
    /// The shift of `values` between positive and negative `positions`, if there are enough of both.
    pub(super) fn of(values: &[f64], positions: &[i32]) -> Option<Self> {
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
        Some(Self { shift: median_difference(&after, &before), p_value: mann_whitney(&after, &before) })
    }

    /// What a block measures too much because of the order its programs ran in.
    pub(super) fn at(&self, position: i32) -> f64 {
        0.5 * self.shift * f64::from(position.signum())
    }
}

/// Two-sided p value of the Mann-Whitney test, without correction for ties: too large when there are many.
fn mann_whitney(xs: &[f64], ys: &[f64]) -> f64 {
    let pairs = (xs.len() * ys.len()) as f64;
    let not_above = difference_count(xs, ys, 0.0) as f64;
    let below = pairs - difference_count(ys, xs, 0.0) as f64;
    let distance = (0.5 * (not_above + below) - 0.5 * pairs).abs() - 0.5;
    let deviation = (pairs * (xs.len() + ys.len() + 1) as f64 / 12.0).sqrt();
    (2.0 * tail(distance.max(0.0) / deviation)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_shift() {
        let values = [1.0, 0.1, 1.2, 0.2, 1.1, 0.0, 1.3, 0.3];
        let positions = [1, -1, 1, -1, 1, -1, 2, -2];
        let effect = OrderEffect::of(&values, &positions).unwrap();
        assert!((effect.shift - 1.0).abs() < 1e-12);
        assert!((effect.at(-3) + 0.5).abs() < 1e-12);
        // scipy.stats.mannwhitneyu([1, 1.2, 1.1, 1.3], [.1, .2, 0, .3], method="asymptotic").pvalue
        assert!((effect.p_value - 0.030_382_821_976_577_12).abs() < 1e-9, "{}", effect.p_value);
        assert_eq!(OrderEffect::of(&values[..7], &positions[..7]), None);
    }

    #[test]
    fn no_shift_has_a_p_value_of_one() {
        assert_eq!(mann_whitney(&[1.0; 4], &[1.0; 4]), 1.0);
    }
}
