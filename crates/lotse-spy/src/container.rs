//! The data structures whose accesses are recognised, and the kinds of accesses.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A data structure of the standard library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Container {
    /// `Vec`.
    Vec,
    /// A slice or an array, whatever owns its memory.
    Slice,
    /// `VecDeque`.
    VecDeque,
    /// `String`.
    String,
    /// `HashMap`.
    HashMap,
    /// `HashSet`.
    HashSet,
    /// `BTreeMap`.
    BTreeMap,
    /// `BTreeSet`.
    BTreeSet,
    /// `BinaryHeap`.
    BinaryHeap,
}

impl Container {
    /// Whether elements have positions that follow from their addresses.
    #[must_use]
    pub fn is_indexed(self) -> bool {
        matches!(self, Self::Vec | Self::Slice | Self::VecDeque | Self::String | Self::BinaryHeap)
    }

    /// Whether its elements keep the order in which the program puts them.
    #[must_use]
    pub fn is_list(self) -> bool {
        matches!(self, Self::Vec | Self::Slice | Self::VecDeque)
    }

    /// Whether inserting or deleting in front of elements moves them all.
    #[must_use]
    pub fn is_contiguous(self) -> bool {
        matches!(self, Self::Vec | Self::Slice | Self::String)
    }

    /// Whether it finds elements without comparing with all of them.
    #[must_use]
    pub fn is_search_structure(self) -> bool {
        matches!(self, Self::HashMap | Self::HashSet | Self::BTreeMap | Self::BTreeSet)
    }

    /// Its name in Rust.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Vec => "Vec",
            Self::Slice => "slice",
            Self::VecDeque => "VecDeque",
            Self::String => "String",
            Self::HashMap => "HashMap",
            Self::HashSet => "HashSet",
            Self::BTreeMap => "BTreeMap",
            Self::BTreeSet => "BTreeSet",
            Self::BinaryHeap => "BinaryHeap",
        }
    }

    /// Whether its elements are in one memory block, which grows by reallocation.
    #[must_use]
    pub fn is_one_block(self) -> bool {
        !matches!(self, Self::BTreeMap | Self::BTreeSet)
    }
}

/// What an operation does, on a high level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schemars(rename = "Kind"))]
pub enum AccessKind {
    /// An element is added.
    Insert,
    /// An element is looked for.
    Search,
    /// An element is taken out.
    Delete,
    /// An element is read.
    Read,
    /// An element is written in place.
    Write,
    /// All elements are removed.
    Clear,
    /// The structure is copied or converted.
    Copy,
    /// The order is reversed.
    Reverse,
    /// The elements are sorted.
    Sort,
    /// Something is done with each element.
    ForEach,
}

impl AccessKind {
    /// All kinds, in the order of their discriminants.
    pub const ALL: [Self; 10] = [
        Self::Insert,
        Self::Search,
        Self::Delete,
        Self::Read,
        Self::Write,
        Self::Clear,
        Self::Copy,
        Self::Reverse,
        Self::Sort,
        Self::ForEach,
    ];

    /// Its name in legends and JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::Search => "search",
            Self::Delete => "delete",
            Self::Read => "read",
            Self::Write => "write",
            Self::Clear => "clear",
            Self::Copy => "copy",
            Self::Reverse => "reverse",
            Self::Sort => "sort",
            Self::ForEach => "for-each",
        }
    }

    /// Whether such an access is about one element, and so has an index.
    #[must_use]
    pub fn has_index(self) -> bool {
        matches!(self, Self::Insert | Self::Search | Self::Delete | Self::Read | Self::Write)
    }
}

/// The end of a structure at which a method works, where the method's name determines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListEnd {
    /// Before the first element.
    Front,
    /// After the last element.
    Back,
    /// Anywhere: the accessed addresses decide.
    Anywhere,
}
