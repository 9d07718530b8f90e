//! Counts by key, with a bound on the number of keys.

use serde::{Deserialize, Serialize};

/// Maximum number of keys that are counted separately.
const MOST: usize = 32;

/// Counts by key. The first 32 keys are counted separately, all others together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyCounts<K> {
    entries: Vec<(K, u64)>,
    /// The count of all further keys.
    pub others: u64,
}

impl<K> Default for KeyCounts<K> {
    fn default() -> Self {
        Self { entries: Vec::new(), others: 0 }
    }
}

impl<K: Copy + Eq + Ord> KeyCounts<K> {
    /// Adds `count` to a key.
    pub fn add(&mut self, key: K, count: u64) {
        let room = self.entries.len() < MOST;
        match self.entries.iter_mut().find(|(known, _)| *known == key) {
            Some((_, sum)) => *sum += count,
            None if room => self.entries.push((key, count)),
            None => self.others += count,
        }
    }

    /// Adds all counts of `other`.
    pub fn merge(&mut self, other: &Self) {
        other.entries.iter().for_each(|&(key, count)| self.add(key, count));
        self.others += other.others;
    }

    /// Resets all counts, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.others = 0;
    }

    /// The count of a key.
    pub fn get(&self, key: K) -> u64 {
        self.entries.iter().find(|(known, _)| *known == key).map_or(0, |(_, count)| *count)
    }

    /// The sum of all counts.
    pub fn total(&self) -> u64 {
        self.others + self.entries.iter().map(|(_, count)| count).sum::<u64>()
    }

    /// Keys and counts, the largest first.
    pub fn sorted(&self) -> Vec<(K, u64)> {
        let mut sorted = self.entries.clone();
        sorted.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        sorted
    }

    /// The key with the largest count.
    pub fn most(&self) -> Option<K> {
        self.sorted().first().map(|(key, _)| *key)
    }
}

#[cfg(test)]
mod tests {
    use super::{KeyCounts, MOST};

    #[test]
    fn keys_beyond_the_bound_are_counted_together() {
        let mut counts = KeyCounts::default();
        (0..MOST as u32 + 5).for_each(|key| counts.add(key, 2));
        counts.add(3, 7);
        assert_eq!((counts.others, counts.total(), counts.get(3)), (10, 81, 9));
        assert_eq!(counts.most(), Some(3));
        let mut sum = counts.clone();
        sum.merge(&counts);
        assert_eq!((sum.total(), sum.get(3)), (162, 18));
    }
}
