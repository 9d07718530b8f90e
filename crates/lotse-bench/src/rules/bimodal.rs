//! Run times in two groups.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_report::number::format_value;
use lotse_stats::modality::{ClusterSplit, Modality};

use super::{Context, Draft, FindingExt, PRIOR, program_site};

pub(super) const RULE: Rule = Rule {
    id: "bench-bimodal",
    version: 1,
    title: "run times fall into two groups",
    meaning: "There are two typical times instead of one: two kinds of cores, memory that is sometimes huge pages, a \
              cache that is sometimes warm, a daemon that sometimes interferes. A mean lies where no run lies.",
    computation: "Hartigan's dip below 1 % against a uniform distribution, and two heaps (least squares split) whose \
                  means are more than twice their deviation apart (Ashman's D > 2).",
    example: "Half of the runs take 20 ms, the other half 26 ms, none takes 23 ms.",
    picture: "",
    advice: "Look at the run order plot: does the group depend on time or on chance? Pin the program to one kind of \
             core, or randomise what differs, so that both groups are drawn fairly.",
    thresholds: &[],
    prior: PRIOR,
    references: &["Hartigan & Hartigan 1985", "Ashman, Bird & Zepf 1994"],
};

pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    let judge = |(_, name, values): (_, &str, Vec<f64>)| {
        let modality = Modality::from_values(&values).ok()?;
        let split = modality.split.filter(|_| modality.is_bimodal())?;
        Some(finding(context, name, &split, values.len()))
    };
    context.samples().into_iter().filter_map(judge).collect()
}

/// The finding with the sizes and means of the two groups.
fn finding(context: &Context<'_>, name: &str, split: &ClusterSplit, runs: usize) -> Finding {
    let unit = lotse_model::Metric::named(context.question.primary).unit;
    Draft {
        rule: &RULE,
        level: Level::Warning,
        site: program_site(name),
        certainty: 0.99,
        text: format!(
            "{} of {runs} runs lie around {}, the other {} around {}",
            split.low.count,
            format_value(split.low.mean, unit),
            split.high.count,
            format_value(split.high.mean, unit)
        ),
        data: vec![("low", split.low.mean), ("high", split.high.mean), ("low_runs", split.low.count as f64)],
        recommendation:
            "find out what the two groups are (run order plot in the HTML report) before trusting a mean"
                .to_owned(),
    }
    .finish()
    .verification(context.verify(&["--export-html report.html"], &[]))
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::{Fixture, noise};

    #[test]
    fn two_groups_fire_and_one_does_not() {
        let two: Vec<f64> = noise(80, 0.01, 3)
            .iter()
            .enumerate()
            .map(|(i, x)| x * if i % 3 == 0 { 1.2 } else { 1.0 })
            .collect();
        let fixture = Fixture::paired(&[("two", &two), ("one", &noise(80, 0.01, 4))]);
        let findings = fixture.findings("bench-bimodal");
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].reason.data["low_runs"], 53.0);
    }
}
