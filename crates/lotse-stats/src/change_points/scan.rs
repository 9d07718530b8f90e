//! How much the ranks before and after every place of a stretch differ.

use crate::rank::Ranking;

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

    /// A sum over `before` ranks drawn without replacement has variance s^2 before (n - before) / n.
    fn standardised(&self, sum: f64, before: usize) -> f64 {
        let n = self.centred.len() as f64;
        let (before, after) = (before as f64, n - before as f64);
        sum.abs() / (self.variance * before * after / n).sqrt()
    }
}
