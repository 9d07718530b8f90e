//! Critical values of the dip statistic for uniform values.

/// Quantiles 95 %, 99 % and 99.9 % of sqrt(n) times the dip of n uniform values, simulated 200,000
/// times each by `tests/golden/dip_table.py`.
const TABLE: [(f64, [f64; 3]); 8] = [
    (10.0, [0.4418, 0.5042, 0.5699]),
    (20.0, [0.4701, 0.5390, 0.6163]),
    (50.0, [0.4962, 0.5715, 0.6590]),
    (100.0, [0.5104, 0.5914, 0.6857]),
    (200.0, [0.5223, 0.6040, 0.6998]),
    (500.0, [0.5303, 0.6149, 0.7148]),
    (1000.0, [0.5361, 0.6206, 0.7238]),
    (5000.0, [0.5424, 0.6256, 0.7351]),
];

/// The probability of a dip at least as large for a unimodal distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DipLevel {
    /// Above 5 %.
    Common,
    /// At most 5 %.
    BelowFivePercent,
    /// At most 1 %.
    BelowOnePercent,
    /// At most 0.1 %.
    BelowOnePerMille,
}

impl DipLevel {
    /// The significance of a dip of `n` values.
    pub(super) fn from_dip(dip: f64, n: usize) -> Self {
        let scaled = (n as f64).sqrt() * dip;
        let exceeded = critical(n as f64).iter().filter(|&&limit| scaled > limit).count();
        [Self::Common, Self::BelowFivePercent, Self::BelowOnePercent, Self::BelowOnePerMille][exceeded]
    }
}

/// The critical values for `n`, interpolated linearly in the logarithm of n.
fn critical(n: f64) -> [f64; 3] {
    let after = TABLE.partition_point(|&(size, _)| size < n).clamp(1, TABLE.len() - 1);
    let ((low, below), (high, above)) = (TABLE[after - 1], TABLE[after]);
    let share = ((n / low).ln() / (high / low).ln()).clamp(0.0, 1.0);
    [0, 1, 2].map(|i| below[i] + share * (above[i] - below[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_met_and_ends_are_kept() {
        assert_eq!(critical(100.0), TABLE[3].1);
        assert_eq!(critical(5.0), TABLE[0].1);
        assert_eq!(critical(1e6), TABLE[7].1);
        assert!(DipLevel::from_dip(0.1, 100) > DipLevel::from_dip(0.055, 100));
    }
}
