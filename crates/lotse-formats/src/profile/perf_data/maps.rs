//! The objects mapped into the memory of a process.

use std::collections::BTreeMap;

use lotse_model::id::ObjectId;

/// A mapped range of an object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mapping {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) offset: u64,
    pub(super) object: ObjectId,
}

/// The memory of a process; a new mapping replaces what it overlaps.
#[derive(Debug, Clone, Default)]
pub(super) struct Mappings(BTreeMap<u64, Mapping>);

impl Mappings {
    /// The number of mappings.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds a mapping; removes or shortens those it overlaps.
    pub(super) fn insert(&mut self, map: Mapping) {
        if map.start >= map.end {
            return;
        }
        let before = self.0.range(..map.start).next_back().map(|(_, &before)| before);
        if let Some(before) = before.filter(|before| before.end > map.start) {
            self.0.insert(before.start, Mapping { end: map.start, ..before });
            self.keep_tail(before, map.end);
        }
        while let Some((&start, &hidden)) = self.0.range(map.start..map.end).next() {
            self.0.remove(&start);
            self.keep_tail(hidden, map.end);
        }
        self.0.insert(map.start, map);
    }

    /// Keeps the part of an old mapping after the new one.
    fn keep_tail(&mut self, old: Mapping, from: u64) {
        if old.end > from {
            let offset = old.offset.wrapping_add(from - old.start);
            self.0.insert(from, Mapping { start: from, offset, ..old });
        }
    }

    /// The mapping at an address.
    pub(super) fn find(&self, address: u64) -> Option<&Mapping> {
        self.0.range(..=address).next_back().map(|(_, map)| map).filter(|map| address < map.end)
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::ObjectId;

    use super::{Mapping, Mappings};

    #[test]
    fn a_new_mapping_replaces_what_it_overlaps() {
        let mut maps = Mappings::default();
        let map = |start, end, object| Mapping { start, end, offset: start, object: ObjectId(object) };
        maps.insert(map(100, 200, 1));
        maps.insert(map(300, 400, 2));
        maps.insert(map(150, 350, 3));
        maps.insert(map(20, 20, 4));
        let found = [99, 100, 149, 150, 349, 350, 399, 400]
            .map(|address| maps.find(address).map(|map| (map.object.0, map.offset)));
        let expected = [
            None,
            Some((1, 100)),
            Some((1, 100)),
            Some((3, 150)),
            Some((3, 150)),
            Some((2, 350)),
            Some((2, 350)),
            None,
        ];
        assert_eq!(found, expected);
        maps.insert(map(160, 170, 5));
        assert_eq!(maps.find(170).map(|map| (map.object.0, map.offset)), Some((3, 170)));
        assert_eq!(maps.len(), 5);
    }
}
