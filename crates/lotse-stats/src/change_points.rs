//! Where a series changes its level: a search that is not led astray by single outliers, nor by slow noise.
//!
//! A stretch is divided where the ranks on both sides differ most (the largest standardised rank sum over all places), if
//! chance alone rarely does as much. The chance is counted by shuffling the stretch, after the statistic was made
//! smaller for correlation between neighbours, which shuffling destroys. Both parts are searched likewise; where no place is found, a part that
//! differs from what is before and after it is looked for, since a level that comes back hides both changes. At the end each
//! place is judged again between its neighbours, since a place that a later one explains is none.

mod chance;
mod scan;

use std::ops::Range;

use crate::autocorrelation::{autocorrelation, variance_inflation};
use crate::descriptive::median;
use crate::error::{Result, check, check_open_unit};
use crate::walsh::median_difference;
use chance::Shuffler;
use scan::{Scan, split};

/// How to search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    /// Chance of a change that is none, for each stretch that is looked at.
    pub alpha: f64,
    /// The least number of values between two changes, and at both ends.
    pub shortest: usize,
    /// Seed of the shuffles.
    pub seed: u64,
}

impl Default for Search {
    fn default() -> Self {
        Self { alpha: 0.01, shortest: 3, seed: 1 }
    }
}

/// A place where the level changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// The first value of the new level.
    pub at: usize,
    /// How much higher the new level is: the median difference of values after and before, up to the next changes.
    pub shift: f64,
    /// The chance that equal values show as much somewhere between the neighbouring changes.
    pub p: f64,
}

/// The changes of a series, in its order. A constant series, or one too short to tell, has none.
pub fn change_points(values: &[f64], search: &Search) -> Result<Vec<ChangePoint>> {
    check(values, 0)?;
    check_open_unit("the chance of a false change", search.alpha)?;
    let shrink = variance_inflation(lag(values, search.shortest))?.sqrt();
    let mut finder = Finder { values, search, shrink, shuffler: Shuffler::new(search.seed) };
    let mut places = Vec::new();
    finder.divide(0..values.len(), &mut places);
    places.sort_unstable();
    let chances = finder.confirm(&mut places);
    let judged = stretches(&places, values.len()).into_iter().zip(chances);
    let found = judged.map(|((at, stretch), p)| ChangePoint { at, shift: shift(values, &stretch, at), p });
    Ok(found.collect())
}

/// The stretches between changes, in order; the whole series where there is none.
pub fn levels(changes: &[ChangePoint], len: usize) -> Vec<Range<usize>> {
    let starts = std::iter::once(0).chain(changes.iter().map(|change| change.at));
    let ends = changes.iter().map(|change| change.at).chain(std::iter::once(len));
    starts.zip(ends).map(|(start, end)| start..end).collect()
}

struct Finder<'a> {
    values: &'a [f64],
    search: &'a Search,
    /// By how much less a difference says because neighbours are alike.
    shrink: f64,
    shuffler: Shuffler,
}

impl Finder<'_> {
    fn divide(&mut self, stretch: Range<usize>, places: &mut Vec<usize>) {
        if self.chance(&stretch) > self.search.alpha {
            if let Some(bump) = self.bump(&stretch) {
                places.extend([bump.start, bump.end]);
            }
            return;
        }
        let place = stretch.start + split(&self.values[stretch.clone()], self.search.shortest);
        places.push(place);
        self.divide(stretch.start..place, places);
        self.divide(place..stretch.end, places);
    }

    /// A part of a stretch that differs from what is before and after it, if chance rarely does as much. A level that comes
    /// back hides both of its changes from a search for one: each side of either holds values of the same level.
    fn bump(&mut self, stretch: &Range<usize>) -> Option<Range<usize>> {
        let values = &self.values[stretch.clone()];
        let shortest = self.search.shortest;
        let scan = Scan::of(values, shortest).filter(|_| values.len() >= 3 * shortest.max(1))?;
        let (height, part) = scan.bump_of(scan.ranks());
        // Stricter than the first look, since it is a second one.
        let alpha = self.search.alpha / 3.0;
        let shrink = variance_inflation(lag_around_bump(values, &part)).map_or(self.shrink, f64::sqrt);
        let shrink = shrink.min(self.shrink);
        let chance = self.shuffler.chance(&scan, height / shrink, alpha, |ranks| scan.bump_of(ranks).0);
        if chance > alpha {
            return None;
        }
        // What made neighbours seem alike was the bump.
        self.shrink = shrink;
        // The ends of the grid are near enough to tell the levels apart; these tell the places.
        let start = split(&values[..part.end], shortest);
        let end = start + split(&values[start..], shortest);
        Some(stretch.start + start..stretch.start + end)
    }

    /// The chance that equal values show as much as a stretch does. 1 where it is too short or constant.
    fn chance(&mut self, stretch: &Range<usize>) -> f64 {
        let Some(scan) = Scan::of(&self.values[stretch.clone()], self.search.shortest) else { return 1.0 };
        let alpha = self.search.alpha;
        self.shuffler.chance(&scan, scan.peak() / self.shrink, alpha, |ranks| scan.peak_of(ranks))
    }

    /// Takes away the least certain place until all are certain between their neighbours; their chances.
    fn confirm(&mut self, places: &mut Vec<usize>) -> Vec<f64> {
        loop {
            let judged: Vec<f64> = stretches(places, self.values.len())
                .into_iter()
                .map(|(_, stretch)| self.chance(&stretch))
                .collect();
            let worst = (0..judged.len()).max_by(|&a, &b| judged[a].total_cmp(&judged[b]));
            match worst {
                Some(worst) if judged[worst] > self.search.alpha => places.remove(worst),
                _ => return judged,
            };
        }
    }
}

/// Each place with the stretch between its neighbours.
fn stretches(places: &[usize], len: usize) -> Vec<(usize, Range<usize>)> {
    let before = |index: usize| if index == 0 { 0 } else { places[index - 1] };
    let after = |index: usize| places.get(index + 1).copied().unwrap_or(len);
    places.iter().enumerate().map(|(index, &place)| (place, before(index)..after(index))).collect()
}

fn shift(values: &[f64], stretch: &Range<usize>, place: usize) -> f64 {
    let sorted = |part: &[f64]| {
        let mut part = part.to_vec();
        part.sort_by(f64::total_cmp);
        part
    };
    median_difference(&sorted(&values[place..stretch.end]), &sorted(&values[stretch.start..place]))
}

/// The correlation of neighbours, whatever the level does. Two estimates, each too large where steps mislead it: that of
/// [`lag_around`] if there are several, that of [`lag_of_differences`] if the series is short. The smaller one counts.
fn lag(values: &[f64], shortest: usize) -> f64 {
    if values.len() < 4 {
        return 0.0;
    }
    lag_around(values, shortest).min(lag_of_differences(values)).clamp(0.0, 0.9)
}

/// The correlation of neighbours once the two levels that fit best are taken away. In short series it comes out too small
/// by about (1 + 4 r) / n, for each side has a level of its own to fit.
fn lag_around(values: &[f64], shortest: usize) -> f64 {
    let (before, after) = values.split_at(split(values, shortest));
    let level = |part: &[f64]| median(part).unwrap_or(0.0);
    let (low, high) = (level(before), level(after));
    let rest: Vec<f64> = before.iter().map(|x| x - low).chain(after.iter().map(|x| x - high)).collect();
    let raw = autocorrelation(&rest, 1).unwrap_or(0.0);
    raw + (1.0 + 4.0 * raw) / values.len() as f64
}

/// The same, once a bump and what is around it are taken as levels: three means, so that a little more is missing.
fn lag_around_bump(values: &[f64], bump: &Range<usize>) -> f64 {
    let level = |part: &[f64]| median(part).unwrap_or(0.0);
    let parts = [&values[..bump.start], &values[bump.clone()], &values[bump.end..]];
    let rest: Vec<f64> = parts.iter().flat_map(|part| part.iter().map(|x| x - level(part))).collect();
    let raw = autocorrelation(&rest, 1).unwrap_or(0.0);
    (raw + 1.5 * (1.0 + 4.0 * raw) / values.len() as f64).clamp(0.0, 0.9)
}

/// In a first-order autoregression values two apart differ by (1 + r) times as much (squared) as neighbours do. The
/// largest differences are left out, for steps and outliers are among them.
fn lag_of_differences(values: &[f64]) -> f64 {
    let apart = |distance: usize| {
        let pairs = values.iter().zip(values.iter().skip(distance));
        let mut squares: Vec<f64> = pairs.map(|(a, b)| (a - b).powi(2)).collect();
        squares.sort_by(f64::total_cmp);
        let kept = &squares[..squares.len() - squares.len() / 10];
        kept.iter().sum::<f64>() / kept.len() as f64
    };
    let ratio = apart(2) / apart(1);
    if ratio.is_finite() { ratio - 1.0 } else { 0.0 }
}

#[cfg(test)]
mod tests;
