//! The memory blocks that belong to data structures.

use std::collections::BTreeMap;

use hashbrown::HashMap;

/// Index of a structure in `Engine::structures`.
pub(super) type Slot = u32;

/// A memory block and the structure that owns it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MemoryBlock {
    pub(super) base: u64,
    pub(super) bytes: u64,
    pub(super) slot: Slot,
}

impl MemoryBlock {
    fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.base) < self.bytes
    }
}

/// All blocks that are currently allocated. The last blocks found and one gap are cached, because lookups are frequent.
#[derive(Debug, Default)]
pub(super) struct MemoryBlocks {
    by_base: BTreeMap<u64, MemoryBlock>,
    /// Structures whose blocks now belong to another structure.
    new_owner: HashMap<Slot, Slot>,
    recent: [Option<MemoryBlock>; 4],
    next_recent: usize,
    /// The last range of addresses, both ends included, that was found to be in no block: mostly the stack.
    gap: Option<(u64, u64)>,
}

impl MemoryBlocks {
    pub(super) fn insert(&mut self, block: MemoryBlock) {
        self.forget_recent(&block);
        let end = block.base.saturating_add(block.bytes);
        self.gap = self.gap.filter(|(first, last)| *last < block.base || end <= *first);
        self.by_base.insert(block.base, block);
    }

    pub(super) fn remove(&mut self, base: u64) -> Option<MemoryBlock> {
        let block = self.by_base.remove(&base)?;
        self.forget_recent(&block);
        // The gap behind the block now begins earlier.
        let end = block.base.saturating_add(block.bytes);
        self.gap = self.gap.filter(|(first, _)| *first != end);
        Some(self.with_owner(block))
    }

    /// Removes cached blocks that overlap this one.
    fn forget_recent(&mut self, block: &MemoryBlock) {
        let overlaps = |other: &MemoryBlock| {
            other.base < block.base.saturating_add(block.bytes.max(1))
                && block.base < other.base.saturating_add(other.bytes)
        };
        for last in &mut self.recent {
            *last = last.filter(|last| !overlaps(last));
        }
    }

    /// The block that contains an address.
    pub(super) fn find(&mut self, address: u64) -> Option<MemoryBlock> {
        if let Some(block) = self.recent.iter().flatten().find(|block| block.contains(address)) {
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
        let block = self.with_owner(block);
        self.next_recent = (self.next_recent + 1) % self.recent.len();
        self.recent[self.next_recent] = Some(block);
        Some(block)
    }

    /// The first and the last address of the gap around an address that is in no block.
    fn gap_around(&self, address: u64, below: Option<MemoryBlock>) -> (u64, u64) {
        let first = below.map_or(0, |block| block.base.saturating_add(block.bytes));
        let above = self.by_base.range(address..).find(|(base, _)| **base > address);
        (first.min(address), above.map_or(u64::MAX, |(base, _)| base - 1))
    }

    /// Makes the blocks of one structure those of another.
    pub(super) fn transfer(&mut self, from: Slot, to: Slot) {
        self.recent = [None; 4];
        self.new_owner.insert(from, to);
    }

    /// The block with its present owner.
    fn with_owner(&self, mut block: MemoryBlock) -> MemoryBlock {
        while let Some(&owner) = self.new_owner.get(&block.slot) {
            block.slot = owner;
        }
        block
    }
}

#[cfg(test)]
mod tests {
    use super::{MemoryBlock, MemoryBlocks};

    #[test]
    fn addresses_are_found_within_blocks_only() {
        let mut blocks = MemoryBlocks::default();
        blocks.insert(MemoryBlock { base: 100, bytes: 10, slot: 1 });
        blocks.insert(MemoryBlock { base: 110, bytes: 5, slot: 2 });
        let slots = |blocks: &mut MemoryBlocks| {
            [99, 100, 109, 110, 115].map(|at| blocks.find(at).map(|block| block.slot))
        };
        assert_eq!(slots(&mut blocks), [None, Some(1), Some(1), Some(2), None]);
        blocks.transfer(2, 7);
        assert_eq!(slots(&mut blocks), [None, Some(1), Some(1), Some(7), None]);
        blocks.remove(100);
        assert_eq!(slots(&mut blocks), [None, None, None, Some(7), None]);
    }

    #[test]
    fn a_gap_ends_where_a_block_is_made() {
        let mut blocks = MemoryBlocks::default();
        blocks.insert(MemoryBlock { base: 100, bytes: 10, slot: 1 });
        let slots =
            |blocks: &mut MemoryBlocks| [50, 110, 500, 100].map(|at| blocks.find(at).map(|block| block.slot));
        assert_eq!(slots(&mut blocks), [None, None, None, Some(1)]);
        blocks.insert(MemoryBlock { base: 490, bytes: 20, slot: 2 });
        assert_eq!(slots(&mut blocks), [None, None, Some(2), Some(1)]);
        blocks.remove(490);
        assert_eq!(slots(&mut blocks), [None, None, None, Some(1)]);
        blocks.insert(MemoryBlock { base: 40, bytes: 20, slot: 3 });
        blocks.insert(MemoryBlock { base: 110, bytes: 0, slot: 4 });
        assert_eq!(
            slots(&mut blocks),
            [Some(3), None, None, Some(1)],
            "a block without bytes has no address"
        );
    }
}
