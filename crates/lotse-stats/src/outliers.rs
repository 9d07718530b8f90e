//! Outliers, by robust measures that the outliers themselves hardly affect.

use crate::boxplot::Fences;
use crate::descriptive::{mean, median, median_absolute_deviation};
use crate::error::{Result, check};
use crate::quantile::quartiles;

/// The usual limit of the modified z score (Iglewicz & Hoaglin 1993).
pub const MODIFIED_Z_LIMIT: f64 = 3.5;
/// The median deviation of a normal distribution, in standard deviations.
const NORMAL_MAD: f64 = 0.674_489_750_196_081_7;
/// The mean absolute deviation of a normal distribution, in standard deviations: sqrt(2 / pi).
const NORMAL_MEAN_DEVIATION: f64 = 0.797_884_560_802_865_4;

/// A robust centre and scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RobustScale {
    /// The median.
    pub center: f64,
    /// An estimate of the standard deviation; zero only if all values are equal.
    pub scale: f64,
}

impl RobustScale {
    /// The scale from the median absolute deviation, or from the mean absolute deviation if more than half of the values
    /// are equal.
    pub fn from_values(values: &[f64]) -> Result<Self> {
        let center = median(values)?;
        let mad = median_absolute_deviation(values)?;
        if mad > 0.0 {
            return Ok(Self { center, scale: mad / NORMAL_MAD });
        }
        let distances: Vec<f64> = values.iter().map(|x| (x - center).abs()).collect();
        Ok(Self { center, scale: mean(&distances)? / NORMAL_MEAN_DEVIATION })
    }

    /// The modified z score of a value. Infinite for a different value among constant ones.
    pub fn score(&self, value: f64) -> f64 {
        if value == self.center { 0.0 } else { (value - self.center) / self.scale }
    }
}

/// The modified z scores of the values; all zero for constant values.
pub fn modified_z_scores(values: &[f64]) -> Result<Vec<f64>> {
    let scale = RobustScale::from_values(values)?;
    Ok(values.iter().map(|&x| scale.score(x)).collect())
}

/// The positions of values whose modified z score exceeds the limit in size.
pub fn outliers_by_score(values: &[f64], limit: f64) -> Result<Vec<usize>> {
    let scores = modified_z_scores(values)?;
    Ok((0..values.len()).filter(|&i| scores[i].abs() > limit).collect())
}

/// The positions of values outside of Tukey's fences.
pub fn outliers_by_fences(values: &[f64], reach: f64) -> Result<Vec<usize>> {
    let fences = Fences::around(&quartiles(values)?, reach);
    Ok((0..values.len()).filter(|&i| !fences.contain(values[i])).collect())
}

/// The first value compared with the others: a cold start has a large positive score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FirstValue {
    /// Modified z score of the first value by the centre and scale of the others; infinite when the
    /// others are constant and it differs.
    pub score: f64,
    /// The first value over the median of the others, if that is not zero.
    pub ratio: Option<f64>,
}

impl FirstValue {
    /// Judges the first of at least four values.
    pub fn from_values(values: &[f64]) -> Result<Self> {
        check(values, 4)?;
        let rest = RobustScale::from_values(&values[1..])?;
        let ratio = (rest.center != 0.0).then(|| values[0] / rest.center);
        Ok(Self { score: rest.score(values[0]), ratio })
    }

    /// Whether the first value is larger than the others by more than the usual limit.
    pub fn is_slow(&self) -> bool {
        self.score > MODIFIED_Z_LIMIT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_far_value_is_found_by_both_rules() {
        let values = [10.0, 10.1, 9.9, 10.2, 50.0, 9.8];
        assert_eq!(outliers_by_score(&values, MODIFIED_Z_LIMIT).unwrap(), [4]);
        assert_eq!(outliers_by_fences(&values, Fences::REACH).unwrap(), [4]);
    }

    #[test]
    fn mostly_equal_values_are_judged_by_their_mean_deviation() {
        let mut values = vec![1.0; 20];
        values.push(2.0);
        assert_eq!(outliers_by_score(&values, MODIFIED_Z_LIMIT).unwrap(), [20]);
        assert_eq!(modified_z_scores(&[3.0; 4]).unwrap(), [0.0; 4]);
    }

    #[test]
    fn a_slow_start_is_noticed() {
        assert!(FirstValue::from_values(&[20.0, 10.0, 10.1, 9.9, 10.0]).unwrap().is_slow());
        assert!(!FirstValue::from_values(&[10.1, 10.0, 10.1, 9.9, 10.0]).unwrap().is_slow());
        assert!(FirstValue::from_values(&[2.0, 1.0, 1.0, 1.0]).unwrap().is_slow());
        assert!(!FirstValue::from_values(&[1.0, 1.0, 1.0, 1.0]).unwrap().is_slow());
    }
}
