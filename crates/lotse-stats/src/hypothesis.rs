//! Tests of the hypothesis that samples do not differ.
//!
//! All p values are two-sided. On samples without any spread a test returns an
//! error ([`crate::StatsError::Constant`] or
//! [`crate::StatsError::ConstantSamples`]); the caller can then compare the
//! constants.

pub mod anderson_darling;
pub mod kolmogorov_smirnov;
pub mod mann_whitney;
pub mod paired_t;
pub mod signed_rank;
pub mod two_sample_t;

use crate::distribution::{t_quantile, t_two_sided};
use crate::error::{Result, finite};
use crate::interval::Interval;

/// How a p value was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PValueMethod {
    /// From the exact null distribution.
    Exact,
    /// From an asymptotic distribution, accurate for many values.
    Approximate,
}

/// The outcome of a test on ranks or distribution functions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankTest {
    pub statistic: f64,
    /// Two-sided p value.
    pub p: f64,
    pub method: PValueMethod,
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
    /// The test of a difference with a known standard error and degrees of freedom.
    fn from_error(difference: f64, standard_error: f64, df: f64, level: f64) -> Result<Self> {
        let t = finite("the t statistic", difference / standard_error)?;
        let radius = finite("the interval", standard_error * t_quantile(0.5 + level / 2.0, df))?;
        let interval = Interval::around(difference, radius, level);
        Ok(Self { difference, t, df, p: t_two_sided(t, df), interval })
    }
}
