//! Operations that are over become accesses, and change the length of their structure.

use super::Engine;
use crate::access::{Access, AccessRun};
use crate::code::chains::Call;
use crate::code::frame::Change;
use crate::code::methods::Operation;
use crate::container::{Container, End, Kind};
use crate::decode::blocks::Slot;
use crate::decode::structures::Family;
use crate::decode::thread::Active;
use crate::instance::CodeId;

impl Engine<'_, '_> {
    /// An operation was left, or is over for good.
    pub(super) fn report(&mut self, active: &mut Active, call: Call, over: bool, thread: u32) {
        let reportable = match call.operation {
            Some(operation) => !operation.many,
            None => active.bound.is_some() && !call.steps && !self.is_drop(call.code),
        };
        if active.reported || !reportable {
            return;
        }
        let Some(slot) = active.bound else {
            if over {
                let method = self.decoded.book.codes.method(call.code).unwrap_or("?").to_owned();
                *self.decoded.coverage.unbound.entry(method).or_default() += 1;
            }
            return;
        };
        let structure = &self.structures[slot as usize];
        let operation = call.operation.unwrap_or(Operation {
            container: structure.instance.container,
            kind: Kind::Read,
            end: End::Anywhere,
            many: false,
        });
        let place = place_of(active, &operation);
        let wants_place = structure.family() == Family::Row && operation.kind.has_index();
        if wants_place && place.is_none() && gives_end(&operation) {
            return self.give_reference(slot, active, &operation, call, thread);
        }
        // `get` only gives a reference: who uses it reads.
        if wants_place && place.is_none() && (!over || operation.kind == Kind::Read) {
            return;
        }
        // `pop` of a structure without elements changes nothing.
        if wants_place && place.is_none() && operation.kind == Kind::Delete && !active.wrote_field {
            return;
        }
        active.reported = true;
        self.decoded.coverage.operations += 1;
        self.settle_length(slot, active, &operation, place);
        let structure = &self.structures[slot as usize];
        let index = match operation.end {
            _ if !operation.kind.has_index() || structure.family() != Family::Row => None,
            _ if operation.kind == Kind::Read => place.map(|place| structure.index(place)),
            End::Front => Some(0),
            End::Back if operation.kind == Kind::Insert => Some(structure.length),
            End::Back => structure.length.checked_sub(1),
            End::Anywhere => place.map(|place| structure.index(place)),
        };
        let iteration = active.iteration.flatten();
        let passed = self.passed(slot, active, operation.kind);
        let access = self.access(slot, operation.kind, active.time, thread, call.code);
        let access = Access { index, iteration, passed, ..access };
        self.emit(slot, AccessRun::single(access));
        self.change_length(slot, active, &operation);
    }

    /// The elements of a row that a call such as `sum` passed over: those of a part, where it was made for a part.
    fn passed(&self, slot: Slot, active: &Active, kind: Kind) -> Option<u64> {
        let is_row = self.structures[slot as usize].family() == Family::Row;
        let (first, last) = active.first.zip(active.last)?;
        (is_row && kind == Kind::ForEach).then(|| first.abs_diff(last) + 1)
    }

    /// `last` and the like give a reference to an element whose index is known. The first use of it is the same access.
    fn give_reference(
        &mut self,
        slot: Slot,
        active: &mut Active,
        operation: &Operation,
        call: Call,
        thread: u32,
    ) {
        let structure = &mut self.structures[slot as usize];
        let Some(last) = structure.length.checked_sub(1) else { return };
        let index = if operation.end == End::Front { 0 } else { last };
        structure.give_reference(thread, index, call.code);
        active.reported = true;
        self.decoded.coverage.operations += 1;
        let access = self.access(slot, Kind::Read, active.time, thread, call.code);
        self.emit(slot, AccessRun::single(Access { index: Some(index), ..access }));
    }

    /// Taking a structure down is no access to its elements.
    pub(super) fn is_drop(&self, code: CodeId) -> bool {
        matches!(self.decoded.book.codes.method(code), Some("drop_in_place" | "drop" | "drop_glue"))
    }

    /// What an operation tells about the number of elements before it.
    fn settle_length(&mut self, slot: Slot, active: &Active, operation: &Operation, place: Option<u64>) {
        let structure = &mut self.structures[slot as usize];
        let Some(place) = place.filter(|_| structure.family() == Family::Row) else { return };
        let is_deque = structure.instance.container == Container::VecDeque;
        match (operation.kind, operation.end) {
            (Kind::Insert, End::Front) => {
                // The new first element lies before the old one.
                let capacity = structure.capacity().unwrap_or(0).max(1);
                structure.place_has_index((place + 1) % capacity, 0);
            }
            (Kind::Delete | Kind::Read, End::Front) => structure.place_has_index(place, 0),
            (Kind::Insert, End::Back) if is_deque => structure.place_has_index(place, structure.length),
            (Kind::Delete, End::Back) if is_deque => {
                structure.place_has_index(place, structure.length.saturating_sub(1))
            }
            (Kind::Insert, End::Back) => structure.length = place,
            (Kind::Delete, End::Back) => structure.length = place + 1,
            (Kind::Insert, End::Anywhere) if !is_deque => {
                structure.length = place + active.moved.map_or(0, |(_, count)| count)
            }
            (Kind::Delete, End::Anywhere) if !is_deque => {
                let after =
                    active.moved.map_or(structure.length.max(place + 1), |(_, count)| place + 1 + count);
                structure.length = after;
            }
            _ if !is_deque => structure.reaches(place),
            _ => {}
        }
    }

    fn change_length(&mut self, slot: Slot, active: &Active, operation: &Operation) {
        let structure = &mut self.structures[slot as usize];
        let is_row = structure.family() == Family::Row;
        let change = match operation.kind {
            Kind::Clear => {
                structure.length = 0;
                structure.head = 0;
                return;
            }
            Kind::Copy => {
                let length = structure.length;
                if let Some(copy) = active.made {
                    self.structures[copy as usize].length = length;
                }
                return;
            }
            Kind::Insert if is_row => Some(Change::Added),
            Kind::Delete if is_row => Some(Change::Removed),
            _ => active.change.filter(|_| !is_row),
        };
        match change {
            Some(Change::Added) => structure.length += 1,
            Some(Change::Removed) => structure.length = structure.length.saturating_sub(1),
            None => {}
        }
        if let (Container::VecDeque, End::Front, Some(capacity @ 1..)) =
            (structure.instance.container, operation.end, structure.capacity())
        {
            structure.head = match operation.kind {
                Kind::Insert => (structure.head + capacity - 1) % capacity,
                Kind::Delete => (structure.head + 1) % capacity,
                _ => structure.head,
            };
        }
    }
}

/// Whether an operation gives a reference to the first or the last element.
fn gives_end(operation: &Operation) -> bool {
    operation.kind == Kind::Read && operation.end != End::Anywhere
}

/// The place of the element that an operation is about.
fn place_of(active: &Active, operation: &Operation) -> Option<u64> {
    match operation.kind {
        // Moved elements make room where the new one goes.
        Kind::Insert => active.moved.map(|(place, _)| place).or(active.first_written),
        Kind::Search => active.last,
        _ => active.first,
    }
}
