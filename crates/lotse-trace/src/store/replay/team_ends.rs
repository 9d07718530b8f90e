//! The wait at the end of a parallel region, where the recorder writes no barrier there.
//!
//! A thread that has ended its part of a team waits for the others, and the master goes on when it joins them. A
//! recorder that sees the functions of the runtime from outside (eztrace with gcc's runtime) writes the end of each
//! part and the join, but not the barrier between them. This time is put into a region of the store's own:
//!
//! ```text
//! master   TeamEnd  Leave parallel ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ Join
//! worker   TeamEnd  Leave parallel ▒▒ task ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ TeamBegin
//! ```
//!
//! Tasks run there, too: they interrupt the wait. When a worker's wait is over follows from its master's
//! ([`crate::matching`]), not from its own events.

use lotse_model::id::RegionId;
use lotse_model::trace::Event;

use super::Replay;
use crate::class::Class;

/// Where a thread is in its teams.
#[derive(Debug, Default)]
pub(super) struct Teams {
    /// By team around it: how many regions were entered when its part began.
    begun: Vec<usize>,
    /// The same of the team whose end it has come to.
    ended: Option<usize>,
    is_waiting: bool,
}

impl Teams {
    /// Whether the thread has come to the end of a team and was not seen to go on.
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
        if self.gaps.infers_team_ends && !self.has_just_met() {
            self.teams.ended = begun;
            self.wait_for_team();
        }
    }

    /// Whether the last that the thread did was to leave a barrier: then there is one at the end of the team.
    fn has_just_met(&self) -> bool {
        let Some(call) = self.timeline.calls.last() else { return false };
        let is_barrier = self.about[self.paths.region(call.path).index()].class == Class::OpenMpBarrier;
        let Some(after) = self.timeline.path.get(call.exit as usize..) else { return false };
        is_barrier && after.windows(2).all(|step| self.paths.parent(step[0]) == step[1])
    }

    /// A region is left, or a part of a team has ended: outside the parallel region the thread waits.
    #[cold]
    pub(super) fn wait_for_team(&mut self) {
        if self.teams.ended.is_some_and(|begun| self.stack.len() <= begun) && !self.teams.is_waiting {
            self.enter(self.gaps.team_end);
            self.teams.is_waiting = true;
        }
    }

    /// An event of a thread that has come to the end of a team.
    #[cold]
    pub(super) fn go_on_after_team(&mut self, event: &Event) {
        if matches!(event, Event::Object { .. } | Event::Other | Event::BufferFlush { .. }) {
            return;
        }
        self.stop_waiting_for_team();
        let is_over = match *event {
            Event::Leave { region } => self.leaves_more_than_team(region),
            Event::Enter { region } => self.about[region.index()].class == Class::OpenMpBarrier,
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

    /// Whether a region is left that was around the team. The parallel region itself may be around it or inside.
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
