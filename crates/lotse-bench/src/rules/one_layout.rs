//! A small difference of two binaries that were measured in one layout each.

use std::collections::BTreeSet;

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::metric;
use lotse_model::rule::Threshold;
use lotse_model::site::Site;
use lotse_report::number::format_percent;

use super::{Context, Draft, FindingExt, PRIOR};
use crate::answer::Comparison;

pub(super) const RULE: Rule = Rule {
    id: "bench-one-layout",
    version: 1,
    title: "a small difference, and layouts were not drawn",
    meaning: "These two files differ in speed; that is certain. Whether the change of the source is the reason is not: where the linker puts \
              functions changes the time of some programs by 10 % and more, and any change moves them.",
    computation: "Fires when two different program files differ in time by less than `most`, and neither builds nor layouts were drawn.",
    example: "Two builds of the same source with the objects in another order: one is 4 % faster.",
    picture: "",
    advice: "Build both several times with functions in random order (`lotse bench build`), or draw layouts (`--layouts 20`).",
    thresholds: &[Threshold {
        name: "most",
        default: 0.1,
        meaning: "difference above which layouts are an unlikely reason",
    }],
    prior: PRIOR,
    references: &["Mytkowicz et al. 2009", "Curtsinger and Berger 2013"],
};

const TIMES: [&str; 3] = [metric::WALL, metric::CPU, "user"];

pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    let levels: BTreeSet<(u32, u32)> =
        context.set.runs.iter().map(|run| (run.levels.build, run.levels.layout)).collect();
    if levels.len() > 1 {
        return Vec::new();
    }
    context.answer.primary().filter_map(|comparison| finding(context, comparison)).collect()
}

/// Fires for a small but certain difference in time between two program files.
fn finding(context: &Context<'_>, comparison: &Comparison) -> Option<Finding> {
    let distance = (comparison.ratio? - 1.0).abs();
    let is_small = distance < context.threshold(&RULE, "most");
    let is_time = TIMES.contains(&comparison.metric.as_str());
    if !(comparison.differs() && is_small && is_time && have_own_files(context, comparison)) {
        return None;
    }
    let draft = Draft {
        rule: &RULE,
        level: Level::Note,
        site: Site::Pair { reference: comparison.reference.clone(), program: comparison.program.clone() },
        certainty: 0.5,
        text: format!(
            "these two files differ by {}; where functions and the stack lie in memory can do as much, and was not varied",
            format_percent(distance, 1)
        ),
        data: vec![("distance", distance)],
        recommendation: "to judge the change and not these two files, vary their layout".to_owned(),
    };
    Some(draft.finish().verification(context.verify(&["--layouts", "20"], &["--layouts"])))
}

/// Whether the commands name two different program files; two calls of one file have the same layout.
fn have_own_files(context: &Context<'_>, comparison: &Comparison) -> bool {
    let file = |name: &str| {
        let program = context.set.programs.iter().find(|program| program.name == name)?;
        program.command.split_whitespace().next().filter(|word| word.contains('/')).map(str::to_owned)
    };
    match (file(&comparison.reference), file(&comparison.program)) {
        (Some(reference), Some(program)) => reference != program,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::{Fixture, noise};

    const ID: &str = "bench-one-layout";

    fn fixture(names: [&str; 2], factor: f64) -> Fixture {
        let slower: Vec<f64> = noise(40, 0.001, 2).iter().map(|value| value * factor).collect();
        Fixture::paired(&[(names[0], &noise(40, 0.001, 1)), (names[1], &slower)])
    }

    #[test]
    fn two_files_that_differ_a_little() {
        let findings = fixture(["./old", "./new"], 1.04).findings(ID);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].verification.as_ref().unwrap().contains("--layouts 20"), "{findings:?}");
    }

    #[test]
    fn silent_where_layouts_are_not_the_question() {
        assert_eq!(fixture(["./old", "./new"], 1.4).findings(ID), [], "too much for layouts");
        assert_eq!(fixture(["./old", "./new"], 1.0).findings(ID), [], "no difference");
        assert_eq!(fixture(["./same -a", "./same -b"], 1.04).findings(ID), [], "one file");
        assert_eq!(fixture(["sort a", "grep b"], 1.04).findings(ID), [], "no builds of one's own");
        assert_eq!(fixture(["./old", "./new"], 1.04).in_layouts(10).findings(ID), [], "layouts were drawn");
    }
}
