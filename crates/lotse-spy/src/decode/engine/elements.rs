//! Accesses to single elements: those of user code, and those within operations on many elements.

use super::{Engine, EventOrigin, Touch};
use crate::access::{Access, AccessRun};
use crate::code::methods::LibraryOperation;
use crate::container::{AccessKind, ListEnd};
use crate::decode::blocks::Slot;
use crate::decode::structures::DirectAccess;
use crate::instance::CodeId;

impl Engine<'_, '_> {
    /// User code, or library code of no known operation, reads or writes elements.
    pub(super) fn direct(&mut self, origin: &EventOrigin<'_>, slot: Slot, code: CodeId, touch: Touch) {
        let structure = &mut self.structures[slot as usize];
        let kind = if touch.is_write { AccessKind::Write } else { AccessKind::Read };
        let index = structure.place(touch.address).map(|place| structure.index(place));
        let count = structure.elements(touch.bytes).unwrap_or(1).max(1);
        if structure.is_listing(touch.is_write, |site| self.decoded.tables.is_same_line(site, code)) {
            return;
        }
        if touch.is_copy && !touch.is_write && count > 1 {
            // A block copy is one access, whatever calls it.
            let access = self.new_access(slot, AccessKind::Copy, origin.time, origin.head.thread, code);
            return self.emit(slot, AccessRun::single(access));
        }
        let direct = direct_access(origin, index, code, touch);
        let same_line = |a, b| self.decoded.tables.is_same_line(a, b);
        if count == 1 && structure.joins(direct, touch.address, same_line) {
            return;
        }
        if let Some(index) = index {
            structure.reaches(index + count - 1);
        }
        let access = Access { index, ..self.new_access(slot, kind, origin.time, origin.head.thread, code) };
        self.emit(
            slot,
            AccessRun { count, index_stride: i64::from(index.is_some()), ..AccessRun::single(access) },
        );
    }

    /// Reports one element of an operation on many elements (`extend`, `drain`, `retain`).
    pub(super) fn one_of_many(
        &mut self,
        origin: &EventOrigin<'_>,
        slot: Slot,
        code: CodeId,
        operation: LibraryOperation,
        touch: Touch,
    ) {
        // Elements that make room are neither inserted nor deleted.
        let moves = matches!(operation.kind, AccessKind::Insert | AccessKind::Delete);
        if touch.is_shift && moves && self.decoded.tables.codes.method(code) != Some("extend_from_within") {
            return;
        }
        let kind = match (operation.kind, touch.is_write) {
            // Deleting only reads the element; `swap` reads the elements that it writes.
            (AccessKind::Delete, true) | (AccessKind::Write, false) => return,
            (AccessKind::Search, true) => {
                // `retain` moves the remaining elements together.
                let structure = &mut self.structures[slot as usize];
                structure.length = structure.place(touch.address).map_or(structure.length, |place| place + 1);
                return;
            }
            (kind @ (AccessKind::Delete | AccessKind::Search), false)
            | (kind @ (AccessKind::Insert | AccessKind::Write), true) => kind,
            (_, false) => AccessKind::Read,
            (_, true) => AccessKind::Write,
        };
        if kind != AccessKind::Insert {
            return self.direct_as(origin, slot, code, kind, touch);
        }
        let structure = &mut self.structures[slot as usize];
        let Some(place) = structure.place(touch.address) else { return };
        let count = structure.elements(touch.bytes).unwrap_or(1).max(1);
        let index = structure.index(place);
        // This is another field of the element that was just inserted.
        if count == 1 && index + 1 == structure.length {
            return;
        }
        let before = match operation.end {
            ListEnd::Anywhere => structure.length.max(index),
            ListEnd::Front | ListEnd::Back => index,
        };
        structure.length = before;
        let access = Access {
            index: Some(index),
            ..self.new_access(slot, kind, origin.time, origin.head.thread, code)
        };
        self.structures[slot as usize].length = before + count;
        let run = AccessRun { count, index_stride: 1, length_stride: 1, ..AccessRun::single(access) };
        self.emit(slot, AccessRun { at_once: true, ..run });
    }

    /// Reports a touched element as an access of a given kind.
    fn direct_as(
        &mut self,
        origin: &EventOrigin<'_>,
        slot: Slot,
        code: CodeId,
        kind: AccessKind,
        touch: Touch,
    ) {
        let structure = &mut self.structures[slot as usize];
        let index = structure.place(touch.address).map(|place| structure.index(place));
        let direct = direct_access(origin, index, code, touch);
        let same_line = |a, b| self.decoded.tables.is_same_line(a, b);
        if structure.joins(direct, touch.address, same_line) {
            return;
        }
        let count = structure.elements(touch.bytes).unwrap_or(1).max(1);
        let access = Access { index, ..self.new_access(slot, kind, origin.time, origin.head.thread, code) };
        let index_stride = i64::from(index.is_some());
        // An element visited by `retain` is not a search from the beginning.
        let at_once = kind == AccessKind::Search;
        self.emit(slot, AccessRun { count, index_stride, at_once, ..AccessRun::single(access) });
    }
}

fn direct_access(origin: &EventOrigin<'_>, index: Option<u64>, code: CodeId, touch: Touch) -> DirectAccess {
    DirectAccess {
        thread: origin.head.thread,
        is_write: touch.is_write,
        index: index.unwrap_or(0),
        code,
        pc: touch.pc,
        offsets: 0,
        is_reference: false,
    }
}
