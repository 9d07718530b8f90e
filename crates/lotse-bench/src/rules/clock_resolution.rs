//! A clock too coarse for the question.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::rule::Threshold;
use lotse_report::number::{format_percent, format_value};
use lotse_stats::descriptive::median;
use lotse_stats::resolution::quantisation_step;

use super::{Context, Draft, FindingExt, PRIOR, program_site};

pub(super) const RULE: Rule = Rule {
    id: "bench-clock-resolution",
    version: 1,
    title: "the clock is too coarse",
    meaning: "The values lie on a grid whose step is large against the value: the clock ticks too slowly to see small \
              differences, and rounding can make or hide one.",
    computation: "The greatest step of which all differences of values are multiples, as a share of the median, above \
                  `share`.",
    example: "CPU times of 0.01 s, 0.02 s and 0.01 s, from a clock that ticks 100 times a second.",
    picture: "",
    advice: "Use wall or cpu instead of user or system, or make the program run longer.",
    thresholds: &[Threshold {
        name: "share",
        default: 0.005,
        meaning: "step of the clock as a share of the median",
    }],
    prior: PRIOR,
    references: &[],
};

/// Metrics into which the kernel divides CPU time by what it finds running at each tick. Their values look finer than
/// they are, since the exact sum is divided.
const BY_TICKS: &[&str] = &["user", "system"];

pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    let unit = lotse_model::Metric::named(context.question.primary).unit;
    let limit = context.threshold(&RULE, "share");
    let judge = |(_, name, values): (_, &str, Vec<f64>)| {
        // Fewer values lie on some grid by chance.
        let step = quantisation_step(&values).ok()?.filter(|_| values.len() >= 10)?;
        let share = step / median(&values).ok()?;
        if unit != lotse_model::Unit::Seconds || share <= limit {
            return None;
        }
        let draft = Draft {
            rule: &RULE,
            level: Level::Warning,
            site: program_site(name),
            certainty: 0.95,
            text: format!(
                "{} {}, {}",
                context.question.primary,
                if BY_TICKS.contains(&context.question.primary) {
                    "is a share of the CPU time that the kernel estimates once per tick (1 to 10 ms)"
                        .to_owned()
                } else {
                    format!("moves in steps of {}", format_value(step, unit))
                },
                if share.is_finite() {
                    format!("and what it resolves is {} of the median or more", format_percent(share, 1))
                } else {
                    "and its median is 0".to_owned()
                }
            ),
            data: vec![("step", step), ("share", share)],
            recommendation: "use the metric wall or cpu, or make the program run longer".to_owned(),
        };
        Some(draft.finish().verification(context.verify(&["--metric wall"], &[])))
    };
    context.samples().into_iter().filter_map(judge).collect()
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::{Fixture, noise};

    #[test]
    fn values_on_a_coarse_grid_fire() {
        let ticks: Vec<f64> = noise(40, 0.3, 17).iter().map(|x| (x * 10.0).round() / 100.0).collect();
        let fixture = Fixture::paired(&[("coarse", &ticks), ("fine", &noise(40, 0.3, 18))]);
        let findings = fixture.findings("bench-clock-resolution");
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!((findings[0].reason.data["step"] - 0.01).abs() < 1e-9);
    }
}
