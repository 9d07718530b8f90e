//! Constant values, and quantised values such as the ticks of a coarse clock.

use crate::descriptive::sorted;
use crate::error::{Result, check, finite};

/// Whether all values are equal.
pub fn is_constant(values: &[f64]) -> Result<bool> {
    check(values, 1)?;
    Ok(values.iter().all(|&x| x == values[0]))
}

/// The smallest distance of two different values; `None` if all are equal.
pub fn smallest_gap(values: &[f64]) -> Result<Option<f64>> {
    Ok(gaps(values)?.into_iter().reduce(f64::min))
}

/// The quantisation step: the greatest step of which all distances of values are multiples.
///
/// `None` if all values are equal or if there is no such step, that is, if the step is not well above the rounding error
/// of the values, or so fine that any values would be multiples of it.
pub fn quantisation_step(values: &[f64]) -> Result<Option<f64>> {
    let gaps = gaps(values)?;
    let Some(largest) = gaps.iter().copied().reduce(f64::max) else {
        return Ok(None);
    };
    let magnitude = values.iter().fold(largest, |m, x| m.max(x.abs()));
    let rounding = 8.0 * f64::EPSILON * magnitude;
    // Every candidate divides the largest gap, so that gap gives the most accurate value of the step.
    let sharpened = |step: f64| largest / (largest / step).round();
    let narrowed = |step: f64, gap: &f64| sharpened(common_step(step, *gap, rounding * largest));
    let step = gaps.iter().fold(largest, narrowed);
    // Values that are not quantised end near step² = rounding * largest; the factor makes a larger step by chance unlikely.
    let explained = step * step > 1e4 * rounding * largest && gaps.iter().all(|gap| fits(*gap, step));
    Ok(explained.then_some(step))
}

/// Euclid's algorithm for the greatest common divisor of two gaps. It ends when the remainder is a rounding error, which
/// grows with the number of steps in the largest gap: `noise` is the rounding error of the values times that gap.
fn common_step(a: f64, b: f64, noise: f64) -> f64 {
    let (mut large, mut small) = (a.max(b), a.min(b));
    while small > noise / large {
        let remainder = (large - small * (large / small).round()).abs();
        (large, small) = (small, remainder);
    }
    large
}

fn fits(gap: f64, step: f64) -> bool {
    let multiple = gap / step;
    (multiple - multiple.round()).abs() < 1e-3
}

/// The distances between neighbouring distinct values.
fn gaps(values: &[f64]) -> Result<Vec<f64>> {
    check(values, 1)?;
    let sorted = sorted(values);
    finite("the range", sorted[sorted.len() - 1] - sorted[0])?;
    Ok(sorted.windows(2).map(|w| w[1] - w[0]).filter(|&gap| gap > 0.0).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_of_a_coarse_clock_are_found() {
        let ticks: Vec<f64> = [3, 5, 11, 3, 8].iter().map(|&i| f64::from(i) * 0.01).collect();
        let step = quantisation_step(&ticks).unwrap().unwrap();
        assert!((step - 0.01).abs() < 1e-12, "{step}");
        assert!((smallest_gap(&ticks).unwrap().unwrap() - 0.02).abs() < 1e-12);
    }

    #[test]
    fn the_step_may_be_finer_than_every_gap() {
        assert_eq!(quantisation_step(&[0.0, 6.0, 15.0, 25.0]).unwrap(), Some(1.0));
    }

    #[test]
    fn smooth_values_and_constants_have_no_step() {
        let smooth: Vec<f64> = (1..50).map(|i| f64::from(i).sqrt()).collect();
        assert_eq!(quantisation_step(&smooth).unwrap(), None);
        assert_eq!(quantisation_step(&[4.0; 3]).unwrap(), None);
        assert!(is_constant(&[4.0; 3]).unwrap());
    }
}
