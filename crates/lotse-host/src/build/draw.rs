//! Pseudo-random orders and sizes, determined by a seed.

/// SplitMix64. Layouts use consecutive seeds, for which the first numbers of a linear congruential generator hardly differ: three
/// objects got only four of their six orders in sixty seeds.
#[derive(Debug)]
pub(super) struct Draw(u64);

impl Draw {
    pub(super) fn new(seed: u32) -> Self {
        Self(u64::from(seed))
    }

    /// A number from 0 to `limit` - 1; `limit` must not be 0.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) as usize % limit
    }

    /// Shuffles a slice (Fisher-Yates).
    pub(super) fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            let other = self.below(last + 1);
            things.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Draw;

    #[test]
    fn seeds_that_follow_each_other_give_all_orders() {
        let mut counts = std::collections::BTreeMap::new();
        for seed in 1..=600 {
            let mut things = ['a', 'b', 'c'];
            Draw::new(seed).shuffle(&mut things);
            *counts.entry(things).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|count| (60..140).contains(count)), "{counts:?}");
    }
}
