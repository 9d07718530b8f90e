//! Holm's step-down correction for several tests at once.

use crate::error::{Result, StatsError, check_open_unit};

/// The adjusted p values, in the order of the given ones: each is to be compared with the level as it is.
pub fn holm_adjusted(p_values: &[f64]) -> Result<Vec<f64>> {
    for &p in p_values {
        if !(0.0..=1.0).contains(&p) {
            return Err(StatsError::Parameter { name: "p value", value: p, range: "[0, 1]" });
        }
    }
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut least = 0.0_f64;
    for (place, &index) in order.iter().enumerate() {
        let factor = (p_values.len() - place) as f64;
        least = least.max((factor * p_values[index]).min(1.0));
        adjusted[index] = least;
    }
    Ok(adjusted)
}

/// The levels alpha / m, alpha / (m - 1), .. alpha for the smallest to the largest of m p values.
pub fn holm_levels(alpha: f64, tests: usize) -> Result<Vec<f64>> {
    check_open_unit("significance level", alpha)?;
    Ok((0..tests).map(|place| alpha / (tests - place) as f64).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept_and_values_never_fall() {
        let adjusted = holm_adjusted(&[0.04, 0.01, 0.03, 0.5]).unwrap();
        let expected = [0.09, 0.04, 0.09, 0.5];
        assert!(adjusted.iter().zip(expected).all(|(a, e)| (a - e).abs() < 1e-15), "{adjusted:?}");
    }

    #[test]
    fn no_tests_need_no_correction() {
        assert_eq!(holm_adjusted(&[]), Ok(vec![]));
        assert_eq!(holm_levels(0.05, 2).unwrap(), [0.025, 0.05]);
        assert!(holm_adjusted(&[f64::NAN]).is_err());
    }
}
