//! A first run that is slower because of cold caches.

use lotse_model::Rule;
use lotse_model::finding::{Evidence, Finding, Level};
use lotse_model::rule::Threshold;
use lotse_report::number::format_ratio;
use lotse_stats::outliers::FirstValue;

use super::{Context, Draft, FindingExt, PRIOR, program_site};

pub(super) const RULE: Rule = Rule {
    id: "bench-first-run-slow",
    version: 1,
    title: "the first run was much slower than the rest",
    meaning: "The first run read files into the cache, built something or woke the processor. It says more about a cold \
              start than about the program.",
    computation: "Modified z score of the first run by the median and MAD of the others above 3.5, and the run longer than \
                  theirs by more than `share`.",
    example: "120 ms, then 80 ms, 81 ms, 80 ms, …: the first run loaded the program from disk.",
    picture: "",
    advice: "If warm runs are meant, use --warmup 1. If cold runs are meant, drop caches with --prepare before every run.",
    thresholds: &[Threshold {
        name: "share",
        default: 0.1,
        meaning: "how much longer the first run is than the median",
    }],
    prior: PRIOR,
    references: &["Iglewicz & Hoaglin 1993"],
};

pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    let least = 1.0 + context.threshold(&RULE, "share");
    let judge = |(_, name, values): (_, &str, Vec<f64>)| {
        let first = FirstValue::from_values(&values).ok()?;
        let ratio = first.ratio.filter(|ratio| first.is_slow() && *ratio > least)?;
        let draft = Draft {
            rule: &RULE,
            level: Level::Note,
            site: program_site(name),
            certainty: 0.9,
            text: format!("the first run took {} times the median of the others", format_ratio(ratio)),
            data: vec![("ratio", ratio), ("score", first.score)],
            recommendation: "use --warmup 1 for warm runs, or --prepare to make every run cold".to_owned(),
        };
        let evidence = Evidence::Runs { program: name.to_owned(), runs: vec![0] };
        Some(draft.finish().evidence(evidence).verification(context.verify(&["--warmup 1"], &[])))
    };
    context.samples().into_iter().filter_map(judge).collect()
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::{Fixture, noise};

    #[test]
    fn a_cold_start_fires() {
        let mut cold = noise(30, 0.01, 10);
        cold[0] *= 1.5;
        let fixture = Fixture::paired(&[("cold", &cold), ("warm", &noise(30, 0.01, 11))]);
        assert_eq!(fixture.findings("bench-first-run-slow").len(), 1);
    }
}
