//! The power of a comparison: the differences that a number of runs can detect, for normal values of equal variance.

use std::f64::consts::FRAC_1_SQRT_2;

use crate::distribution::{normal_quantile, normal_sf};
use crate::error::{Result, StatsError, check_open_unit};

/// The probability that two measured means are in the wrong order, where
/// k = difference of the true means / (sd / sqrt n).
pub fn wrong_order_chance(k: f64) -> Result<f64> {
    if k.is_nan() {
        return Err(StatsError::Parameter { name: "k", value: k, range: "the numbers" });
    }
    Ok(normal_sf(k.abs() * FRAC_1_SQRT_2))
}

/// Whether the values of two programs are paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairing {
    /// Independent samples; the deviation is that of one value.
    Independent,
    /// Pairs; the deviation is that of a difference.
    Paired,
}

/// The smallest true difference of means that a test of `n` values per program detects with the given power.
pub fn resolvable_difference(sd: f64, n: usize, pairing: Pairing, alpha: f64, power: f64) -> Result<f64> {
    check_open_unit("significance level", alpha)?;
    check_open_unit("power", power)?;
    if n == 0 {
        return Err(StatsError::TooFew { needed: 1, present: 0 });
    }
    if !(sd >= 0.0 && sd.is_finite()) {
        return Err(StatsError::Parameter { name: "standard deviation", value: sd, range: "[0, inf)" });
    }
    let samples = if pairing == Pairing::Independent { 2.0 } else { 1.0 };
    let quantiles = normal_quantile(1.0 - alpha / 2.0) + normal_quantile(power);
    Ok(quantiles * sd * (samples / n as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_chances_of_a_wrong_order() {
        assert!((wrong_order_chance(2.0).unwrap() - 0.07865).abs() < 5e-6);
        assert!((wrong_order_chance(1.0).unwrap() - 0.23975).abs() < 5e-6);
        assert_eq!(wrong_order_chance(0.0), Ok(0.5));
    }

    #[test]
    fn pairs_resolve_more_and_constants_everything() {
        let of = |sd, pairing| resolvable_difference(sd, 25, pairing, 0.05, 0.8).unwrap();
        // (1.959964 + 0.841621) * sqrt(2 / 25)
        assert!((of(1.0, Pairing::Independent) - 0.792_408).abs() < 1e-6);
        assert!((of(1.0, Pairing::Paired) - 0.560_317).abs() < 1e-6);
        assert_eq!(of(0.0, Pairing::Paired), 0.0);
    }
}
