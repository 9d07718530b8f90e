//! Tests of the hypothesis that samples do not differ.
//!
//! All p values are two-sided. A test that has no answer because nothing
//! spreads says so by an error ([`crate::StatsError::Constant`] or
//! [`crate::StatsError::ConstantSamples`]); the caller then compares the
//! constants themselves.

pub mod anderson_darling;
pub mod kolmogorov_smirnov;
pub mod mann_whitney;
pub mod paired_t;
pub mod signed_rank;
pub mod two_sample_t;

use crate::distribution::{t_quantile, t_two_sided};
use crate::error::{Result, finite};
use crate::interval::Interval;

/// How a p value came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// From the exact null distribution.
    Exact,
    /// From a limit distribution, good for many values.
    Approximate,
}

/// The outcome of a test on ranks or distribution functions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankTest {
    /// The test's own statistic.
    pub statistic: f64,
    /// Two-sided p value.
    pub p: f64,
    pub method: Method,
}

/// The outcome of a t test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TTest {
    /// The difference of the means, first minus second.
    pub difference: f64,
    /// The difference in units of its standard error.
    pub t: f64,
    /// Degrees of freedom; not whole for Welch's test.
    pub df: f64,
    /// Two-sided p value.
    pub p: f64,
    /// Confidence interval of the difference.
    pub interval: Interval,
}

impl TTest {
    fn from_error(difference: f64, standard_error: f64, df: f64, level: f64) -> Result<Self> {
        let t = finite("the t statistic", difference / standard_error)?;
        let radius = finite("the interval", standard_error * t_quantile(0.5 + level / 2.0, df))?;
        let interval = Interval::around(difference, radius, level);
        Ok(Self { difference, t, df, p: t_two_sided(t, df), interval })
    }
}
