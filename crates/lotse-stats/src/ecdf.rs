//! The empirical distribution function: the share of values up to a point.

use crate::descriptive::sorted;
use crate::error::{Result, check};

/// The distribution function of a sample.
#[derive(Debug, Clone, PartialEq)]
pub struct Ecdf {
    sorted: Vec<f64>,
}

impl Ecdf {
    /// The function of at least one value.
    pub fn from_values(values: &[f64]) -> Result<Self> {
        check(values, 1)?;
        Ok(Self { sorted: sorted(values) })
    }

    /// The share of values that are at most `x`.
    pub fn at(&self, x: f64) -> f64 {
        self.sorted.partition_point(|&value| value <= x) as f64 / self.sorted.len() as f64
    }

    /// The corners of the steps: each distinct value with the share up to it.
    pub fn steps(&self) -> Vec<(f64, f64)> {
        let n = self.sorted.len() as f64;
        let mut steps: Vec<(f64, f64)> = Vec::new();
        for (i, &value) in self.sorted.iter().enumerate() {
            let share = (i + 1) as f64 / n;
            match steps.last_mut() {
                Some(last) if last.0 == value => last.1 = share,
                _ => steps.push((value, share)),
            }
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_are_one_step() {
        let ecdf = Ecdf::from_values(&[2.0, 1.0, 2.0, 4.0]).unwrap();
        assert_eq!(ecdf.steps(), [(1.0, 0.25), (2.0, 0.75), (4.0, 1.0)]);
        assert_eq!((ecdf.at(0.9), ecdf.at(2.0), ecdf.at(3.9), ecdf.at(9.0)), (0.0, 0.75, 0.75, 1.0));
    }
}
