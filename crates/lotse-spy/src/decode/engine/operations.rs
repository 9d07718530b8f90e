//! Reports ended operations as accesses, and updates the lengths of their structures.

use super::Engine;
use crate::access::{Access, AccessRun};
use crate::code::chains::Call;
use crate::code::frame::LengthChange;
use crate::code::methods::LibraryOperation;
use crate::container::{AccessKind, Container, ListEnd};
use crate::decode::blocks::Slot;
use crate::decode::structures::MemoryLayout;
use crate::decode::thread::ActiveCall;
use crate::instance::CodeId;

impl Engine<'_, '_> {
    /// Reports an operation as an access, once. It is called when the operation is left, and again with `over` when it cannot be
    /// continued any more.
    pub(super) fn report(&mut self, active: &mut ActiveCall, call: Call, over: bool, thread: u32) {
        let reportable = match call.operation {
            Some(operation) => !operation.many,
            None => active.bound.is_some() && !call.steps && !self.is_drop(call.code),
        };
        if active.reported || !reportable {
            return;
        }
        active.settle_search();
        let Some(slot) = active.bound else {
            if over {
                self.count_unbound(call);
            }
            return;
        };
        let structure = &self.structures[slot as usize];
        let operation = call.operation.unwrap_or(LibraryOperation {
            container: structure.instance.container,
            kind: AccessKind::Read,
            end: ListEnd::Anywhere,
            many: false,
        });
        let place = place_of(active, &operation);
        let wants_place = structure.layout() == MemoryLayout::Array && operation.kind.has_index();
        if wants_place && place.is_none() && gives_end(&operation) {
            return self.give_reference(slot, active, &operation, call, thread);
        }
        // A place that cannot be computed is not waited for: the report would come after those of later accesses.
        let waits = !over && !structure.has_unknown_places();
        // `get` only returns a reference; the read counts where the reference is used.
        if wants_place && place.is_none() && (waits || operation.kind == AccessKind::Read) {
            return;
        }
        // `pop` on an empty structure changes nothing.
        if wants_place && place.is_none() && operation.kind == AccessKind::Delete && !active.wrote_field {
            return;
        }
        active.reported = true;
        self.decoded.coverage.operations += 1;
        self.settle_length(slot, active, &operation, place);
        let structure = &self.structures[slot as usize];
        let index = match operation.end {
            _ if !operation.kind.has_index() || structure.layout() != MemoryLayout::Array => None,
            _ if operation.kind == AccessKind::Read => place.map(|place| structure.index(place)),
            ListEnd::Front => Some(0),
            ListEnd::Back if operation.kind == AccessKind::Insert => Some(structure.length),
            ListEnd::Back => structure.length.checked_sub(1),
            ListEnd::Anywhere => place.map(|place| structure.index(place)),
        };
        let iteration = active.iteration.flatten();
        let passed = self.passed(slot, active, operation.kind);
        let access = self.new_access(slot, operation.kind, active.time, thread, call.code);
        let access = Access { index, iteration, passed, ..access };
        self.emit(slot, AccessRun::single(access));
        if operation.kind == AccessKind::Search && self.is_index(call.code) {
            self.structures[slot as usize].give_reference(thread, 0, call.code);
        }
        self.change_length(slot, active, &operation);
    }

    /// Whether a code place is an index expression, which returns a reference to the element.
    fn is_index(&self, code: CodeId) -> bool {
        matches!(self.decoded.tables.codes.method(code), Some("index" | "index_mut"))
    }

    /// Counts an operation whose structure is not known. An index operation is none: the access through the reference that it returns
    /// is counted where it happens.
    fn count_unbound(&mut self, call: Call) {
        if !call.operation.is_some_and(|operation| gives_element(&operation)) {
            let method = self.decoded.tables.codes.method(call.code).unwrap_or("?").to_owned();
            *self.decoded.coverage.unbound.entry(method).or_default() += 1;
        }
    }

    /// Number of elements that a call such as `sum` visited: possibly only a part of the structure.
    fn passed(&self, slot: Slot, active: &ActiveCall, kind: AccessKind) -> Option<u64> {
        let is_row = self.structures[slot as usize].layout() == MemoryLayout::Array;
        let (first, last) = active.first.zip(active.last)?;
        (is_row && kind == AccessKind::ForEach).then(|| first.abs_diff(last) + 1)
    }

    /// `first`, `last` and the like return a reference to an element with a known index. Its first use belongs to the same access.
    fn give_reference(
        &mut self,
        slot: Slot,
        active: &mut ActiveCall,
        operation: &LibraryOperation,
        call: Call,
        thread: u32,
    ) {
        let structure = &mut self.structures[slot as usize];
        let Some(last) = structure.length.checked_sub(1) else { return };
        let index = if operation.end == ListEnd::Front { 0 } else { last };
        structure.give_reference(thread, index, call.code);
        active.reported = true;
        self.decoded.coverage.operations += 1;
        let access = self.new_access(slot, AccessKind::Read, active.time, thread, call.code);
        self.emit(slot, AccessRun::single(Access { index: Some(index), ..access }));
    }

    /// Whether a code place drops a structure, which is not an access to its elements.
    pub(super) fn is_drop(&self, code: CodeId) -> bool {
        matches!(self.decoded.tables.codes.method(code), Some("drop_in_place" | "drop" | "drop_glue"))
    }

    /// Corrects the length before an operation, and the head of a deque, from the place that the operation accessed: `push` at
    /// place 5 means that there were 5 elements.
    fn settle_length(
        &mut self,
        slot: Slot,
        active: &ActiveCall,
        operation: &LibraryOperation,
        place: Option<u64>,
    ) {
        let structure = &mut self.structures[slot as usize];
        let Some(place) = place.filter(|_| structure.layout() == MemoryLayout::Array) else { return };
        let is_deque = structure.instance.container == Container::VecDeque;
        match (operation.kind, operation.end) {
            (AccessKind::Insert, ListEnd::Front) => {
                // The new first element is stored before the old one.
                let capacity = structure.capacity().unwrap_or(0).max(1);
                structure.place_has_index((place + 1) % capacity, 0);
            }
            (AccessKind::Delete | AccessKind::Read, ListEnd::Front) => structure.place_has_index(place, 0),
            (AccessKind::Insert, ListEnd::Back) if is_deque => {
                structure.place_has_index(place, structure.length)
            }
            (AccessKind::Delete, ListEnd::Back) if is_deque => {
                structure.place_has_index(place, structure.length.saturating_sub(1))
            }
            (AccessKind::Insert, ListEnd::Back) => structure.length = place,
            (AccessKind::Delete, ListEnd::Back) => structure.length = place + 1,
            (AccessKind::Insert, ListEnd::Anywhere) if !is_deque => {
                structure.length = place + active.moved.map_or(0, |(_, count)| count)
            }
            (AccessKind::Delete, ListEnd::Anywhere) if !is_deque => {
                let after =
                    active.moved.map_or(structure.length.max(place + 1), |(_, count)| place + 1 + count);
                structure.length = after;
            }
            _ if !is_deque => structure.reaches(place),
            _ => {}
        }
    }

    /// Updates the length, and the head of a deque, after an operation.
    fn change_length(&mut self, slot: Slot, active: &ActiveCall, operation: &LibraryOperation) {
        let structure = &mut self.structures[slot as usize];
        let is_row = structure.layout() == MemoryLayout::Array;
        let change = match operation.kind {
            AccessKind::Clear => {
                structure.length = 0;
                structure.head = 0;
                return;
            }
            AccessKind::Copy => {
                let length = structure.length;
                if let Some(copy) = active.made {
                    self.structures[copy as usize].length = length;
                }
                return;
            }
            AccessKind::Insert if is_row => Some(LengthChange::Added),
            AccessKind::Delete if is_row => Some(LengthChange::Removed),
            _ => active.change.filter(|_| !is_row),
        };
        match change {
            Some(LengthChange::Added) => structure.length += 1,
            Some(LengthChange::Removed) => structure.length = structure.length.saturating_sub(1),
            None => {}
        }
        if let (Container::VecDeque, ListEnd::Front, Some(capacity @ 1..)) =
            (structure.instance.container, operation.end, structure.capacity())
        {
            structure.head = match operation.kind {
                AccessKind::Insert => (structure.head + capacity - 1) % capacity,
                AccessKind::Delete => (structure.head + 1) % capacity,
                _ => structure.head,
            };
        }
    }
}

/// Whether an operation returns a reference to an element at an index.
fn gives_element(operation: &LibraryOperation) -> bool {
    operation.kind == AccessKind::Read && operation.end == ListEnd::Anywhere
}

/// Whether an operation returns a reference to the first or the last element.
fn gives_end(operation: &LibraryOperation) -> bool {
    operation.kind == AccessKind::Read && operation.end != ListEnd::Anywhere
}

/// The place of the element that an operation is about.
fn place_of(active: &ActiveCall, operation: &LibraryOperation) -> Option<u64> {
    match operation.kind {
        // `insert` first moves elements to make room for the new one.
        AccessKind::Insert => active.moved.map(|(place, _)| place).or(active.first_written),
        AccessKind::Search => active.last,
        _ => active.first,
    }
}
