//! The p value of a rank scan by a permutation test.

use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::scan::RankScan;

/// The least number of permutations. A small alpha needs more, so that p values well below it are possible.
const LEAST_ROUNDS: usize = 999;
/// The test stops after this many permutations with a peak as high as the observed one: the p value is then large and
/// known well enough (sequential Monte Carlo p values, Besag and Clifford 1991).
const ENOUGH: usize = 40;

/// Shuffles ranks with a seeded generator.
pub(super) struct Shuffler(Xoshiro256PlusPlus);

impl Shuffler {
    pub(super) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// The share of permutations of the ranks whose peak is at least `height`.
    pub(super) fn p_value(&mut self, scan: &RankScan, height: f64, alpha: f64) -> f64 {
        let rounds = LEAST_ROUNDS.max((20.0 / alpha) as usize);
        let mut ranks = scan.ranks().to_vec();
        let mut as_high = 0;
        for round in 1..=rounds {
            self.shuffle(&mut ranks);
            // Sums of the same ranks in another order may differ in the last bit.
            if scan.peak_of(&ranks) >= height * (1.0 - 1e-9) {
                as_high += 1;
                if as_high == ENOUGH {
                    return as_high as f64 / round as f64;
                }
            }
        }
        (as_high + 1) as f64 / (rounds + 1) as f64
    }

    /// Fisher-Yates.
    fn shuffle(&mut self, ranks: &mut [f64]) {
        for last in (1..ranks.len()).rev() {
            let other = ((u128::from(self.0.next_u64()) * (last as u128 + 1)) >> 64) as usize;
            ranks.swap(last, other);
        }
    }
}
