//! The team instance that the begin of a thread belongs to.

use hashbrown::HashMap;
use lotse_model::id::{CommunicatorId, LocationId, ProcessId};
use lotse_model::trace::{Event, EventKind, Ticks};

use crate::matching::locations_with;
use crate::store::Trace;

/// When teams were forked, and how often threads began in them.
#[derive(Debug, Default)]
pub(super) struct Forks {
    /// The master and the times of its forks.
    forked: HashMap<(ProcessId, CommunicatorId), (LocationId, Vec<Ticks>)>,
    begun: HashMap<(LocationId, CommunicatorId), usize>,
}

impl Forks {
    /// Collects the forks and begins of all threads. A fork belongs to the team that its thread begins next.
    pub(super) fn from_trace(trace: &Trace) -> Self {
        let mut forks = Self::default();
        for location in locations_with(trace, &[EventKind::ThreadTeamBegin]) {
            let process = trace.location(location).process;
            let mut fork = None;
            for op in &trace.timeline(location).ops {
                match op.event() {
                    Event::Fork { .. } => fork = Some(op.at),
                    Event::Join | Event::TeamEnd { .. } => fork = None,
                    Event::TeamBegin { team } => {
                        *forks.begun.entry((location, team)).or_default() += 1;
                        if let Some(at) = fork.take() {
                            forks.add_fork(process, team, location, at);
                        }
                    }
                    _ => {}
                }
            }
        }
        forks
    }

    fn add_fork(&mut self, process: ProcessId, team: CommunicatorId, master: LocationId, at: Ticks) {
        let (first, times) = self.forked.entry((process, team)).or_insert((master, Vec::new()));
        if *first == master {
            times.push(at);
        }
    }

    /// The number of the instance that a thread begins at a time, after `count` others: usually `count`. A thread that
    /// was left out of instances has fewer than its master; then it is the last fork before that time, since the threads
    /// of a process share a clock.
    pub(super) fn instance_number(
        &self,
        process: ProcessId,
        team: CommunicatorId,
        thread: LocationId,
        at: Ticks,
        count: u32,
    ) -> u32 {
        let Some((_, forked)) = self.forked.get(&(process, team)) else { return count };
        if self.begun.get(&(thread, team)).is_none_or(|&begun| begun >= forked.len()) {
            return count;
        }
        forked.partition_point(|&fork| fork <= at).saturating_sub(1) as u32
    }
}
