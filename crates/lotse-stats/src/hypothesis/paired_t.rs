//! The paired t test: whether the mean of the differences of pairs is zero.

use crate::descriptive::{mean, standard_error};
use crate::error::{Result, StatsError, check_open_unit, check_pairs};
use crate::hypothesis::TTest;

/// The paired t test of at least two pairs.
pub fn paired_t_test(a: &[f64], b: &[f64], level: f64) -> Result<TTest> {
    check_pairs(a, b, 2)?;
    let differences: Vec<f64> = a.iter().zip(b).map(|(x, y)| x - y).collect();
    one_sample_t_test(&differences, 0.0, level)
}

/// The t test of the mean of at least two values against a given one.
pub fn one_sample_t_test(values: &[f64], expected: f64, level: f64) -> Result<TTest> {
    check_open_unit("confidence level", level)?;
    let (error, mean) = (standard_error(values)?, mean(values)?);
    if error == 0.0 {
        return Err(StatsError::Constant { value: mean });
    }
    TTest::from_error(mean - expected, error, (values.len() - 1) as f64, level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_differences_have_no_test() {
        let error = paired_t_test(&[3.0, 4.0], &[1.0, 2.0], 0.95).unwrap_err();
        assert_eq!(error, StatsError::Constant { value: 2.0 });
    }

    #[test]
    fn pairs_need_partners() {
        let error = paired_t_test(&[3.0, 4.0], &[1.0], 0.95).unwrap_err();
        assert_eq!(error, StatsError::Unpaired { left: 2, right: 1 });
    }
}
