//! Data structures with costs, by the stack of their allocation.

use super::Costs;
use crate::id::{NameId, PartId, StackId};

/// Data structures, as columns. The costs are those of the profile's event types.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DataStructures {
    /// The type or variable where the format names it; else empty.
    pub name: Vec<NameId>,
    /// The stack of the allocation.
    pub stack: Vec<Option<StackId>>,
    pub part: Vec<PartId>,
    pub costs: Costs,
    /// Accesses by offset within a block; empty where unknown.
    pub accesses: Vec<Vec<Access>>,
}

impl DataStructures {
    /// The number of data structures.
    pub fn len(&self) -> usize {
        self.stack.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }
}

/// The accesses to one offset, over all blocks of a data structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// Bytes from the beginning of the block.
    pub offset: u64,
    /// The number of reads and writes.
    pub count: u64,
}
