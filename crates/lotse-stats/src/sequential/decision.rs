//! From an interval to a verdict, and whether to go on measuring.

use super::spending::{Look, SpendingFunction};
use crate::error::{Result, StatsError, check_open_unit};
use crate::interval::Interval;
use crate::paired::{Estimator, PairedEstimate};

/// What a trial shall decide, and when it may stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// Probability of any false statement over all looks and programs together.
    pub alpha: f64,
    /// Ratios up to 1 + delta and down to 1 / (1 + delta) are no difference worth a word.
    pub delta: f64,
    /// Stop not at a verdict but when the ratio's interval is this much to either side.
    pub until: Option<f64>,
    /// No look before that many blocks, except the last one.
    pub min_blocks: usize,
    /// How alpha is spread over the trial.
    pub spending: SpendingFunction,
}

impl Default for Plan {
    fn default() -> Self {
        let spending = SpendingFunction::ByLength;
        Self { alpha: 0.05, delta: 0.01, until: None, min_blocks: 10, spending }
    }
}

impl Plan {
    pub(super) fn check(&self) -> Result<()> {
        check_open_unit("alpha", self.alpha)?;
        let positive = [("delta", self.delta), ("until", self.until.unwrap_or(1.0))];
        match positive.into_iter().find(|(_, value)| !(*value > 0.0 && value.is_finite())) {
            Some((name, value)) => Err(StatsError::Parameter { name, value, range: "the positive numbers" }),
            None => Ok(()),
        }
    }

    /// The verdict that an interval of the estimate's `theta` allows. It is read off the interval that is shown: that of
    /// the ratio where there is one.
    fn verdict(&self, estimate: &PairedEstimate, theta: Interval) -> Verdict {
        match estimate.ratio_scale(theta) {
            Some(ratio) => self.verdict_of_ratio(ratio),
            None if theta.high < 0.0 => Verdict::Faster,
            None if theta.low > 0.0 => Verdict::Slower,
            None if theta.low == theta.high => Verdict::Equivalent,
            None => Verdict::Undecided,
        }
    }

    /// The verdict that an interval of the ratio allows.
    pub fn verdict_of_ratio(&self, ratio: Interval) -> Verdict {
        let limit = 1.0 + self.delta;
        if ratio.high < 1.0 {
            Verdict::Faster
        } else if ratio.low > 1.0 {
            Verdict::Slower
        } else if ratio.low >= limit.recip() && ratio.high <= limit {
            Verdict::Equivalent
        } else {
            Verdict::Undecided
        }
    }

    /// Whether the answer is good enough to stop at. `ratio` is its interval, where there is a ratio.
    fn stop(&self, look: Look, verdict: Verdict, ratio: Option<Interval>, exact: bool) -> Option<StopReason> {
        // A plain difference has a unit that no relative precision can be held against; a point is precise in any.
        let without_ratio = if exact { 0.0 } else { f64::INFINITY };
        let half_width = ratio.map_or(without_ratio, |ratio| ratio.half_width());
        let reason = match (self.until, verdict) {
            _ if look.information < self.min_blocks as f64 => None,
            (Some(until), _) => {
                let reached = ratio.map_or(without_ratio, |ratio| ratio.relative_half_width());
                (reached <= until).then_some(StopReason::Precise)
            }
            // That there is a difference is half of the answer; how large it is, the other half.
            (None, Verdict::Faster | Verdict::Slower) => {
                let sized =
                    ratio.is_none_or(|ratio| half_width <= self.delta.max(0.5 * distance_from_one(ratio)));
                sized.then_some(StopReason::Different)
            }
            // A wider interval may still hide a difference of half of delta.
            (None, Verdict::Equivalent) => {
                (half_width <= 0.25 * self.delta).then_some(StopReason::Equivalent)
            }
            (None, Verdict::Undecided) => None,
        };
        reason.or((look.fraction >= 1.0).then_some(StopReason::Exhausted))
    }
}

/// How the program compares with the reference; "faster" means smaller values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The whole interval lies below the reference.
    Faster,
    /// The whole interval lies above the reference.
    Slower,
    /// The whole interval lies within delta of the reference.
    Equivalent,
    /// None of these.
    Undecided,
}

/// Why measuring may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// A difference is proven.
    Different,
    /// No difference worth a word, by an interval narrow against delta.
    Equivalent,
    /// The interval is as narrow as asked for.
    Precise,
    /// The last look: the budget is used up.
    Exhausted,
}

/// The answer of one look at one comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decision {
    pub verdict: Verdict,
    /// The interval of the estimate's `theta`; its level holds over all looks together.
    pub theta: Interval,
    /// The same for the ratio, where there is one.
    pub ratio: Option<Interval>,
    /// Set when this comparison needs no more blocks.
    pub stop: Option<StopReason>,
}

/// The decision on a single comparison.
pub fn decide(plan: &Plan, look: Look, estimate: &PairedEstimate) -> Decision {
    let theta = Interval { level: 1.0 - plan.alpha, ..interval(look, estimate) };
    let ratio = estimate.ratio_scale(theta);
    let verdict = plan.verdict(estimate, theta);
    let stop = plan.stop(look, verdict, ratio, theta.low == theta.high);
    Decision { verdict, theta, ratio, stop }
}

/// The decision on a comparison that depends on something known only within bounds: `estimates` are the comparison under
/// several values of it, the first under the likeliest. The interval is the union of theirs.
///
/// Where they do not all have a ratio of positive values, or where there are none, nothing is bounded.
pub fn decide_among(plan: &Plan, look: Look, estimates: &[PairedEstimate]) -> Decision {
    let all: Vec<Decision> = estimates.iter().map(|estimate| decide(plan, look, estimate)).collect();
    let comparable = estimates.iter().all(|estimate| estimate.estimator == Estimator::LogRatio);
    let unbounded = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY, level: 1.0 - plan.alpha };
    let theta = all.iter().map(|decision| decision.theta).reduce(|a, b| a.union(&b));
    let theta = theta.filter(|_| comparable).unwrap_or(unbounded);
    let ratio = theta.map(f64::exp);
    let verdict = plan.verdict_of_ratio(ratio);
    Decision { verdict, theta, ratio: Some(ratio), stop: plan.stop(look, verdict, Some(ratio), false) }
}

/// The decisions on several comparisons with the same reference, each at alpha / m.
///
/// `looks[i]` is the look at the error probability alpha / (i + 1). The m intervals hold together with
/// probability 1 - alpha, and every verdict is read off its own interval. A step-down procedure
/// such as Holm's would claim a little more, but the intervals that belong to its later
/// claims have no finite length (Guilbaud 2008): "slower" could stand beside an interval that includes 1.
///
/// # Panics
/// When there are no estimates, or fewer looks than estimates.
pub fn decide_together(plan: &Plan, looks: &[Look], estimates: &[PairedEstimate]) -> Vec<Decision> {
    let look = looks[estimates.len() - 1];
    estimates.iter().map(|estimate| decide(plan, look, estimate)).collect()
}

/// How far the middle of a ratio's interval lies from no difference.
fn distance_from_one(ratio: Interval) -> f64 {
    (0.5 * (ratio.low + ratio.high) - 1.0).abs()
}

/// A look that may conclude nothing has no interval, not even where all blocks agree.
fn interval(look: Look, estimate: &PairedEstimate) -> Interval {
    if look.nominal_p > 0.0 {
        estimate.interval(look.nominal_p)
    } else {
        Interval::around(estimate.theta, f64::INFINITY, 1.0)
    }
}

#[cfg(test)]
mod tests;
