//! Programs that were measured together: the gate decides by the paired interval.

use super::Limits;
use super::answer::{Check, Decision, GateAnswer};
use crate::answer::{Answer, Comparison, Verdict};

/// Judges every program of a measurement against its reference.
pub fn judge_comparisons(answer: &Answer, limits: &Limits) -> GateAnswer {
    let checks: Vec<Check> = answer.primary().map(|comparison| check(answer, comparison, limits)).collect();
    let reference = answer.primary().next().map_or("", |comparison| comparison.reference.as_str());
    GateAnswer::from_checks(format!("'{reference}', measured together with it"), limits, checks)
}

/// The check of one comparison: failed runs first, then the interval of the ratio, or of the difference where there is no ratio.
fn check(answer: &Answer, comparison: &Comparison, limits: &Limits) -> Check {
    let level = |name: &str| {
        let program = answer.programs.iter().find(|program| program.name == name)?;
        lotse_stats::descriptive::median(&program.values(&comparison.metric)).ok()
    };
    let failed =
        answer.failed_runs().any(|run| [&comparison.program, &comparison.reference].contains(&&run.program));
    let decision = match comparison.ratio {
        _ if failed => Decision::Failed,
        Some(_) => limits.decide(comparison.interval),
        None => decide_without_ratio(answer, comparison),
    };
    let reason = match decision {
        Decision::Failed => Some("runs of it or of its reference failed".to_owned()),
        Decision::Undecided => Some(undecided(comparison)),
        Decision::Regression if comparison.ratio.is_none() => {
            Some("the reference has 0 in every run, of which any increase is too large a share".to_owned())
        }
        _ => None,
    };
    let unit = answer.metrics.iter().find(|metric| metric.name == comparison.metric);
    Check {
        program: comparison.program.clone(),
        metric: comparison.metric.clone(),
        unit: unit.map_or(lotse_model::unit::Unit::Number, |metric| metric.unit),
        value: level(&comparison.program),
        together: 1,
        baseline: level(&comparison.reference),
        against: format!("'{}', measured together with it", comparison.reference),
        results: 0,
        ratio: comparison.ratio,
        interval: comparison.interval,
        decision,
        reason,
    }
}

/// The decision on values that have no ratio because some are 0 or negative. No increase is allowed, and of a reference
/// that is always 0 every increase is too much; of other values the allowed share is not defined.
fn decide_without_ratio(answer: &Answer, comparison: &Comparison) -> Decision {
    let reference = answer.programs.iter().find(|program| program.name == comparison.reference);
    let values = reference.map_or_else(Vec::new, |program| program.values(&comparison.metric));
    let always_zero = !values.is_empty() && values.iter().all(|value| *value == 0.0);
    match comparison.difference.map_or([None, None], |difference| difference.interval) {
        _ if comparison.verdict == Verdict::Equivalent => Decision::Pass,
        [_, Some(high)] if high <= 0.0 => Decision::Pass,
        [Some(low), _] if low > 0.0 && always_zero => Decision::Regression,
        _ => Decision::Undecided,
    }
}

/// Why a comparison is undecided, and what helps.
fn undecided(comparison: &Comparison) -> String {
    let longer = match comparison.stopped_by.as_str() {
        "runs" => "make more runs (--runs, --max-runs)",
        _ => "measure longer (--budget)",
    };
    match (comparison.ratio, comparison.interval) {
        (None, _) => format!(
            "{} is 0 or negative in some runs, and a share of that means nothing: judge another metric (--metric)",
            comparison.metric
        ),
        (_, [None, None]) => "there is no interval yet: more runs, builds or layouts are needed".to_owned(),
        _ => format!("the interval holds both: {longer}, or on a quieter machine"),
    }
}

#[cfg(test)]
mod tests {
    use super::judge_comparisons;
    use crate::gate::{Decision, Limits};
    use crate::rules::fixture::{Fixture, noise};

    fn judged(factor: f64, change: impl Fn(&mut Fixture)) -> super::GateAnswer {
        let old = noise(30, 0.005, 1);
        let new: Vec<f64> = noise(30, 0.005, 2).iter().map(|value| value * factor).collect();
        let mut fixture = Fixture::paired(&[("old", &old), ("new", &new)]);
        change(&mut fixture);
        judge_comparisons(&fixture.answer(), &Limits::default())
    }

    #[test]
    fn pairs_decide() {
        assert_eq!(judged(1.0, |_| ()).decision, Decision::Pass);
        let slower = judged(1.1, |_| ());
        assert_eq!((slower.decision, slower.checks[0].results), (Decision::Regression, 0));
        assert!(slower.baseline.contains("'old'"), "{}", slower.baseline);
        assert_eq!(judged(1.02, |_| ()).decision, Decision::Undecided);
    }

    #[test]
    fn values_without_a_ratio_are_judged_by_their_difference() {
        let judged = |old: &[f64], new: &[f64]| {
            let fixture = Fixture::paired(&[("old", old), ("new", new)]);
            judge_comparisons(&fixture.answer(), &Limits::default())
        };
        let (zeros, some) = ([0.0; 40], noise(40, 0.1, 3));
        assert_eq!(judged(&zeros, &zeros).decision, Decision::Pass);
        assert_eq!(judged(&some, &zeros).decision, Decision::Pass);
        let more = judged(&zeros, &some);
        assert_eq!(more.decision, Decision::Regression);
        assert!(more.checks[0].reason.as_ref().unwrap().contains("0 in every run"), "{more:?}");
        let negative: Vec<f64> = some.iter().map(|value| value - 2.0).collect();
        let below = judged(&negative, &some);
        assert_eq!(below.decision, Decision::Undecided);
        assert!(below.checks[0].reason.as_ref().unwrap().contains("judge another metric"), "{below:?}");
    }

    #[test]
    fn advice_fits_what_ended_the_measurement() {
        let fixture = Fixture::paired(&[("old", &noise(30, 0.2, 1)), ("new", &noise(30, 0.2, 2))]);
        let mut answer = fixture.answer();
        let reason = |answer: &crate::answer::Answer| {
            judge_comparisons(answer, &Limits::default()).checks[0].reason.clone().unwrap()
        };
        answer.comparisons.iter_mut().for_each(|it| it.stopped_by = "runs".to_owned());
        assert!(reason(&answer).contains("--max-runs"), "{}", reason(&answer));
        answer.comparisons.iter_mut().for_each(|it| it.stopped_by = "budget".to_owned());
        assert!(reason(&answer).contains("--budget"), "{}", reason(&answer));
    }

    #[test]
    fn failures_come_before_everything() {
        let failed = judged(1.1, |fixture| fixture.fail("new", 2, "exit code 1"));
        assert_eq!(failed.decision, Decision::Failed);
        assert!(failed.checks[0].reason.as_ref().unwrap().contains("failed"));
    }
}
