//! The implicit barrier at the end of a team, if the recorder does not record it.
//!
//! The store has inserted waits after each thread's end of the team (`store::replay::team_ends`): several if tasks ran in
//! between; those of a worker may also be after the join. The master's last wait ends with the join. The last wait of each
//! thread that begins before the join is its call of the barrier. Workers leave when the last thread has arrived.
//!
//! ```text
//! master   work  end |~~~~~~wait~~~~~~| join
//! worker   work ..................... end |wait until next event      ends already when the last thread has arrived
//!                                         ^ last arrival
//! ```

use std::collections::BTreeMap;

use lotse_model::trace::{Event, Ticks};

use super::{InstanceKey, add_to_barrier, new_barrier};
use crate::matching::Links;
use crate::store::{CallRef, Trace};

/// The inserted waits at the end of each team instance, those of a thread in their order.
#[derive(Default)]
pub(super) struct TeamEnds(BTreeMap<InstanceKey, Vec<CallRef>>);

impl TeamEnds {
    pub(super) fn push(&mut self, instance: InstanceKey, call: CallRef) {
        self.0.entry(instance).or_default().push(call);
    }

    /// Makes a barrier of the waits of each instance.
    pub(super) fn link(self, trace: &Trace, links: &mut Links) {
        for calls in self.0.into_values() {
            match calls.iter().filter(|&&call| is_joined(trace, call)).map(|&call| trace.exit(call)).max() {
                Some(joined) => link_instance(trace, &calls, joined, links),
                // Without a join the end of the barrier is unknown, so no thread is known to wait.
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

/// Makes a barrier of the waits of one instance that begin before the join; other waits end when they begin.
fn link_instance(trace: &Trace, calls: &[CallRef], joined: Ticks, links: &mut Links) {
    let barrier = new_barrier(links);
    let mut members = Vec::new();
    for thread_calls in calls.chunk_by(|a, b| a.location == b.location) {
        let before = thread_calls.partition_point(|&call| trace.enter(call) <= joined);
        members.extend(thread_calls[..before].last());
        thread_calls[before..].iter().for_each(|&call| release(trace, call, 0, links));
    }
    let last = members.iter().map(|&call| trace.enter(call)).max().unwrap_or(joined);
    for call in members {
        add_to_barrier(call, barrier, links);
        if !is_joined(trace, call) {
            release(trace, call, last, links);
        }
    }
}

/// Ends the wait of a thread at a time, if that is before its next event.
fn release(trace: &Trace, call: CallRef, at: Ticks, links: &mut Links) {
    let at = at.max(trace.enter(call));
    if at < trace.exit(call) {
        links.released.push((call, at));
    }
}
