//! Reallocations of a growing structure.

use serde::{Deserialize, Serialize};

use crate::instance::CodeId;
use crate::key_counts::KeyCounts;

/// How a structure's memory grew.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Growth {
    /// How often a block with elements was replaced by a larger one.
    pub reallocations: u64,
    /// Total capacity of the replaced blocks in elements: an upper bound of the elements copied.
    pub copied: u64,
    /// The largest capacity, in elements.
    pub capacity: u64,
    /// Reallocations by call site.
    pub codes: KeyCounts<CodeId>,
}

impl Growth {
    /// Records a change of capacity. The first allocation and shrinking do not count.
    pub(crate) fn grown(&mut self, old: u64, new: u64, code: CodeId) {
        self.capacity = self.capacity.max(new);
        if old > 0 && new > old {
            self.reallocations += 1;
            self.copied = self.copied.saturating_add(old);
            self.codes.add(code, 1);
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.reallocations += other.reallocations;
        self.copied = self.copied.saturating_add(other.copied);
        self.capacity = self.capacity.max(other.capacity);
        self.codes.merge(&other.codes);
    }
}

#[cfg(test)]
mod tests {
    use super::Growth;
    use crate::instance::CodeId;

    #[test]
    fn first_allocations_and_shrinking_do_not_count() {
        let mut growth = Growth::default();
        for (old, new) in [(0, 4), (4, 8), (8, 16), (16, 2)] {
            growth.grown(old, new, CodeId(1));
        }
        assert_eq!((growth.reallocations, growth.copied, growth.capacity), (2, 12, 16));
        assert_eq!(growth.codes.get(CodeId(1)), 2);
    }
}
