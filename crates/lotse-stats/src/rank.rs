//! Midranks and the sizes of groups of ties.

/// The ranks of the values, from one; equal values share the mean of their ranks. Also the sizes of all groups of equal
/// values.
pub(crate) struct Ranking {
    pub(crate) ranks: Vec<f64>,
    pub(crate) groups: Vec<usize>,
}

impl Ranking {
    pub(crate) fn from_values(values: &[f64]) -> Self {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        let mut ranks = vec![0.0; values.len()];
        let mut groups = Vec::new();
        let mut before = 0;
        for group in order.chunk_by(|&a, &b| values[a] == values[b]) {
            let rank = before as f64 + (group.len() + 1) as f64 / 2.0;
            group.iter().for_each(|&index| ranks[index] = rank);
            before += group.len();
            groups.push(group.len());
        }
        Self { ranks, groups }
    }

    pub(crate) fn has_ties(&self) -> bool {
        self.groups.iter().any(|&size| size > 1)
    }

    /// The sum of t^3 - t over the groups, by which ties shrink the variance of a rank sum.
    pub(crate) fn tie_term(&self) -> f64 {
        self.groups.iter().map(|&size| (size as f64).powi(3) - size as f64).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_their_rank() {
        let ranking = Ranking::from_values(&[3.0, -0.0, 3.0, 0.0, 5.0]);
        assert_eq!(ranking.ranks, [3.5, 1.5, 3.5, 1.5, 5.0]);
        assert_eq!((ranking.groups.as_slice(), ranking.tie_term()), (&[2, 2, 1][..], 12.0));
    }
}
