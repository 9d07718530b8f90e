//! Where a series changes its level: a search that is not led astray by single outliers, nor by slow noise.
//!
//! The levels that fit best are found for the whole series at once (squares of values whose outliers are cut off, and a
//! price for each change), so that a rise that goes back is seen as well as a step that stays. Then each change is judged
//! between its neighbours: ranks on both sides must differ more than chance makes them, counted by shuffling, after the
//! statistic was made smaller for correlation between neighbours, which shuffling destroys. The least certain is taken away until all
//! are certain.

mod chance;
mod partition;
mod scan;

use std::ops::Range;

use crate::autocorrelation::{autocorrelation, variance_inflation};
use crate::descriptive::median;
use crate::error::{Result, check, check_open_unit};
use crate::walsh::median_difference;
use chance::Shuffler;
use scan::Scan;

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
    let mut places = partition::places(values, search.shortest);
    let shrink = variance_inflation(lag(values, &places))?.sqrt();
    let mut finder = Finder { values, search, shrink, shuffler: Shuffler::new(search.seed) };
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
    /// The chance that equal values show as much as a stretch does. 1 where it is too short or constant.
    fn chance(&mut self, stretch: &Range<usize>) -> f64 {
        let Some(scan) = Scan::of(&self.values[stretch.clone()], self.search.shortest) else { return 1.0 };
        self.shuffler.chance(&scan, scan.peak() / self.shrink, self.search.alpha)
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

/// The correlation of neighbours around the levels that fit best. In short series it comes out too small by about
/// (1 + 4 r) / n, for each level is fitted too.
fn lag(values: &[f64], places: &[usize]) -> f64 {
    let starts = std::iter::once(0).chain(places.iter().copied());
    let ends = places.iter().copied().chain(std::iter::once(values.len()));
    let mut rest = Vec::with_capacity(values.len());
    for (start, end) in starts.zip(ends) {
        let level = median(&values[start..end]).unwrap_or(0.0);
        rest.extend(values[start..end].iter().map(|value| value - level));
    }
    let raw = autocorrelation(&rest, 1).unwrap_or(0.0);
    (raw + (1.0 + 4.0 * raw) / values.len().max(1) as f64).clamp(0.0, 0.9)
}

#[cfg(test)]
mod tests;
