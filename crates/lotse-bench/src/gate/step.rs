//! A step that the history shows: several slower results in a row prove what a single one cannot.

use super::Limits;
use super::answer::{Check, Decision};
use crate::history::{Change, Series, SeriesResult};

/// The label that makes a new level the one to compare with.
pub const ACCEPTED: &str = "accepted";

/// Makes a check fail if the newest result, the last of the series, is at a level that began among the last `most` results
/// and is worse than the one before by more than is allowed; unless a result of the new level is accepted. A newest result
/// that passes against the old level is back there, and passes.
pub(super) fn apply(check: &mut Check, series: &Series, most: usize, limits: &Limits) {
    let Some((change, age)) = recent(series, most) else { return };
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
    check.baseline = check.value.zip(change.ratio).map(|(value, ratio)| value / ratio);
    check.against = format!("the level before result {id}{begins}");
    check.reason = Some(format!(
        "the level changed with result {id}{begins}, {age} results ago; `lotse bench history label {id} {ACCEPTED}` accepts it"
    ));
}

/// Whether the newest value is nearer to the old level than to the new one.
fn is_back(check: &Check, change: &Change) -> bool {
    match (check.ratio, change.ratio) {
        // The check compares with the new level; half of the step down is half-way back.
        (Some(now), Some(step)) => now.ln() < -step.ln() / 2.0,
        _ => false,
    }
}

/// The newest change and how many results ago it was, the newest result being 1; none that was accepted or is too old.
fn recent(series: &Series, most: usize) -> Option<(Change, usize)> {
    let change = series.last_change()?;
    let age = series.all.iter().rev().position(|measured| measured.kept == change.after)? + 1;
    let since = &series.all[series.all.len() - age..];
    (age <= most && !since.iter().any(SeriesResult::is_accepted)).then_some((change, age))
}
