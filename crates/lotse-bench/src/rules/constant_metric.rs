//! A metric that never changes.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_report::number::format_value;
use lotse_stats::resolution::is_constant;

use super::{Context, Draft, PRIOR, program_site};

pub(super) const RULE: Rule = Rule {
    id: "bench-constant-metric",
    version: 1,
    title: "the primary metric is the same in every run",
    meaning: "All runs gave the very same value. The comparison is then exact, not statistical. That is as it should be \
              for instruction counts, and a sign of a dead or coarse clock for times.",
    computation: "All good runs of a program have the same value of the primary metric.",
    example: "Instructions under valgrind: 45,345,629 in all runs.",
    picture: "",
    advice: "For counts: one run is enough. For times: choose another clock or a longer program.",
    thresholds: &[],
    prior: PRIOR,
    references: &[],
};

/// Fires for every program with at least two runs and the same value of the primary metric in all of them.
pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    let unit = lotse_model::Metric::named(context.question.primary).unit;
    let judge = |(_, name, values): (_, &str, Vec<f64>)| {
        let constant = values.len() > 1 && is_constant(&values).ok()?;
        let draft = || Draft {
            rule: &RULE,
            level: Level::Note,
            site: program_site(name),
            certainty: 1.0,
            text: format!(
                "{} is {} in all {} runs",
                context.question.primary,
                format_value(values[0], unit),
                values.len()
            ),
            data: vec![("value", values[0]), ("runs", values.len() as f64)],
            recommendation: "compare constants directly; --runs 2 is enough".to_owned(),
        };
        constant.then(|| draft().finish())
    };
    context.samples().into_iter().filter_map(judge).collect()
}

#[cfg(test)]
mod tests {
    use crate::answer::Verdict;
    use crate::rules::fixture::{Fixture, noise};

    #[test]
    fn constants_are_named_and_compared_exactly() {
        let fixture = Fixture::paired(&[("a", &[100.0; 12]), ("b", &[101.0; 12])]);
        assert_eq!(fixture.findings("bench-constant-metric").len(), 2);
        let answer = fixture.answer();
        assert_eq!(answer.comparisons[0].verdict, Verdict::Slower);
        assert_eq!(answer.comparisons[0].ratio, Some(1.01));
        let moving = noise(12, 0.01, 16);
        assert!(
            Fixture::paired(&[("a", &moving), ("b", &moving)]).findings("bench-constant-metric").is_empty()
        );
    }
}
