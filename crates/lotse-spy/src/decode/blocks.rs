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
    /// Addresses from one to another that lie in no block: stacks, above all.
    gap: Option<(u64, u64)>,
}

impl Blocks {
    pub(super) fn insert(&mut self, block: Block) {
        self.forget(&block);
        let end = block.base.saturating_add(block.bytes);
        self.gap = self.gap.filter(|(first, last)| *last < block.base || end <= *first);
        self.by_base.insert(block.base, block);
    }

    pub(super) fn remove(&mut self, base: u64) -> Option<Block> {
        let block = self.by_base.remove(&base)?;
        self.forget(&block);
        // The gap behind it begins elsewhere now.
        let end = block.base.saturating_add(block.bytes);
        self.gap = self.gap.filter(|(first, _)| *first != end);
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
        if self.gap.is_some_and(|(first, last)| (first..=last).contains(&address)) {
            return None;
        }
        let below = self.by_base.range(..=address).next_back().map(|(_, block)| *block);
        let Some(block) = below.filter(|block| block.contains(address)) else {
            self.gap = Some(self.gap_around(address, below));
            return None;
        };
        let block = self.owned(block);
        self.turn = (self.turn + 1) % self.last.len();
        self.last[self.turn] = Some(block);
        Some(block)
    }

    /// From the first to the last address around one that is in no block.
    fn gap_around(&self, address: u64, below: Option<Block>) -> (u64, u64) {
        let first = below.map_or(0, |block| block.base.saturating_add(block.bytes));
        let above = self.by_base.range(address..).find(|(base, _)| **base > address);
        (first.min(address), above.map_or(u64::MAX, |(base, _)| base - 1))
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

    #[test]
    fn a_gap_ends_where_a_block_is_made() {
        let mut blocks = Blocks::default();
        blocks.insert(Block { base: 100, bytes: 10, slot: 1 });
        let slots =
            |blocks: &mut Blocks| [50, 110, 500, 100].map(|at| blocks.find(at).map(|block| block.slot));
        assert_eq!(slots(&mut blocks), [None, None, None, Some(1)]);
        blocks.insert(Block { base: 490, bytes: 20, slot: 2 });
        assert_eq!(slots(&mut blocks), [None, None, Some(2), Some(1)]);
        blocks.remove(490);
        assert_eq!(slots(&mut blocks), [None, None, None, Some(1)]);
        blocks.insert(Block { base: 40, bytes: 20, slot: 3 });
        blocks.insert(Block { base: 110, bytes: 0, slot: 4 });
        assert_eq!(
            slots(&mut blocks),
            [Some(3), None, None, Some(1)],
            "a block without bytes has no address"
        );
    }
}
