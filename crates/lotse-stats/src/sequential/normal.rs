//! The normal distribution's tail and its inverse, precise far out.

use std::f64::consts::{PI, SQRT_2};

use statrs::function::erf::{erfc, erfc_inv};

/// The probability that a standard normal variable exceeds `z`.
pub(crate) fn tail(z: f64) -> f64 {
    0.5 * erfc(z / SQRT_2)
}

/// The value a standard normal variable exceeds with probability `p`.
pub(crate) fn tail_quantile(p: f64) -> f64 {
    SQRT_2 * erfc_inv(2.0 * p)
}

/// The density of the standard normal distribution.
pub(crate) fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * PI).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        // scipy.stats.norm.sf([1.959963984540054, 6]) and its inverse
        assert!((tail(1.959_963_984_540_054) - 0.025).abs() < 1e-9);
        assert!((tail(6.0) / 9.865_876_450_376_98e-10 - 1.0).abs() < 1e-9);
        assert!((tail_quantile(0.025) - 1.959_963_984_540_054).abs() < 1e-9);
        assert!((tail_quantile(1e-9) - 5.997_807_015_007_687).abs() < 1e-6);
    }
}
