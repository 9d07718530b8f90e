//! Run times that rise or fall while measuring.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::rule::Threshold;
use lotse_report::number::format_percent;

use super::{Context, Draft, FindingExt, PRIOR, program_site};

pub(super) const RULE: Rule = Rule {
    id: "bench-drift",
    version: 1,
    title: "run times drift over the measurement",
    meaning: "The program gets slower or faster while it is measured: the machine warms up, another job begins, a \
              file grows. In randomised blocks the drift falls out of the comparison, but the absolute times depend \
              on when they were taken, and without blocks drift and difference cannot be told apart.",
    computation: "Theil-Sen slope of the logarithms over the runs in their order, times the number of runs, as a share of \
                  the first value, and never more than the smallest and the largest value are apart; with the \
                  Mann-Kendall test of no trend.",
    example: "A processor that heats up: 1.00 s, 1.01 s, 1.02 s, … 1.10 s.",
    picture: "",
    advice: "Trust the ratio, not the absolute times. Let the machine settle (--warmup), or find what runs beside.",
    thresholds: &[
        Threshold {
            name: "share",
            default: 0.02,
            meaning: "change over the measurement, as a share of its beginning",
        },
        Threshold { name: "p", default: 0.001, meaning: "p value of the Mann-Kendall test" },
        Threshold { name: "runs", default: 12.0, meaning: "runs needed to say anything" },
    ],
    prior: PRIOR,
    references: &["Mann 1945", "Kendall 1948", "Theil 1950, Sen 1968"],
};

pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    let limit = |name| context.threshold(&RULE, name);
    let judge = |(_, name, values): (_, &str, Vec<f64>)| {
        let (change, p) = change(&values)?;
        let fires = values.len() as f64 >= limit("runs") && change.abs() > limit("share") && p < limit("p");
        fires.then(|| finding(context, name, change, p))
    };
    context.samples().into_iter().filter_map(judge).collect()
}

/// The change from the first to the last run as a share of the first, and the p value of no trend. The change is computed
/// on the logarithmic scale, so a fall is never more than 100 %. A metric that is 0 in some runs has no such share.
fn change(values: &[f64]) -> Option<(f64, f64)> {
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let drift = lotse_stats::drift::drift(&logs).ok()?;
    let range = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max)
        - logs.iter().copied().fold(f64::INFINITY, f64::min);
    // The median slope overshoots where the values fall fast at first and then stay constant.
    let total = (drift.slope * (values.len() - 1) as f64).clamp(-range, range);
    Some((total.exp_m1(), drift.p))
}

/// A note for interleaved runs, whose comparison is not affected; a warning for runs that were not interleaved.
fn finding(context: &Context<'_>, name: &str, change: f64, p: f64) -> Finding {
    let direction = if change > 0.0 { "rises" } else { "falls" };
    let effect = if context.set.design.paired() {
        "the comparison is not affected, for every block holds all programs"
    } else {
        "the runs were not interleaved, so the comparison is affected too"
    };
    Draft {
        rule: &RULE,
        level: if context.set.design.paired() { Level::Note } else { Level::Warning },
        site: program_site(name),
        certainty: 1.0 - p,
        text: format!(
            "{} {direction} by {} from the first to the last run (p = {p:.1e}); {effect}",
            context.question.primary,
            format_percent(change.abs(), 1)
        ),
        data: vec![("change", change), ("p", p)],
        recommendation: "let the machine settle before measuring, and look for what else runs".to_owned(),
    }
    .finish()
    .verification(context.verify(&["--warmup 10"], &[]))
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::{Fixture, noise};

    #[test]
    fn a_rise_fires_and_noise_does_not() {
        let rising: Vec<f64> =
            noise(60, 0.01, 1).iter().enumerate().map(|(i, x)| x * (1.0 + i as f64 * 0.002)).collect();
        let fixture = Fixture::paired(&[("rising", &rising), ("steady", &noise(60, 0.01, 2))]);
        let findings = fixture.findings("bench-drift");
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].sites[0].to_string(), "rising");
        assert!(findings[0].reason.data["change"] > 0.08);
    }

    #[test]
    fn a_value_falls_by_at_most_100_percent() {
        // Most runs come after the fall: the slope of the median pair, times the runs, is several times the median.
        let falling: Vec<f64> =
            noise(60, 0.01, 3).iter().enumerate().map(|(i, x)| x * (8.0 - i as f64 * 0.2).max(0.1)).collect();
        let fixture = Fixture::paired(&[("falling", &falling), ("steady", &noise(60, 0.01, 4))]);
        let findings = fixture.findings("bench-drift");
        assert_eq!(findings.len(), 1, "{findings:?}");
        let change = findings[0].reason.data["change"];
        assert!((-1.0..-0.9).contains(&change), "{change}");
        assert!(findings[0].reason.text.contains("falls by 9"), "{}", findings[0].reason.text);
    }

    #[test]
    fn zeros_are_no_drift() {
        let zeros: Vec<f64> = (0..60).map(|i| f64::from(i / 20)).collect();
        assert!(Fixture::paired(&[("zeros", &zeros), ("b", &zeros)]).findings("bench-drift").is_empty());
    }
}
