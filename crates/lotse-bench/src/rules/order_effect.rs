//! Run times that depend on the position within a block.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::id::ProgramId;
use lotse_model::rule::Threshold;
use lotse_model::site::Site;
use lotse_report::number::format_percent;
use lotse_stats::paired::Estimator;

use super::{Context, Draft, FindingExt, PRIOR};
use crate::pairing;

pub(super) const RULE: Rule = Rule {
    id: "bench-order-effect",
    version: 1,
    title: "the order within a block changes the times",
    meaning: "A program is slower (or faster) when it runs after the other: warm caches, files left behind, a hot \
              processor, in a duet two unequal CPUs. The balanced order takes it out of the comparison, but the runs are \
              not independent of each other.",
    computation: "Difference of the Hodges-Lehmann centres of the log ratio between blocks of either order, with the \
                  Mann-Whitney test.",
    example: "The second program of each block finds its input in the page cache and is 4 % faster.",
    picture: "",
    advice: "Make runs independent: bring caches to the same state with --prepare, use separate files.",
    thresholds: &[
        Threshold { name: "share", default: 0.005, meaning: "shift between the two orders" },
        Threshold { name: "p", default: 0.001, meaning: "p value of the Mann-Whitney test" },
    ],
    prior: PRIOR,
    references: &["Mann & Whitney 1947"],
};

pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    if !context.set.design.paired() {
        return Vec::new();
    }
    let reference = context.question.reference;
    let others = context.set.program_ids().filter(|id| *id != reference);
    others.filter_map(|program| judge(context, program)).collect()
}

fn judge(context: &Context<'_>, program: ProgramId) -> Option<Finding> {
    let limit = |name| context.threshold(&RULE, name);
    let reference = context.question.reference;
    let estimate = pairing::family(context.set, reference, program, context.question.primary, None)?.estimate;
    let order = estimate.order?;
    // Each order is half of the shift away from the middle.
    let share = match estimate.estimator {
        Estimator::LogRatio => (order.shift / 2.0).exp_m1().abs(),
        Estimator::RelativeDifference => order.shift.abs() / 2.0,
        Estimator::Difference => return None,
    };
    if order.shift.abs() <= limit("share") || order.p_value >= limit("p") {
        return None;
    }
    let name = |id: ProgramId| context.set.programs[id.index()].name.clone();
    let direction = if order.shift > 0.0 { "slower" } else { "faster" };
    let draft = Draft {
        rule: &RULE,
        level: Level::Note,
        site: Site::Pair { reference: name(reference), program: name(program) },
        certainty: 1.0 - order.p_value,
        text: format!(
            "the program that runs later in a block is {} {direction} (p = {:.1e}); taken out of the comparison",
            format_percent(share, 2),
            order.p_value
        ),
        data: vec![("shift", order.shift), ("p", order.p_value)],
        recommendation: "bring caches and files to the same state before every run with --prepare".to_owned(),
    };
    Some(draft.finish().verification(context.verify_prepared("sync")))
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::{Fixture, noise};

    #[test]
    fn a_slower_second_position_fires() {
        let mut fixture = Fixture::paired(&[("a", &noise(60, 0.002, 12)), ("b", &noise(60, 0.002, 13))]);
        assert!(fixture.findings("bench-order-effect").is_empty());
        fixture.slow_down_second(1.02);
        assert_eq!(fixture.findings("bench-order-effect").len(), 1);
    }
}
