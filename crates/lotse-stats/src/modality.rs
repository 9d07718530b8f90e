//! Whether a sample is bimodal: Hartigan's dip test, and the best split into two clusters.
//!
//! The dip is the distance of the distribution function to the nearest unimodal
//! one. It is compared with the dip of uniform values, the worst case among
//! unimodal distributions, so that normal, skewed and heavy-tailed samples
//! practically never count as bimodal. On a whole sample the dip has little power
//! for a cluster of a fifth of the values, so it is also computed for a window:
//! the smaller cluster and as many values of the other cluster next to it. A
//! window of a unimodal distribution is unimodal too. (A mixture fitted by
//! maximum likelihood would find small clusters too, but also "finds" two in any
//! long tail.) Clusters of fewer than five values, or of less than a twentieth of
//! them, are left to the search for outliers.
//!
//! ```text
//!               o
//!    o         oo
//!   ooo       oooo o
//!  ooooo     oooooooo
//!  low   |   high          | split
//!  <────────────>          window: all 9 values of low, the lowest 9 of high
//! ```
//!
//! Ties are first spread evenly over the smallest gap between different values,
//! since a coarse clock produces groups of equal values that are no clusters.

mod dip;
mod table;

use crate::descriptive::{mean, population_sd, sorted};
use crate::error::{Result, check};
use crate::resolution::smallest_gap;
use dip::dip_of_sorted;
pub use table::DipLevel;

/// The least number of values for a judgement.
pub const FEWEST: usize = 10;
/// Two clusters count as separate only if Ashman's D is larger than this.
const CLEAR_SEPARATION: f64 = 2.0;
/// A cluster has at least this many values.
const FEWEST_IN_CLUSTER: usize = 5;
/// A cluster has at least one in this many of all values.
const CLUSTER_ONE_IN: usize = 20;

/// One of two clusters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cluster {
    /// The number of values.
    pub count: usize,
    pub mean: f64,
    /// The standard deviation, with divisor n.
    pub sd: f64,
}

/// The split of a sample into a lower and an upper cluster with the least sum of squares within the clusters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClusterSplit {
    pub low: Cluster,
    pub high: Cluster,
    /// The midpoint between the largest value of the lower and the smallest value of the upper cluster.
    pub at: f64,
}

impl ClusterSplit {
    /// Ashman's D: the distance of the means, divided by the root mean square of the clusters' standard deviations.
    /// Infinite if both clusters are constant.
    pub fn ashman_d(&self) -> f64 {
        let spread = (self.low.sd.powi(2) + self.high.sd.powi(2)) / 2.0;
        (self.high.mean - self.low.mean) / spread.sqrt()
    }
}

/// The result of the dip tests and the best split into two clusters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Modality {
    /// The dip statistic of the whole sample.
    pub dip: f64,
    /// The significance of the dip of the whole sample.
    pub level: DipLevel,
    /// The significance of the dip of the window around the gap between the clusters.
    pub valley: DipLevel,
    /// The best split; absent if there is none, as for constant values.
    pub split: Option<ClusterSplit>,
}

impl Modality {
    /// Judges at least ten values.
    pub fn from_values(values: &[f64]) -> Result<Self> {
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
        Ok(Self { dip, level: DipLevel::from_dip(dip, smooth.len()), valley, split })
    }

    /// Whether there are two clear clusters: the dip of the sample is significant at 1 %, or that of the window at 0.1 %
    /// (stricter, because the window was chosen around the gap), and the means are well separated.
    pub fn is_bimodal(&self) -> bool {
        let separated = self.split.is_some_and(|split| split.ashman_d() > CLEAR_SEPARATION);
        let significant =
            self.level >= DipLevel::BelowOnePercent || self.valley >= DipLevel::BelowOnePerMille;
        separated && significant
    }
}

fn level_of(sorted: &[f64]) -> DipLevel {
    DipLevel::from_dip(dip_of_sorted(sorted), sorted.len())
}

/// The smaller cluster and as many values of the other cluster next to it.
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

/// The split with the least sum of squares within the clusters, that is, the largest between them, among the splits with
/// enough values on both sides.
fn best_split(sorted: &[f64]) -> Result<Option<ClusterSplit>> {
    let fewest = FEWEST_IN_CLUSTER.max(sorted.len() / CLUSTER_ONE_IN);
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
    Ok(Some(ClusterSplit { low: cluster(low)?, high: cluster(high)?, at: middle }))
}

fn cluster(values: &[f64]) -> Result<Cluster> {
    Ok(Cluster { count: values.len(), mean: mean(values)?, sd: population_sd(values)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_heaps_are_described() {
        let values: Vec<f64> = (0..40).map(|i| f64::from(i % 2) * 10.0 + f64::from(i / 2) * 0.05).collect();
        let modality = Modality::from_values(&values).unwrap();
        let split = modality.split.unwrap();
        assert!(modality.is_bimodal());
        assert_eq!((split.low.count, split.high.count), (20, 20));
        assert!((split.high.mean - split.low.mean - 10.0).abs() < 1e-12 && split.ashman_d() > 20.0);
    }

    #[test]
    fn constants_and_grids_have_one_heap() {
        assert!(!Modality::from_values(&[3.0; 20]).unwrap().is_bimodal());
        let grid: Vec<f64> = (0..60).map(|i| f64::from([3, 3, 4, 4, 4, 5][i % 6])).collect();
        assert!(!Modality::from_values(&grid).unwrap().is_bimodal());
    }
}
