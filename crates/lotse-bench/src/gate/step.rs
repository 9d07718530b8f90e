//! A change of level in the history: several slower results in a row prove a regression that a single one does not.

use super::Limits;
use super::answer::{Check, Decision};
use crate::history::{Change, Series, SeriesResult};

/// The label that makes a new level the one to compare with.
pub const ACCEPTED: &str = "accepted";

/// Makes a check a regression if the level of the series changed among the last `most` results and the new level is worse
/// than the old one by more than is allowed, unless a result of the new level is accepted. If the newest result is back at
/// the old level, the check passes.
pub(super) fn apply(check: &mut Check, series: &Series, most: usize, limits: &Limits) {
    let Some((change, [before, since], age)) = recent(series, most) else { return };
    let back = check.decision == Decision::Pass && is_back(check, &change);
    if matches!(check.decision, Decision::Failed | Decision::Regression) || back {
        return;
    }
    if limits.decide(change.interval) != Decision::Regression {
        return;
    }
    let begins = change.after.short_commit().map_or(String::new(), |commit| format!(" at {commit}"));
    let id = change.after.id;
    check.decision = Decision::Regression;
    check.ratio = change.ratio;
    check.interval = change.interval;
    (check.baseline, check.value) = (Some(before), Some(since));
    check.together = age as u32;
    check.against = format!("the level before result {id}{begins}");
    check.reason = Some(format!(
        "the level changed with result {id}{begins}, {age} results ago; `lotse bench history label {id} {ACCEPTED}` accepts it"
    ));
}

/// Whether the newest value is nearer to the old level than to the new one.
fn is_back(check: &Check, change: &Change) -> bool {
    match (check.ratio, change.ratio) {
        // The check compares with the new level, so the midpoint between the levels is half a step below it.
        (Some(now), Some(step)) => now.ln() < -step.ln() / 2.0,
        _ => false,
    }
}

/// The newest change of level with its values and its age in results (1: it began with the newest result); `None` if it was
/// accepted or is older than `most` results.
fn recent(series: &Series, most: usize) -> Option<(Change, [f64; 2], usize)> {
    let (change, values) = series.last_change()?;
    let age = series.all.iter().rev().position(|measured| measured.kept == change.after)? + 1;
    let since = &series.all[series.all.len() - age..];
    (age <= most && !since.iter().any(SeriesResult::is_accepted)).then_some((change, values, age))
}
