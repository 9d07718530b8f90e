//! A small table of what was looked up last, in front of a larger one.

/// Places of the table: a power of two.
const PLACES: usize = 1 << 13;
/// No key of ours has all bits set.
const NONE: u64 = u64::MAX;

/// Values by key; a newer key takes the place of an older one.
#[derive(Debug)]
pub(super) struct Lookup<V> {
    places: Vec<(u64, V)>,
}

impl<V: Copy + Default> Lookup<V> {
    pub(super) fn new() -> Self {
        Self { places: vec![(NONE, V::default()); PLACES] }
    }

    /// The value of a key, if it is still there.
    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<V> {
        let (known, value) = self.places[place(key)];
        (known == key).then_some(value)
    }

    pub(super) fn put(&mut self, key: u64, value: V) {
        self.places[place(key)] = (key, value);
    }
}

/// Neighbouring keys are spread over the table.
fn place(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 51) as usize % PLACES
}

#[cfg(test)]
mod tests {
    use super::{Lookup, PLACES, place};

    #[test]
    fn a_newer_key_takes_the_place_of_an_older_one() {
        let mut lookup = Lookup::new();
        let other = (2..).find(|key| place(*key) == place(1)).unwrap();
        lookup.put(1, 'a');
        assert_eq!((lookup.get(1), lookup.get(other)), (Some('a'), None));
        lookup.put(other, 'b');
        assert_eq!((lookup.get(1), lookup.get(other)), (None, Some('b')));
    }

    #[test]
    fn all_places_are_used() {
        let mut used: Vec<usize> = (0..20 * PLACES as u64).map(place).collect();
        used.sort_unstable();
        used.dedup();
        assert_eq!(used.len(), PLACES);
    }
}
