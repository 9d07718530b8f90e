//! All usual statistics of one sample at once, for reports.

use crate::descriptive as d;
use crate::error::{Result, check};
use crate::quantile::{Quartiles, quartiles};

/// The usual statistics of one sample. One that is not defined for the sample is `None`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleSummary {
    /// Number of values.
    pub count: usize,
    pub mean: f64,
    /// Least value.
    pub min: f64,
    /// Greatest value.
    pub max: f64,
    /// Quartiles, the median among them.
    pub quartiles: Quartiles,
    /// Hodges-Lehmann centre.
    pub hodges_lehmann: f64,
    /// Median distance from the median, unscaled.
    pub mad: f64,
    /// Deviation with divisor n.
    pub population_sd: f64,
    /// Deviation with divisor n - 1; absent for a single value.
    pub sample_sd: Option<f64>,
    /// Sample deviation relative to the mean; absent for a single value or a mean of zero.
    pub relative_sd: Option<f64>,
    /// Standard error of the mean; absent for a single value.
    pub standard_error: Option<f64>,
    /// Geometric mean; absent unless all values are positive.
    pub geometric_mean: Option<f64>,
    /// Geometric standard deviation; absent unless all values are positive.
    pub geometric_sd: Option<f64>,
}

impl SampleSummary {
    /// The statistics of at least one finite value.
    pub fn from_values(values: &[f64]) -> Result<Self> {
        check(values, 1)?;
        Ok(Self {
            count: values.len(),
            mean: d::mean(values)?,
            min: d::minimum(values)?,
            max: d::maximum(values)?,
            quartiles: quartiles(values)?,
            hodges_lehmann: d::hodges_lehmann(values)?,
            mad: d::median_absolute_deviation(values)?,
            population_sd: d::population_sd(values)?,
            // All values are finite; the functions below fail only for the reasons that the fields' comments name.
            sample_sd: d::sample_sd(values).ok(),
            relative_sd: d::relative_sd(values).ok(),
            standard_error: d::standard_error(values).ok(),
            geometric_mean: d::geometric_mean(values).ok(),
            geometric_sd: d::geometric_sd(values).ok(),
        })
    }

    /// Whether all values are equal.
    pub fn is_constant(&self) -> bool {
        self.min == self.max
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StatsError;

    #[test]
    fn a_single_value_has_a_centre_but_no_sample_deviation() {
        let one = SampleSummary::from_values(&[4.0]).unwrap();
        assert_eq!((one.mean, one.quartiles.median, one.population_sd), (4.0, 4.0, 0.0));
        assert_eq!((one.sample_sd, one.geometric_mean), (None, Some(4.0)));
        assert!(one.is_constant());
    }

    #[test]
    fn zeros_have_no_relative_deviation_and_no_geometric_mean() {
        let zeros = SampleSummary::from_values(&[0.0, 0.0]).unwrap();
        assert_eq!((zeros.sample_sd, zeros.relative_sd, zeros.geometric_sd), (Some(0.0), None, None));
    }

    #[test]
    fn broken_input_is_named() {
        assert_eq!(SampleSummary::from_values(&[]), Err(StatsError::TooFew { needed: 1, present: 0 }));
        let error = SampleSummary::from_values(&[1.0, f64::INFINITY]).unwrap_err();
        assert_eq!(error.to_string(), "value 1 is inf, not a finite number");
    }
}
