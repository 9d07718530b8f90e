//! Single runs far from the rest.

use lotse_model::Rule;
use lotse_model::finding::{Evidence, Finding, Level};
use lotse_model::rule::Threshold;
use lotse_report::number::format_percent;
use lotse_stats::outliers::outliers_by_score;

use super::{Context, Draft, FindingExt, PRIOR, program_site};

pub(super) const RULE: Rule = Rule {
    id: "bench-outliers",
    version: 1,
    title: "some runs lie far from the rest",
    meaning: "Something interfered with some runs. Verdicts are robust against it; means and deviations are not.",
    computation: "Runs whose modified z score (median, MAD) is above `score`; fires when they are more than `share`.",
    example: "95 runs of 20 ms and 5 runs of 35 ms, when a backup job woke up.",
    picture: "",
    advice: "Compare the marked runs with the contention columns of --json; trust medians and the verdict.",
    thresholds: &[
        Threshold { name: "score", default: 3.5, meaning: "modified z score of an outlier" },
        Threshold { name: "share", default: 0.05, meaning: "share of outliers among the runs" },
    ],
    prior: PRIOR,
    references: &["Iglewicz & Hoaglin 1993"],
};

/// Fires for programs with at least ten runs if the share of outliers is above the threshold.
pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    let limit = |name| context.threshold(&RULE, name);
    let judge = |(_, name, values): (_, &str, Vec<f64>)| {
        let runs = outliers_by_score(&values, limit("score")).ok()?;
        let share = runs.len() as f64 / values.len().max(1) as f64;
        if values.len() < 10 || share <= limit("share") {
            return None;
        }
        let draft = Draft {
            rule: &RULE,
            level: Level::Note,
            site: program_site(name),
            certainty: 0.8,
            text: format!(
                "{} of {} runs ({}) lie far from the others",
                runs.len(),
                values.len(),
                format_percent(share, 1)
            ),
            data: vec![("outliers", runs.len() as f64), ("share", share)],
            recommendation: "trust the median and the verdict rather than the mean".to_owned(),
        };
        let evidence =
            Evidence::Runs { program: name.to_owned(), runs: runs.iter().map(|&run| run as u32).collect() };
        Some(draft.finish().evidence(evidence))
    };
    context.samples().into_iter().filter_map(judge).collect()
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::{Fixture, noise};

    #[test]
    fn a_tenth_of_far_runs_fires() {
        let mut values = noise(60, 0.01, 14);
        for run in (0..60).step_by(10) {
            values[run] *= 1.6;
        }
        let fixture = Fixture::paired(&[("far", &values), ("near", &noise(60, 0.01, 15))]);
        let findings = fixture.findings("bench-outliers");
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].reason.data["outliers"], 6.0);
    }
}
