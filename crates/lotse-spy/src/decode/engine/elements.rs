//! Single elements: what the user's lines touch themselves, and operations that work on many elements.

use super::{Context, Engine, Touch};
use crate::access::{Access, AccessRun};
use crate::code::methods::Operation;
use crate::container::Kind;
use crate::decode::blocks::Slot;
use crate::decode::structures::Direct;
use crate::instance::CodeId;

impl Engine<'_, '_> {
    /// A line of the user's code, or library code without a name, reads or writes elements.
    pub(super) fn direct(&mut self, context: &Context<'_>, slot: Slot, code: CodeId, touch: Touch) {
        let structure = &mut self.structures[slot as usize];
        let kind = if touch.is_write { Kind::Write } else { Kind::Read };
        let index = structure.place(touch.address).map(|place| structure.index(place));
        let count = structure.elements(touch.bytes).unwrap_or(1).max(1);
        if structure.is_listing(touch.is_write, |site| self.decoded.book.is_same_line(site, code)) {
            return;
        }
        if touch.is_copy && !touch.is_write && count > 1 {
            // One operation, whatever calls it: no element is looked at.
            let access = self.access(slot, Kind::Copy, context.time, context.head.thread, code);
            return self.emit(slot, AccessRun::single(access));
        }
        let direct = direct_access(context, index, code, touch);
        let same_line = |a, b| self.decoded.book.is_same_line(a, b);
        if count == 1 && structure.joins(direct, touch.address, same_line) {
            return;
        }
        if let Some(index) = index {
            structure.reaches(index + count - 1);
        }
        let access = Access { index, ..self.access(slot, kind, context.time, context.head.thread, code) };
        self.emit(
            slot,
            AccessRun { count, index_stride: i64::from(index.is_some()), ..AccessRun::single(access) },
        );
    }

    /// One element of an operation that works on many.
    pub(super) fn one_of_many(
        &mut self,
        context: &Context<'_>,
        slot: Slot,
        code: CodeId,
        operation: Operation,
        touch: Touch,
    ) {
        let kind = match (operation.kind, touch.is_write) {
            // A deleted element is read, and `swap` reads what it writes.
            (Kind::Delete, true) | (Kind::Write, false) => return,
            (Kind::Search, true) => {
                // What is kept closes the gaps.
                let structure = &mut self.structures[slot as usize];
                structure.length = structure.place(touch.address).map_or(structure.length, |place| place + 1);
                return;
            }
            (kind @ (Kind::Delete | Kind::Search), false) | (kind @ (Kind::Insert | Kind::Write), true) => {
                kind
            }
            (_, false) => Kind::Read,
            (_, true) => Kind::Write,
        };
        if kind != Kind::Insert {
            return self.direct_as(context, slot, code, kind, touch);
        }
        let structure = &mut self.structures[slot as usize];
        let Some(place) = structure.place(touch.address) else { return };
        let count = structure.elements(touch.bytes).unwrap_or(1).max(1);
        let index = structure.index(place);
        // Another field of the element that was just inserted.
        if count == 1 && index + 1 == structure.length {
            return;
        }
        structure.length = index;
        let access =
            Access { index: Some(index), ..self.access(slot, kind, context.time, context.head.thread, code) };
        self.structures[slot as usize].length = index + count;
        let run = AccessRun { count, index_stride: 1, length_stride: 1, ..AccessRun::single(access) };
        self.emit(slot, AccessRun { at_once: true, ..run });
    }

    fn direct_as(&mut self, context: &Context<'_>, slot: Slot, code: CodeId, kind: Kind, touch: Touch) {
        let structure = &mut self.structures[slot as usize];
        let index = structure.place(touch.address).map(|place| structure.index(place));
        let direct = direct_access(context, index, code, touch);
        let same_line = |a, b| self.decoded.book.is_same_line(a, b);
        if structure.joins(direct, touch.address, same_line) {
            return;
        }
        let count = structure.elements(touch.bytes).unwrap_or(1).max(1);
        let access = Access { index, ..self.access(slot, kind, context.time, context.head.thread, code) };
        let index_stride = i64::from(index.is_some());
        // An element that `retain` looks at is no search from the beginning.
        let at_once = kind == Kind::Search;
        self.emit(slot, AccessRun { count, index_stride, at_once, ..AccessRun::single(access) });
    }
}

fn direct_access(context: &Context<'_>, index: Option<u64>, code: CodeId, touch: Touch) -> Direct {
    Direct {
        thread: context.head.thread,
        is_write: touch.is_write,
        index: index.unwrap_or(0),
        code,
        pc: touch.pc,
        offsets: 0,
        is_reference: false,
    }
}
