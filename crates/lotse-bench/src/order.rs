//! The order of runs within a block: random, and balanced by mirrors.
//!
//! Blocks come in pairs. The first block of a pair is a random permutation of the programs, the second its mirror image:
//!
//! ```text
//! block 0   b a c
//! block 1   c a b     mean position of every program: 1
//! ```
//!
//! Over both blocks every program has the same mean position and every two programs run in both orders, so a linear drift or
//! a cost of running later cancels in every paired comparison.

use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Draws the order of every block from one seed.
#[derive(Debug, Clone)]
pub struct BlockOrder {
    rng: Xoshiro256PlusPlus,
    programs: usize,
    mirror: Option<Vec<usize>>,
}

impl BlockOrder {
    /// Draws the order of `programs` programs.
    pub fn new(programs: usize, seed: u64) -> Self {
        Self { rng: Xoshiro256PlusPlus::seed_from_u64(seed), programs, mirror: None }
    }

    /// The programs of the next block, first to run first.
    pub fn next_block(&mut self) -> Vec<usize> {
        if let Some(mirror) = self.mirror.take() {
            return mirror;
        }
        let order = permutation(&mut self.rng, self.programs);
        self.mirror = Some(order.iter().rev().copied().collect());
        order
    }

    /// A random number below `bound`, from the same seed (a suite may name several commands to draw from).
    pub fn draw(&mut self, bound: usize) -> usize {
        below(&mut self.rng, bound)
    }
}

fn permutation(rng: &mut impl RngCore, len: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    for last in (1..len).rev() {
        order.swap(last, below(rng, last + 1));
    }
    order
}

/// Lemire's multiply-shift without rejection: the bias is below `bound / 2^64`.
fn below(rng: &mut impl RngCore, bound: usize) -> usize {
    ((u128::from(rng.next_u64()) * bound as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::BlockOrder;

    #[test]
    fn every_second_block_mirrors_the_one_before() {
        let mut order = BlockOrder::new(5, 42);
        for _ in 0..50 {
            let first = order.next_block();
            let mut mirrored = order.next_block();
            mirrored.reverse();
            assert_eq!(first, mirrored);
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_order() {
        let blocks = |seed| {
            let mut order = BlockOrder::new(4, seed);
            (0..20).map(|_| order.next_block()).collect::<Vec<_>>()
        };
        assert_eq!(blocks(7), blocks(7));
        assert_ne!(blocks(7), blocks(8));
    }

    #[test]
    fn all_permutations_come_about_equally_often() {
        let mut order = BlockOrder::new(3, 1);
        let mut seen = std::collections::BTreeMap::new();
        for _ in 0..6000 {
            *seen.entry(order.next_block()).or_insert(0u32) += 1;
        }
        assert_eq!(seen.len(), 6);
        // 1000 expected; chi-square with 5 degrees of freedom, 0.1 % point 20.5, doubled because blocks come in mirrored pairs.
        let chi: f64 = seen.values().map(|&n| (f64::from(n) - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi < 41.0, "{seen:?}");
    }

    #[test]
    fn over_a_pair_of_blocks_every_program_has_the_same_mean_position() {
        for programs in 1..=6 {
            let mut order = BlockOrder::new(programs, 11);
            for _ in 0..20 {
                let mut places = vec![Vec::new(); programs];
                for _ in 0..2 {
                    order
                        .next_block()
                        .into_iter()
                        .enumerate()
                        .for_each(|(place, program)| places[program].push(place));
                }
                for seen in places {
                    assert_eq!((seen.len(), seen.iter().sum::<usize>()), (2, programs - 1));
                }
            }
        }
    }

    #[test]
    fn draws_are_below_their_bound_and_reach_every_number() {
        let mut order = BlockOrder::new(2, 5);
        for bound in 1..=7 {
            let drawn: std::collections::BTreeSet<usize> = (0..200).map(|_| order.draw(bound)).collect();
            assert_eq!(drawn, (0..bound).collect());
        }
    }
}
