//! Whether a result is slower than a baseline by more than is allowed, decided by the interval.
//!
//! Results of different days are compared session by session ([`lotse_stats::sessions`]): effects of the machine that are
//! common to all runs of a day are part of the spread. Two programs of one result are compared by their pairs, which is far more precise.

mod absent;
mod answer;
mod baseline;
mod files;
mod junit;
mod paired;
mod report;
mod sessions;
mod step;

pub use answer::{Check, Decision, GateAnswer, SCHEMA};
pub use baseline::{Baseline, BaselineError};
pub use junit::junit;
pub use paired::judge_comparisons;
pub use report::{sentence, summary};
pub use sessions::judge;
pub use step::ACCEPTED;

/// The allowed regression and the confidence of the decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// The largest share by which a program may be slower.
    pub max_regression: f64,
    /// Confidence of all statements together.
    pub level: f64,
    /// The metric; `None` for the primary metric of the result.
    pub metric: Option<String>,
    /// Whether results of other machines count too.
    pub across_machines: bool,
    /// Standard deviation from one result to the next, used if the history does not show it.
    pub session_spread: Option<f64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_regression: 0.02, level: 0.95, metric: None, across_machines: false, session_spread: None }
    }
}

impl Limits {
    /// The decision for an interval of the ratio.
    pub(crate) fn decide(&self, interval: [Option<f64>; 2]) -> Decision {
        let limit = 1.0 + self.max_regression;
        match interval {
            [Some(low), _] if low > limit => Decision::Regression,
            [_, Some(high)] if high <= limit => Decision::Pass,
            _ => Decision::Undecided,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Decision, Limits};

    #[test]
    fn the_whole_interval_decides() {
        let limits = Limits::default();
        let decide = |low: Option<f64>, high: Option<f64>| limits.decide([low, high]);
        assert_eq!(decide(Some(1.021), None), Decision::Regression);
        assert_eq!(decide(None, Some(1.02)), Decision::Pass);
        assert_eq!(decide(Some(1.02), Some(1.03)), Decision::Undecided);
        assert_eq!(decide(Some(0.9), Some(1.021)), Decision::Undecided);
        assert_eq!(decide(None, None), Decision::Undecided);
    }
}
