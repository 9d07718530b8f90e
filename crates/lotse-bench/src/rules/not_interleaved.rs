//! Comparisons of runs that were made one program after the other.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::site::Site;

use super::{Context, Draft, FindingExt, PRIOR};

pub(super) const RULE: Rule = Rule {
    id: "bench-not-interleaved",
    version: 1,
    title: "the runs were not interleaved",
    meaning: "All runs of one program were made before those of the next. Whatever changed on the machine in between looks \
              like a difference of the programs. On a quiet virtual machine, two byte-identical programs measured so were \
              called different in 17 of 25 trials.",
    computation: "The result has several programs and its order is sequential (or unknown, as in files of other tools).",
    example: "hyperfine runs all of A, then all of B; the processor's clock drops in between.",
    picture: "",
    advice: "Measure again with Lotse, which interleaves the programs in randomised blocks.",
    thresholds: &[],
    prior: PRIOR,
    references: &["docs: why blocks"],
};

pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    if context.set.design.paired() || context.set.programs.len() < 2 {
        return Vec::new();
    }
    let draft = Draft {
        rule: &RULE,
        level: Level::Warning,
        site: Site::Machine,
        certainty: 1.0,
        text: match &context.set.design_note {
            Some(note) => note.clone(),
            None => format!(
                "the runs of the {} programs were made in a row, or nothing says otherwise: drift looks like a difference",
                context.set.programs.len()
            ),
        },
        data: vec![("programs", context.set.programs.len() as f64)],
        recommendation: "measure again with interleaved runs before believing a small difference".to_owned(),
    };
    let finding = draft.finish();
    // The same command again would be measured in the same order.
    match context.set.design_note {
        Some(_) => vec![finding],
        None => vec![finding.verification(context.verify(&[], &["--order"]))],
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::{Fixture, noise};

    #[test]
    fn fires_on_sequential_results_only() {
        let values = noise(30, 0.01, 23);
        let programs: &[(&str, &[f64])] = &[("a", &values), ("b", &values)];
        assert_eq!(Fixture::sequential(programs).findings("bench-not-interleaved").len(), 1);
        assert!(Fixture::paired(programs).findings("bench-not-interleaved").is_empty());
        let mut noted = Fixture::sequential(programs);
        noted.set.design_note = Some("the setups differ".to_owned());
        let finding = noted.findings("bench-not-interleaved").remove(0);
        assert_eq!((finding.reason.text.as_str(), finding.verification), ("the setups differ", None));
    }
}
