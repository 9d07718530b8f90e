//! Data structures whose accesses are told apart.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A data structure of the standard library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Container {
    /// `Vec`.
    Vec,
    /// A slice or an array, whoever owns its memory.
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
    /// Whether elements have positions, which addresses tell.
    #[must_use]
    pub fn is_indexed(self) -> bool {
        matches!(self, Self::Vec | Self::Slice | Self::VecDeque | Self::String | Self::BinaryHeap)
    }

    /// Whether its elements stand in the order in which the program put them.
    #[must_use]
    pub fn is_list(self) -> bool {
        matches!(self, Self::Vec | Self::Slice | Self::VecDeque)
    }

    /// Whether inserting or deleting in front of elements moves them all.
    #[must_use]
    pub fn is_contiguous(self) -> bool {
        matches!(self, Self::Vec | Self::Slice | Self::String)
    }

    /// Whether it finds elements without looking at all of them.
    #[must_use]
    pub fn is_search_structure(self) -> bool {
        matches!(self, Self::HashMap | Self::HashSet | Self::BTreeMap | Self::BTreeSet)
    }

    /// What the language calls it.
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

    /// Whether its memory is one block, which grows by reallocation.
    #[must_use]
    pub fn is_one_block(self) -> bool {
        !matches!(self, Self::BTreeMap | Self::BTreeSet)
    }
}

/// What an operation does, on a high level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
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

impl Kind {
    /// All of them, in the order of their numbers.
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

    /// What a legend calls it.
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

    /// Whether the operation is about one element and so has an index.
    #[must_use]
    pub fn has_index(self) -> bool {
        matches!(self, Self::Insert | Self::Search | Self::Delete | Self::Read | Self::Write)
    }
}

/// At which end of a structure a method works, where the method says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Before the first element.
    Front,
    /// Behind the last element.
    Back,
    /// Where the addresses say.
    Anywhere,
}
