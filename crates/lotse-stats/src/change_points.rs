//! Change points of a series: where its level changes. The search is robust against single outliers and correlated noise.
//!
//! 1. Optimal partitioning proposes the piecewise constant levels that fit the whole series best: least squares on values
//!    with outliers clipped, plus a penalty for each change (`partition`). It finds a rise that is taken back as well as
//!    a step that stays.
//! 2. Each proposed change is tested on the segment between its two neighbouring changes: the ranks before and after it
//!    must differ more than those of shuffled values (`scan`, `chance`). The statistic is first reduced for the
//!    correlation of neighbouring values, which shuffling destroys.
//!    A segment of a dozen values has so few orders that ranks prove little, however large the step is. If all
//!    values after a change are above (or below) all values before it, the size of the step decides instead (`size`).
//! 3. The least significant change is removed and the others are tested again, until all are significant.
//!
//! ```text
//! values         o o o o                 o o o o
//!                        o o o o o o o o
//! changes                a               b
//! segment of a   <---------------------->           from the start to b
//! segment of b           <---------------------->   from a to the end
//! ```

mod chance;
mod partition;
mod scan;
mod size;

use std::ops::Range;

use crate::autocorrelation::{autocorrelation, variance_inflation};
use crate::descriptive::median;
use crate::error::{Result, check, check_open_unit};
use crate::walsh::median_difference;
use chance::Shuffler;
use scan::RankScan;

/// The parameters of a search for change points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePointSearch {
    /// The probability of a false change, for each segment that is tested.
    pub alpha: f64,
    /// The least number of values between two changes, and at both ends of the series.
    pub shortest: usize,
    /// Seed of the shuffles.
    pub seed: u64,
}

impl Default for ChangePointSearch {
    fn default() -> Self {
        Self { alpha: 0.01, shortest: 3, seed: 1 }
    }
}

/// A change of the level of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// The index of the first value of the new level.
    pub at: usize,
    /// How much higher the new level is: the median difference of the values after and before it, up to the neighbouring
    /// changes.
    pub shift: f64,
    /// The p value: the probability that a series without a change shows such a difference at some index of the segment.
    pub p: f64,
}

/// The change points of a series, in order. A constant or too short series has none.
pub fn change_points(values: &[f64], search: &ChangePointSearch) -> Result<Vec<ChangePoint>> {
    check(values, 0)?;
    check_open_unit("the chance of a false change", search.alpha)?;
    let mut proposed = partition::proposed_changes(values, search.shortest);
    let shrink = variance_inflation(lag_one_correlation(values, &proposed))?.sqrt();
    let mut tester = SegmentTester { values, search, shrink, shuffler: Shuffler::new(search.seed) };
    let p_values = tester.remove_insignificant(&mut proposed);
    let confirmed = segments(&proposed, values.len()).into_iter().zip(p_values);
    let found = confirmed.map(|((at, segment), p)| ChangePoint { at, shift: shift(values, &segment, at), p });
    Ok(found.collect())
}

/// The ranges of constant level between changes, in order; the whole series if there are no changes.
pub fn levels(changes: &[ChangePoint], len: usize) -> Vec<Range<usize>> {
    let starts = std::iter::once(0).chain(changes.iter().map(|change| change.at));
    let ends = changes.iter().map(|change| change.at).chain(std::iter::once(len));
    starts.zip(ends).map(|(start, end)| start..end).collect()
}

/// Tests whether a segment contains a change.
struct SegmentTester<'a> {
    values: &'a [f64],
    search: &'a ChangePointSearch,
    /// The statistic is divided by this, to correct for the correlation of neighbouring values.
    shrink: f64,
    shuffler: Shuffler,
}

impl SegmentTester<'_> {
    /// The p value of the hypothesis that the segment has no change at `at`; 1 if it is too short or constant.
    fn p_value(&mut self, at: usize, segment: &Range<usize>) -> f64 {
        let Some(scan) = RankScan::new(&self.values[segment.clone()], self.search.shortest) else {
            return 1.0;
        };
        let by_ranks = self.shuffler.p_value(&scan, scan.peak() / self.shrink, self.search.alpha);
        if by_ranks <= self.search.alpha || segment.len() > size::LONGEST {
            return by_ranks;
        }
        let (before, after) = (&self.values[segment.start..at], &self.values[at..segment.end]);
        let places = segment.len() + 1 - 2 * self.search.shortest.max(1);
        let by_size = size::p_value(before, after, self.shrink) * places as f64;
        if by_size <= size::STRICTER * self.search.alpha { by_size } else { by_ranks }
    }

    /// Removes the least significant change until all are significant between their neighbours; returns their p values.
    fn remove_insignificant(&mut self, changes: &mut Vec<usize>) -> Vec<f64> {
        loop {
            let p_values: Vec<f64> = segments(changes, self.values.len())
                .into_iter()
                .map(|(at, segment)| self.p_value(at, &segment))
                .collect();
            let worst = (0..p_values.len()).max_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
            match worst {
                Some(worst) if p_values[worst] > self.search.alpha => changes.remove(worst),
                _ => return p_values,
            };
        }
    }
}

/// Each change with the segment between its neighbouring changes.
fn segments(changes: &[usize], len: usize) -> Vec<(usize, Range<usize>)> {
    let before = |index: usize| if index == 0 { 0 } else { changes[index - 1] };
    let after = |index: usize| changes.get(index + 1).copied().unwrap_or(len);
    changes.iter().enumerate().map(|(index, &change)| (change, before(index)..after(index))).collect()
}

/// The median difference between the values of a segment after and before a change.
fn shift(values: &[f64], segment: &Range<usize>, change: usize) -> f64 {
    let sorted = |side: &[f64]| {
        let mut side = side.to_vec();
        side.sort_by(f64::total_cmp);
        side
    };
    median_difference(&sorted(&values[change..segment.end]), &sorted(&values[segment.start..change]))
}

/// The correlation of neighbouring values about their levels. The raw estimate is too small by about (1 + 4 r) / n in
/// short series, since the levels are fitted to the same values; this is corrected.
fn lag_one_correlation(values: &[f64], changes: &[usize]) -> f64 {
    let starts = std::iter::once(0).chain(changes.iter().copied());
    let ends = changes.iter().copied().chain(std::iter::once(values.len()));
    let mut residuals = Vec::with_capacity(values.len());
    for (start, end) in starts.zip(ends) {
        let level = median(&values[start..end]).unwrap_or(0.0);
        residuals.extend(values[start..end].iter().map(|value| value - level));
    }
    let raw = autocorrelation(&residuals, 1).unwrap_or(0.0);
    (raw + (1.0 + 4.0 * raw) / values.len().max(1) as f64).clamp(0.0, 0.9)
}

#[cfg(test)]
mod tests;
