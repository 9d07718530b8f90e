//! A control arm that looked different from itself.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::rule::Threshold;

use super::{Context, Draft, FindingExt, PRIOR, program_site};

pub(super) const RULE: Rule = Rule {
    id: "bench-self-check-alarm",
    version: 1,
    title: "a program was found different from itself",
    meaning: "The control arm is the very same command, so any difference claimed is false. One alarm in twenty control \
              comparisons is what 95 % confidence allows; more says that this machine disturbs the measurement in a way the \
              statistics do not see.",
    computation: "Control comparisons whose verdict is faster or slower; fires when so many would come by chance with a \
                  probability below `p`.",
    example: "--aa=20 raises five alarms where one is expected.",
    picture: "",
    advice: "Look for something periodic on the machine; measure longer; do not believe small differences here.",
    thresholds: &[Threshold {
        name: "p",
        default: 0.06,
        meaning: "chance of so many alarms when all is well",
    }],
    prior: PRIOR,
    references: &[],
};

/// Fires if the number of false alarms is too large to be explained by chance (binomial distribution).
pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    let Some(check) = &context.answer.self_check else { return Vec::new() };
    let chance = so_many_or_more(check.repeats, check.alarms, context.conclusion.plan.alpha);
    if check.alarms == 0 || chance >= context.threshold(&RULE, "p") {
        return Vec::new();
    }
    let draft = Draft {
        rule: &RULE,
        level: Level::Warning,
        site: program_site(&check.program),
        certainty: 1.0 - chance,
        text: format!(
            "{} of {} control comparisons claimed a difference; chance does that with p = {chance:.2}",
            check.alarms, check.repeats
        ),
        data: vec![("alarms", f64::from(check.alarms)), ("repeats", f64::from(check.repeats)), ("p", chance)],
        recommendation:
            "find what disturbs the machine periodically, and do not believe small differences here"
                .to_owned(),
    };
    vec![draft.finish().verification(context.verify(&["--aa=20"], &[]))]
}

/// The chance of at least `alarms` in `repeats` independent comparisons that raise one with probability `alpha`.
fn so_many_or_more(repeats: u32, alarms: u32, alpha: f64) -> f64 {
    let mut term = (1.0 - alpha).powi(repeats as i32);
    let mut fewer = 0.0;
    for k in 0..alarms {
        fewer += term;
        term *= f64::from(repeats - k) / f64::from(k + 1) * alpha / (1.0 - alpha);
    }
    (1.0 - fewer).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::so_many_or_more;

    #[test]
    fn chances_match_the_binomial_distribution() {
        // scipy.stats.binom.sf(k - 1, n, 0.05)
        let cases =
            [(1, 1, 0.05), (20, 1, 0.641_514_077_6), (20, 4, 0.015_901_526_0), (100, 11, 0.011_472_410_1)];
        for (repeats, alarms, expected) in cases {
            let chance = so_many_or_more(repeats, alarms, 0.05);
            assert!((chance - expected).abs() < 1e-6, "{alarms} of {repeats}: {chance}");
        }
    }
}
