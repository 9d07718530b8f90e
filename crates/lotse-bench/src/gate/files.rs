//! Which of the result files of a baseline count: each result once, not the judged one, and none of another machine.

use lotse_store::StoredResult;

use super::baseline::{Baseline, BaselineError};

/// The baseline with each result once and without the judged one, and remarks about what was left out. Other kinds of
/// baselines stay as they are.
pub(super) fn distinct(
    baseline: &Baseline,
    result: &StoredResult,
) -> Result<(Baseline, Vec<String>), BaselineError> {
    let Baseline::Files(all) = baseline else { return Ok((baseline.clone(), Vec::new())) };
    let mut used: Vec<StoredResult> = Vec::new();
    let (mut repeated, mut judged) = (0, 0);
    for entry in all {
        if is_same(entry, result) {
            judged += 1;
        } else if used.iter().any(|known| is_same(known, entry)) {
            repeated += 1;
        } else {
            used.push(entry.clone());
        }
    }
    if used.is_empty() && judged > 0 {
        return Err(BaselineError::Judged);
    }
    let mut remarks = Vec::new();
    remarks.extend(left_out(repeated, all.len(), "given more than once"));
    remarks.extend(left_out(judged, all.len(), "the result that is judged"));
    Ok((Baseline::Files(used), remarks))
}

/// The baseline with comparable results only, and a remark about the others.
pub(super) fn comparable(
    baseline: Baseline,
    is_comparable: impl Fn(&&StoredResult) -> bool,
    remarks: &mut Vec<String>,
) -> Baseline {
    let Baseline::Files(mut entries) = baseline else { return baseline };
    let all = entries.len();
    entries.retain(|entry| is_comparable(&entry));
    remarks.extend(left_out(
        all - entries.len(),
        all,
        "of another machine (--across-machines includes them)",
    ));
    Baseline::Files(entries)
}

/// Whether two files hold the same measurement, whatever their names, formats and dates of writing are. Noisy values are
/// never equal by chance.
fn is_same(one: &StoredResult, other: &StoredResult) -> bool {
    let is_noisy = one.points.iter().any(|point| point.error.is_some_and(|error| error > 0.0));
    one.points == other.points && (is_noisy || one.date == other.date)
}

fn left_out(count: usize, all: usize, why: &str) -> Option<String> {
    let verb = if count == 1 { "is" } else { "are" };
    (count > 0).then(|| format!("{count} of {all} result files {verb} left out: {why}"))
}
