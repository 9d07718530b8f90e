//! Programs that were measured together: the gate decides by the paired interval.

use super::Limits;
use super::answer::{Check, Decision, GateAnswer};
use crate::answer::{Answer, Comparison};

/// Judges every program of a measurement against its reference.
pub fn judge_comparisons(answer: &Answer, limits: &Limits) -> GateAnswer {
    let checks: Vec<Check> = answer.primary().map(|comparison| check(answer, comparison, limits)).collect();
    let reference = answer.primary().next().map_or("", |comparison| comparison.reference.as_str());
    GateAnswer::from_checks(format!("'{reference}', measured together with it"), limits, checks)
}

fn check(answer: &Answer, comparison: &Comparison, limits: &Limits) -> Check {
    let level = |name: &str| {
        let program = answer.programs.iter().find(|program| program.name == name)?;
        lotse_stats::descriptive::median(&program.values(&comparison.metric)).ok()
    };
    let failed =
        answer.failed_runs().any(|run| [&comparison.program, &comparison.reference].contains(&&run.program));
    let decided = limits.decide(comparison.interval);
    // Without a ratio (a reference of 0) the verdict decides.
    let equal = comparison.ratio.is_none() && comparison.verdict == crate::answer::Verdict::Equivalent;
    let decision = match decided {
        _ if failed => Decision::Failed,
        _ if equal => Decision::Pass,
        decided => decided,
    };
    let reason = match decision {
        Decision::Failed => Some("runs of it or of its reference failed".to_owned()),
        Decision::Undecided if comparison.interval == [None, None] => {
            Some("there is no interval yet: more runs, builds or layouts are needed".to_owned())
        }
        Decision::Undecided => {
            Some("the interval holds both: measure longer (--budget), or on a quieter machine".to_owned())
        }
        _ => None,
    };
    let unit = answer.metrics.iter().find(|metric| metric.name == comparison.metric);
    Check {
        program: comparison.program.clone(),
        metric: comparison.metric.clone(),
        unit: unit.map_or(lotse_model::unit::Unit::Number, |metric| metric.unit),
        value: level(&comparison.program),
        baseline: level(&comparison.reference),
        against: format!("'{}', measured together with it", comparison.reference),
        results: 0,
        ratio: comparison.ratio,
        interval: comparison.interval,
        decision,
        reason,
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
    fn failures_come_before_everything() {
        let failed = judged(1.1, |fixture| fixture.fail("new", 2, "exit code 1"));
        assert_eq!(failed.decision, Decision::Failed);
        assert!(failed.checks[0].reason.as_ref().unwrap().contains("failed"));
    }
}
