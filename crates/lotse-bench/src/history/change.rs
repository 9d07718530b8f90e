//! Changes of level and drifts of a series.

use std::ops::Range;

use lotse_stats::change_points::{ChangePoint, ChangePointSearch, change_points, levels};
use lotse_stats::descriptive::{hodges_lehmann, mean, median};
use lotse_stats::distribution::t_quantile;
use lotse_stats::drift::drift;
use lotse_stats::sessions::{Session, SessionSpread};

use super::answer::{Change, Drifting};
use super::series::SeriesResult;

/// The changes of level of a series, or its drift, and the spread of its results.
#[derive(Debug, Clone, Default)]
pub(super) struct SeriesChanges {
    pub(super) changes: Vec<LevelStep>,
    pub(super) drift: Option<Drifting>,
    /// The spread within levels.
    pub(super) spread: Option<SessionSpread>,
    /// Results farther from the median of their level than three times the spread, which it hardly depends on.
    pub(super) far: usize,
}

/// A change of level, in logarithms.
#[derive(Debug, Clone, Copy)]
pub(super) struct LevelStep {
    /// The first result of the new level.
    pub(super) at: usize,
    /// The centres of the results before it and from it on, up to the neighbouring changes.
    levels: [f64; 2],
    radius: f64,
    p: f64,
}

/// Confidence of the interval of a step.
const LEVEL: f64 = 0.95;
/// Fewer results are not tested for a drift.
const LEAST_FOR_DRIFT: usize = 10;
const DRIFT_P: f64 = 0.01;

/// Finds changes of level in the logarithms of a series. If a straight line fits better than steps, the series has a drift
/// instead; exact values (instruction counts) change wherever they differ.
pub(super) fn find(sessions: &[(&SeriesResult, Session)]) -> SeriesChanges {
    let values: Vec<f64> = sessions.iter().map(|(_, session)| session.centre).collect();
    if values.len() > 1 && sessions.iter().all(|(measured, _)| measured.is_exact()) {
        return exact(&values);
    }
    let points = change_points(&values, &ChangePointSearch::default()).unwrap_or_else(|_| Vec::new());
    let ranges = levels(&points, values.len());
    let within = split_at_accepted(sessions, &values, &ranges);
    let spread = if are_revisions_of_one_result(sessions) {
        None
    } else {
        SessionSpread::within(within.iter().map(|range| &values[range.clone()]))
    };
    let drift = drifting(&values, &points);
    if let Some(drift) = drift {
        // The spread is what remains after the line is subtracted.
        let slope = drift.ratio_per_result.ln();
        let rest: Vec<f64> = values.iter().enumerate().map(|(at, value)| value - slope * at as f64).collect();
        let spread = SessionSpread::within([rest.as_slice()]);
        let far = spread.map_or(0, |spread| count_far(&rest, spread));
        return SeriesChanges { changes: Vec::new(), drift: Some(drift), spread, far };
    }
    let steps = points.iter().enumerate().map(|(index, point)| {
        let (before, after) = (ranges[index].len() as f64, ranges[index + 1].len() as f64);
        let radius = spread.map_or(f64::INFINITY, |spread| {
            let quantile = t_quantile(1.0 - (1.0 - LEVEL) / 2.0, spread.freedom);
            quantile * spread.deviation * (1.0 / before + 1.0 / after).sqrt()
        });
        let levels = [index, index + 1].map(|level| centre(&values[ranges[level].clone()]));
        LevelStep { at: point.at, levels, radius, p: point.p }
    });
    let far = within.iter().map(|range| spread.map_or(0, |it| count_far(&values[range.clone()], it))).sum();
    SeriesChanges { changes: steps.collect(), drift: None, spread, far }
}

/// How many values of a level are farther from its median than three times the spread.
fn count_far(level: &[f64], spread: SessionSpread) -> usize {
    let Ok(middle) = median(level) else { return 0 };
    level.iter().filter(|value| (*value - middle).abs() > 3.0 * spread.deviation).count()
}

/// The ranges of constant level, where the level of a result labelled as accepted is one of its own if it differs. It begins with that
/// result, or with earlier ones that are nearer to it than to the results before them:
/// ```text
/// 100 100 100 110 110* 110      * accepted; the ranges are 0..3 and 3..6
/// ```
fn split_at_accepted(
    sessions: &[(&SeriesResult, Session)],
    values: &[f64],
    ranges: &[Range<usize>],
) -> Vec<Range<usize>> {
    let mut split: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        let mut from = range.start;
        for accepted in range.clone().filter(|&at| at > range.start && sessions[at].0.is_accepted()) {
            let is_nearer = |at: usize| {
                let others = median(&values[from..at]);
                others.is_ok_and(|other| (values[at] - values[accepted]).abs() < (values[at] - other).abs())
            };
            let start = (from + 1..accepted).rev().take_while(|&at| is_nearer(at)).last().unwrap_or(accepted);
            if do_not_overlap(&values[from..start], &values[start..range.end]) {
                split.push(from..start);
                from = start;
            }
        }
        split.push(from..range.end);
    }
    split
}

/// Whether all values of one slice are above all of the other.
fn do_not_overlap(one: &[f64], other: &[f64]) -> bool {
    let ends = |values: &[f64]| {
        values.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| {
            [low.min(*value), high.max(*value)]
        })
    };
    let ([low, high], [other_low, other_high]) = (ends(one), ends(other));
    high < other_low || other_high < low
}

/// Whether all points are revisions of a program that were measured together: these show no spread between results.
fn are_revisions_of_one_result(sessions: &[(&SeriesResult, Session)]) -> bool {
    let Some(((first, _), others)) = sessions.split_first() else { return false };
    let same = |(other, _): &(&SeriesResult, Session)| {
        (other.kept.id, &other.kept.date) == (first.kept.id, &first.kept.date) && other.point.commit.is_some()
    };
    first.point.commit.is_some() && others.iter().all(same)
}

/// The centre of values that are not empty.
fn centre(values: &[f64]) -> f64 {
    hodges_lehmann(values).unwrap_or(f64::NAN)
}

/// Values without noise: every difference is a change.
fn exact(values: &[f64]) -> SeriesChanges {
    let differs = |(index, pair): (usize, &[f64])| {
        let levels = [pair[0], pair[1]];
        (levels[0] != levels[1]).then_some(LevelStep { at: index + 1, levels, radius: 0.0, p: 0.0 })
    };
    let changes = values.windows(2).enumerate().filter_map(differs).collect();
    SeriesChanges { changes, drift: None, spread: Some(SessionSpread::assumed(0.0)), far: 0 }
}

/// The drift, if there is a significant trend and a line fits the values better than steps (Bayesian information criterion).
fn drifting(values: &[f64], points: &[ChangePoint]) -> Option<Drifting> {
    if values.len() < LEAST_FOR_DRIFT {
        return None;
    }
    let trend = drift(values).ok().filter(|trend| trend.p < DRIFT_P)?;
    let tilted = |(at, value): (usize, &f64)| value - trend.slope * at as f64;
    let without: Vec<f64> = values.iter().enumerate().map(tilted).collect();
    let line = squares(&without, median(&without).ok()?);
    let steps: f64 = levels(points, values.len())
        .into_iter()
        .map(|range| mean(&values[range.clone()]).map_or(0.0, |level| squares(&values[range], level)))
        .sum();
    let n = values.len() as f64;
    let criterion = |squares: f64, parameters: f64| n * (squares / n).ln() + parameters * n.ln();
    let steps_criterion = criterion(steps, 2.0 * points.len() as f64 + 1.0);
    (criterion(line, 2.0) < steps_criterion).then(|| Drifting {
        ratio_per_result: trend.slope.exp(),
        ratio_in_all: (trend.slope * (n - 1.0)).exp(),
        p: trend.p,
    })
}

fn squares(values: &[f64], around: f64) -> f64 {
    values.iter().map(|value| (value - around).powi(2)).sum()
}

impl LevelStep {
    /// The value before the change and the value since.
    pub(super) fn values(&self) -> [f64; 2] {
        self.levels.map(f64::exp)
    }

    pub(super) fn answer(&self, sessions: &[(&SeriesResult, Session)]) -> Change {
        let kept = |at: usize| sessions[at].0.kept.clone();
        let finite = |end: f64| Some(end.exp()).filter(|end| end.is_finite() && *end > 0.0);
        let shift = self.levels[1] - self.levels[0];
        Change {
            before: kept(self.at - 1),
            after: kept(self.at),
            ratio: finite(shift),
            interval: [finite(shift - self.radius), finite(shift + self.radius)],
            p: self.p,
        }
    }
}

#[cfg(test)]
mod tests {
    use lotse_stats::change_points::ChangePoint;

    use super::{drifting, exact};

    #[test]
    fn a_line_must_beat_the_steps() {
        let wiggle = |at: usize| [0.01, -0.012, 0.004, -0.007, 0.013][at % 5];
        let slope: Vec<f64> = (0..30).map(|at| 0.01 * at as f64 + wiggle(at)).collect();
        assert!(drifting(&slope, &[]).is_some());
        let step: Vec<f64> = (0..30).map(|at| f64::from(u8::from(at >= 15)) + wiggle(at)).collect();
        assert!(drifting(&step, &[ChangePoint { at: 15, shift: 1.0, p: 0.001 }]).is_none());
        let flat: Vec<f64> = (0..30).map(wiggle).collect();
        assert!(drifting(&flat, &[]).is_none());
        // Too few for a trend.
        assert!(drifting(&slope[..9], &[]).is_none());
    }

    #[test]
    fn exact_values_have_no_spread() {
        let found = exact(&[0.0, 0.0, 0.5, 0.5]);
        assert_eq!(found.changes.iter().map(|step| step.at).collect::<Vec<_>>(), [2]);
        assert_eq!(found.spread.unwrap().deviation, 0.0);
        assert!(exact(&[1.0, 1.0]).changes.is_empty());
    }
}
