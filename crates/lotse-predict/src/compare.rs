//! Which of two predicted times is shorter, and with what probability.

use lotse_stats::distribution::normal_cdf;

use crate::time::Prediction;

/// Assumed correlation of the errors of two predictions for one machine, which share the machine's constants.
const CORRELATION: f64 = 0.5;

/// The result of comparing two predictions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// Seconds of the first divided by those of the second.
    pub ratio: f64,
    /// The probability that the first is faster.
    pub first_is_faster: f64,
}

/// Compares two predictions, assuming that the logarithms of the true times are normally distributed around the estimates.
pub fn compare(first: &Prediction, second: &Prediction) -> Comparison {
    let ratio = first.seconds / second.seconds;
    let (a, b) = (first.deviation, second.deviation);
    let deviation = (a * a + b * b - 2.0 * CORRELATION * a * b).max(1e-12).sqrt();
    let first_is_faster = match ratio.is_finite() && ratio > 0.0 {
        true => normal_cdf(-ratio.ln() / deviation),
        false => f64::from(u8::from(first.seconds < second.seconds)),
    };
    Comparison { ratio, first_is_faster }
}

#[cfg(test)]
mod tests {
    use super::compare;
    use crate::time::Prediction;

    fn prediction(seconds: f64, deviation: f64) -> Prediction {
        let interval = (seconds, seconds);
        let (limit, loops, formula) = (None, Vec::new(), String::new());
        Prediction { seconds, interval, range: interval, deviation, coverage: 1.0, limit, loops, formula }
    }

    #[test]
    fn equal_times_are_a_toss_up_and_large_ratios_are_sure() {
        let even = compare(&prediction(1.0, 0.3), &prediction(1.0, 0.3));
        assert!((even.first_is_faster - 0.5).abs() < 1e-9);
        assert!(compare(&prediction(1.0, 0.3), &prediction(3.0, 0.3)).first_is_faster > 0.99);
        assert!(compare(&prediction(3.0, 0.3), &prediction(1.0, 0.3)).first_is_faster < 0.01);
        // ln 1.35 = 0.3 = one deviation: 84 %.
        let one = compare(&prediction(1.0, 0.3), &prediction(1.35, 0.3)).first_is_faster;
        assert!((one - 0.841).abs() < 0.002, "{one}");
    }
}
