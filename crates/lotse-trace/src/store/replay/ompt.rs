//! Locks and tasks of OpenMP as eztrace writes them from what the runtime reports (OMPT).
//!
//! Locks: the record that a lock is acquired is written when it is asked for, and the order in it counts who asked.
//! The lock is had when the region `OpenMP acquire mutex` is left. Where that never happens, nobody waited: a lock that
//! was only tried for was not had, and a nested lock was had already. Then the call ends when it was entered.
//!
//! ```text
//! Enter acquire mutex   AcquireLock ▒▒▒▒▒▒▒▒▒▒▒▒ Leave acquire mutex   inside   ReleaseLock
//! ```
//!
//! Tasks: before each switch the region `OpenMP task` is left and after it entered, whether or not the thread was in a
//! task or comes to one. What goes on in generation 0 is no task but the thread's own part of the team, mostly the wait
//! at a barrier; what goes on with a task that was interrupted is in its region already.

use lotse_model::id::RegionId;
use lotse_model::trace::{Event, EventKind, UNORDERED};

use super::Replay;
use super::objects::End;
use crate::store::load::{AboutRegion, Ompt};
use crate::store::paths::Paths;

/// Where a thread is in what the runtime reports.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Whether the records of locks are of this kind.
    pub(super) is_used: bool,
    /// Whether the thread has asked for a lock and was not seen to have it.
    pub(super) is_asking: bool,
    /// Whether the last switch was to something that has begun already.
    pub(super) goes_on: bool,
}

impl State {
    pub(super) fn new(about: &[AboutRegion]) -> Self {
        Self { is_used: about.iter().any(|region| region.ompt == Ompt::Acquire), ..Self::default() }
    }
}

impl Replay<'_> {
    #[cold]
    pub(super) fn enter_ompt(&mut self, region: RegionId) {
        let is_task = self.about[region.index()].ompt == Ompt::Task;
        if is_task && std::mem::take(&mut self.ompt.goes_on) {
            return;
        }
        self.enter(region);
        self.ompt.is_asking |= !is_task;
    }

    /// A task ends or is interrupted, or nothing: the thread was in none.
    #[cold]
    pub(super) fn leave_task(&mut self, region: RegionId) {
        let is_innermost = self.stack.last().is_some_and(|frame| frame.region == region);
        if is_innermost {
            self.pop();
        }
    }

    /// A lock is had when the call is left that asks for it. The order that the records have is not that of having it.
    #[cold]
    pub(super) fn lock_by_ompt(&mut self, record: EventKind, mut event: Event) {
        match &mut event {
            Event::AcquireLock { kind, lock, .. } if self.is_innermost_asking() => {
                self.ends.push((self.call, End::Acquires(record, *kind, *lock)));
                return;
            }
            Event::AcquireLock { order, .. } | Event::ReleaseLock { order, .. } => *order = UNORDERED,
            _ => {}
        }
        self.record(record, event);
    }

    /// An event of a thread that asks for a lock. Other calls of a library may be made while it does.
    #[cold]
    pub(super) fn give_up_unless_asking(&mut self, event: &Event) {
        if !self.is_innermost_asking() {
            return;
        }
        match *event {
            Event::Enter { region } => {
                let about = self.about[region.index()];
                if about.ompt == Ompt::Acquire || !about.class.is_primitive() {
                    self.give_up();
                }
            }
            Event::Leave { region } => {
                self.ompt.is_asking = false;
                if self.about[region.index()].ompt != Ompt::Acquire {
                    self.give_up();
                }
            }
            Event::AcquireLock { .. }
            | Event::Object { .. }
            | Event::Other
            | Event::BufferFlush { .. }
            | Event::Measurement { .. } => {}
            _ => self.give_up(),
        }
    }

    fn is_innermost_asking(&self) -> bool {
        self.stack.last().is_some_and(|frame| self.about[frame.region.index()].ompt == Ompt::Acquire)
    }

    /// The call is taken to have ended at once: what followed was spent in its caller.
    fn give_up(&mut self) {
        self.ompt.is_asking = false;
        let Some(frame) = self.stack.pop() else { return };
        let outside = self.stack.last().map_or(Paths::ROOT, |below| below.path);
        let ended = self.timeline.at.last().copied().unwrap_or(self.now);
        let since = self.now - ended;
        self.spent[frame.path.index()].ticks -= since;
        self.spent[outside.index()].ticks += since;
        let now = std::mem::replace(&mut self.now, ended);
        let step = self.step(outside);
        self.now = now;
        let call = &mut self.timeline.calls[frame.call as usize];
        (call.exit, call.left) = (step, ended);
        while self.ends.pop_if(|(of, _)| *of == frame.call).is_some() {}
        self.call = frame.outer;
    }
}

#[cfg(test)]
mod tests;
