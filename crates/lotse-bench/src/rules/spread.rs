//! Large spread of runs that were not interleaved.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::rule::Threshold;
use lotse_report::number::format_percent;
use lotse_stats::descriptive::relative_sd;

use super::{Context, Draft, PRIOR, program_site};

pub(super) const RULE: Rule = Rule {
    id: "bench-spread",
    version: 1,
    title: "the runs spread widely",
    meaning: "The deviation is large against the mean, so a mean alone says little. Shown for results that were not \
              interleaved; a paired interval already contains the spread.",
    computation: "Sample deviation over mean above `warn` or `error`.",
    example: "Mean 122 s, deviation 37 s: the next run may take 80 s or 160 s.",
    picture: "",
    advice: "Make the machine quieter, make more runs, and interleave the programs.",
    thresholds: &[
        Threshold { name: "warn", default: 0.01, meaning: "deviation over mean: warning" },
        Threshold { name: "error", default: 0.05, meaning: "deviation over mean: error" },
    ],
    prior: PRIOR,
    references: &["Bechberger 2016, section 2.2"],
};

/// Fires for results that were not interleaved, by the relative deviation of each program.
pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    if context.set.design.paired() {
        return Vec::new();
    }
    let judge = |(_, name, values): (_, &str, Vec<f64>)| {
        let share = relative_sd(&values).ok()?;
        let level = match share {
            share if share > context.threshold(&RULE, "error") => Level::Error,
            share if share > context.threshold(&RULE, "warn") => Level::Warning,
            _ => return None,
        };
        let draft = Draft {
            rule: &RULE,
            level,
            site: program_site(name),
            certainty: 1.0,
            text: format!(
                "the deviation is {} of the mean ({} runs)",
                format_percent(share, 1),
                values.len()
            ),
            data: vec![("relative_sd", share), ("runs", values.len() as f64)],
            recommendation: "make more runs on a quieter machine, and interleave the programs".to_owned(),
        };
        Some(draft.finish())
    };
    context.samples().into_iter().filter_map(judge).collect()
}

#[cfg(test)]
mod tests {
    use lotse_model::finding::Level;

    use crate::rules::fixture::{Fixture, noise};

    #[test]
    fn two_limits() {
        let programs: &[(&str, &[f64])] = &[
            ("calm", &noise(40, 0.002, 24)),
            ("wild", &noise(40, 0.2, 25)),
            ("so-so", &noise(40, 0.02, 26)),
        ];
        let levels: Vec<Level> =
            Fixture::sequential(programs).findings("bench-spread").iter().map(|f| f.level).collect();
        assert_eq!(levels, [Level::Error, Level::Warning]);
        assert!(Fixture::paired(programs).findings("bench-spread").is_empty());
    }
}
