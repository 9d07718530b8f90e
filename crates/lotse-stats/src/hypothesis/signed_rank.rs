//! Wilcoxon's signed rank test: whether the differences of pairs are centred at zero.
//!
//! Zero differences are dropped. The null distribution is enumerated for up to
//! 50 differences without ties or zeros, and for up to 13 with them (then
//! conditional on the ties); otherwise the normal approximation with tie
//! correction is used, as by scipy's `method="auto"`. [`signed_rank_by`] lets
//! the caller choose.

use crate::distribution::normal_two_sided;
use crate::error::{Result, StatsError, check, check_pairs};
use crate::hypothesis::{PValueMethod, RankTest};
use crate::rank::Ranking;

const EXACT_UP_TO: usize = 50;
const EXACT_WITH_TIES_UP_TO: usize = 13;
/// Beyond this the probability of a single sign pattern underflows.
const EXACT_POSSIBLE_UP_TO: usize = 1000;

/// How to compute the p value of a rank sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignedRankMethod {
    /// The enumerated null distribution, conditional on ties if there are any.
    Exact,
    /// The normal approximation.
    Approximate,
    /// The normal approximation with the rank sum moved half a step towards its mean.
    ApproximateWithContinuity,
}

/// The test of pairs.
pub fn signed_rank_pairs(a: &[f64], b: &[f64]) -> Result<RankTest> {
    check_pairs(a, b, 1)?;
    let differences: Vec<f64> = a.iter().zip(b).map(|(x, y)| x - y).collect();
    signed_rank(&differences)
}

/// The test of differences; the statistic is the smaller of the rank sums of either sign.
pub fn signed_rank(differences: &[f64]) -> Result<RankTest> {
    let signed = SignedRanks::new(differences)?;
    let untied = !signed.ranking.has_ties() && signed.nonzero.len() == differences.len();
    let limit = if untied { EXACT_UP_TO } else { EXACT_WITH_TIES_UP_TO };
    let exact = differences.len() <= limit;
    signed.test(if exact { SignedRankMethod::Exact } else { SignedRankMethod::Approximate })
}

/// The test of differences by a given method.
pub fn signed_rank_by(differences: &[f64], method: SignedRankMethod) -> Result<RankTest> {
    SignedRanks::new(differences)?.test(method)
}

/// The differences that are not zero, and the ranks of their absolute values.
struct SignedRanks {
    nonzero: Vec<f64>,
    ranking: Ranking,
}

impl SignedRanks {
    fn new(differences: &[f64]) -> Result<Self> {
        check(differences, 1)?;
        let nonzero: Vec<f64> = differences.iter().copied().filter(|&d| d != 0.0).collect();
        if nonzero.is_empty() {
            return Err(StatsError::Constant { value: 0.0 });
        }
        let sizes: Vec<f64> = nonzero.iter().map(|d| d.abs()).collect();
        Ok(Self { nonzero, ranking: Ranking::from_values(&sizes) })
    }

    fn test(&self, method: SignedRankMethod) -> Result<RankTest> {
        let n = self.nonzero.len() as f64;
        let plus: f64 =
            self.nonzero.iter().zip(&self.ranking.ranks).filter(|(d, _)| **d > 0.0).map(|(_, r)| r).sum();
        let smaller = plus.min(n * (n + 1.0) / 2.0 - plus);
        let (p, method) = match method {
            SignedRankMethod::Exact => (self.exact_p(smaller)?, PValueMethod::Exact),
            SignedRankMethod::Approximate => (self.approximate_p(smaller, 0.0), PValueMethod::Approximate),
            SignedRankMethod::ApproximateWithContinuity => {
                (self.approximate_p(smaller, 0.5), PValueMethod::Approximate)
            }
        };
        Ok(RankTest { statistic: smaller, p, method })
    }

    /// Twice the probability of a rank sum of at most `smaller` if every sign is + or - with probability 1/2. The
    /// distribution of the sum is built up rank by rank.
    fn exact_p(&self, smaller: f64) -> Result<f64> {
        let n = self.nonzero.len();
        if n > EXACT_POSSIBLE_UP_TO {
            return Err(StatsError::Unrepresentable { what: "an exact p value of so many differences" });
        }
        // Midranks are multiples of one half; doubled, they are integers.
        let most = (2.0 * smaller) as usize;
        let mut chances = vec![0.0; most + 1];
        chances[0] = 1.0;
        for rank in &self.ranking.ranks {
            let step = (2.0 * rank) as usize;
            for sum in (0..=most).rev() {
                let with = if sum >= step { chances[sum - step] } else { 0.0 };
                chances[sum] = 0.5 * (chances[sum] + with);
            }
        }
        Ok((2.0 * chances.iter().sum::<f64>()).min(1.0))
    }

    fn approximate_p(&self, smaller: f64, continuity: f64) -> f64 {
        let n = self.nonzero.len() as f64;
        let mean = n * (n + 1.0) / 4.0;
        let sd = ((n * (n + 1.0) * (2.0 * n + 1.0) - self.ranking.tie_term() / 2.0) / 24.0).sqrt();
        normal_two_sided(((mean - smaller - continuity) / sd).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_alone_have_no_test() {
        assert_eq!(signed_rank(&[0.0, 0.0]), Err(StatsError::Constant { value: 0.0 }));
    }

    #[test]
    fn five_equal_signs_are_the_rarest_pattern() {
        let test = signed_rank(&[0.1, 0.2, 0.3, 0.4, 0.5]).unwrap();
        assert_eq!((test.statistic, test.p, test.method), (0.0, 2.0 / 32.0, PValueMethod::Exact));
    }

    #[test]
    fn exact_refuses_what_it_cannot_count() {
        let many: Vec<f64> = (1..=1001).map(f64::from).collect();
        assert!(signed_rank_by(&many, SignedRankMethod::Exact).is_err());
        assert!(signed_rank(&many).unwrap().p < 1e-100);
    }
}
