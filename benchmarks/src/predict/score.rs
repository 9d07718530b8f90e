//! How far predictions are from measurements.

use lotse_stats::quantile::{QuantileType, quantile};

use crate::error::Error;

/// Errors of one model on some points.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// Points.
    pub points: usize,
    /// Median of |predicted / measured - 1|.
    pub median: f64,
    /// Its 90th percentile.
    pub ninetieth: f64,
    /// Share of pairs of points that differ by more than 10 % whose order is right.
    pub ordered: f64,
}

/// A pair of points counts if the slower one takes this much longer.
const DIFFERENT: f64 = 1.1;

impl Score {
    /// The score of pairs of predicted and measured times.
    pub fn new(pairs: &[(f64, f64)]) -> Result<Self, Error> {
        let errors: Vec<f64> =
            pairs.iter().map(|(predicted, measured)| (predicted / measured - 1.0).abs()).collect();
        let at = |q: f64| quantile(&errors, q, QuantileType::Seven);
        Ok(Self { points: pairs.len(), median: at(0.5)?, ninetieth: at(0.9)?, ordered: ordered(pairs) })
    }
}

fn ordered(pairs: &[(f64, f64)]) -> f64 {
    let (mut right, mut all) = (0_u32, 0_u32);
    for (index, (predicted, measured)) in pairs.iter().enumerate() {
        for (other_predicted, other) in &pairs[index + 1..] {
            let ratio = measured / other;
            if ratio.max(1.0 / ratio) > DIFFERENT {
                all += 1;
                right += u32::from((predicted > other_predicted) == (measured > other));
            }
        }
    }
    if all == 0 { 1.0 } else { f64::from(right) / f64::from(all) }
}

/// The share of measured times inside of their intervals.
pub fn covered(rows: &[((f64, f64), f64)]) -> f64 {
    let inside = rows.iter().filter(|((low, high), measured)| (*low..=*high).contains(measured)).count();
    inside as f64 / rows.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::{Score, covered};

    #[test]
    fn errors_and_order() {
        let score = Score::new(&[(1.0, 1.0), (1.5, 1.0), (4.0, 2.0)]).unwrap();
        assert_eq!((score.points, score.median, score.ninetieth), (3, 0.5, 0.9));
        // The first two differ by nothing; both are below the third, as predicted.
        assert_eq!(score.ordered, 1.0);
        assert_eq!(Score::new(&[(2.0, 1.0), (1.0, 2.0)]).unwrap().ordered, 0.0);
        assert_eq!(covered(&[((1.0, 2.0), 1.5), ((1.0, 2.0), 3.0)]), 0.5);
    }
}
