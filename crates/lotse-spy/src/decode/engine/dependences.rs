//! Whether iterations of loops depend on each other.
//!
//! An iteration depends on another one of the same loop if it reads what the other wrote, or writes what the other read or wrote,
//! in a data structure; if it changes the number of elements of a structure that the other used; or if the user's code
//! reads a variable elsewhere (stack, boxes, statics) that the other wrote. Other variables that are written anew in each
//! iteration need a copy for each iteration, no more. Loops are looked at on all levels of a nest. Variables that the
//! compiler keeps in registers are looked at in the code itself (`code/carried.rs`). Where iterations do no more than add
//! elements to a structure, a parallel loop can collect these: that is counted apart.

use super::{Engine, Touch};
use crate::container::Kind;
use crate::decode::blocks::Slot;
use crate::decode::iterations::{Borders, carried_by};
use crate::decode::shadow::{Last, Shadow, Use};
use crate::decode::thread::ThreadState;
use crate::instance::LoopId;

/// Granules of memory whose last use is known: 256 MiB of them.
pub(super) const GRANULES: usize = 1 << 24;

/// What lies at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ground {
    Structure(Slot),
    /// A variable that the user's code reads or writes.
    Variable,
    /// A variable of the library, such as the state of an iterator.
    Library,
}

impl Engine<'_, '_> {
    /// Notes which loops have iterations that depend on each other by this touch.
    pub(super) fn note_dependences(&mut self, thread: &ThreadState, touch: Touch, ground: Ground) {
        if !thread.positions().any(|position| position.has_loops()) {
            return;
        }
        let Self { shadow, dependent, clock, .. } = self;
        let used = Use {
            address: touch.address,
            bytes: touch.bytes.max(1),
            is_write: touch.is_write,
            epoch: clock.epoch,
            outermost: thread.outermost_began(),
        };
        let borders = if ground == Ground::Variable { Borders::Certain } else { Borders::All };
        let mut carried =
            |epoch| dependent.extend(carried_by(thread.positions(), epoch, borders, clock.generation));
        shadow.take(used, |last: Last| match (ground, touch.is_write) {
            (Ground::Structure(_), true) => last.uses().into_iter().for_each(&mut carried),
            (Ground::Structure(_) | Ground::Variable, false) => carried(last.written),
            _ => {}
        });
        self.count_dependent();
        if let Ground::Structure(slot) = ground {
            self.note_length_used(thread, slot);
        }
        if self.shadow.is_full() || self.clock.epoch == u32::MAX {
            self.begin_epochs_anew();
        }
    }

    /// An element is used: who changed the number of elements of its structure?
    fn note_length_used(&mut self, thread: &ThreadState, slot: Slot) {
        let structure = &mut self.structures[slot as usize];
        structure.used = self.clock.epoch;
        let (resized, grew) = (structure.resized, structure.grew);
        let carried = carried_by(thread.positions(), resized, Borders::All, self.clock.generation);
        self.count_resized(carried, grew);
    }

    /// Structures whose number or order of elements was changed by what ended with the present event.
    pub(super) fn note_resized(&mut self, thread: &ThreadState) {
        while let Some((slot, kind)) = self.resized.pop() {
            let structure = &mut self.structures[slot as usize];
            let epochs = [structure.resized, structure.used];
            let grows = kind == Kind::Insert && (structure.grew || structure.resized == 0);
            (structure.resized, structure.grew) = (self.clock.epoch, kind == Kind::Insert);
            for epoch in epochs {
                let carried = carried_by(thread.positions(), epoch, Borders::All, self.clock.generation);
                self.count_resized(carried, grows);
            }
        }
    }

    fn count_resized(&mut self, carried: Option<LoopId>, grew: bool) {
        let loops = &mut self.decoded.book.codes.loops;
        match carried {
            Some(of_loop) if grew => loops.grows(of_loop),
            Some(of_loop) => loops.depends(of_loop),
            None => {}
        }
    }

    /// Events were lost: what depends on what is not known for the loops under way.
    pub(super) fn note_gap(&mut self, thread: &ThreadState) {
        let under_way = thread.positions().flat_map(|position| position.iterations());
        self.dependent.extend(under_way.map(|(_, iteration)| iteration.of_loop));
        self.count_dependent();
    }

    fn count_dependent(&mut self) {
        while let Some(of_loop) = self.dependent.pop() {
            self.decoded.book.codes.loops.depends(of_loop);
        }
    }

    /// The table of last uses is full: loops that are under way are not known to be independent.
    fn begin_epochs_anew(&mut self) {
        self.shadow = Shadow::new(GRANULES);
        self.clock.epoch = 1;
        self.clock.generation += 1;
        for structure in &mut self.structures {
            (structure.resized, structure.used) = (0, 0);
        }
    }

    /// Counts the loops that a thread left.
    pub(super) fn count_left(&mut self, thread: &mut ThreadState) {
        while let Some(left) = thread.left.pop() {
            let of_loop: LoopId = left.iteration.of_loop;
            // The time of a loop that calls itself contains that of the inner one.
            let is_inner = thread.positions().any(|position| position.is_in(of_loop));
            let spent = if is_inner { 0 } else { thread.last_time.saturating_sub(left.since) };
            let loops = &mut self.decoded.book.codes.loops;
            loops.left(of_loop, left.certain_borders + 1, spent);
            if left.generation != self.clock.generation {
                loops.depends(of_loop);
            }
        }
    }
}

/// Whether an access changes the number or the order of elements.
pub(super) fn resizes(kind: Kind) -> bool {
    !matches!(kind, Kind::Read | Kind::Write | Kind::Search | Kind::Copy | Kind::ForEach)
}
