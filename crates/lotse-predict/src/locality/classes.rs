//! Classes: accesses to one array whose addresses have the same factors of all loop variables. `a[i][j]` and `a[i][j+1]` are
//! in one class, `a[j][i]` is in another one.

use std::collections::BTreeMap;

use crate::algebra::Overflow;
use crate::concrete::{ConcreteNode, Instance, Linear, Touch};
use crate::nest::{Access, ArrayId, SourcePosition, Symbol};

/// The number of a class in [`Classes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub usize);

/// A uniformly generated set of references.
#[derive(Debug, Clone)]
pub struct Class {
    pub array: ArrayId,
    /// Positions of its accesses in the order of the source.
    pub places: Vec<SourcePosition>,
    /// Whether one of its accesses is a store.
    pub stores: bool,
    /// Factors of loop variables in the address, in bytes; factors of 0 are left out.
    pub(crate) factors: Vec<(Symbol, i128)>,
    /// Whether addresses are affine; otherwise they depend on data.
    pub regular: bool,
}

/// All classes of an instance.
#[derive(Debug, Clone, Default)]
pub struct Classes {
    list: Vec<Class>,
    index: BTreeMap<ClassKey, ClassId>,
}

impl Classes {
    /// The classes of all accesses of an instance.
    pub fn new(instance: &Instance<'_>) -> Self {
        let mut classes = Self::default();
        classes.visit(&instance.body);
        classes
    }

    /// One class for each of `count` arrays, for tests.
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

    /// All classes of the same array, including this one.
    pub(crate) fn of_same_array(&self, id: ClassId) -> impl Iterator<Item = ClassId> + '_ {
        let array = self.get(id).array;
        self.iter().filter(move |(_, class)| class.array == array).map(|(id, _)| id)
    }

    pub(crate) fn id_of(&self, touch: &Touch) -> Option<ClassId> {
        self.index.get(&key(touch)).copied()
    }

    fn visit(&mut self, nodes: &[ConcreteNode]) {
        for node in nodes {
            match node {
                ConcreteNode::Loop(inner) => self.visit(&inner.body),
                ConcreteNode::Statement(statement) => {
                    statement.touches.iter().for_each(|touch| self.add(touch, statement.place));
                }
            }
        }
    }

    fn add(&mut self, touch: &Touch, place: SourcePosition) {
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

/// The array, whether addresses are affine, and their factors.
type ClassKey = (ArrayId, bool, Vec<(Symbol, i128)>);

fn key(touch: &Touch) -> ClassKey {
    let factors = touch.address.as_ref().map_or_else(Vec::new, |address| address.terms().collect());
    (touch.array, touch.address.is_some(), factors)
}

/// The constant part of an address, in bytes.
pub(super) fn offset(address: &Linear, value_of: impl Fn(Symbol) -> i128) -> Result<i128, Overflow> {
    address.rest.evaluate(value_of)?.to_integer().ok_or(Overflow)
}
