//! A budget that was too small for a decision.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::site::Site;
use lotse_report::number::format_count;
use lotse_stats::Interval;

use super::{Context, Draft, FindingExt, PRIOR};
use crate::answer::{Comparison, Verdict};
use crate::trial::StoppedBy;

pub(super) const RULE: Rule = Rule {
    id: "bench-undecided",
    version: 1,
    title: "the measurement could not decide",
    meaning: "The interval still holds both 'no difference' and differences that matter. This is no statement that the \
              programs are equal.",
    computation: "The verdict on the primary metric is `undecided` when measuring stopped. Runs needed are estimated from \
                  the interval, which narrows with the square root of the number of runs, until it leaves 1 or lies \
                  within delta of it.",
    example: "Ratio 0.99, interval 0.96 to 1.02, with a delta of 1 %.",
    picture: "",
    advice: "Measure longer (--budget), make the machine quieter, or accept a larger --delta.",
    thresholds: &[],
    prior: PRIOR,
    references: &[],
};

pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    let open = context
        .answer
        .primary()
        .filter(|comparison| comparison.verdict == Verdict::Undecided && comparison.blocks > 0)
        // A gate asks another question, and that one was answered.
        .filter(|comparison| comparison.stopped_by != StoppedBy::Limit.word());
    open.map(|comparison| finding(context, comparison)).collect()
}

/// The finding with the interval so far and the estimated number of runs that would decide.
fn finding(context: &Context<'_>, comparison: &Comparison) -> Finding {
    let half_width = match comparison.interval {
        [Some(low), Some(high)] => {
            Some(Interval { low, high, level: comparison.level }.relative_half_width())
        }
        _ => None,
    };
    let needed = crate::report::needed_runs(comparison);
    let known = match comparison.interval {
        [Some(low), Some(high)] => format!("the ratio is from {}", crate::report::bounds(low, high)),
        _ => "the ratio is not bounded".to_owned(),
    };
    let estimate = needed.map_or(String::new(), |runs| match runs {
        runs if runs < 1e6 => {
            format!("; about {} {}s of each would decide", format_count(runs), comparison.repeated())
        }
        _ => format!("; no bearable number of {}s would decide", comparison.repeated()),
    });
    Draft {
        rule: &RULE,
        level: Level::Warning,
        site: Site::Pair { reference: comparison.reference.clone(), program: comparison.program.clone() },
        certainty: 1.0,
        text: format!("after {} {known}{estimate}", crate::report::counted(comparison)),
        data: vec![
            ("half_width", half_width.unwrap_or(f64::INFINITY)),
            ("blocks", f64::from(comparison.blocks)),
            ("needed_runs", needed.unwrap_or(f64::INFINITY)),
        ],
        recommendation: "measure longer with --budget, or on a quieter machine".to_owned(),
    }
    .finish()
    .verification(context.verify(&["--budget 60s"], &["--runs", "--max-runs"]))
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::{Fixture, noise};

    #[test]
    fn a_noisy_pair_is_named_and_a_clear_one_is_not() {
        let fixture = Fixture::paired(&[("a", &noise(20, 0.3, 8)), ("b", &noise(20, 0.3, 9))]);
        let findings = fixture.findings("bench-undecided");
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(findings[0].reason.data["needed_runs"] > 20.0);
        // The interval is rounded as everywhere else in the report.
        let answer = fixture.answer();
        let [Some(low), Some(high)] = answer.comparisons[0].interval else { panic!("{answer:?}") };
        let interval = format!("the ratio is from {};", crate::report::bounds(low, high));
        assert!(findings[0].reason.text.contains(&interval), "{}", findings[0].reason.text);
        let table = format!("{:?}", crate::report::full(&answer, Default::default()));
        for end in interval.trim_start_matches("the ratio is from ").trim_end_matches(';').split(" to ") {
            assert!(table.contains(&format!("Cell {{ text: \"{end}\"")), "{end}");
        }
        let slower: Vec<f64> = noise(20, 0.01, 9).iter().map(|x| x * 2.0).collect();
        assert!(
            Fixture::paired(&[("a", &noise(20, 0.01, 8)), ("b", &slower)])
                .findings("bench-undecided")
                .is_empty()
        );
    }
}
