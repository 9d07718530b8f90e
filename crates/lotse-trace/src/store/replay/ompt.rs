//! Locks and tasks of OpenMP as eztrace records them from callbacks of the runtime (OMPT).
//!
//! Locks: eztrace writes the acquisition record when the lock is requested, and numbers the requests. The lock is really
//! acquired when the region `OpenMP acquire mutex` is left. If the region is never left, there was no wait: a failed attempt
//! did not acquire the lock, and a nested lock was already held. Then the call ends when it was entered.
//!
//! ```text
//! Enter acquire mutex   AcquireLock ▒▒▒▒▒▒▒▒▒▒▒▒ Leave acquire mutex   inside   ReleaseLock
//! ```
//!
//! Tasks: the region `OpenMP task` is left before each switch and entered after it, even if there is no task before or
//! after the switch. Generation 0 is not an explicit task but the thread's implicit task, mostly the wait at a barrier. A
//! task that is resumed is already in its region.

use lotse_model::id::RegionId;
use lotse_model::trace::{Event, EventKind, UNORDERED};

use super::Replay;
use super::objects::OnLeave;
use crate::store::load::{OmptRegion, RegionInfo};
use crate::store::paths::Paths;

/// The OMPT state of a thread.
#[derive(Debug, Default)]
pub(super) struct OmptState {
    /// Whether records of locks come from OMPT.
    pub(super) is_used: bool,
    /// Whether the thread has requested a lock and has not been seen to acquire it.
    pub(super) is_acquiring: bool,
    /// Whether the last switch was to a task that has already begun.
    pub(super) resumes: bool,
}

impl OmptState {
    pub(super) fn new(info: &[RegionInfo]) -> Self {
        Self { is_used: info.iter().any(|region| region.ompt == OmptRegion::Acquire), ..Self::default() }
    }
}

impl Replay<'_> {
    #[cold]
    pub(super) fn enter_ompt(&mut self, region: RegionId) {
        let is_task = self.info[region.index()].ompt == OmptRegion::Task;
        if is_task && std::mem::take(&mut self.ompt.resumes) {
            return;
        }
        self.enter(region);
        self.ompt.is_acquiring |= !is_task;
    }

    /// A task ends or is suspended. Nothing happens if the thread was in no task.
    #[cold]
    pub(super) fn leave_task(&mut self, region: RegionId) {
        let is_innermost = self.stack.last().is_some_and(|frame| frame.region == region);
        if is_innermost {
            self.pop();
        }
    }

    /// Handles a record of a lock. The acquisition is recorded when the requesting call is left. The order in the records is
    /// removed, because it is that of the requests.
    #[cold]
    pub(super) fn ompt_lock(&mut self, record: EventKind, mut event: Event) {
        match &mut event {
            Event::AcquireLock { kind, lock, .. } if self.is_in_acquire_region() => {
                self.on_leave.push((self.call, OnLeave::Acquires(record, *kind, *lock)));
                return;
            }
            Event::AcquireLock { order, .. } | Event::ReleaseLock { order, .. } => *order = UNORDERED,
            _ => {}
        }
        self.record(record, event);
    }

    /// Handles an event of a thread that has requested a lock: cancels the acquisition if the event shows that the thread is
    /// no longer in the requesting call. Library calls may be made inside of it.
    #[cold]
    pub(super) fn check_acquisition(&mut self, event: &Event) {
        if !self.is_in_acquire_region() {
            return;
        }
        match *event {
            Event::Enter { region } => {
                let info = self.info[region.index()];
                if info.ompt == OmptRegion::Acquire || !info.class.is_primitive() {
                    self.cancel_acquisition();
                }
            }
            Event::Leave { region } => {
                self.ompt.is_acquiring = false;
                if self.info[region.index()].ompt != OmptRegion::Acquire {
                    self.cancel_acquisition();
                }
            }
            Event::AcquireLock { .. }
            | Event::Object { .. }
            | Event::Other
            | Event::BufferFlush { .. }
            | Event::Measurement { .. } => {}
            _ => self.cancel_acquisition(),
        }
    }

    fn is_in_acquire_region(&self) -> bool {
        self.stack.last().is_some_and(|frame| self.info[frame.region.index()].ompt == OmptRegion::Acquire)
    }

    /// Ends the requesting call when it was entered: the time since then counts for its caller.
    fn cancel_acquisition(&mut self) {
        self.ompt.is_acquiring = false;
        let Some(frame) = self.stack.pop() else { return };
        let outside = self.stack.last().map_or(Paths::ROOT, |below| below.path);
        let ended = self.timeline.at.last().copied().unwrap_or(self.now);
        let since = self.now - ended;
        self.totals[frame.path.index()].ticks -= since;
        self.totals[outside.index()].ticks += since;
        let now = std::mem::replace(&mut self.now, ended);
        let step = self.step(outside);
        self.now = now;
        let call = &mut self.timeline.calls[frame.call as usize];
        (call.exit, call.left) = (step, ended);
        while self.on_leave.pop_if(|(call, _)| *call == frame.call).is_some() {}
        self.call = frame.outer;
    }
}

#[cfg(test)]
mod tests;
