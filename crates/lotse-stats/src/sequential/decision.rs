//! The verdict of an interval, and whether to continue measuring.

use super::spending::{Look, SpendingFunction};
use crate::error::{Result, StatsError, check_open_unit};
use crate::interval::Interval;
use crate::paired::{Estimator, PairedEstimate};

/// The parameters of a trial: what to decide, and when to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// The probability of any false statement over all looks and programs together.
    pub alpha: f64,
    /// Ratios between 1 / (1 + delta) and 1 + delta count as equivalent.
    pub delta: f64,
    /// Stop when the relative half width of the ratio's interval is at most this, instead of at a verdict.
    pub until: Option<f64>,
    /// The largest ratio that is allowed. Measuring stops when the interval of the ratio excludes it, instead of at a
    /// verdict.
    pub limit: Option<f64>,
    /// No look before that many blocks, except the last one.
    pub min_blocks: usize,
    /// How alpha is distributed over the trial.
    pub spending: SpendingFunction,
}

impl Default for Plan {
    fn default() -> Self {
        let spending = SpendingFunction::ByLength;
        Self { alpha: 0.05, delta: 0.01, until: None, limit: None, min_blocks: 10, spending }
    }
}

impl Plan {
    pub(super) fn check(&self) -> Result<()> {
        check_open_unit("alpha", self.alpha)?;
        let positive = [
            ("delta", self.delta),
            ("until", self.until.unwrap_or(1.0)),
            ("limit", self.limit.unwrap_or(1.0)),
        ];
        match positive.into_iter().find(|(_, value)| !(*value > 0.0 && value.is_finite())) {
            Some((name, value)) => Err(StatsError::Parameter { name, value, range: "the positive numbers" }),
            None => Ok(()),
        }
    }

    /// The verdict for an interval of `theta`. It is derived from the interval that reports show: that of the ratio, if
    /// there is one.
    fn verdict(&self, estimate: &PairedEstimate, theta: Interval) -> Verdict {
        match estimate.ratio_scale(theta) {
            Some(ratio) => self.verdict_of_ratio(ratio),
            None if theta.high < 0.0 => Verdict::Faster,
            None if theta.low > 0.0 => Verdict::Slower,
            None if theta.low == theta.high => Verdict::Equivalent,
            None => Verdict::Undecided,
        }
    }

    /// The verdict for an interval of the ratio.
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

    /// The reason to stop at this look, if any. `ratio` is the interval of the ratio, if there is one.
    ///
    /// A difference must also be known well enough: to half of itself or to delta. Equivalence needs an interval much
    /// narrower than delta. With a limit, the interval must exclude the limit, whatever else is known. The last look always
    /// stops.
    fn stop(&self, look: Look, verdict: Verdict, ratio: Option<Interval>, exact: bool) -> Option<StopReason> {
        // A plain difference has no relative precision; an exact one counts as precise.
        let without_ratio = if exact { 0.0 } else { f64::INFINITY };
        let half_width = ratio.map_or(without_ratio, |ratio| ratio.half_width());
        // Not only the existence of a difference, also its size must be known.
        let sized = ratio.is_none_or(|ratio| half_width <= self.delta.max(0.5 * distance_from_one(ratio)));
        let limited = self.limit.zip(ratio);
        let open = limited.is_some_and(|(limit, ratio)| ratio.low <= limit && limit < ratio.high);
        let reason = match (self.until, verdict) {
            _ if look.information < self.min_blocks as f64 || open => None,
            (Some(until), _) => {
                let reached = ratio.map_or(without_ratio, |ratio| ratio.relative_half_width());
                (reached <= until).then_some(StopReason::Precise)
            }
            // The size of an improvement, or of a difference that is allowed, does not matter to a gate.
            (None, _) if limited.is_some_and(|(limit, ratio)| ratio.high <= limit || sized) => {
                Some(StopReason::Limit)
            }
            (None, _) if limited.is_some() => None,
            (None, Verdict::Faster | Verdict::Slower) => sized.then_some(StopReason::Different),
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
    /// The programs are equivalent, with an interval that is narrow compared with delta.
    Equivalent,
    /// The interval is as narrow as [`Plan::until`] requires.
    Precise,
    /// The interval excludes [`Plan::limit`].
    Limit,
    /// The last look: the budget is used up.
    Exhausted,
}

/// The result of one look at one comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decision {
    pub verdict: Verdict,
    /// The interval of the estimate's `theta`; its level holds over all looks together.
    pub theta: Interval,
    /// The interval of the ratio, if there is one.
    pub ratio: Option<Interval>,
    /// Set if this comparison needs no more blocks.
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

/// The decision on a comparison that depends on a quantity known only within bounds (such as the cost of a shell).
/// `estimates` are the comparison for several values of that quantity, the likeliest first. The interval is the union of
/// their intervals.
///
/// The interval is unbounded if there are no estimates, or if some are not ratios of positive values.
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
/// probability 1 - alpha, and every verdict is derived from its own interval. A step-down procedure
/// such as Holm's has a little more power, but its later decisions have no finite confidence
/// intervals (Guilbaud 2008): a verdict "slower" could have an interval that includes 1.
///
/// # Panics
/// When there are no estimates, or fewer looks than estimates.
pub fn decide_together(plan: &Plan, looks: &[Look], estimates: &[PairedEstimate]) -> Vec<Decision> {
    let look = looks[estimates.len() - 1];
    estimates.iter().map(|estimate| decide(plan, look, estimate)).collect()
}

/// The distance of the middle of a ratio's interval from 1.
fn distance_from_one(ratio: Interval) -> f64 {
    (0.5 * (ratio.low + ratio.high) - 1.0).abs()
}

/// The interval of `theta` at a look. It is unbounded at a look that spends nothing, even if all blocks are equal.
fn interval(look: Look, estimate: &PairedEstimate) -> Interval {
    if look.nominal_p > 0.0 {
        estimate.interval(look.nominal_p)
    } else {
        Interval::around(estimate.theta, f64::INFINITY, 1.0)
    }
}

#[cfg(test)]
mod tests;
