//! Allocations: structures are created, grow and are dropped with their memory blocks.

use super::{Engine, EventOrigin};
use crate::code::chains::Owner;
use crate::container::AccessKind;
use crate::decode::blocks::{MemoryBlock, Slot};
use crate::decode::structures::{MemoryLayout, Structure, layout_of};
use crate::decode::thread::ThreadState;

impl Engine<'_, '_> {
    /// A block was allocated: creates a structure, or adds the block to the table or tree that the active operation works on.
    pub(super) fn allocate(
        &mut self,
        thread: &mut ThreadState,
        origin: &EventOrigin<'_>,
        address: u64,
        bytes: u64,
        stack: u32,
    ) {
        self.free(address);
        self.shadow.forget(address, bytes);
        let Some(owner) = self.owner(origin, stack) else { return };
        let is_array = layout_of(owner.container) == MemoryLayout::Array;
        let active = thread.active.last_mut();
        // The block allocated by a copy belongs to the copy.
        let copies = active.as_ref().is_some_and(|active| {
            self.call(active.call).operation.is_some_and(|operation| operation.kind == AccessKind::Copy)
        });
        let grows = active.as_ref().and_then(|active| if copies { active.made } else { active.bound });
        if let Some(slot) = grows.filter(|_| !is_array)
            && self.structures[slot as usize].layout() == layout_of(owner.container)
        {
            self.structures[slot as usize].blocks += 1;
            self.blocks.insert(MemoryBlock { base: address, bytes, slot });
            return;
        }
        if !self.decoded.selection.includes(owner.container, bytes) {
            return;
        }
        self.decoded.instances += 1;
        let id = self.decoded.instances;
        let mut structure =
            Structure::new(id, owner.container, owner.element_size, owner.code, origin.head.thread);
        (structure.base, structure.bytes, structure.blocks) = (address, bytes, 1);
        structure.resized = self.clock.epoch;
        if owner.is_full {
            structure.length = structure.capacity().unwrap_or(0);
        }
        structure.is_fresh = owner.is_listed;
        let slot = self.structures.len() as Slot;
        self.structures.push(structure);
        self.blocks.insert(MemoryBlock { base: address, bytes, slot });
        if let Some(active) = active {
            active.made = Some(slot);
            let operation = self.decoded.tables.calls[active.call.0 as usize].operation;
            // Of code without guards only some functions are seen: the operation that seems active may have ended long ago.
            let fits = operation
                .is_none_or(|operation| layout_of(operation.container) == layout_of(owner.container));
            if !is_array && !copies && fits && active.bound.is_none() {
                active.bound = Some(slot);
            }
        }
    }

    fn owner(&mut self, origin: &EventOrigin<'_>, stack: u32) -> Option<Owner> {
        if let Some(known) = self.owners.get(&(origin.ring, stack)) {
            return *known;
        }
        let callers = origin.stacks.stacks.get(&stack).map_or(&[][..], Vec::as_slice);
        let owner = self.decoded.tables.owner(self.image, callers);
        self.owners.insert((origin.ring, stack), owner);
        owner
    }

    /// A block was resized or moved: updates the structure, and reports growth of its capacity.
    pub(super) fn reallocate(
        &mut self,
        thread: &mut ThreadState,
        origin: &EventOrigin<'_>,
        old: u64,
        address: u64,
        bytes: u64,
        stack: u32,
    ) {
        let Some(block) = self.blocks.remove(old) else {
            return self.allocate(thread, origin, address, bytes, stack);
        };
        if address == old {
            self.shadow.forget(address + block.bytes.min(bytes), bytes.saturating_sub(block.bytes));
        } else {
            self.free(address);
            self.shadow.forget(address, bytes);
        }
        let code = self.owner(origin, stack).map(|owner| owner.code);
        let structure = &mut self.structures[block.slot as usize];
        let before = structure.capacity();
        (structure.base, structure.bytes) = (address, bytes);
        let grown = before.zip(structure.capacity()).filter(|(old, new)| new > old);
        self.blocks.insert(MemoryBlock { base: address, bytes, slot: block.slot });
        if let (Some((old, new)), Some(code)) = (grown, code) {
            self.announce(block.slot);
            let id = self.structures[block.slot as usize].id();
            self.consumer.grown(id, old, new, code);
        }
    }

    pub(super) fn free(&mut self, address: u64) {
        let Some(block) = self.blocks.remove(address) else { return };
        let structure = &mut self.structures[block.slot as usize];
        structure.blocks = structure.blocks.saturating_sub(1);
        if structure.blocks == 0 {
            self.drop_structure(block.slot);
        }
    }

    pub(super) fn drop_structure(&mut self, slot: Slot) {
        let structure = &mut self.structures[slot as usize];
        if structure.announced {
            structure.announced = false;
            let id = structure.id();
            self.consumer.dropped(id, &self.decoded.tables.codes);
        }
    }

    /// A hash table grew into a new block: the structure created for that block (`made`) is the same as `slot`.
    pub(super) fn replace(&mut self, made: Slot, slot: Slot) {
        self.blocks.transfer(made, slot);
        let blocks = std::mem::take(&mut self.structures[made as usize].blocks);
        self.structures[slot as usize].blocks += blocks;
    }
}
