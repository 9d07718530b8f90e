//! Does a sample have two heaps? Hartigan's dip decides, a two-way split describes.
//!
//! The dip is the distance of the distribution function to the nearest one with
//! a single mode. It is compared with the dip of uniform values, the worst case
//! among distributions with one mode, so that normal, skewed and heavy-tailed
//! samples practically never count as bimodal. On a whole sample the dip hardly
//! sees a heap of a fifth of the values, so it is also taken on a window: the
//! smaller heap and as many values of the other heap next to it. A single mode
//! stays single in any window. (A mixture fitted by likelihood would find small
//! heaps too, but also "finds" two in any long tail.) Heaps of fewer than five
//! values or a twentieth are left to the search for outliers.
//!
//! Ties are spread evenly over the smallest gap first: a coarse clock makes
//! heaps of equal values that mean nothing.

mod dip;
mod table;

use crate::descriptive::{mean, population_sd, sorted};
use crate::error::{Result, check};
use crate::resolution::smallest_gap;
use dip::dip_of_sorted;
pub use table::DipLevel;

/// Fewer values than this have no shape.
pub const FEWEST: usize = 10;
/// Two heaps nearer than this by Ashman's D are not worth telling apart.
const CLEAR_SEPARATION: f64 = 2.0;
/// A heap has at least this many values.
const FEWEST_IN_HEAP: usize = 5;
/// And at least one of this many values.
const HEAP_ONE_IN: usize = 20;

/// One of two heaps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Heap {
    /// Number of values.
    pub count: usize,
    pub mean: f64,
    /// Their deviation, with divisor n.
    pub sd: f64,
}

/// The division of a sample into a lower and an upper heap with the least squares inside of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Split {
    pub low: Heap,
    pub high: Heap,
    /// The middle between the two.
    pub at: f64,
}

impl Split {
    /// Ashman's D: the distance of the means in units of the heaps' quadratic mean deviation.
    /// Infinite if both heaps are constant.
    pub fn ashman_d(&self) -> f64 {
        let spread = (self.low.sd.powi(2) + self.high.sd.powi(2)) / 2.0;
        (self.high.mean - self.low.mean) / spread.sqrt()
    }
}

/// What is known about the number of heaps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Modality {
    /// The dip statistic of the whole sample.
    pub dip: f64,
    /// How rare such a dip is among uniform values.
    pub level: DipLevel,
    /// The same for the window around the valley between the heaps.
    pub valley: DipLevel,
    /// The best division into two; absent if there is none, as for constant values.
    pub split: Option<Split>,
}

impl Modality {
    /// Judges at least ten values.
    pub fn of(values: &[f64]) -> Result<Self> {
        check(values, FEWEST)?;
        let sorted = sorted(values);
        let Some(gap) = smallest_gap(&sorted)? else {
            let common = DipLevel::Common;
            return Ok(Self { dip: 0.0, level: common, valley: common, split: None });
        };
        let smooth = spread_ties(&sorted, gap);
        let dip = dip_of_sorted(&smooth);
        let split = best_split(&sorted)?;
        let valley = split.map_or(DipLevel::Common, |split| level_of(window(&smooth, split.low.count)));
        Ok(Self { dip, level: DipLevel::of(dip, smooth.len()), valley, split })
    }

    /// Whether there are two clear heaps: a dip of the sample that fewer than 1 % of uniform samples
    /// show or a dip of the window that fewer than 0.1 % show (stricter, because the window was
    /// chosen where the gap is), and well separated means.
    pub fn is_bimodal(&self) -> bool {
        let apart = self.split.is_some_and(|split| split.ashman_d() > CLEAR_SEPARATION);
        let dips = self.level >= DipLevel::BelowOnePercent || self.valley >= DipLevel::BelowOnePerMille;
        apart && dips
    }
}

fn level_of(sorted: &[f64]) -> DipLevel {
    DipLevel::of(dip_of_sorted(sorted), sorted.len())
}

/// The smaller heap with as many values of the other.
fn window(sorted: &[f64], low_count: usize) -> &[f64] {
    let half = low_count.min(sorted.len() - low_count);
    &sorted[low_count - half..low_count + half]
}

/// Equal values spread evenly over the gap around them, order kept.
fn spread_ties(sorted: &[f64], gap: f64) -> Vec<f64> {
    let spread = |group: &[f64]| -> Vec<f64> {
        let n = group.len() as f64;
        (0..group.len()).map(|i| group[0] + gap * ((i as f64 + 0.5) / n - 0.5)).collect()
    };
    sorted.chunk_by(|a, b| a == b).flat_map(spread).collect()
}

/// The split with the least sum of squares inside the heaps, that is, the most between them, among
/// those with enough values on both sides.
fn best_split(sorted: &[f64]) -> Result<Option<Split>> {
    let fewest = FEWEST_IN_HEAP.max(sorted.len() / HEAP_ONE_IN);
    let n = sorted.len() as f64;
    let center = mean(sorted)?;
    let (mut below, mut best) = (0.0, None);
    for at in 1..=sorted.len() - fewest {
        below += sorted[at - 1] - center;
        let size = at as f64;
        let between = below * below * n / (size * (n - size));
        let better = best.is_none_or(|(most, _)| between > most);
        if at >= fewest && sorted[at - 1] < sorted[at] && better {
            best = Some((between, at));
        }
    }
    let Some((_, at)) = best else { return Ok(None) };
    let (low, high) = sorted.split_at(at);
    let middle = low[low.len() - 1].midpoint(high[0]);
    Ok(Some(Split { low: heap(low)?, high: heap(high)?, at: middle }))
}

fn heap(values: &[f64]) -> Result<Heap> {
    Ok(Heap { count: values.len(), mean: mean(values)?, sd: population_sd(values)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_heaps_are_described() {
        let values: Vec<f64> = (0..40).map(|i| f64::from(i % 2) * 10.0 + f64::from(i / 2) * 0.05).collect();
        let modality = Modality::of(&values).unwrap();
        let split = modality.split.unwrap();
        assert!(modality.is_bimodal());
        assert_eq!((split.low.count, split.high.count), (20, 20));
        assert!((split.high.mean - split.low.mean - 10.0).abs() < 1e-12 && split.ashman_d() > 20.0);
    }

    #[test]
    fn constants_and_grids_have_one_heap() {
        assert!(!Modality::of(&[3.0; 20]).unwrap().is_bimodal());
        let grid: Vec<f64> = (0..60).map(|i| f64::from([3, 3, 4, 4, 4, 5][i % 6])).collect();
        assert!(!Modality::of(&grid).unwrap().is_bimodal());
    }
}
