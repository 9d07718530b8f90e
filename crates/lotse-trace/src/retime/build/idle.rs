//! Workers without work idle until their masters go on.
//!
//! Where teams are recorded, a worker's next part begins with its fork (`threads`). Two times remain, in which a worker
//! seems to be busy with itself:
//!
//! ```text
//! worker   ┤ last part ├ ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒┤ end of the thread, with that of the program
//! worker   ┤ barrier at the end of a region ▒▒▒▒▒▒▒▒▒▒├ left when the master begins the next region
//! ```
//!
//! The second is what OMPT tells where only masters record their teams.

use lotse_model::id::LocationId;
use lotse_model::trace::{Event, EventKind, Ticks};

use super::super::graph::{Entry, What};
use super::Builder;
use crate::idle::master;
use crate::store::{CallRef, Timeline, Trace};

/// A worker idles from one time to another, because its master comes to a moment not before then.
struct Idles {
    worker: LocationId,
    from: Ticks,
    to: Ticks,
    master: LocationId,
    moment: Ticks,
    /// The worker's next call: its place among what happens at the same time.
    next_call: u32,
}

impl Builder<'_> {
    /// What workers without work need of their masters.
    pub(super) fn need_masters(&mut self) {
        let trace = self.trace;
        let mut found: Vec<Idles> = trace.locations().filter_map(|it| after_last_team(trace, it)).collect();
        for (_, threads) in trace.processes() {
            held_in_process(trace, &threads, &mut found);
        }
        for idles in found {
            let source = self.moment(idles.master, idles.moment);
            let line = &mut self.graph.lines[idles.worker.index()];
            let what = What::Starts { need: line.needs.len() as u32 };
            line.needs.push(source.into());
            line.entries.push(Entry { at: idles.from, resume: idles.to, what, call: idles.next_call });
        }
    }
}

/// The time of a worker between its last team and its end, if it does nothing there.
fn after_last_team(trace: &Trace, worker: LocationId) -> Option<Idles> {
    let timeline = trace.timeline(worker);
    if !timeline.kinds.has(EventKind::ThreadTeamEnd) {
        return None;
    }
    let ended = timeline.ops.iter().rev().find(|op| matches!(op.event, Event::TeamEnd { .. }))?.at;
    let from = timeline.calls.last().map_or(ended, |call| call.left.max(ended));
    let step = timeline.at.partition_point(|&at| at <= from);
    let to = *timeline.at.get(step).filter(|_| only_leaves(trace, timeline, step))?;
    let master = master(trace, worker)?;
    let moment = last_step(trace.timeline(master), (from, to))?;
    Some(Idles { worker, from, to, master, moment, next_call: timeline.calls.len() as u32 })
}

/// Whether a step and all after it leave regions.
fn only_leaves(trace: &Trace, timeline: &Timeline, step: usize) -> bool {
    let paths = step.checked_sub(1).and_then(|before| timeline.path.get(before..));
    paths.is_some_and(|paths| paths.windows(2).all(|pair| trace.paths.parent(pair[0]) == pair[1]))
}

/// The last step after one time and not after another.
fn last_step(timeline: &Timeline, (after, until): (Ticks, Ticks)) -> Option<Ticks> {
    timeline.step_at(until).map(|step| timeline.at[step]).filter(|&at| at > after)
}

/// The workers of a process with one master that alone records its teams.
fn held_in_process(trace: &Trace, threads: &[LocationId], found: &mut Vec<Idles>) {
    let begins = |it: &LocationId| trace.timeline(*it).kinds.has(EventKind::ThreadTeamBegin);
    let (masters, workers): (Vec<LocationId>, Vec<LocationId>) = threads.iter().partition(|it| begins(it));
    let &[master] = &masters[..] else { return };
    let ops = trace.timeline(master).ops.iter();
    let forks: Vec<Ticks> =
        ops.filter(|op| matches!(op.event, Event::TeamBegin { .. })).map(|op| op.at).collect();
    for worker in workers {
        for &(call, barrier) in &trace.links.barrier_of[worker.index()] {
            let members = &trace.links.barriers[barrier as usize];
            let Some(&with) = members.iter().find(|member| member.location == master) else { continue };
            found.extend(held_at_barrier(trace, CallRef { location: worker, call }, with, &forks));
        }
    }
}

/// The time of a worker in a barrier that its master has left: until the next team begins, or to the end.
fn held_at_barrier(trace: &Trace, call: CallRef, of_master: CallRef, forks: &[Ticks]) -> Option<Idles> {
    let (from, to) = (trace.exit(of_master), trace.exit(call));
    let timeline = trace.timeline(call.location);
    let fork = forks.get(forks.partition_point(|&fork| fork <= from)).copied().filter(|&fork| fork <= to);
    let moment = fork.or_else(|| {
        let exit = timeline.calls[call.call as usize].exit as usize;
        let ends = only_leaves(trace, timeline, exit);
        last_step(trace.timeline(of_master.location), (from, to)).filter(|_| ends)
    })?;
    let (worker, master) = (call.location, of_master.location);
    Some(Idles { worker, from, to, master, moment, next_call: call.call + 1 })
}
