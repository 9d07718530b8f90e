//! Classes: touches of one array whose addresses have equal factors of all loop variables.

use std::collections::BTreeMap;

use crate::algebra::Overflow;
use crate::concrete::{Instance, Item, Linear, Touch};
use crate::nest::{Access, ArrayId, Place, Symbol};

/// The number of a class in [`Classes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub usize);

/// A uniformly generated set of references.
#[derive(Debug, Clone)]
pub struct Class {
    /// The array.
    pub array: ArrayId,
    /// Where its touches are, in the order of the source.
    pub places: Vec<Place>,
    /// Whether one of its touches is a store.
    pub stores: bool,
    /// Factors of the address in bytes, those of 0 left out.
    pub(crate) factors: Vec<(Symbol, i128)>,
    /// Whether addresses are known.
    pub regular: bool,
}

/// All classes of an instance.
#[derive(Debug, Clone, Default)]
pub struct Classes {
    list: Vec<Class>,
    index: BTreeMap<Key, ClassId>,
}

impl Classes {
    /// The classes of all touches of an instance.
    pub fn new(instance: &Instance<'_>) -> Self {
        let mut classes = Self::default();
        classes.visit(&instance.body);
        classes
    }

    /// Classes of one array each, for tests.
    #[cfg(test)]
    pub(super) fn of_arrays(count: usize) -> Self {
        let class =
            |id| Class { array: ArrayId(id), places: vec![], stores: false, factors: vec![], regular: true };
        Self { list: (0..count).map(class).collect(), index: BTreeMap::new() }
    }

    /// All classes by number.
    pub fn iter(&self) -> impl Iterator<Item = (ClassId, &Class)> {
        self.list.iter().enumerate().map(|(id, class)| (ClassId(id), class))
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn get(&self, id: ClassId) -> &Class {
        &self.list[id.0]
    }

    /// All classes of the same array, itself included.
    pub(crate) fn mates(&self, id: ClassId) -> impl Iterator<Item = ClassId> + '_ {
        let array = self.get(id).array;
        self.iter().filter(move |(_, class)| class.array == array).map(|(id, _)| id)
    }

    pub(crate) fn id_of(&self, touch: &Touch) -> Option<ClassId> {
        self.index.get(&key(touch)).copied()
    }

    fn visit(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Loop(inner) => self.visit(&inner.body),
                Item::Statement(statement) => {
                    statement.touches.iter().for_each(|touch| self.add(touch, statement.place));
                }
            }
        }
    }

    fn add(&mut self, touch: &Touch, place: Place) {
        let key = key(touch);
        let id = *self.index.entry(key).or_insert_with_key(|(array, regular, factors)| {
            let (array, regular, factors) = (*array, *regular, factors.clone());
            self.list.push(Class { array, places: Vec::new(), stores: false, factors, regular });
            ClassId(self.list.len() - 1)
        });
        let class = &mut self.list[id.0];
        class.stores |= touch.access == Access::Store;
        if class.places.last() != Some(&place) {
            class.places.push(place);
        }
    }
}

/// The array, whether addresses are known, and their factors.
type Key = (ArrayId, bool, Vec<(Symbol, i128)>);

fn key(touch: &Touch) -> Key {
    let factors = touch.address.as_ref().map_or_else(Vec::new, |address| address.terms().collect());
    (touch.array, touch.address.is_some(), factors)
}

/// The constant part of an address, in bytes.
pub(super) fn offset(address: &Linear, value_of: impl Fn(Symbol) -> i128) -> Result<i128, Overflow> {
    address.rest.evaluate(value_of)?.to_integer().ok_or(Overflow)
}
