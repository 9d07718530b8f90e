//! Data structures with costs: where they are allocated and what they cost there.

use super::Costs;
use crate::id::{NameId, PartId, StackId};

/// Data structures, as columns. The costs are those of the profile's event types.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DataStructures {
    /// A type or variable where the format has one; else empty.
    pub name: Vec<NameId>,
    /// Where it is allocated.
    pub stack: Vec<Option<StackId>>,
    /// The part it was seen in.
    pub part: Vec<PartId>,
    /// What it costs.
    pub costs: Costs,
    /// Accesses inside a block; empty where unknown.
    pub accesses: Vec<Vec<Access>>,
}

impl DataStructures {
    /// How many.
    pub fn len(&self) -> usize {
        self.stack.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }
}

/// Accesses to one byte of all blocks of a data structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// Bytes from the beginning of the block.
    pub offset: u64,
    /// Reads and writes.
    pub count: u64,
}
