//! Errors for input on which a statistic is not defined, and the checks that return them.

use thiserror::Error;

/// Input for which a statistic is not defined.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum StatsError {
    /// Fewer values than the statistic needs.
    #[error("{present} values where at least {needed} are needed")]
    TooFew {
        /// The least number of values that is sufficient.
        needed: usize,
        /// The count that was given.
        present: usize,
    },
    /// A NaN or an infinity among the values.
    #[error("value {index} is {value}, not a finite number")]
    NotFinite {
        /// Position in the slice, from zero.
        index: usize,
        value: f64,
    },
    /// All values are equal where the statistic divides by their spread.
    #[error("all values are {value}: there is no spread to measure against")]
    Constant {
        /// The value they all have.
        value: f64,
    },
    /// Both samples are constant where the statistic divides by their spread.
    #[error("both samples are constant ({left} and {right}): there is no spread to measure against")]
    ConstantSamples {
        /// The value of the first sample.
        left: f64,
        /// The value of the second sample.
        right: f64,
    },
    /// A value is zero or negative where the statistic needs positive values.
    #[error("value {index} is {value} where only positive numbers have a meaning")]
    NotPositive {
        /// Position in the slice, from zero.
        index: usize,
        value: f64,
    },
    /// Two slices that belong together differ in length.
    #[error("{left} values on one side and {right} on the other where pairs are needed")]
    Unpaired {
        /// Length of the first slice.
        left: usize,
        /// Length of the second slice.
        right: usize,
    },
    /// A parameter outside its range, such as a confidence level of 1.5.
    #[error("{name} is {value}, outside of {range}")]
    Parameter {
        name: &'static str,
        /// What was given.
        value: f64,
        /// What is allowed.
        range: &'static str,
    },
    /// The result is too large for a double, or rounding destroyed it.
    #[error("{what} cannot be computed in double precision for these values")]
    Unrepresentable { what: &'static str },
}

/// The result of every function of this crate.
pub type Result<T> = std::result::Result<T, StatsError>;

/// Checks that there are at least `needed` values and that all are finite.
pub(crate) fn check(values: &[f64], needed: usize) -> Result<()> {
    if values.len() < needed {
        return Err(StatsError::TooFew { needed, present: values.len() });
    }
    match values.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(StatsError::NotFinite { index, value: values[index] }),
        None => Ok(()),
    }
}

/// As [`check`], and all values above zero.
pub(crate) fn check_positive(values: &[f64], needed: usize) -> Result<()> {
    check(values, needed)?;
    match values.iter().position(|&x| x <= 0.0) {
        Some(index) => Err(StatsError::NotPositive { index, value: values[index] }),
        None => Ok(()),
    }
}

/// As [`check`] on both sides of a paired sample.
pub(crate) fn check_pairs(left: &[f64], right: &[f64], needed: usize) -> Result<()> {
    if left.len() != right.len() {
        return Err(StatsError::Unpaired { left: left.len(), right: right.len() });
    }
    check(left, needed)?;
    check(right, needed)
}

/// Checks a probability that must lie strictly between zero and one, such as a confidence level.
pub(crate) fn check_open_unit(name: &'static str, value: f64) -> Result<()> {
    if value > 0.0 && value < 1.0 {
        return Ok(());
    }
    Err(StatsError::Parameter { name, value, range: "the open interval (0, 1)" })
}

/// Turns a result that is infinite or NaN into an error.
pub(crate) fn finite(what: &'static str, value: f64) -> Result<f64> {
    if value.is_finite() { Ok(value) } else { Err(StatsError::Unrepresentable { what }) }
}
