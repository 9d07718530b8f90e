//! Who waits for whom at the end of a team, where the recorder writes no barrier there.
//!
//! The store has put in the waits of each thread after its end of the team (`store::replay::team_ends`): several where
//! tasks ran in between, and of a worker also such that come after the join. The master's last wait ends with the join.
//! The last wait of each thread that begins before the join is its part of the barrier, and workers go on when the last
//! thread has come.

use std::collections::BTreeMap;

use lotse_model::trace::{Event, Ticks};

use super::{Run, meet, new_barrier};
use crate::matching::Links;
use crate::store::{CallRef, Trace};

/// The waits at the end of each run of a team, those of a thread in their order.
#[derive(Default)]
pub(super) struct Ends(BTreeMap<Run, Vec<CallRef>>);

impl Ends {
    pub(super) fn came(&mut self, run: Run, call: CallRef) {
        self.0.entry(run).or_default().push(call);
    }

    pub(super) fn link(self, trace: &Trace, links: &mut Links) {
        for calls in self.0.into_values() {
            match calls.iter().filter(|&&call| is_joined(trace, call)).map(|&call| trace.exit(call)).max() {
                Some(joined) => link_run(trace, &calls, joined, links),
                // Nobody is known to go on, so nobody is known to wait.
                None => calls.iter().for_each(|&call| release(trace, call, 0, links)),
            }
        }
    }
}

/// Whether a join ends the wait.
fn is_joined(trace: &Trace, call: CallRef) -> bool {
    let timeline = trace.timeline(call.location);
    let next = timeline.ops.from(timeline.calls[call.call as usize].first_op as usize).next();
    next.is_some_and(|op| matches!(op.shape(), Event::Join) && op.at == trace.exit(call))
}

fn link_run(trace: &Trace, calls: &[CallRef], joined: Ticks, links: &mut Links) {
    let barrier = new_barrier(links);
    let mut members = Vec::new();
    for of_thread in calls.chunk_by(|one, other| one.location == other.location) {
        let before = of_thread.partition_point(|&call| trace.enter(call) <= joined);
        members.extend(of_thread[..before].last());
        of_thread[before..].iter().for_each(|&call| release(trace, call, 0, links));
    }
    let last = members.iter().map(|&call| trace.enter(call)).max().unwrap_or(joined);
    for call in members {
        meet(call, barrier, links);
        if !is_joined(trace, call) {
            release(trace, call, last, links);
        }
    }
}

/// Lets a thread go on at a time, if that is before its next event.
fn release(trace: &Trace, call: CallRef, at: Ticks, links: &mut Links) {
    let at = at.max(trace.enter(call));
    if at < trace.exit(call) {
        links.released.push((call, at));
    }
}
