//! A precision that was asked for and not reached.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::id::ProgramId;
use lotse_model::site::Site;
use lotse_report::number::format_percent;

use super::{Context, Draft, FindingExt, PRIOR, program_site};
use crate::answer::Precision;

pub(super) const RULE: Rule = Rule {
    id: "bench-until-missed",
    version: 1,
    title: "the precision asked for was not reached",
    meaning: "Measuring ended, by the budget or the number of runs, before the interval was as narrow as --until asks for. \
              The interval shown is valid; it is only wider than wanted.",
    computation: "The relative half-width of the widest interval on the primary metric, against --until. A program alone has \
                  the interval of its own centre. Runs needed are estimated: the width shrinks with the square root of \
                  the number of runs.",
    example: "--until 1% with a budget of a second: the ratio is known to ± 2.3 %.",
    picture: "",
    advice: "Measure longer (--budget), make the machine quieter, or ask for less.",
    thresholds: &[],
    prior: PRIOR,
    references: &[],
};

pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    let Some(precision) = context.answer.precision.filter(|precision| !precision.met) else {
        return Vec::new();
    };
    let draft = Draft {
        rule: &RULE,
        level: Level::Warning,
        site: site(context),
        certainty: 1.0,
        text: sentence(context, precision),
        data: vec![("asked", precision.asked), ("reached", precision.reached.unwrap_or(f64::INFINITY))],
        recommendation: "measure longer with --budget, or ask for less precision".to_owned(),
    };
    vec![draft.finish().verification(context.verify(&["--budget 60s"], &["--runs", "--max-runs"]))]
}

/// The pair or the program that the interval is about; all programs where there are several pairs.
fn site(context: &Context<'_>) -> Site {
    let name = |id: ProgramId| context.set.programs[id.index()].name.as_str();
    match context.answer.primary().collect::<Vec<_>>().as_slice() {
        [] => program_site(name(context.question.reference)),
        [one] => Site::Pair { reference: one.reference.clone(), program: one.program.clone() },
        _ => Site::Machine,
    }
}

/// A share in percent with two significant digits.
fn percent(share: f64) -> String {
    let decimals = (1.0 - (share * 100.0).log10().floor()).clamp(0.0, 9.0);
    format_percent(share, decimals as usize)
}

fn sentence(context: &Context<'_>, precision: Precision) -> String {
    let asked = percent(precision.asked);
    match precision.reached {
        None => format!("--until ± {asked} was not reached: the interval is not bounded"),
        Some(reached) => {
            let blocks = f64::from(context.conclusion.looked.max(1));
            let needed = (blocks * (reached / precision.asked).powi(2)).ceil();
            let estimate =
                if needed < 1e6 { format!("; about {needed} runs of each would do") } else { String::new() };
            format!("--until ± {asked} was not reached: it is ± {}{estimate}", percent(reached))
        }
    }
}

#[cfg(test)]
mod tests {
    use lotse_stats::sequential::Plan;

    use crate::answer::Answer;
    use crate::rules::fixture::{Fixture, noise};
    use crate::trial::{Conclusion, StoppedBy};

    fn answer(fixture: &Fixture, until: f64) -> Answer {
        let plan = Plan { until: Some(until), ..Plan::default() };
        fixture.concluded(&Conclusion::single_look(plan, 1, 40, StoppedBy::Budget))
    }

    #[test]
    fn a_precision_that_was_reached_is_no_finding() {
        let (a, b) = (noise(40, 0.02, 1), noise(40, 0.02, 2));
        for fixture in [
            Fixture::paired(&[("a", &a)]),
            Fixture::paired(&[("a", &a), ("b", &b)]),
            Fixture::sequential(&[("a", &a), ("b", &b)]),
        ] {
            let missed = |until: f64| {
                answer(&fixture, until).findings.iter().any(|it| it.rule.id == "bench-until-missed")
            };
            assert!(missed(0.001) && !missed(0.1));
            let precision = answer(&fixture, 0.001).precision.unwrap();
            assert!(
                !precision.met && precision.reached.unwrap() > 0.002 && precision.reached.unwrap() < 0.05
            );
        }
    }

    #[test]
    fn what_is_not_bounded_is_not_precise() {
        let few = answer(&Fixture::paired(&[("a", &[1.0, 1.1]), ("b", &[1.2, 1.1])]), 0.5);
        assert_eq!(few.precision.map(|it| (it.reached, it.met)), Some((None, false)));
    }
}
