//! How often shuffled values show as much as was seen.

use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::scan::Scan;

/// Shuffles for a chance; more for a small alpha, so that it can be met with room.
const LEAST_ROUNDS: usize = 999;
/// Shuffled orders as high as the seen one after which the chance is known well enough (Besag and Clifford).
const ENOUGH: usize = 40;

pub(super) struct Shuffler(Xoshiro256PlusPlus);

impl Shuffler {
    pub(super) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// The share of orders of the same ranks that are at least as high, by some measure of an order.
    pub(super) fn chance(
        &mut self,
        scan: &Scan,
        height: f64,
        alpha: f64,
        measure: impl Fn(&[f64]) -> f64,
    ) -> f64 {
        let rounds = LEAST_ROUNDS.max((20.0 / alpha) as usize);
        let mut ranks = scan.ranks().to_vec();
        let mut as_high = 0;
        for round in 1..=rounds {
            self.shuffle(&mut ranks);
            // Sums of the same ranks in another order may differ in the last bit.
            if measure(&ranks) >= height * (1.0 - 1e-9) {
                as_high += 1;
                if as_high == ENOUGH {
                    return as_high as f64 / round as f64;
                }
            }
        }
        (as_high + 1) as f64 / (rounds + 1) as f64
    }

    fn shuffle(&mut self, ranks: &mut [f64]) {
        for last in (1..ranks.len()).rev() {
            let other = ((u128::from(self.0.next_u64()) * (last as u128 + 1)) >> 64) as usize;
            ranks.swap(last, other);
        }
    }
}
