//! The figures of a box plot: whiskers at the last value inside 1.5 interquartile ranges.

use crate::descriptive::sorted;
use crate::error::{Result, check};
use crate::quantile::{Quartiles, quartiles_of_sorted};

/// What a box plot draws.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxPlot {
    /// The box and the line in it.
    pub quartiles: Quartiles,
    /// The least value that is not below the lower fence.
    pub low_whisker: f64,
    /// The greatest value that is not above the upper fence.
    pub high_whisker: f64,
    /// The values beyond the fences, ascending.
    pub outliers: Vec<f64>,
}

/// Tukey's fences `reach` interquartile ranges outside of the quartiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fences {
    /// Values below are outliers.
    pub low: f64,
    /// Values above are outliers.
    pub high: f64,
}

impl Fences {
    /// The usual reach.
    pub const REACH: f64 = 1.5;

    /// The fences around given quartiles.
    pub fn around(quartiles: &Quartiles, reach: f64) -> Self {
        let margin = reach * quartiles.iqr();
        Self { low: quartiles.q1 - margin, high: quartiles.q3 + margin }
    }

    /// Whether the value lies between the fences or on one.
    pub fn contain(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

impl BoxPlot {
    /// The figures of the box plot of at least one value.
    pub fn from_values(values: &[f64]) -> Result<Self> {
        check(values, 1)?;
        let sorted = sorted(values);
        let quartiles = quartiles_of_sorted(&sorted);
        let fences = Fences::around(&quartiles, Fences::REACH);
        let (inside, outliers): (Vec<f64>, Vec<f64>) = sorted.iter().partition(|&&x| fences.contain(x));
        // The quartiles lie between the minimum and the maximum, so at least one value is always inside the fences.
        let low_whisker = inside.first().copied().unwrap_or(quartiles.q1);
        let high_whisker = inside.last().copied().unwrap_or(quartiles.q3);
        Ok(Self { quartiles, low_whisker, high_whisker, outliers })
    }

    /// The ends of the whiskers.
    pub fn whiskers(&self) -> (f64, f64) {
        (self.low_whisker, self.high_whisker)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whiskers_end_at_values_and_outliers_lie_beyond() {
        let plot = BoxPlot::from_values(&[100.0, 1.0, 2.0, 3.0, 4.0, 5.0, -50.0]).unwrap();
        assert_eq!(plot.quartiles, Quartiles { q1: 1.5, median: 3.0, q3: 4.5 });
        assert_eq!(plot.whiskers(), (1.0, 5.0));
        assert_eq!(plot.outliers, [-50.0, 100.0]);
    }

    #[test]
    fn constant_values_have_a_flat_box() {
        let plot = BoxPlot::from_values(&[2.0; 4]).unwrap();
        assert_eq!((plot.whiskers(), plot.outliers.len()), ((2.0, 2.0), 0));
    }
}
