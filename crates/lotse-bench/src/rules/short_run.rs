//! Programs so short that starting them is most of the time.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::rule::Threshold;
use lotse_report::number::format_seconds;
use lotse_stats::descriptive::median;

use super::{Context, Draft, PRIOR, program_site};

pub(super) const RULE: Rule = Rule {
    id: "bench-short-run",
    version: 1,
    title: "the program is so short that starting it dominates",
    meaning: "Starting and ending a process takes some tenths of a millisecond. Of a run this short most is the system's \
              work, not the program's, and a ratio of such times understates the difference of the programs.",
    computation: "Median wall time below `seconds`.",
    example: "`true` takes 0.5 ms, of which the program itself needs next to nothing.",
    picture: "",
    advice: "Let the program repeat its work, or measure instructions (--runner valgrind).",
    thresholds: &[Threshold { name: "seconds", default: 0.002, meaning: "median wall time" }],
    prior: PRIOR,
    references: &[],
};

/// Fires for every program whose median wall time is below the threshold.
pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    if context.question.primary != lotse_model::metric::WALL {
        return Vec::new();
    }
    let judge = |(_, name, values): (_, &str, Vec<f64>)| {
        let typical = median(&values).ok()?;
        let draft = || Draft {
            rule: &RULE,
            level: Level::Note,
            site: program_site(name),
            certainty: 0.9,
            text: format!(
                "a run takes {}, about as long as starting a process does",
                format_seconds(typical)
            ),
            data: vec![("median", typical)],
            recommendation: "let the program repeat its work, or count instructions with --runner valgrind"
                .to_owned(),
        };
        (typical < context.threshold(&RULE, "seconds")).then(|| draft().finish())
    };
    context.samples().into_iter().filter_map(judge).collect()
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::{Fixture, noise};

    #[test]
    fn only_short_programs_are_named() {
        let short: Vec<f64> = noise(20, 0.01, 19).iter().map(|x| x * 0.001).collect();
        let findings =
            Fixture::paired(&[("short", &short), ("long", &noise(20, 0.01, 20))]).findings("bench-short-run");
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].sites[0].to_string(), "short");
    }
}
