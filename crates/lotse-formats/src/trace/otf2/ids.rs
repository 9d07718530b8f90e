//! Translates the numbers of definitions in a file to positions in the tables of the model.
//!
//! Position 0 stands for undefined. Small ("near") numbers are looked up in an array, large ("far") ones in a hash map,
//! so that memory is bounded by the number of definitions and not by the largest number.
//!
//! A location may have its own numbers, which its local definitions map to the global ones:
//!
//! ```text
//! event of location 3: enter region 0  →  map of location 3: 0 is 17 globally  →  region 17 is at position 5
//! ```

use std::sync::Arc;

use hashbrown::HashMap;

/// The positions of numbers.
#[derive(Debug, Default)]
pub(super) struct IdTable {
    near: Vec<u32>,
    far: HashMap<u64, u32>,
}

impl IdTable {
    /// From pairs of a number and a position; of several pairs with the same number the first is used.
    pub(super) fn from_pairs(pairs: &[(u64, u32)]) -> Self {
        let mut ids = Self::default();
        let near = 2 * pairs.len() as u64 + 64;
        for &(number, position) in pairs {
            if number < near {
                ids.put_near(number as usize, position);
            } else {
                ids.far.entry(number).or_insert(position);
            }
        }
        ids
    }

    fn put_near(&mut self, number: usize, position: u32) {
        if self.near.len() <= number {
            self.near.resize(number + 1, 0);
        }
        if self.near[number] == 0 {
            self.near[number] = position;
        }
    }

    /// The position of a number; 0 if it is not defined.
    pub(super) fn get(&self, number: u64) -> u32 {
        match usize::try_from(number).ok().and_then(|it| self.near.get(it)) {
            Some(&position) => position,
            None => self.far.get(&number).copied().unwrap_or(0),
        }
    }
}

/// The positions of the numbers in one location's events.
#[derive(Debug)]
pub(super) struct IdLookup {
    /// For a location with its own numbers.
    own: Option<IdTable>,
    /// For the global numbers.
    shared: Arc<IdTable>,
}

impl IdLookup {
    /// `map` has pairs of the location's own number and the global number. A number that is not in the map is global.
    pub(super) fn new(shared: &Arc<IdTable>, map: &[(u64, u64)]) -> Self {
        let own = (!map.is_empty()).then(|| own_table(shared, map));
        Self { own, shared: Arc::clone(shared) }
    }

    /// The positions of near numbers.
    #[inline(always)]
    pub(super) fn near(&self) -> &[u32] {
        &self.own.as_ref().unwrap_or(&self.shared).near
    }

    /// The position of any number.
    #[inline(always)]
    pub(super) fn get(&self, number: u64) -> u32 {
        match self.near().get(number as usize) {
            Some(&position) => position,
            None => self.far(number),
        }
    }

    /// The position of a far number.
    #[cold]
    pub(super) fn far(&self, number: u64) -> u32 {
        match self.own.as_ref().and_then(|own| own.far.get(&number)) {
            Some(&position) => position,
            None => self.shared.get(number),
        }
    }
}

/// The table of a location's own numbers; near numbers that are not in the map get their global positions.
fn own_table(shared: &IdTable, map: &[(u64, u64)]) -> IdTable {
    let pairs: Vec<(u64, u32)> = map.iter().map(|&(own, global)| (own, shared.get(global))).collect();
    let mut ids = IdTable::from_pairs(&pairs);
    let mut mapped = vec![false; ids.near.len()];
    for &(own, _) in map {
        if let Some(it) = usize::try_from(own).ok().and_then(|it| mapped.get_mut(it)) {
            *it = true;
        }
    }
    for (number, _) in mapped.iter().enumerate().filter(|(_, it)| !**it) {
        ids.near[number] = shared.get(number as u64);
    }
    ids
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{IdLookup, IdTable};

    #[test]
    fn sparse_numbers_take_no_memory() {
        let ids = IdTable::from_pairs(&[(0, 1), (u64::MAX - 1, 2), (1 << 40, 3), (5, 4)]);
        assert_eq!([0, 5, 1 << 40, u64::MAX - 1, 3, u64::MAX].map(|it| ids.get(it)), [1, 4, 3, 2, 0, 0]);
        assert!(ids.near.len() < 100);
    }

    #[test]
    fn the_first_definition_of_a_number_counts() {
        let ids = IdTable::from_pairs(&[(3, 1), (3, 2), (1 << 50, 3), (1 << 50, 4)]);
        assert_eq!((ids.get(3), ids.get(1 << 50)), (1, 3));
    }

    #[test]
    fn a_location_maps_its_numbers_and_the_rest_stand_for_themselves() {
        let shared = Arc::new(IdTable::from_pairs(&[(0, 1), (1, 2), (2, 3), (900_000, 4)]));
        let lookup = IdLookup::new(&shared, &[(0, 2), (5, 900_000), (800_000, 0), (6, 77)]);
        assert_eq!([0, 1, 2, 5, 800_000, 900_000].map(|it| lookup.get(it)), [3, 2, 3, 4, 1, 4]);
        assert_eq!(lookup.get(6), 0, "mapped to what is not defined");
        assert_eq!(IdLookup::new(&shared, &[]).get(1), 2);
    }
}
