//! To which operation a touch of memory belongs, and to which structure that operation is bound.

use super::dependences::Ground;
use super::{Context, Engine, Touch, is_whole};
use crate::access::AccessRun;
use crate::code::chains::{Call, ChainId};
use crate::code::frame::Change;
use crate::code::methods::Operation;
use crate::container::Kind;
use crate::decode::blocks::Slot;
use crate::decode::structures::{Family, Structure, family};
use crate::decode::thread::{Active, ThreadState};
use crate::instance::CodeId;

impl Engine<'_, '_> {
    /// A copy within one block: the library makes or closes a gap.
    pub(super) fn note_move(&mut self, thread: &mut ThreadState, to: u64, from: u64, length: u64) {
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

    pub(super) fn touch(
        &mut self,
        thread: &mut ThreadState,
        context: &Context<'_>,
        chain: ChainId,
        touch: Touch,
    ) {
        self.decoded.coverage.accesses += 1;
        let slot = self.blocks.find(touch.address).map(|block| block.slot);
        let here = &self.decoded.book.chains[chain.0 as usize];
        let is_own = !here.in_library || here.uses_cell;
        let variable = if is_own { Ground::Variable } else { Ground::Library };
        self.note_dependences(thread, touch, slot.map_or(variable, Ground::Structure));
        let Some(slot) = slot else {
            self.decoded.coverage.elsewhere += 1;
            if self.decoded.book.chains[chain.0 as usize].uses_fields {
                self.touch_field(thread, touch);
            } else if touch.is_write {
                self.forget_fields(touch);
            }
            return;
        };
        let here = &self.decoded.book.chains[chain.0 as usize];
        let in_library = here.in_library || (here.has_no_line && !thread.active.is_empty());
        let Some(user) = here.user else {
            self.decoded.coverage.library += 1;
            return;
        };
        if self.swallowed(thread, context.time, in_library, slot, touch) {
            self.decoded.coverage.named += 1;
            return;
        }
        if !in_library || thread.active.is_empty() {
            if let Some(at) = self.visits(thread, slot).filter(|_| !touch.is_write) {
                self.decoded.coverage.named += 1;
                return self.visited(&mut thread.active[at], context, slot, touch);
            }
            self.decoded.coverage.direct += 1;
            return self.direct(context, slot, user, touch);
        }
        self.touch_in_library(thread, context, chain, slot, touch);
    }

    /// Library code touches a structure, within the innermost call of the user's code.
    fn touch_in_library(
        &mut self,
        thread: &mut ThreadState,
        context: &Context<'_>,
        chain: ChainId,
        slot: Slot,
        touch: Touch,
    ) {
        let Some(active) = thread.active.last() else { return };
        let call = self.decoded.book.calls[active.call.0 as usize];
        if active.made == Some(slot) && call.creates {
            self.decoded.coverage.named += 1;
            return;
        }
        match call.operation {
            Some(_) if !touch.is_write && self.is_value(call, slot) => {
                self.decoded.coverage.direct += 1;
                self.direct(context, slot, call.code, touch);
            }
            Some(operation) if family(operation.container) == self.structures[slot as usize].family() => {
                self.decoded.coverage.named += 1;
                if operation.many && family(operation.container) != Family::Row {
                    self.bind(thread, context.time, slot, touch);
                    return self.changed(thread, context, chain, touch);
                }
                if operation.many {
                    return self.one_of_many(context, slot, call.code, operation, touch);
                }
                self.bind(thread, context.time, slot, touch);
            }
            // A key that is hashed or compared: part of the operation on the table.
            Some(operation) if is_key(&operation, &self.structures[slot as usize], touch) => {
                self.decoded.coverage.named += 1;
            }
            None if call.steps => {
                self.decoded.coverage.named += 1;
                if self.structures[slot as usize].family() == Family::Row {
                    self.direct(context, slot, call.code, touch);
                }
            }
            // Taking a structure down is no access to its elements.
            None if self.is_drop(call.code) => self.decoded.coverage.named += 1,
            None if self.structures[slot as usize].family() != Family::Row => {
                self.decoded.coverage.unnamed += 1;
                self.bind(thread, context.time, slot, touch);
            }
            _ => {
                self.decoded.coverage.unnamed += 1;
                self.unknown_method(call.code);
                self.direct(context, slot, call.code, touch);
            }
        }
    }

    /// Whether a structure cannot be the row that is searched, for its elements are of another size: the value that is
    /// looked for lies in it (`known.contains(&order.customer)`).
    fn is_value(&self, call: Call, slot: Slot) -> bool {
        let structure = &self.structures[slot as usize];
        let size = u64::from(structure.instance.element_size);
        structure.family() == Family::Row && call.searched.is_some_and(|row| size != 0 && size != row)
    }

    /// An operation under way whose closure looks at one element after the other (`retain`).
    fn visits(&self, thread: &ThreadState, slot: Slot) -> Option<usize> {
        let here = self.structures[slot as usize].family();
        thread.active.iter().rposition(|active| {
            self.call(active.call).operation.is_some_and(|operation| {
                operation.many && operation.kind == Kind::Search && family(operation.container) == here
            })
        })
    }

    /// The closure of an operation on many elements reads one of them.
    fn visited(&mut self, active: &mut Active, context: &Context<'_>, slot: Slot, touch: Touch) {
        let call = self.call(active.call);
        let Some(operation) = call.operation else { return };
        // Elements of tables and trees have no position: the closure's first instruction stands for an element.
        let is_next = self.structures[slot as usize].family() == Family::Row
            || *active.counted_at.get_or_insert(touch.pc) == touch.pc;
        if is_next {
            self.one_of_many(context, slot, call.code, operation, touch);
        }
    }

    /// An operation on many elements of a table or tree: what changes their number is an operation on one element.
    fn changed(&mut self, thread: &mut ThreadState, context: &Context<'_>, chain: ChainId, touch: Touch) {
        let Some(change) = self.decoded.book.chains[chain.0 as usize].change else { return };
        let Some((active, slot)) = thread.active.last_mut().and_then(|active| {
            let slot = active.bound?;
            (*active.changed_at.get_or_insert(touch.pc) == touch.pc).then_some((active, slot))
        }) else {
            return;
        };
        let code = self.decoded.book.calls[active.call.0 as usize].code;
        let kind = if change == Change::Added { Kind::Insert } else { Kind::Delete };
        let access = self.access(slot, kind, context.time, context.head.thread, code);
        self.structures[slot as usize].length = access.length_after();
        self.emit(slot, AccessRun::single(access));
    }

    fn unknown_method(&mut self, code: CodeId) {
        let method = self.decoded.book.codes.method(code).unwrap_or("?").to_owned();
        *self.decoded.coverage.unknown_methods.entry(method).or_default() += 1;
    }

    /// Whether an access belongs to an operation on the whole structure.
    fn swallowed(
        &mut self,
        thread: &mut ThreadState,
        time: u64,
        in_library: bool,
        slot: Slot,
        touch: Touch,
    ) -> bool {
        let innermost = thread.active.len().saturating_sub(1);
        let family_here = self.structures[slot as usize].family();
        for (depth, active) in thread.active.iter_mut().enumerate() {
            let call = self.decoded.book.calls[active.call.0 as usize];
            let Some(operation) = call.operation else { continue };
            if !is_whole(&operation)
                || family(operation.container) != family_here
                || self.is_value(call, slot)
            {
                continue;
            }
            let at_once = depth == innermost && in_library;
            if active.reported && at_once && active.bound.is_some_and(|bound| bound != slot) {
                active.begin_again(time);
            }
            // Closures of a sort or a search look at elements before the library does.
            let through_closure = matches!(operation.kind, Kind::Sort | Kind::Search) && !touch.is_write;
            let binds = active.bound.is_none() && active.made != Some(slot) && (at_once || through_closure);
            if active.bound == Some(slot) || binds {
                active.bound = Some(slot);
                active.last = self.structures[slot as usize].place(touch.address);
                return true;
            }
            if active.made == Some(slot) {
                // The copy that the operation makes.
                return at_once;
            }
        }
        false
    }

    fn bind(&mut self, thread: &mut ThreadState, time: u64, slot: Slot, touch: Touch) {
        let Some(active) = thread.active.last_mut() else { return };
        let place = self.structures[slot as usize].place(touch.address);
        // A table that was made to replace the present one is the same table. Rows of elements grow in place.
        let is_table = self.structures[slot as usize].family() != Family::Row;
        let made = active.made.filter(|made| is_table && *made != slot && active.bound == Some(*made));
        if let Some(made) = made {
            self.replace(made, slot);
            active.made = None;
            active.bound = Some(slot);
        }
        // Another element or structure after the operation was left: the compiler made two copies of its code.
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

    /// Memory that other code writes has no fields of a structure any more: a stack is used again and again.
    fn forget_fields(&mut self, touch: Touch) {
        /// A structure's fields are at multiples of it.
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

    /// Memory outside of blocks: perhaps the fields of a structure that an operation works on.
    fn touch_field(&mut self, thread: &mut ThreadState, touch: Touch) {
        let operation = thread.active.last().and_then(|active| self.call(active.call).operation);
        let (Some(active), Some(operation)) = (thread.active.last_mut(), operation) else { return };
        active.wrote_field |= touch.is_write;
        if active.bound.is_none()
            && let Some(&slot) = self.fields.get(&touch.address)
            && self.structures[slot as usize].blocks > 0
            && self.structures[slot as usize].family() == family(operation.container)
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

/// Whether an operation on a table or tree reads another structure.
fn is_key(operation: &Operation, structure: &Structure, touch: Touch) -> bool {
    let row = |container| family(container) == Family::Row;
    !operation.many && !touch.is_write && !row(operation.container) && row(structure.instance.container)
}
