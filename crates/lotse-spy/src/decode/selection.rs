//! Which structures are wanted.

use crate::container::Container;

/// Which structures are wanted; others are treated as memory that belongs to none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only these; all if empty.
    containers: Vec<Container>,
    /// Memory of a structure in bytes, at least. One that grows is there from then on.
    min_bytes: u64,
}

/// A name that is none of a structure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no structure is called `{0}`; known are vec, vecdeque, string, hashmap, hashset, btreemap, btreeset, binaryheap"
)]
pub struct UnknownStructure(String);

const ALL: [Container; 8] = [
    Container::Vec,
    Container::VecDeque,
    Container::String,
    Container::HashMap,
    Container::HashSet,
    Container::BTreeMap,
    Container::BTreeSet,
    Container::BinaryHeap,
];

impl Selection {
    /// Structures by name, in small or capital letters, of at least so many bytes.
    ///
    /// # Errors
    /// A name is unknown.
    pub fn new(names: &[String], min_bytes: u64) -> Result<Self, UnknownStructure> {
        let containers = names.iter().map(|name| {
            let known = ALL.into_iter().find(|container| container.name().eq_ignore_ascii_case(name));
            known.ok_or_else(|| UnknownStructure(name.clone()))
        });
        Ok(Self { containers: containers.collect::<Result<_, _>>()?, min_bytes })
    }

    pub(super) fn takes(&self, container: Container, bytes: u64) -> bool {
        bytes >= self.min_bytes && (self.containers.is_empty() || self.containers.contains(&container))
    }
}

#[cfg(test)]
mod tests {
    use super::{Container, Selection};

    #[test]
    fn structures_are_chosen_by_name_and_size() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let chosen = Selection::new(&names(&["vec", "HashMap"]), 100).unwrap();
        assert!(chosen.takes(Container::Vec, 100) && chosen.takes(Container::HashMap, 200));
        assert!(!chosen.takes(Container::Vec, 99) && !chosen.takes(Container::String, 100));
        assert!(Selection::default().takes(Container::BTreeSet, 0));
        assert!(Selection::new(&names(&["vector"]), 0).unwrap_err().to_string().contains("`vector`"));
    }
}
