//! Too few runs for a verdict.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::rule::Threshold;

use lotse_stats::resolution::is_constant;

use super::{Context, Draft, FindingExt, PRIOR, program_site};

pub(super) const RULE: Rule = Rule {
    id: "bench-too-few-runs",
    version: 1,
    title: "too few runs",
    meaning: "With so few runs neither the spread nor a difference can be told from chance.",
    computation: "Good runs below `warn`, or below `error`. Interleaved runs need fewer: below `paired` it is a \
                  warning, and below `paired_error` an error, since the signed-rank test needs six pairs to show \
                  anything at 5 %.",
    example: "Three runs each: even if all three are faster, chance does that once in eight times.",
    picture: "",
    advice: "Raise --min-runs or the --budget.",
    thresholds: &[
        Threshold {
            name: "warn",
            default: 30.0,
            meaning: "runs that were not interleaved: warning below this",
        },
        Threshold {
            name: "error",
            default: 15.0,
            meaning: "runs that were not interleaved: error below this",
        },
        Threshold { name: "paired_error", default: 6.0, meaning: "interleaved runs: error below this" },
        Threshold { name: "paired", default: 10.0, meaning: "interleaved runs: warning below this" },
    ],
    prior: PRIOR,
    references: &["Bechberger 2016, section 2.2"],
};

pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    let limit = |name| context.threshold(&RULE, name);
    let judge = |(_, name, values): (_, &str, Vec<f64>)| {
        // A constant needs no repetition, and a program without a good run has a finding of its own.
        let settled =
            values.is_empty() || (values.len() > 1 && is_constant(&values).is_ok_and(|constant| constant));
        if settled {
            return None;
        }
        let runs = values.len() as f64;
        let level = match context.set.design.paired() {
            true if runs < limit("paired_error") => Some(Level::Error),
            true => (runs < limit("paired")).then_some(Level::Warning),
            false if runs < limit("error") => Some(Level::Error),
            false => (runs < limit("warn")).then_some(Level::Warning),
        };
        let draft = Draft {
            rule: &RULE,
            level: level?,
            site: program_site(name),
            certainty: 1.0,
            text: format!("only {} good {}", values.len(), if values.len() == 1 { "run" } else { "runs" }),
            data: vec![("runs", runs)],
            recommendation: "make more runs: --min-runs 30, or a larger --budget".to_owned(),
        };
        Some(draft.finish().verification(context.verify(&["--min-runs 30"], &["--max-runs"])))
    };
    context.samples().into_iter().filter_map(judge).collect()
}

#[cfg(test)]
mod tests {
    use lotse_model::finding::Level;

    use crate::rules::fixture::{Fixture, noise};

    #[test]
    fn limits_depend_on_the_order_of_runs() {
        let few = noise(12, 0.01, 6);
        assert!(Fixture::paired(&[("a", &few), ("b", &few)]).findings("bench-too-few-runs").is_empty());
        let unpaired =
            Fixture::sequential(&[("a", &few), ("b", &noise(20, 0.01, 7))]).findings("bench-too-few-runs");
        let levels: Vec<Level> = unpaired.iter().map(|finding| finding.level).collect();
        assert_eq!(levels, [Level::Error, Level::Warning]);
        assert_eq!(
            Fixture::paired(&[("a", &few[..5]), ("b", &few[..5])]).findings("bench-too-few-runs").len(),
            2
        );
        let level = |runs: usize| {
            let fixture = Fixture::paired(&[("a", &few[..runs]), ("b", &few[..runs])]);
            fixture.findings("bench-too-few-runs")[0].level
        };
        assert_eq!([level(5), level(6), level(9)], [Level::Error, Level::Warning, Level::Warning]);
    }
}
