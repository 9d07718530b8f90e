//! A small direct-mapped cache in front of a larger hash table.

/// Number of slots: a power of two.
const SLOTS: usize = 1 << 13;
/// Marks an empty slot; no key has all bits set.
const NONE: u64 = u64::MAX;

/// A direct-mapped cache: a new key replaces an older one in the same slot.
#[derive(Debug)]
pub(super) struct LookupCache<V> {
    slots: Vec<(u64, V)>,
}

impl<V: Copy + Default> LookupCache<V> {
    pub(super) fn new() -> Self {
        Self { slots: vec![(NONE, V::default()); SLOTS] }
    }

    /// The value of a key, if it is still cached.
    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<V> {
        let (known, value) = self.slots[slot(key)];
        (known == key).then_some(value)
    }

    pub(super) fn put(&mut self, key: u64, value: V) {
        self.slots[slot(key)] = (key, value);
    }
}

/// The slot of a key; multiplicative hashing spreads neighbouring keys.
fn slot(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 51) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::{LookupCache, SLOTS, slot};

    #[test]
    fn a_newer_key_replaces_an_older_one() {
        let mut lookup = LookupCache::new();
        let other = (2..).find(|key| slot(*key) == slot(1)).unwrap();
        lookup.put(1, 'a');
        assert_eq!((lookup.get(1), lookup.get(other)), (Some('a'), None));
        lookup.put(other, 'b');
        assert_eq!((lookup.get(1), lookup.get(other)), (None, Some('b')));
    }

    #[test]
    fn all_places_are_used() {
        let mut used: Vec<usize> = (0..20 * SLOTS as u64).map(slot).collect();
        used.sort_unstable();
        used.dedup();
        assert_eq!(used.len(), SLOTS);
    }
}
