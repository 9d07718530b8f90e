//! Selects the structures to decode.

use crate::container::Container;

/// The structures to decode; the memory of others is treated as belonging to no structure.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only these containers; all if empty.
    containers: Vec<Container>,
    /// Minimum memory of a structure in bytes. A structure that grows is decoded from the allocation that reaches it.
    min_bytes: u64,
}

/// A name that is not the name of a structure.
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
    /// Selects structures by name, ignoring case, of at least `min_bytes` bytes.
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

    pub(super) fn includes(&self, container: Container, bytes: u64) -> bool {
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
        assert!(chosen.includes(Container::Vec, 100) && chosen.includes(Container::HashMap, 200));
        assert!(!chosen.includes(Container::Vec, 99) && !chosen.includes(Container::String, 100));
        assert!(Selection::default().includes(Container::BTreeSet, 0));
        assert!(Selection::new(&names(&["vector"]), 0).unwrap_err().to_string().contains("`vector`"));
    }
}
