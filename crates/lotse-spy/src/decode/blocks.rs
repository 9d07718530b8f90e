//! Blocks of memory that belong to data structures.

use std::collections::BTreeMap;

use hashbrown::HashMap;

/// The number of a structure within a process.
pub(super) type Slot = u32;

/// A block of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) base: u64,
    pub(super) bytes: u64,
    pub(super) slot: Slot,
}

impl Block {
    fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.base) < self.bytes
    }
}

/// All blocks that are allocated now.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    by_base: BTreeMap<u64, Block>,
    /// Structures whose blocks belong to another one now.
    given: HashMap<Slot, Slot>,
    last: [Option<Block>; 4],
    turn: usize,
}

impl Blocks {
    pub(super) fn insert(&mut self, block: Block) {
        self.forget(&block);
        self.by_base.insert(block.base, block);
    }

    pub(super) fn remove(&mut self, base: u64) -> Option<Block> {
        let block = self.by_base.remove(&base)?;
        self.forget(&block);
        Some(self.owned(block))
    }

    /// What was looked up last may not be a block that overlaps this one.
    fn forget(&mut self, block: &Block) {
        let overlaps = |other: &Block| {
            other.base < block.base.saturating_add(block.bytes.max(1))
                && block.base < other.base.saturating_add(other.bytes)
        };
        for last in &mut self.last {
            *last = last.filter(|last| !overlaps(last));
        }
    }

    /// The block around an address.
    pub(super) fn find(&mut self, address: u64) -> Option<Block> {
        if let Some(block) = self.last.iter().flatten().find(|block| block.contains(address)) {
            return Some(*block);
        }
        let (_, block) = self.by_base.range(..=address).next_back()?;
        let block = self.owned(block.contains(address).then_some(*block)?);
        self.turn = (self.turn + 1) % self.last.len();
        self.last[self.turn] = Some(block);
        Some(block)
    }

    /// Gives the blocks of one structure to another.
    pub(super) fn give(&mut self, from: Slot, to: Slot) {
        self.last = [None; 4];
        self.given.insert(from, to);
    }

    /// A block with the structure that it belongs to now.
    fn owned(&self, mut block: Block) -> Block {
        while let Some(&owner) = self.given.get(&block.slot) {
            block.slot = owner;
        }
        block
    }
}

#[cfg(test)]
mod tests {
    use super::{Block, Blocks};

    #[test]
    fn addresses_are_found_within_blocks_only() {
        let mut blocks = Blocks::default();
        blocks.insert(Block { base: 100, bytes: 10, slot: 1 });
        blocks.insert(Block { base: 110, bytes: 5, slot: 2 });
        let slots =
            |blocks: &mut Blocks| [99, 100, 109, 110, 115].map(|at| blocks.find(at).map(|block| block.slot));
        assert_eq!(slots(&mut blocks), [None, Some(1), Some(1), Some(2), None]);
        blocks.give(2, 7);
        assert_eq!(slots(&mut blocks), [None, Some(1), Some(1), Some(7), None]);
        blocks.remove(100);
        assert_eq!(slots(&mut blocks), [None, None, None, Some(7), None]);
    }
}
