//! t tests of the means of two independent samples: Welch's and Student's.
//!
//! Welch's test does not assume equal variances and is the one to use. Student's
//! pooled test exists because older tools and papers report it.

use crate::descriptive::{mean, sample_sd};
use crate::error::{Result, StatsError, check_open_unit, finite};
use crate::hypothesis::TTest;

/// The assumption about the variances, which selects the t test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Variances {
    /// Each sample has its own variance (Welch).
    #[default]
    Separate,
    /// Both samples have the same variance (Student).
    Pooled,
}

/// The figures of a sample that a t test needs, for samples whose values are not available.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    pub mean: f64,
    /// Sample deviation (divisor n - 1).
    pub sd: f64,
    /// Number of values.
    pub n: usize,
}

impl Figures {
    /// The figures of at least two values.
    pub fn from_values(values: &[f64]) -> Result<Self> {
        Ok(Self { sd: sample_sd(values)?, mean: mean(values)?, n: values.len() })
    }

    fn check(&self) -> Result<()> {
        if self.n < 2 {
            return Err(StatsError::TooFew { needed: 2, present: self.n });
        }
        finite("a t test", self.mean)?;
        if self.sd >= 0.0 && self.sd.is_finite() {
            return Ok(());
        }
        Err(StatsError::Parameter { name: "standard deviation", value: self.sd, range: "[0, inf)" })
    }

    /// The variance of the mean.
    fn error_variance(&self) -> f64 {
        self.sd * self.sd / self.n as f64
    }
}

/// The t test of two samples of at least two values each.
pub fn t_test(a: &[f64], b: &[f64], variances: Variances, level: f64) -> Result<TTest> {
    t_test_from(Figures::from_values(a)?, Figures::from_values(b)?, variances, level)
}

/// The t test from summary figures.
pub fn t_test_from(a: Figures, b: Figures, variances: Variances, level: f64) -> Result<TTest> {
    check_open_unit("confidence level", level)?;
    a.check()?;
    b.check()?;
    if a.sd == 0.0 && b.sd == 0.0 {
        return Err(StatsError::ConstantSamples { left: a.mean, right: b.mean });
    }
    let (standard_error, df) = match variances {
        Variances::Separate => welch_error(&a, &b),
        Variances::Pooled => pooled_error(&a, &b),
    };
    finite("the degrees of freedom", df)?;
    TTest::from_error(a.mean - b.mean, standard_error, df, level)
}

/// The standard error of the difference of the means, and the degrees of freedom.
fn welch_error(a: &Figures, b: &Figures) -> (f64, f64) {
    let (va, vb) = (a.error_variance(), b.error_variance());
    let total = va + vb;
    (total.sqrt(), welch_df(va, a.n, vb, b.n))
}

/// Welch and Satterthwaite's degrees of freedom of the sum of two error variances.
pub(crate) fn welch_df(va: f64, na: usize, vb: f64, nb: usize) -> f64 {
    // Shares instead of raw squares: tiny variances would underflow.
    let share = va / (va + vb);
    1.0 / (share * share / (na - 1) as f64 + (1.0 - share).powi(2) / (nb - 1) as f64)
}

/// The standard error of the difference of the means with a common variance, and the degrees of freedom.
fn pooled_error(a: &Figures, b: &Figures) -> (f64, f64) {
    let df = (a.n + b.n - 2) as f64;
    let squares = (a.n - 1) as f64 * a.sd * a.sd + (b.n - 1) as f64 * b.sd * b.sd;
    ((squares / df * (1.0 / a.n as f64 + 1.0 / b.n as f64)).sqrt(), df)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_constants_are_no_case_for_a_test() {
        let error = t_test(&[1.0, 1.0], &[2.0, 2.0], Variances::Separate, 0.95).unwrap_err();
        assert_eq!(error, StatsError::ConstantSamples { left: 1.0, right: 2.0 });
    }

    #[test]
    fn one_constant_sample_is_tested_against_the_other() {
        let test = t_test(&[1.0, 1.0, 1.0], &[1.9, 2.0, 2.1], Variances::Separate, 0.95).unwrap();
        assert!((test.df - 2.0).abs() < 1e-12);
        assert!(test.p < 0.01);
    }

    #[test]
    fn single_values_and_wrong_levels_are_refused() {
        let few = t_test(&[1.0], &[1.0, 2.0], Variances::Pooled, 0.95);
        assert_eq!(few, Err(StatsError::TooFew { needed: 2, present: 1 }));
        assert!(matches!(
            t_test(&[1.0, 2.0], &[1.0, 2.0], Variances::Pooled, 95.0),
            Err(StatsError::Parameter { name: "confidence level", .. })
        ));
    }
}
