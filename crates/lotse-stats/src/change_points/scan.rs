//! The rank-sum statistic at every index of a segment: how much the ranks before and after it differ.

use crate::rank::Ranking;

/// The centred ranks of a segment and their variance.
pub(super) struct RankScan {
    /// Ranks minus their mean.
    centred: Vec<f64>,
    /// The variance of one rank.
    variance: f64,
    shortest: usize,
}

impl RankScan {
    /// `None` if there are too few values for two sides, or if all are equal.
    pub(super) fn new(values: &[f64], shortest: usize) -> Option<Self> {
        let shortest = shortest.max(1);
        if values.len() < 2 * shortest {
            return None;
        }
        let mean = (values.len() + 1) as f64 / 2.0;
        let centred: Vec<f64> = Ranking::from_values(values).ranks.iter().map(|rank| rank - mean).collect();
        // With divisor n - 1, the formula of `standardised` is the exact variance of a sum of ranks.
        let variance = centred.iter().map(|rank| rank * rank).sum::<f64>() / (values.len() - 1) as f64;
        (variance > 0.0).then_some(Self { centred, variance, shortest })
    }

    pub(super) fn ranks(&self) -> &[f64] {
        &self.centred
    }

    /// The largest standardised difference of the segment itself.
    pub(super) fn peak(&self) -> f64 {
        self.peak_of(&self.centred)
    }

    /// The largest standardised difference between both sides, over all indices, for the ranks in a given order.
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

    /// A sum of the first `before` ranks in standard deviations. The sum of k ranks drawn without replacement has the
    /// variance s² k (n - k) / n.
    fn standardised(&self, sum: f64, before: usize) -> f64 {
        let n = self.centred.len() as f64;
        let (before, after) = (before as f64, n - before as f64);
        sum.abs() / (self.variance * before * after / n).sqrt()
    }
}
