//! Detects loop-carried dependences through memory.
//!
//! An iteration depends on an earlier one of the same loop if
//!
//! - in a data structure, it reads what the earlier one wrote, or writes what the earlier one read or wrote;
//! - it changes the number of elements of a structure that the earlier one used, or the other way round;
//! - user code reads a variable elsewhere (stack, boxes, statics) that the earlier one wrote. Variables that each iteration
//!   writes before it reads them only need a private copy, and do not count.
//!
//! Library code has variables that all loops hand on, such as the positions of iterators: these do not count. Of others, such as
//! the state of a hasher, it cannot be told whether a result depends on them: they are counted separately
//! (`code/variables.rs`).
//!
//! All loops of a nest are examined. Variables in registers are found in the machine code (`code/carried.rs`). Where iterations
//! only append elements to a structure, a parallel loop can collect them: such dependences are counted separately.
//!
//! ```text
//! for i in 1..n { a[i] = a[i - 1] + b[i] }
//!
//! iteration 1   epoch 7   write a[1]      shadow memory: a[1] written in epoch 7
//! iteration 2   epoch 8   read  a[1]      7 lies between the start of the loop and the start of this iteration: dependence
//! ```

use super::{Engine, Touch};
use crate::code::chains::CallId;
use crate::code::variables::Variable;
use crate::container::AccessKind;
use crate::decode::blocks::Slot;
use crate::decode::iterations::{Borders, carried_by};
use crate::decode::shadow::{LastUses, MemoryUse, Shadow};
use crate::decode::thread::ThreadState;
use crate::instance::{InstanceId, LoopId};

/// Capacity of the shadow memory in granules: 256 MiB.
pub(super) const GRANULES: usize = 1 << 24;

/// What the memory at an address belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AddressOwner {
    Structure(Slot),
    /// A variable outside of structures, and the innermost call of the library that accesses it.
    Variable(Variable, Option<CallId>),
}

impl Engine<'_, '_> {
    /// Looks up the last uses of the touched memory, and counts the loops that carry a dependence from them to this touch.
    pub(super) fn note_dependences(&mut self, thread: &ThreadState, touch: Touch, owner: AddressOwner) {
        if !thread.positions().any(|position| position.has_loops()) {
            return;
        }
        let Self { shadow, dependent, unclear, clock, .. } = self;
        let used = MemoryUse {
            address: touch.address,
            bytes: touch.bytes.max(1),
            is_write: touch.is_write,
            epoch: clock.epoch,
            outermost: thread.outermost_began(),
        };
        let borders = match owner {
            AddressOwner::Structure(_) => Borders::All,
            AddressOwner::Variable(..) => Borders::Certain,
        };
        let carried = |epoch| carried_by(thread.positions(), epoch, borders, clock.generation);
        shadow.record(used, |last: LastUses| match (owner, touch.is_write) {
            (AddressOwner::Structure(_), true) => {
                dependent.extend(last.uses().into_iter().filter_map(carried))
            }
            (AddressOwner::Structure(_) | AddressOwner::Variable(Variable::User, _), false) => {
                dependent.extend(carried(last.written));
            }
            (AddressOwner::Variable(Variable::Unknown, call), false) => {
                unclear.extend(carried(last.written).map(|loop_id| (loop_id, call)));
            }
            (AddressOwner::Variable(..), _) => {}
        });
        self.count_dependent();
        if let AddressOwner::Structure(slot) = owner {
            self.note_length_used(thread, slot);
        }
        if self.shadow.is_full() || self.clock.epoch == u32::MAX {
            self.restart_epochs();
        }
    }

    /// An element is used: counts the loop of which an earlier iteration changed the number of elements.
    fn note_length_used(&mut self, thread: &ThreadState, slot: Slot) {
        let structure = &mut self.structures[slot as usize];
        structure.used = self.clock.epoch;
        let (resized, grew) = (structure.resized, structure.grew);
        let appended_to = grew.then_some(structure.id());
        let carried = carried_by(thread.positions(), resized, Borders::All, self.clock.generation);
        self.count_resized(carried, appended_to);
    }

    /// Counts the loops of which an earlier iteration used or changed a structure whose length the current event changed.
    pub(super) fn note_resized(&mut self, thread: &ThreadState) {
        while let Some((slot, kind)) = self.resized.pop() {
            let structure = &mut self.structures[slot as usize];
            let epochs = [structure.resized, structure.used];
            let grows = kind == AccessKind::Insert && (structure.grew || structure.resized == 0);
            let appended_to = grows.then_some(structure.id());
            (structure.resized, structure.grew) = (self.clock.epoch, kind == AccessKind::Insert);
            for epoch in epochs {
                let carried = carried_by(thread.positions(), epoch, Borders::All, self.clock.generation);
                self.count_resized(carried, appended_to);
            }
        }
    }

    /// Counts a dependence through the length of a structure: `appended_to` is the structure, if its elements were only appended.
    fn count_resized(&mut self, carried: Option<LoopId>, appended_to: Option<InstanceId>) {
        let loops = &mut self.decoded.tables.codes.loops;
        match (carried, appended_to) {
            (Some(loop_id), Some(structure)) => loops.record_growth(loop_id, structure),
            (Some(loop_id), None) => loops.record_dependence(loop_id),
            (None, _) => {}
        }
    }

    /// Events were lost: all active loops count as dependent, because their dependences are not known.
    pub(super) fn note_gap(&mut self, thread: &ThreadState) {
        let active = thread.positions().flat_map(|position| position.iterations());
        self.dependent.extend(active.map(|(_, iteration)| iteration.loop_id));
        self.count_dependent();
    }

    fn count_dependent(&mut self) {
        while let Some(loop_id) = self.dependent.pop() {
            self.decoded.tables.codes.loops.record_dependence(loop_id);
        }
        while let Some((loop_id, call)) = self.unclear.pop() {
            let code = call.map(|call| self.call(call).code);
            self.decoded.tables.codes.loops.record_unclear(loop_id, code);
        }
    }

    /// The shadow memory is full: starts anew with a new generation. Loops that are active now count as dependent when they
    /// are left.
    fn restart_epochs(&mut self) {
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
            let loop_id: LoopId = left.iteration.loop_id;
            // In a recursion the time of the outer execution contains that of the inner one.
            let is_inner = thread.positions().any(|position| position.is_in(loop_id));
            let spent = if is_inner { 0 } else { thread.last_time.saturating_sub(left.since) };
            let loops = &mut self.decoded.tables.codes.loops;
            loops.record_exit(loop_id, left.certain_borders + 1, spent);
            if left.generation != self.clock.generation {
                loops.record_dependence(loop_id);
            }
        }
    }
}

/// Whether an access changes the number or the order of elements.
pub(super) fn resizes(kind: AccessKind) -> bool {
    !matches!(
        kind,
        AccessKind::Read | AccessKind::Write | AccessKind::Search | AccessKind::Copy | AccessKind::ForEach
    )
}
