//! Idle time of workers that no record shows.
//!
//! If teams are recorded, a worker's next part begins with its fork. In two cases a worker seems to be busy although it
//! waits for its master:
//!
//! ```text
//! worker   ┤ last part ├ ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒┤ end of the thread, with that of the program
//! worker   ┤ barrier at the end of a region ▒▒▒▒▒▒▒▒▒▒├ left when the master begins the next region
//! ```
//!
//! The second case occurs with OMPT, where only masters record their teams.

use lotse_model::id::LocationId;
use lotse_model::trace::{Event, EventKind, Ticks};

use super::master;
use crate::store::{CallRef, Timeline, Trace};

/// A worker is idle in an interval, because its master reaches the time `master_at` only then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UnrecordedIdle {
    pub(crate) worker: LocationId,
    pub(crate) from: Ticks,
    pub(crate) to: Ticks,
    pub(crate) master: LocationId,
    pub(crate) master_at: Ticks,
    /// The worker's next call, which orders this among events of the same time.
    pub(crate) next_call: u32,
}

/// All such intervals, those of a worker in the order of time.
pub(crate) fn unrecorded_idle(trace: &Trace) -> Vec<UnrecordedIdle> {
    let mut found = Vec::new();
    for (_, threads) in trace.processes() {
        idle_at_barriers(trace, &threads, &mut found);
    }
    found.extend(trace.locations().filter_map(|it| after_last_team(trace, it)));
    found
}

/// The time of a worker between its last team and its end, if it calls nothing there.
fn after_last_team(trace: &Trace, worker: LocationId) -> Option<UnrecordedIdle> {
    let timeline = trace.timeline(worker);
    if !timeline.kinds.has(EventKind::ThreadTeamEnd) {
        return None;
    }
    let ended = timeline.ops.iter().rev().find(|op| matches!(op.shape(), Event::TeamEnd { .. }))?.at;
    let from = timeline.calls.last().map_or(ended, |call| call.left.max(ended));
    let step = timeline.at.partition_point(|&at| at <= from);
    let to = *timeline.at.get(step).filter(|_| only_leaves(trace, timeline, step))?;
    let master = master(trace, worker)?;
    let master_at = last_step(trace.timeline(master), (from, to))?;
    Some(UnrecordedIdle { worker, from, to, master, master_at, next_call: timeline.calls.len() as u32 })
}

/// Whether a step and all after it leave regions.
fn only_leaves(trace: &Trace, timeline: &Timeline, step: usize) -> bool {
    let paths = step.checked_sub(1).and_then(|before| timeline.path.get(before..));
    paths.is_some_and(|paths| paths.windows(2).all(|pair| trace.paths.parent(pair[0]) == pair[1]))
}

/// The time of the last step in the interval `(after, until]`.
fn last_step(timeline: &Timeline, (after, until): (Ticks, Ticks)) -> Option<Ticks> {
    timeline.step_at(until).map(|step| timeline.at[step]).filter(|&at| at > after)
}

/// Idle intervals at barriers of a process in which only one thread, the master, records teams.
fn idle_at_barriers(trace: &Trace, threads: &[LocationId], found: &mut Vec<UnrecordedIdle>) {
    let begins = |it: &LocationId| trace.timeline(*it).kinds.has(EventKind::ThreadTeamBegin);
    let (masters, workers): (Vec<LocationId>, Vec<LocationId>) = threads.iter().partition(|it| begins(it));
    let &[master] = &masters[..] else { return };
    let ops = trace.timeline(master).ops.iter();
    let forks: Vec<Ticks> =
        ops.filter(|op| matches!(op.shape(), Event::TeamBegin { .. })).map(|op| op.at).collect();
    for worker in workers {
        for &(call, barrier) in &trace.links.barrier_of[worker.index()] {
            let members = &trace.links.barriers[barrier as usize];
            let Some(&with) = members.iter().find(|member| member.location == master) else { continue };
            found.extend(idle_at_barrier(trace, CallRef { location: worker, call }, with, &forks));
        }
    }
}

/// The time of a worker in a barrier that its master has already left: until the next team begins, or the thread ends.
fn idle_at_barrier(
    trace: &Trace,
    call: CallRef,
    of_master: CallRef,
    forks: &[Ticks],
) -> Option<UnrecordedIdle> {
    let (from, to) = (trace.exit(of_master), trace.exit(call));
    let timeline = trace.timeline(call.location);
    let fork = forks.get(forks.partition_point(|&fork| fork <= from)).copied().filter(|&fork| fork <= to);
    let master_at = fork.or_else(|| {
        let exit = timeline.calls[call.call as usize].exit as usize;
        let ends = only_leaves(trace, timeline, exit);
        last_step(trace.timeline(of_master.location), (from, to)).filter(|_| ends)
    })?;
    let (worker, master) = (call.location, of_master.location);
    Some(UnrecordedIdle { worker, from, to, master, master_at, next_call: call.call + 1 })
}

#[cfg(test)]
mod tests {
    use lotse_model::rule::Thresholds;
    use lotse_model::work::Sequential;

    use super::unrecorded_idle;
    use crate::critical::critical_path;
    use crate::fixture::Script;
    use crate::retime::{Change, Factor, Graph};

    /// The length of the run without the time of `serial`, and the time of `serial` on the critical path.
    fn without_serial(script: &Script) -> (u64, u64) {
        let trace = script.trace();
        let waits = crate::waits::search(&trace, &Thresholds::default(), &Sequential);
        let serial = trace.paths_named("serial");
        let change = Change::scaled(serial.clone(), Factor::try_from(0.0).unwrap());
        let length = Graph::new(&trace, &waits).run(&trace, &[change])[0].length;
        let rows = critical_path(&trace, &waits).rows;
        (length, rows.iter().filter(|row| serial.contains(&row.path)).map(|row| row.ticks).sum())
    }

    /// A parallel region until 105, serial code until 205; both threads end together, the worker last.
    #[test]
    fn a_worker_ends_with_the_program() {
        let mut script = Script::threads(2);
        for thread in [0, 1] {
            script.enter(thread, 0, "Working");
        }
        script.fork(0, 0, 2).team_begin(0, 0, 1).team_end(0, 100, 1).join(0, 105);
        script.call(0, 105, 205, "serial").leave(0, 205, "Working");
        script.team_begin(1, 0, 1).team_end(1, 100, 1).leave(1, 210, "Working");
        assert_eq!(without_serial(&script), (110, 100));
    }

    /// As recorded by OMPT: the worker leaves the barrier of the first region when the second begins, and that of the
    /// second when the program ends.
    #[test]
    fn a_worker_is_held_at_its_barrier() {
        const BARRIER: &str = "OpenMP implicit barrier";
        let mut script = Script::threads(2);
        for thread in [0, 1] {
            script.enter(thread, 0, "Working");
        }
        for start in [0, 200] {
            script.team_begin(0, start, 1).enter(0, start, "OpenMP parallel");
            script.call(0, start + 50, start + 100, BARRIER).leave(0, start + 100, "OpenMP parallel");
            script.team_end(0, start + 100, 1).call(0, start + 101, start + 200, "serial");
        }
        script.leave(0, 400, "Working");
        script.call(1, 0, 100, "work").call(1, 100, 202, BARRIER);
        script.call(1, 202, 300, "work").call(1, 300, 402, BARRIER).leave(1, 402, "Working");
        let idle: Vec<(u64, u64, u64)> =
            unrecorded_idle(&script.trace()).iter().map(|it| (it.from, it.to, it.master_at)).collect();
        assert_eq!(idle, [(100, 202, 200), (300, 402, 400)]);
        assert_eq!(without_serial(&script), (402 - 198, 198));
    }
}
