//! Inserts the wait at the end of a parallel region if the recorder does not record the implicit barrier.
//!
//! A thread that has ended its part of a team waits for the others, and the master continues after the join. A recorder
//! that intercepts the functions of the runtime (eztrace with gcc's runtime) records the end of each part and the join, but
//! not the barrier between them. This time is put into an artificial region:
//!
//! ```text
//! master   TeamEnd  Leave parallel ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ Join
//! worker   TeamEnd  Leave parallel ▒▒ task ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ TeamBegin
//! ```
//!
//! Tasks may run during the wait and interrupt it. The end of a worker's wait follows from that of the master
//! ([`crate::matching`]) and not from its own events.

use lotse_model::id::RegionId;
use lotse_model::trace::Event;

use super::Replay;
use crate::class::Class;

/// The teams of a thread.
#[derive(Debug, Default)]
pub(super) struct TeamState {
    /// By enclosing team: the depth of the call stack at its begin.
    begun: Vec<usize>,
    /// The same for the team whose end the thread has reached.
    ended: Option<usize>,
    is_waiting: bool,
}

impl TeamState {
    /// Whether the thread has reached the end of a team and has not been seen to continue.
    #[inline]
    pub(super) fn is_at_end(&self) -> bool {
        self.ended.is_some()
    }
}

impl Replay<'_> {
    pub(super) fn begin_in_team(&mut self) {
        self.teams.begun.push(self.stack.len());
    }

    pub(super) fn end_in_team(&mut self) {
        let begun = self.teams.begun.pop();
        if self.gaps.infers_team_ends && !self.has_just_left_barrier() {
            self.teams.ended = begun;
            self.wait_for_team();
        }
    }

    /// Whether the thread has just left a barrier: then the barrier at the end of the team is recorded.
    fn has_just_left_barrier(&self) -> bool {
        let Some(call) = self.timeline.calls.last() else { return false };
        let is_barrier = self.info[self.paths.region(call.path).index()].class == Class::OpenMpBarrier;
        let Some(after) = self.timeline.path.get(call.exit as usize..) else { return false };
        is_barrier && after.windows(2).all(|step| self.paths.parent(step[0]) == step[1])
    }

    /// Begins the wait once the thread is outside the parallel region. Called when a region or a part of a team ends.
    #[cold]
    pub(super) fn wait_for_team(&mut self) {
        if self.teams.ended.is_some_and(|begun| self.stack.len() <= begun) && !self.teams.is_waiting {
            self.enter(self.gaps.team_end);
            self.teams.is_waiting = true;
        }
    }

    /// Handles an event of a thread that has reached the end of a team: ends the wait, for good if the event shows that the
    /// thread continues.
    #[cold]
    pub(super) fn event_after_team(&mut self, event: &Event) {
        if matches!(event, Event::Object { .. } | Event::Other | Event::BufferFlush { .. }) {
            return;
        }
        self.stop_waiting_for_team();
        let is_over = match *event {
            Event::Leave { region } => self.leaves_more_than_team(region),
            Event::Enter { region } => self.info[region.index()].class == Class::OpenMpBarrier,
            Event::Fork { .. }
            | Event::Join
            | Event::TeamBegin { .. }
            | Event::TeamEnd { .. }
            | Event::ThreadEnd { .. }
            | Event::ProgramEnd
            | Event::Measurement { .. }
            | Event::TaskSwitch { .. } => true,
            _ => false,
        };
        if is_over {
            self.teams.ended = None;
        }
    }

    /// Whether a region is left that encloses the team. The parallel region itself may enclose the team or be inside it.
    fn leaves_more_than_team(&mut self, region: RegionId) -> bool {
        let is_around = self.teams.ended.is_some_and(|begun| self.stack.len() <= begun);
        let is_parallel = self.classes[region.index()].name.contains("parallel");
        if is_around && is_parallel {
            self.teams.ended = self.stack.len().checked_sub(1);
        }
        is_around && !is_parallel
    }

    pub(super) fn stop_waiting_for_team(&mut self) {
        if std::mem::take(&mut self.teams.is_waiting) {
            self.leave(self.gaps.team_end);
        }
    }
}
