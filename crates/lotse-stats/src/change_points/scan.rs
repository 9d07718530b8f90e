//! How much the ranks before and after every place of a stretch differ, and where two levels fit best.

use std::ops::Range;

use crate::descriptive::median;
use crate::rank::Ranking;

/// Places that the ends of a bump are looked for at.
const GRID: usize = 60;

/// The ranks of a stretch, centred, and what standardises their sums.
pub(super) struct Scan {
    /// Ranks less their mean.
    centred: Vec<f64>,
    /// The variance of one of them.
    variance: f64,
    shortest: usize,
}

impl Scan {
    /// None where there are too few values for two sides, or all are equal.
    pub(super) fn of(values: &[f64], shortest: usize) -> Option<Self> {
        let shortest = shortest.max(1);
        if values.len() < 2 * shortest {
            return None;
        }
        let mean = (values.len() + 1) as f64 / 2.0;
        let centred: Vec<f64> = Ranking::of(values).ranks.iter().map(|rank| rank - mean).collect();
        // Dividing by n - 1 makes the sum over a random part of the ranks have just the variance below.
        let variance = centred.iter().map(|rank| rank * rank).sum::<f64>() / (values.len() - 1) as f64;
        (variance > 0.0).then_some(Self { centred, variance, shortest })
    }

    pub(super) fn ranks(&self) -> &[f64] {
        &self.centred
    }

    pub(super) fn peak(&self) -> f64 {
        self.peak_of(&self.centred)
    }

    /// The largest difference of both sides, over all places, in some order of the ranks.
    pub(super) fn peak_of(&self, ranks: &[f64]) -> f64 {
        let mut highest: f64 = 0.0;
        let mut sum = 0.0;
        for (before, rank) in ranks.iter().enumerate() {
            if before >= self.shortest && ranks.len() - before >= self.shortest {
                highest = highest.max(self.standardised(sum, before));
            }
            sum += rank;
        }
        highest
    }

    /// The stretch within the stretch whose ranks differ most from all others, and by how much, in some order of the ranks.
    /// The ends lie on a grid of at most [`GRID`] places, so that long series take no longer than others.
    pub(super) fn bump_of(&self, ranks: &[f64]) -> (f64, Range<usize>) {
        let sums: Vec<f64> = std::iter::once(0.0)
            .chain(ranks.iter().scan(0.0, |sum, rank| {
                *sum += rank;
                Some(*sum)
            }))
            .collect();
        let n = ranks.len();
        let step = n.div_ceil(GRID);
        let mut best = (0.0, 0..0);
        for start in (self.shortest..n).step_by(step) {
            for end in (start + self.shortest..=n - self.shortest).step_by(step) {
                let height = self.standardised(sums[end] - sums[start], end - start);
                if height > best.0 {
                    best = (height, start..end);
                }
            }
        }
        best
    }

    /// A sum over `before` ranks drawn without replacement has variance s^2 before (n - before) / n.
    fn standardised(&self, sum: f64, before: usize) -> f64 {
        let n = self.centred.len() as f64;
        let (before, after) = (before as f64, n - before as f64);
        sum.abs() / (self.variance * before * after / n).sqrt()
    }
}

/// Where two levels fit a stretch best, by squares of values whose outliers are cut off. Ranks tell best that there is a
/// change and badly where: they do not know how far apart values are.
pub(super) fn split(values: &[f64], shortest: usize) -> usize {
    let values = clipped(values);
    let n = values.len();
    let total: f64 = values.iter().sum();
    let mut best = (n / 2, f64::NEG_INFINITY);
    let mut sum = 0.0;
    for (before, value) in values.iter().enumerate() {
        if before >= shortest.max(1) && n - before >= shortest.max(1) {
            // The squares that two means explain, beyond those of one.
            let fit = sum * sum / before as f64 + (total - sum).powi(2) / (n - before) as f64;
            if fit > best.1 {
                best = (before, fit);
            }
        }
        sum += value;
    }
    best.0
}

/// The values less their median, cut off at three deviations as the median of absolute ones tells.
fn clipped(values: &[f64]) -> Vec<f64> {
    const NORMAL: f64 = 1.4826;
    let centre = median(values).unwrap_or(0.0);
    let centred: Vec<f64> = values.iter().map(|value| value - centre).collect();
    let absolute: Vec<f64> = centred.iter().map(|value| value.abs()).collect();
    let limit = 3.0 * NORMAL * median(&absolute).unwrap_or(0.0);
    if limit > 0.0 { centred.iter().map(|value| value.clamp(-limit, limit)).collect() } else { centred }
}
