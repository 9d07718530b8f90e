//! Blocks of memory that come and go: structures are made, grow and end with them.

use super::{Context, Engine};
use crate::code::chains::Owner;
use crate::container::Kind;
use crate::decode::blocks::{Block, Slot};
use crate::decode::structures::{Family, Structure, family};
use crate::decode::thread::ThreadState;

impl Engine<'_, '_> {
    pub(super) fn allocate(
        &mut self,
        thread: &mut ThreadState,
        context: &Context<'_>,
        address: u64,
        bytes: u64,
        stack: u32,
    ) {
        self.free(address);
        self.shadow.forget(address, bytes);
        let Some(owner) = self.owner(context, stack) else { return };
        let row = family(owner.container) == Family::Row;
        let active = thread.active.last_mut();
        // What a copy allocates is the copy.
        let copies = active.as_ref().is_some_and(|active| {
            self.call(active.call).operation.is_some_and(|operation| operation.kind == Kind::Copy)
        });
        let grows = active.as_ref().and_then(|active| if copies { active.made } else { active.bound });
        if let Some(slot) = grows.filter(|_| !row)
            && self.structures[slot as usize].family() == family(owner.container)
        {
            self.structures[slot as usize].blocks += 1;
            self.blocks.insert(Block { base: address, bytes, slot });
            return;
        }
        if !self.decoded.selection.takes(owner.container, bytes) {
            return;
        }
        self.decoded.instances += 1;
        let id = self.decoded.instances;
        let mut structure =
            Structure::new(id, owner.container, owner.element_size, owner.code, context.head.thread);
        (structure.base, structure.bytes, structure.blocks) = (address, bytes, 1);
        structure.resized = self.clock.epoch;
        if owner.is_full {
            structure.length = structure.capacity().unwrap_or(0);
        }
        structure.is_fresh = owner.is_listed;
        let slot = self.structures.len() as Slot;
        self.structures.push(structure);
        self.blocks.insert(Block { base: address, bytes, slot });
        if let Some(active) = active {
            active.made = Some(slot);
            let operation = self.decoded.book.calls[active.call.0 as usize].operation;
            // Of code that is not recorded only some functions may be seen: what they belong to may be over long ago.
            let fits =
                operation.is_none_or(|operation| family(operation.container) == family(owner.container));
            if !row && !copies && fits && active.bound.is_none() {
                active.bound = Some(slot);
            }
        }
    }

    fn owner(&mut self, context: &Context<'_>, stack: u32) -> Option<Owner> {
        if let Some(known) = self.owners.get(&(context.ring, stack)) {
            return *known;
        }
        let callers = context.stacks.stacks.get(&stack).map_or(&[][..], Vec::as_slice);
        let owner = self.decoded.book.owner(self.image, callers);
        self.owners.insert((context.ring, stack), owner);
        owner
    }

    pub(super) fn reallocate(
        &mut self,
        thread: &mut ThreadState,
        context: &Context<'_>,
        old: u64,
        address: u64,
        bytes: u64,
        stack: u32,
    ) {
        let Some(block) = self.blocks.remove(old) else {
            return self.allocate(thread, context, address, bytes, stack);
        };
        if address == old {
            self.shadow.forget(address + block.bytes.min(bytes), bytes.saturating_sub(block.bytes));
        } else {
            self.free(address);
            self.shadow.forget(address, bytes);
        }
        let code = self.owner(context, stack).map(|owner| owner.code);
        let structure = &mut self.structures[block.slot as usize];
        let before = structure.capacity();
        (structure.base, structure.bytes) = (address, bytes);
        let grown = before.zip(structure.capacity()).filter(|(old, new)| new > old);
        self.blocks.insert(Block { base: address, bytes, slot: block.slot });
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
            self.consumer.dropped(id, &self.decoded.book.codes);
        }
    }

    /// A table grew into a new block.
    pub(super) fn replace(&mut self, made: Slot, slot: Slot) {
        self.blocks.give(made, slot);
        let blocks = std::mem::take(&mut self.structures[made as usize].blocks);
        self.structures[slot as usize].blocks += blocks;
    }
}
