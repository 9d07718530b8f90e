//! The result of measuring a program against itself.

use lotse_model::id::ProgramId;
use lotse_model::results::ResultSet;
use lotse_stats::paired::resolvable;
use lotse_stats::sequential::Verdict;

use super::Question;
use super::paired::{bounds, finite};
use crate::answer::SelfCheck;
use crate::trial::Conclusion;
use crate::{control, pairing};

/// The control arm's result, where there was one.
pub(super) fn control_arm_check(
    set: &ResultSet,
    question: &Question<'_>,
    conclusion: &Conclusion,
) -> Option<SelfCheck> {
    let (copy, original) = control::arm(set)?;
    compare_with_copy(set, original, copy, question.primary, conclusion)
}

/// Compares a program with a copy of itself. A verdict of faster or slower is a false alarm.
pub(crate) fn compare_with_copy(
    set: &ResultSet,
    reference: ProgramId,
    control: ProgramId,
    metric: &str,
    conclusion: &Conclusion,
) -> Option<SelfCheck> {
    let shell = conclusion.shell.as_ref();
    let family = pairing::family(&conclusion.seen(set), reference, control, metric, shell)?;
    let estimate = &family.estimate;
    let look = *conclusion.looks.first()?;
    let decision = family.decide(&conclusion.plan, look);
    let alarm = matches!(decision.verdict, Verdict::Faster | Verdict::Slower);
    let level = if look.nominal_p > 0.0 { look.nominal_p } else { conclusion.plan.alpha };
    Some(SelfCheck {
        program: set.programs[reference.index()].name.clone(),
        ratio: estimate.ratio().and_then(finite),
        interval: bounds(&decision),
        resolvable: resolvable(estimate, level, 0.8).ok().flatten().map(f64::exp_m1),
        repeats: 1,
        alarms: u32::from(alarm),
    })
}
