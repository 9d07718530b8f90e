//! Autocorrelation of a series, and how much it inflates the variance of the mean.

use crate::descriptive::mean;
use crate::error::{Result, StatsError, check, finite};
use crate::sum::{squared_deviations, sum};

/// The autocorrelation at a lag, with the full sum of squares as divisor.
pub fn autocorrelation(values: &[f64], lag: usize) -> Result<f64> {
    check(values, lag.max(1) + 1)?;
    let center = mean(values)?;
    let total = squared_deviations(values, center);
    if values.iter().all(|&x| x == values[0]) || total == 0.0 {
        return Err(StatsError::Constant { value: values[0] });
    }
    let products = sum(values.iter().zip(&values[lag..]).map(|(x, y)| (x - center) * (y - center)));
    finite("the autocorrelation", products / total)
}

/// The factor by which a lag-1 correlation r inflates the variance of the mean of many values:
/// (1 + r) / (1 - r) for a first-order autoregression.
pub fn variance_inflation(lag_one: f64) -> Result<f64> {
    if lag_one > -1.0 && lag_one < 1.0 {
        return Ok((1.0 + lag_one) / (1.0 - lag_one));
    }
    Err(StatsError::Parameter { name: "lag-1 correlation", value: lag_one, range: "(-1, 1)" })
}

/// The number of independent values whose mean would have the same variance.
///
/// At most the number of values: a negative correlation is taken as chance. Constant values count in full.
pub fn effective_sample_size(values: &[f64]) -> Result<f64> {
    let n = values.len() as f64;
    match autocorrelation(values, 1) {
        Ok(r) => Ok(n / variance_inflation(r.max(0.0))?),
        Err(StatsError::Constant { .. }) => Ok(n),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_wave_is_worth_less_than_its_length() {
        let wave: Vec<f64> = (0..100).map(|i| (f64::from(i) / 10.0).sin()).collect();
        assert!(effective_sample_size(&wave).unwrap() < 5.0);
        let alternating: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
        assert_eq!(effective_sample_size(&alternating), Ok(100.0));
    }

    #[test]
    fn constants_have_no_correlation() {
        assert_eq!(autocorrelation(&[0.1; 5], 1), Err(StatsError::Constant { value: 0.1 }));
        assert_eq!(effective_sample_size(&[0.1; 5]), Ok(5.0));
        assert_eq!(autocorrelation(&[1.0, 2.0], 2), Err(StatsError::TooFew { needed: 3, present: 2 }));
    }
}
