//! Confidence intervals, and that of a mean.

use crate::descriptive::{mean, standard_error};
use crate::distribution::t_quantile;
use crate::error::{Result, check_open_unit, finite};

/// A closed interval with the confidence level it was made for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
    /// Confidence level, such as 0.95.
    pub level: f64,
}

impl Interval {
    /// The symmetric interval `center ± radius`.
    pub fn around(center: f64, radius: f64, level: f64) -> Self {
        Self { low: center - radius, high: center + radius, level }
    }

    /// The smallest interval that contains this one and another.
    pub fn union(&self, other: &Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high), level: self.level }
    }

    /// Whether the value lies inside, ends included.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Half the distance of the ends.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// For the interval of a ratio: sqrt(high / low) - 1, the relative distance of its ends from its geometric middle.
    /// Infinite if the interval reaches zero.
    pub fn relative_half_width(&self) -> f64 {
        if self.low > 0.0 { (self.high / self.low).sqrt() - 1.0 } else { f64::INFINITY }
    }

    /// The interval with an increasing function applied to both ends.
    pub fn map(&self, increasing: impl Fn(f64) -> f64) -> Self {
        Self { low: increasing(self.low), high: increasing(self.high), level: self.level }
    }
}

/// Student's interval of the mean of independent values. Constant values give an interval of width zero.
pub fn mean_interval(values: &[f64], level: f64) -> Result<Interval> {
    check_open_unit("confidence level", level)?;
    let quantile = t_quantile(0.5 + level / 2.0, (values.len().max(2) - 1) as f64);
    let radius = finite("the interval", standard_error(values)? * quantile)?;
    Ok(Interval::around(mean(values)?, radius, level))
}
