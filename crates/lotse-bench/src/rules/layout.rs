//! A difference that memory layouts alone can explain.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::rule::Threshold;
use lotse_model::site::Site;
use lotse_report::number::format_percent;

use super::{Context, Draft, FindingExt, PRIOR};
use crate::answer::{Comparison, ProgramLevels, Units, Verdict};

pub(super) const RULE: Rule = Rule {
    id: "bench-layout",
    version: 1,
    title: "the difference is within what layouts alone do",
    meaning: "The same program is faster in one memory layout than in another, without any change of its code. The difference of the \
              two programs is no larger than that: it may come from where the compiler and the kernel happened to put things.",
    computation: "Fires when the comparison is undecided, builds or layouts were drawn with several runs in each, and the ratio is less than \
                  `deviations` standard deviations away from 1: of that part of the spread which builds or layouts add to what runs of \
                  one of them vary by.",
    example: "In 20 layouts the ratio varies by ± 4 % and is 1.02 on average: not a change of 2 %.",
    picture: "",
    advice: "Draw more layouts or builds (the text says how many), or align functions to 64 bytes in both programs.",
    thresholds: &[Threshold {
        name: "deviations",
        default: 2.0,
        meaning: "deviations below which layouts explain it",
    }],
    prior: PRIOR,
    references: &["Mytkowicz et al. 2009", "Kalibera and Jones 2013"],
};

pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    context.answer.primary().filter_map(|comparison| finding(context, comparison)).collect()
}

fn finding(context: &Context<'_>, comparison: &Comparison) -> Option<Finding> {
    let Units { level, count, needed, wanted, deviation: whole } = *comparison.units.as_ref()?;
    // If runs vary more than layouts or builds, more runs help and the rule does not apply.
    let deviation = added(context, comparison, level).filter(|added| *added > 0.5 * whole)?;
    let distance = comparison.ratio?.ln().abs();
    let limit = context.threshold(&RULE, "deviations");
    if comparison.verdict != Verdict::Undecided || distance >= limit * deviation {
        return None;
    }
    let enough = needed.map_or_else(String::new, |needed| {
        format!("; about {needed} {level}s bound it to ± {}", format_percent(wanted, 1))
    });
    let draft = Draft {
        rule: &RULE,
        level: Level::Warning,
        site: Site::Pair { reference: comparison.reference.clone(), program: comparison.program.clone() },
        certainty: 1.0,
        text: format!(
            "{level}s alone change the ratio by ± {} ({count} {level}s), and the programs differ by no more{enough}",
            format_percent(deviation, 1)
        ),
        data: vec![("deviation", deviation), ("distance", distance), ("count", f64::from(count))],
        recommendation: format!("do not call one faster; draw more {level}s"),
    };
    let more = needed.map_or(2 * count, |needed| needed.clamp(2 * count, 1000)).to_string();
    let again = if level == "layout" {
        context.verify(&["--layouts", &more], &["--layouts"])
    } else {
        context.verify(&[], &[])
    };
    Some(draft.finish().verification(again))
}

/// The standard deviation that builds or layouts of both programs add to the ratio; `None` where it cannot be separated from
/// the deviation of runs.
fn added(context: &Context<'_>, comparison: &Comparison, level: &str) -> Option<f64> {
    let variance = |name: &str| {
        let primary = |it: &&ProgramLevels| it.program == name && it.metric == comparison.metric;
        let levels = &context.answer.levels.iter().find(primary)?.levels;
        levels.iter().find(|it| it.level == "run")?;
        levels.iter().find(|it| it.level == level).map(|it| it.deviation.powi(2))
    };
    let both = [variance(&comparison.reference), variance(&comparison.program)];
    both.iter().flatten().copied().reduce(|a, b| a + b).map(f64::sqrt)
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::{Fixture, noise};

    /// Layouts of the program, in turn, multiply its time by 1 ± `spread`.
    fn fixture(spread: f64, factor: f64, layouts: usize) -> Fixture {
        let drawn = noise(layouts, spread, 5);
        let base = noise(4 * layouts, 0.001, 6);
        let program: Vec<f64> = noise(4 * layouts, 0.001, 7)
            .iter()
            .enumerate()
            .map(|(at, value)| value * drawn[at % layouts] * factor)
            .collect();
        Fixture::paired(&[("base", &base), ("program", &program)]).in_layouts(layouts as u32)
    }

    #[test]
    fn a_difference_within_the_spread_of_layouts() {
        let findings = fixture(0.05, 1.01, 20).findings("bench-layout");
        assert_eq!(findings.len(), 1, "{findings:?}");
        let text = format!("{:?}", findings[0]);
        assert!(text.contains("layouts alone change the ratio by ± 4."), "{text}");
        assert!(text.contains("(20 layouts)"), "{text}");
    }

    #[test]
    fn a_difference_beyond_it_and_a_measurement_in_one_layout() {
        assert_eq!(fixture(0.002, 1.05, 20).findings("bench-layout"), []);
        let one = Fixture::paired(&[("base", &noise(40, 0.05, 1)), ("program", &noise(40, 0.05, 2))]);
        assert_eq!(one.findings("bench-layout"), []);
        let noisy = Fixture::paired(&[("base", &noise(80, 0.05, 3)), ("program", &noise(80, 0.05, 4))]);
        assert_eq!(noisy.in_layouts(20).findings("bench-layout"), [], "runs vary, layouts do not");
    }
}
