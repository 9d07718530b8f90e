//! Programs that were measured before and are not in the judged result: removed, renamed, or not run.

use lotse_store::{MetricPoint, StoredResult};

use super::answer::{Check, Decision};

/// A check for each program of the newest comparable result that the judged one lacks. Results without a common program may
/// belong to another suite, so the newest with one counts; the newest at all if there is none.
pub(super) fn checks(judged: &[&MetricPoint], earlier: &[&StoredResult], against: &str) -> Vec<Check> {
    let is_judged = |point: &MetricPoint| judged.iter().any(|known| known.program == point.program);
    let related = earlier.iter().rev().find(|entry| entry.points.iter().any(is_judged));
    let Some(newest) = related.or(earlier.last()) else { return Vec::new() };
    let mut absent: Vec<Check> = Vec::new();
    for point in newest.points.iter().filter(|point| !is_judged(point)) {
        let is_primary = newest.primary.as_ref().is_none_or(|metric| *metric == point.metric);
        if is_primary && absent.iter().all(|check| check.program != point.program) {
            absent.push(check(point, newest, against));
        }
    }
    absent
}

/// The check of a program that is only in an earlier result: it has a baseline and no value.
fn check(point: &MetricPoint, newest: &StoredResult, against: &str) -> Check {
    let place = match newest.id.0 {
        0 => "in the baseline".to_owned(),
        id => format!("in result {id}"),
    };
    Check {
        program: point.program.clone(),
        metric: point.metric.clone(),
        unit: point.unit,
        value: None,
        together: 0,
        baseline: point.centre,
        against: against.to_owned(),
        results: 0,
        ratio: None,
        interval: [None, None],
        decision: Decision::Absent,
        reason: Some(format!("it was measured {place} and is not in this result")),
    }
}
