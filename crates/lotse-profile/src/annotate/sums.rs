//! A table of costs summed by key, in the order of first appearance of the keys.

use std::hash::Hash;

use hashbrown::HashMap;
use lotse_model::profile::Costs;

#[derive(Debug)]
pub(crate) struct KeyedCosts<K> {
    rows: HashMap<K, usize>,
    keys: Vec<K>,
    costs: Costs,
}

impl<K: Copy + Eq + Hash> KeyedCosts<K> {
    pub(crate) fn new(width: usize, signed: bool) -> Self {
        Self { rows: HashMap::new(), keys: Vec::new(), costs: Costs::new(width, signed) }
    }

    pub(crate) fn add(&mut self, key: K, costs: &[u64]) {
        if costs.is_empty() {
            return;
        }
        let next = self.keys.len();
        let row = *self.rows.entry(key).or_insert(next);
        if row == next {
            self.keys.push(key);
            self.costs.push(costs);
        } else {
            self.costs.add(row, costs);
        }
    }

    pub(crate) fn get(&self, key: K) -> Option<&[u64]> {
        self.rows.get(&key).map(|&row| self.costs.row(row))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (K, &[u64])> {
        self.keys.iter().enumerate().map(|(row, &key)| (key, self.costs.row(row)))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::KeyedCosts;

    #[test]
    fn costs_of_one_key_are_added() {
        let mut sums = KeyedCosts::new(2, false);
        assert!(sums.is_empty());
        for (key, row) in [('b', [1, 2]), ('a', [5, 0]), ('b', [10, 20])] {
            sums.add(key, &row);
        }
        assert_eq!(sums.iter().collect::<Vec<_>>(), [('b', &[11, 22][..]), ('a', &[5, 0][..])]);
        assert_eq!((sums.get('a'), sums.get('c')), (Some(&[5, 0][..]), None));
    }
}
