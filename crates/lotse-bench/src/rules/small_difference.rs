//! Means whose difference is smaller than the spread of their runs.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::rule::Threshold;
use lotse_model::site::Site;
use lotse_stats::power::wrong_order_chance;

use super::{Context, Draft, FindingExt, PRIOR};
use crate::analysis::{UnpairedTests, unpaired_tests};
use crate::answer::{Comparison, Verdict};

pub(super) const RULE: Rule = Rule {
    id: "bench-small-difference",
    version: 1,
    title: "the means differ by less than the runs spread",
    meaning: "The difference of two means is small against the deviation of the runs, or a test of it is in the uncertain \
              range. Shown for results that were not interleaved and where the comparison is undecided.",
    computation: "Difference of means over the larger deviation below `warn` or `error`, or Welch's p between `sure` and \
                  `unsure`. With k = difference / (deviation / √n) the chance that the order of the means is wrong is \
                  1 - Φ(k / √2): 7.9 % at k = 2, 24 % at k = 1.",
    example: "Means 122 s and 110 s with deviations of 37 s and 39 s over 30 runs each: Welch's p is 0.23, no difference.",
    picture: "",
    advice: "Do not read the means as 'faster'. Make more runs, interleaved.",
    thresholds: &[
        Threshold { name: "warn", default: 2.0, meaning: "difference over deviation: warning below" },
        Threshold { name: "error", default: 1.0, meaning: "difference over deviation: error below" },
        Threshold { name: "sure", default: 0.05, meaning: "Welch's p: significant below" },
        Threshold { name: "unsure", default: 0.15, meaning: "Welch's p: uncertain up to here" },
    ],
    prior: PRIOR,
    references: &["Bechberger 2016, chapter 1 and section 2.2"],
};

/// Tests every undecided program of a result that was not interleaved against the reference.
pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    if context.set.design.paired() {
        return Vec::new();
    }
    let samples = context.samples();
    let Some((_, reference, base)) = samples.iter().find(|(id, ..)| *id == context.question.reference) else {
        return Vec::new();
    };
    let open = |name: &str| {
        let undecided = |it: &&Comparison| it.program == name && it.verdict == Verdict::Undecided;
        context.answer.primary().find(undecided).is_some()
    };
    let others = samples.iter().filter(|(id, name, _)| *id != context.question.reference && open(name));
    let judge = |(_, name, values): &(_, &str, Vec<f64>)| {
        let tests = unpaired_tests(values, base)?;
        let site = Site::Pair { reference: (*reference).to_owned(), program: (*name).to_owned() };
        finding(context, site, &tests, values.len().min(base.len()))
    };
    others.filter_map(judge).collect()
}

/// An error or warning by the difference in deviations and by Welch's p, with the chance of a wrong order of the means.
fn finding(context: &Context<'_>, site: Site, tests: &UnpairedTests, runs: usize) -> Option<Finding> {
    let distance = tests.per_sd?.abs();
    let p = tests.welch?;
    let limit = |name| context.threshold(&RULE, name);
    let uncertain = p > limit("sure") && p < limit("unsure");
    let level = match distance {
        distance if distance < limit("error") => Level::Error,
        distance if distance < limit("warn") || uncertain => Level::Warning,
        _ => return None,
    };
    let wrong = wrong_order_chance(distance * (runs as f64).sqrt()).ok()?;
    let draft = Draft {
        rule: &RULE,
        level,
        site,
        certainty: 1.0,
        text: format!(
            "the means differ by {distance:.2} deviations (Welch p = {p:.3}); the chance that their order is wrong is {:.1} %",
            wrong * 100.0
        ),
        data: vec![("per_sd", distance), ("welch_p", p), ("wrong_order", wrong)],
        recommendation: "do not call one faster; make more runs, interleaved".to_owned(),
    };
    Some(draft.finish().verification(context.verify(&[], &["--order"])))
}

#[cfg(test)]
mod tests {
    use lotse_model::finding::Level;

    use crate::rules::fixture::{Fixture, noise};

    #[test]
    fn near_means_fire_and_far_ones_do_not() {
        let base = noise(40, 0.05, 27);
        let far: Vec<f64> = noise(40, 0.05, 28).iter().map(|x| x * 2.0).collect();
        let fixture = Fixture::sequential(&[("base", &base), ("near", &noise(40, 0.05, 29)), ("far", &far)]);
        let findings = fixture.findings("bench-small-difference");
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].level, Level::Error);
    }
}
