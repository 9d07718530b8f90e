//! Assigns memory accesses to active operations, and operations to structures.

use super::dependences::AddressOwner;
use super::{Engine, EventOrigin, accesses_whole_structure};
use crate::access::AccessRun;
use crate::code::chains::{Call, ChainId};
use crate::code::frame::LengthChange;
use crate::code::methods::LibraryOperation;
use crate::container::AccessKind;
use crate::decode::blocks::Slot;
use crate::decode::structures::{MemoryLayout, Structure, layout_of};
use crate::decode::thread::{ActiveCall, ThreadState};
use crate::instance::CodeId;

/// A memory access of an instruction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touch {
    pub(super) pc: u32,
    pub(super) address: u64,
    pub(super) bytes: u64,
    pub(super) is_write: bool,
    /// Whether it is the source or destination of a copy.
    pub(super) is_copy: bool,
    /// Whether elements move within their block: a gap is opened or closed.
    pub(super) is_shift: bool,
}

impl Engine<'_, '_> {
    /// A copy: its source and its destination are touched.
    pub(super) fn touch_moved(
        &mut self,
        thread: &mut ThreadState,
        origin: &EventOrigin<'_>,
        chain: ChainId,
        [from, to]: [Touch; 2],
    ) {
        let is_shift = self.is_shift(to.address, from.address);
        let mut touches = [from, to].map(|touch| Touch { is_copy: true, is_shift, ..touch });
        // `v.push(w[i])` copies from one structure into another; the operation belongs to the destination.
        if self.inserts(thread) {
            touches.reverse();
        }
        touches.into_iter().for_each(|touch| self.touch(thread, origin, chain, touch));
        // Only after the touches is it known whether this is another operation of the same code.
        self.note_move(thread, to.address, from.address, to.bytes);
    }

    /// Whether a copy moves elements within their block.
    fn is_shift(&mut self, to: u64, from: u64) -> bool {
        let blocks = [from, to].map(|address| self.blocks.find(address).map(|block| block.base));
        blocks[0].is_some() && blocks[0] == blocks[1]
    }

    /// Notes a copy within one block by one element: the library opens or closes a gap.
    fn note_move(&mut self, thread: &mut ThreadState, to: u64, from: u64, length: u64) {
        let (Some(source), Some(target)) = (self.blocks.find(from), self.blocks.find(to)) else { return };
        let structure = &self.structures[source.slot as usize];
        let place = structure.place(from.min(to)).zip(structure.elements(length));
        let by_one = structure.elements(from.abs_diff(to)) == Some(1);
        if let (true, Some(active), Some(place)) =
            (source == target && by_one, thread.active.last_mut(), place)
        {
            active.moved.get_or_insert(place);
        }
    }

    /// Classifies a memory access: to no known structure; part of an operation on a whole structure; by user code; or by library
    /// code within an active call. Each access is counted in exactly one class of the coverage.
    pub(super) fn touch(
        &mut self,
        thread: &mut ThreadState,
        origin: &EventOrigin<'_>,
        chain: ChainId,
        touch: Touch,
    ) {
        self.decoded.coverage.accesses += 1;
        let slot = self.blocks.find(touch.address).map(|block| block.slot);
        let here = &self.decoded.tables.chains[chain.0 as usize];
        let variable = AddressOwner::Variable(here.variable, here.calls.last().copied());
        self.note_dependences(thread, touch, slot.map_or(variable, AddressOwner::Structure));
        let Some(slot) = slot else {
            self.decoded.coverage.elsewhere += 1;
            if self.decoded.tables.chains[chain.0 as usize].uses_fields {
                self.touch_field(thread, touch);
            } else if touch.is_write {
                self.forget_fields(touch);
            }
            return;
        };
        let here = &self.decoded.tables.chains[chain.0 as usize];
        let in_library = here.in_library || (here.has_no_line && !thread.active.is_empty());
        let Some(user) = here.user else {
            self.decoded.coverage.library += 1;
            return;
        };
        if self.belongs_to_whole_operation(thread, origin.time, in_library, slot, touch) {
            self.decoded.coverage.named += 1;
            return;
        }
        if !in_library || thread.active.is_empty() {
            if let Some(at) = self.visiting_operation(thread, slot).filter(|_| !touch.is_write) {
                self.decoded.coverage.named += 1;
                return self.visit_element(&mut thread.active[at], origin, slot, touch);
            }
            self.decoded.coverage.direct += 1;
            return self.direct(origin, slot, user, touch);
        }
        self.touch_in_library(thread, origin, chain, slot, touch);
    }

    /// Whether a call accesses the fields of another structure that is an element of this one.
    fn is_inner_field(&self, chain: ChainId, call: Call, slot: Slot) -> bool {
        let uses_fields =
            self.decoded.tables.chains[chain.0 as usize].uses_fields && !self.is_drop(call.code);
        uses_fields || self.has_other_elements(slot, call.element)
    }

    /// A method accesses the fields of a structure that is an element of another one (`rows[i].push(x)`): it works on the inner
    /// structure, and uses the element of the outer one.
    fn touch_inner_field(
        &mut self,
        thread: &mut ThreadState,
        origin: &EventOrigin<'_>,
        outer: Slot,
        touch: Touch,
    ) {
        self.decoded.coverage.named += 1;
        let Some(active) = thread.active.last_mut() else { return };
        active.wrote_field |= touch.is_write;
        let code = self.call(active.call).code;
        // What is written there is part of the operation on the inner structure.
        if !touch.is_write && self.structures[outer as usize].layout() == MemoryLayout::Array {
            self.direct(origin, outer, code, touch);
        }
    }

    /// Library code accesses a structure within the innermost active call.
    fn touch_in_library(
        &mut self,
        thread: &mut ThreadState,
        origin: &EventOrigin<'_>,
        chain: ChainId,
        slot: Slot,
        touch: Touch,
    ) {
        let Some(active) = thread.active.last() else { return };
        let call = self.decoded.tables.calls[active.call.0 as usize];
        if self.is_inner_field(chain, call, slot) {
            return self.touch_inner_field(thread, origin, slot, touch);
        }
        if active.made == Some(slot) && call.creates {
            self.decoded.coverage.named += 1;
            return;
        }
        match call.operation {
            Some(_) if !touch.is_write && self.is_value(call, slot) => {
                self.decoded.coverage.direct += 1;
                self.direct(origin, slot, call.code, touch);
            }
            Some(operation)
                if layout_of(operation.container) == self.structures[slot as usize].layout()
                    && !(operation.many && self.structures[slot as usize].has_unknown_places()) =>
            {
                self.decoded.coverage.named += 1;
                if operation.many && layout_of(operation.container) != MemoryLayout::Array {
                    self.bind(thread, origin.time, slot, touch);
                    return self.report_change(thread, origin, chain, touch);
                }
                if operation.many {
                    return self.one_of_many(origin, slot, call.code, operation, touch);
                }
                self.bind(thread, origin.time, slot, touch);
            }
            // Hashing or comparing a key is part of the operation on the table.
            Some(operation) if is_key(&operation, &self.structures[slot as usize], touch) => {
                self.decoded.coverage.named += 1;
            }
            None if call.steps => {
                self.decoded.coverage.named += 1;
                if self.structures[slot as usize].layout() == MemoryLayout::Array {
                    self.direct(origin, slot, call.code, touch);
                }
            }
            // Dropping a structure is not an access to its elements.
            None if self.is_drop(call.code) => self.decoded.coverage.named += 1,
            None if self.structures[slot as usize].layout() != MemoryLayout::Array => {
                self.decoded.coverage.unnamed += 1;
                self.bind(thread, origin.time, slot, touch);
            }
            _ => {
                self.decoded.coverage.unnamed += 1;
                self.unknown_method(call.code);
                self.direct(origin, slot, call.code, touch);
            }
        }
    }

    /// Whether a structure cannot be the one that is searched, because its elements have another size: it contains the value
    /// searched for (`known.contains(&order.customer)`).
    fn is_value(&self, call: Call, slot: Slot) -> bool {
        self.has_other_elements(slot, call.searched)
    }

    /// Whether the elements of a row have another size than this. A row of rows contains the row that `rows[i].insert(0, x)` changes.
    fn has_other_elements(&self, slot: Slot, wanted: Option<u64>) -> bool {
        let structure = &self.structures[slot as usize];
        let size = u64::from(structure.instance.element_size);
        structure.layout() == MemoryLayout::Array
            && wanted.is_some_and(|wanted| size != 0 && wanted != 0 && size != wanted)
    }

    /// The active operation whose closure visits one element after the other (`retain`).
    fn visiting_operation(&self, thread: &ThreadState, slot: Slot) -> Option<usize> {
        let here = self.structures[slot as usize].layout();
        thread.active.iter().rposition(|active| {
            self.call(active.call).operation.is_some_and(|operation| {
                operation.many
                    && operation.kind == AccessKind::Search
                    && layout_of(operation.container) == here
            })
        })
    }

    /// The closure of an operation on many elements reads one of them.
    fn visit_element(&mut self, active: &mut ActiveCall, origin: &EventOrigin<'_>, slot: Slot, touch: Touch) {
        let call = self.call(active.call);
        let Some(operation) = call.operation else { return };
        // Elements of tables and trees have no position: each execution of the closure's first instruction is an element.
        let is_next = self.structures[slot as usize].layout() == MemoryLayout::Array
            || *active.counted_at.get_or_insert(touch.pc) == touch.pc;
        if is_next {
            self.one_of_many(origin, slot, call.code, operation, touch);
        }
    }

    /// Within an operation on many elements of a table or tree, each change of the number of elements is reported as an access.
    fn report_change(
        &mut self,
        thread: &mut ThreadState,
        origin: &EventOrigin<'_>,
        chain: ChainId,
        touch: Touch,
    ) {
        let Some(change) = self.decoded.tables.chains[chain.0 as usize].change else { return };
        let Some((active, slot)) = thread.active.last_mut().and_then(|active| {
            let slot = active.bound?;
            (*active.changed_at.get_or_insert(touch.pc) == touch.pc).then_some((active, slot))
        }) else {
            return;
        };
        let code = self.decoded.tables.calls[active.call.0 as usize].code;
        let kind = if change == LengthChange::Added { AccessKind::Insert } else { AccessKind::Delete };
        let access = self.new_access(slot, kind, origin.time, origin.head.thread, code);
        self.structures[slot as usize].length = access.length_after();
        self.emit(slot, AccessRun::single(access));
    }

    fn unknown_method(&mut self, code: CodeId) {
        let method = self.decoded.tables.codes.method(code).unwrap_or("?").to_owned();
        *self.decoded.coverage.unknown_methods.entry(method).or_default() += 1;
    }

    /// Whether an access belongs to an active operation on a whole structure, such as a sort. The first such access binds the
    /// operation to its structure.
    fn belongs_to_whole_operation(
        &mut self,
        thread: &mut ThreadState,
        time: u64,
        in_library: bool,
        slot: Slot,
        touch: Touch,
    ) -> bool {
        let innermost = thread.active.len().saturating_sub(1);
        let layout_here = self.structures[slot as usize].layout();
        for (depth, active) in thread.active.iter_mut().enumerate() {
            let call = self.decoded.tables.calls[active.call.0 as usize];
            let Some(operation) = call.operation else { continue };
            if !accesses_whole_structure(&operation)
                || layout_of(operation.container) != layout_here
                || self.is_value(call, slot)
            {
                continue;
            }
            let at_once = depth == innermost && in_library;
            if active.reported && at_once && active.bound.is_some_and(|bound| bound != slot) {
                active.begin_again(time);
            }
            // The closure of a sort or search may access elements before the library itself does.
            let through_closure =
                matches!(operation.kind, AccessKind::Sort | AccessKind::Search) && !touch.is_write;
            let binds = active.bound.is_none() && active.made != Some(slot) && (at_once || through_closure);
            let place = self.structures[slot as usize].place(touch.address);
            if active.bound == Some(slot) || binds {
                active.is_scanned |= active.bound.is_some() && active.last != place;
                active.bound = Some(slot);
                active.last = place;
                return true;
            }
            if let (AccessKind::Search, Some(place), true) = (operation.kind, place, through_closure)
                && active.bound.is_some()
                && active.made != Some(slot)
                && (active.touch_other(slot, place) || at_once)
            {
                return true;
            }
            if active.made == Some(slot) {
                // The copy that the operation makes.
                return at_once;
            }
        }
        false
    }

    /// Binds the innermost active operation to a structure, and notes the first and last element that it accesses.
    fn bind(&mut self, thread: &mut ThreadState, time: u64, slot: Slot, touch: Touch) {
        let Some(active) = thread.active.last_mut() else { return };
        let place = self.structures[slot as usize].place(touch.address);
        // A hash table that grows moves into a new block, which is the same table. Arrays are reallocated instead.
        let is_table = self.structures[slot as usize].layout() != MemoryLayout::Array;
        let made = active.made.filter(|made| is_table && *made != slot && active.bound == Some(*made));
        if let Some(made) = made {
            self.replace(made, slot);
            active.made = None;
            active.bound = Some(slot);
        }
        // Another element or structure after the operation was left means a new operation: the compiler duplicated its code.
        let is_other =
            active.bound.is_some_and(|bound| bound != slot) || (place.is_some() && place != active.last);
        if active.reported && is_other {
            active.begin_again(time);
        }
        if *active.bound.get_or_insert(slot) != slot {
            return;
        }
        active.first = active.first.or(place);
        active.last = place.or(active.last);
        if touch.is_write {
            active.first_written = active.first_written.or(place);
        }
        for address in active.fields.drain(..) {
            self.fields.insert(address, slot);
        }
    }

    /// Memory written by other code no longer contains fields of a structure: stack memory is reused.
    fn forget_fields(&mut self, touch: Touch) {
        /// Alignment of a structure's fields.
        const STEP: u64 = 8;
        let end = touch.address.saturating_add(touch.bytes.max(1));
        if touch.bytes / STEP > self.fields.len() as u64 {
            self.fields.retain(|&field, _| field < touch.address || end <= field);
            return;
        }
        for address in (touch.address..end).step_by(STEP as usize) {
            self.fields.remove(&address);
        }
    }

    /// An access outside of blocks, by a method that uses the fields of its structure: binds the operation if the fields are
    /// known, and remembers their addresses.
    fn touch_field(&mut self, thread: &mut ThreadState, touch: Touch) {
        let operation = thread.active.last().and_then(|active| self.call(active.call).operation);
        let (Some(active), Some(operation)) = (thread.active.last_mut(), operation) else { return };
        active.wrote_field |= touch.is_write;
        if active.bound.is_none()
            && let Some(&slot) = self.fields.get(&touch.address)
            && self.structures[slot as usize].blocks > 0
            && self.structures[slot as usize].layout() == layout_of(operation.container)
        {
            active.bound = Some(slot);
        }
        match active.bound {
            Some(slot) if touch.bytes == 8 => drop(self.fields.insert(touch.address, slot)),
            _ if active.fields.len() < 4 => active.fields.push(touch.address),
            _ => {}
        }
    }
}

/// Whether an operation on a table or tree reads its key from another structure.
fn is_key(operation: &LibraryOperation, structure: &Structure, touch: Touch) -> bool {
    let is_array = |container| layout_of(container) == MemoryLayout::Array;
    !operation.many
        && !touch.is_write
        && !is_array(operation.container)
        && is_array(structure.instance.container)
}
