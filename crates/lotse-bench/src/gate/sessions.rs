//! A result against results of other days.

use lotse_model::Fingerprint;
use lotse_model::unit::Unit;
use lotse_stats::descriptive::median;
use lotse_stats::sessions::{Session, SessionSpread, difference};
use lotse_store::{MetricPoint, StoredResult};

use super::answer::{Check, Decision, GateAnswer};
use super::baseline::{Baseline, BaselineError};
use super::{Limits, absent, files, step};
use crate::history::{Series, SeriesResult};

/// If a larger share of the runs was contended, a longer time may come from other processes and not from the program.
const MOST_CONTENDED: f64 = 0.25;
/// Number of newest results from which the spread is estimated; older ones say little about the present.
const RECENT: usize = 100;

/// Whether results of an entry may be compared with those of a machine. Results of an unknown machine are comparable with
/// each other only.
pub(super) fn is_comparable(entry: &StoredResult, machine: Option<&Fingerprint>) -> bool {
    match (machine, &entry.machine) {
        (Some(wanted), Some(found)) => wanted.same_machine(found),
        _ => machine.is_none() && entry.machine.is_none(),
    }
}

/// Judges a result against a baseline. `earlier` holds all older results of the history, the oldest first.
///
/// If the results just before the new one are slow too, they are judged together with it, against the results before them:
/// ```text
/// 10 10 11 10 | 12 12 12*      * the new result; baseline: the four results before the bar
/// ```
pub fn judge(
    result: &StoredResult,
    earlier: &[StoredResult],
    baseline: &Baseline,
    limits: &Limits,
) -> Result<GateAnswer, BaselineError> {
    let machine = result.machine.as_ref();
    let (baseline, mut remarks) = files::distinct(baseline, result)?;
    if !limits.across_machines {
        baseline.check(earlier, result)?;
    }
    let comparable = |entry: &&StoredResult| limits.across_machines || is_comparable(entry, machine);
    let baseline = &files::comparable(baseline, comparable, &mut remarks);
    let ours: Vec<&StoredResult> = earlier.iter().filter(comparable).collect();
    let files: Vec<&StoredResult> = match baseline {
        Baseline::Files(entries) => entries.iter().collect(),
        _ => Vec::new(),
    };
    let judged = newest_points(result, limits);
    let level = 1.0 - (1.0 - limits.level) / judged.len().max(1) as f64;
    let checks = judged.iter().map(|point| {
        let series = |entries: &[&StoredResult]| {
            Series::from_entries(entries, &point.program, &point.metric).measured()
        };
        let (history, in_files) = (series(&ours).newest(RECENT), series(&files));
        let new = SeriesResult::new(result, point);
        let run = if let Baseline::Last(most) = baseline {
            slower_before(&history, &new, *most, limits)
        } else {
            0
        };
        let before = history.without_last(run);
        let base = baseline.results_of_program(&before, Some(&in_files));
        let spread = [&before, &in_files].into_iter().find_map(|series| series.spread());
        let against = baseline_in_words(baseline, base.len(), run);
        let slow = &history.all[before.all.len()..];
        let mut check = check(&GateCase { new: &new, slow, base: &base, spread, against }, limits, level);
        if let Baseline::Last(most) = baseline {
            step::apply(&mut check, &history.with(new.clone()), *most, limits);
        }
        check
    });
    let mut checks: Vec<Check> = checks.collect();
    let most = checks.iter().map(|check| check.results as usize).max().unwrap_or(0);
    let described = baseline.describe(most);
    let all = if files.is_empty() { &ours } else { &files };
    checks.extend(absent::checks(&judged, all, &described));
    let mut answer = GateAnswer::from_checks(described, limits, checks);
    answer.result = judged.first().map(|point| SeriesResult::new(result, point).kept);
    answer.remarks = remarks;
    Ok(answer)
}

/// One point for each program on the judged metric. Of a program measured at several revisions, the last (newest) counts.
fn newest_points<'a>(result: &'a StoredResult, limits: &Limits) -> Vec<&'a MetricPoint> {
    let metric = limits.metric.as_ref().or(result.primary.as_ref());
    let mut points: Vec<&MetricPoint> = Vec::new();
    for point in &result.points {
        // A program without a good run has a single point, of any metric.
        if Some(&point.metric) != metric && point.centre.is_some() {
            continue;
        }
        match points.iter_mut().find(|known| known.program == point.program) {
            Some(known) => *known = point,
            None => points.push(point),
        }
    }
    points
}

/// One program and what it is compared with.
struct GateCase<'a> {
    /// The newest result.
    new: &'a SeriesResult,
    /// The results just before it that are slow too.
    slow: &'a [SeriesResult],
    base: &'a [SeriesResult],
    spread: Option<SessionSpread>,
    against: String,
}

/// How many results just before the newest are, like the newest, slower than the results before them by more than is
/// allowed. Several slow results are stronger evidence than one. All must be at the level of the slow ones, that is nearer to
/// their median than to the results before, and results before an accepted one do not count:
/// ```text
/// 100 100 110* 110 110 118 118     * accepted: the last two are slow
/// 100 100 100 101 110              with 1 % allowed: only the last is slow
/// ```
/// 0 if they are more than `most` with the newest: the slow level is then what the newest is compared with.
fn slower_before(history: &Series, new: &SeriesResult, most: usize, limits: &Limits) -> usize {
    const LONGEST: usize = 6;
    const REFERENCE: usize = 10;
    let values: Option<Vec<f64>> =
        history.all.iter().chain([new]).map(|measured| Some(measured.session()?.centre)).collect();
    let Some(values) = values else { return 0 };
    let accepted = history.last_accepted();
    let values = &values[accepted.unwrap_or(0)..];
    // One result is enough to compare with if the user accepted it.
    let least = if accepted.is_some() { 1 } else { 2 };
    let mut found = 0;
    for run in 1..=LONGEST.min(values.len().saturating_sub(least + 1)) {
        let (before, slow) = values.split_at(values.len() - run - 1);
        let (Ok(middle), Ok(level)) =
            (median(&before[before.len().saturating_sub(REFERENCE)..]), median(slow))
        else {
            break;
        };
        let bound = (middle + (1.0 + limits.max_regression).ln()).max((middle + level) / 2.0);
        if !slow.iter().all(|value| *value > bound) {
            break;
        }
        found = run;
    }
    if found < most { found } else { 0 }
}

/// The baseline in words, and how many results in a row are compared with it.
fn baseline_in_words(baseline: &Baseline, found: usize, run: usize) -> String {
    match run {
        0 => baseline.describe(found),
        run => format!("{} before, by the mean of {} results in a row", baseline.describe(found), run + 1),
    }
}

/// Decides about one program: failed runs first, then a missing baseline, then the comparison.
fn check(case: &GateCase<'_>, limits: &Limits, level: f64) -> Check {
    let point = &case.new.point;
    let mut check = Check {
        program: point.program.clone(),
        metric: point.metric.clone(),
        unit: point.unit,
        value: point.centre,
        together: 1,
        baseline: None,
        against: case.against.clone(),
        results: case.base.len() as u32,
        ratio: None,
        interval: [None, None],
        decision: Decision::Undecided,
        reason: None,
    };
    if point.failed > 0 {
        let total = point.failed + point.runs;
        check.reason = Some(format!("{} of {total} runs failed", point.failed));
        check.decision = Decision::Failed;
        return check;
    }
    if case.base.is_empty() {
        check.reason = Some("the baseline has no result of this program and metric".to_owned());
        check.decision = Decision::New;
        return check;
    }
    compare(&mut check, case, limits, level);
    check
}

/// Compares the means of the logarithms of the new results and of the baseline, with an interval that includes the spread
/// between sessions. A regression in a measurement with many contended runs remains undecided.
fn compare(check: &mut Check, case: &GateCase<'_>, limits: &Limits, level: f64) {
    let row: Option<Vec<Session>> = case.slow.iter().chain([case.new]).map(SeriesResult::session).collect();
    let sessions: Option<Vec<Session>> = case.base.iter().map(SeriesResult::session).collect();
    let (Some(row), Some(sessions)) = (row, sessions) else {
        compare_without_ratio(check, case.base);
        return;
    };
    let mean = |all: &[Session]| all.iter().map(|session| session.centre).sum::<f64>() / all.len() as f64;
    if row.len() > 1 {
        (check.value, check.together) = (Some(mean(&row).exp()), row.len() as u32);
    }
    check.baseline = Some(mean(&sessions).exp());
    check.ratio = Some((mean(&row) - mean(&sessions)).exp());
    let exact = case.slow.iter().chain([case.new]).chain(case.base).all(SeriesResult::is_exact);
    let measured = if exact { Some(SessionSpread::assumed(0.0)) } else { case.spread };
    let Some(spread) = measured.or(limits.session_spread.map(SessionSpread::assumed)) else {
        check.reason = Some(
            "one result tells nothing about how much results differ from day to day: keep more of them \
             (--keep), give --session-spread, or measure both side by side"
                .to_owned(),
        );
        return;
    };
    let Ok(found) = difference(&row, &sessions, spread, level) else { return };
    check.interval = [found.low, found.high].map(|end| Some(end.exp()).filter(|end| end.is_finite()));
    check.decision = limits.decide(check.interval);
    let MetricPoint { contended, runs, unit, .. } = case.new.point;
    let beside_others = f64::from(contended) > MOST_CONTENDED * f64::from(runs);
    if check.decision == Decision::Regression && beside_others && unit == Unit::Seconds {
        check.decision = Decision::Undecided;
        check.reason = Some(format!(
            "{contended} of {runs} runs had to share their CPU with something else, which may be the reason: measure again"
        ));
    } else if check.decision == Decision::Undecided {
        check.reason = Some(undecided(spread, measured.is_none()));
    }
}

fn undecided(spread: SessionSpread, assumed: bool) -> String {
    let spread = lotse_report::number::format_percent(spread.deviation, 1);
    let source = if assumed { "results are assumed to differ" } else { "results at one level differ" };
    format!(
        "{source} by {spread} (standard deviation), which is too much to tell: measure both side by side (`lotse bench --rev …`), or on a quieter machine (--separate)"
    )
}

/// For values that may be 0 and so have no ratio: passes if the value is not above the median of the baseline, else stays
/// undecided. The largest would let a rise pass as soon as the first high result is in the baseline.
fn compare_without_ratio(check: &mut Check, base: &[SeriesResult]) {
    let all: Vec<f64> = base.iter().filter_map(|measured| measured.point.centre).collect();
    let (middle, now) = (median(&all).ok(), check.value);
    check.baseline = middle;
    if let (Some(now), Some(middle)) = (now, middle)
        && now <= middle
    {
        check.decision = Decision::Pass;
        return;
    }
    check.reason = Some("a value of 0 has no ratio to compare by".to_owned());
}

#[cfg(test)]
mod file_tests;
#[cfg(test)]
mod level_tests;
#[cfg(test)]
mod tests;
