//! Threads: a thread's begin points to its creation, a wait for a thread to that thread's end.

use hashbrown::HashMap;
use lotse_model::id::{CommunicatorId, ProcessId};
use lotse_model::trace::{Event, EventKind};

use super::{Link, Links, locations_with};
use crate::store::{OpRef, Trace};

type Thread = (ProcessId, CommunicatorId, u64);

const KINDS: &[EventKind] =
    &[EventKind::ThreadCreate, EventKind::ThreadBegin, EventKind::ThreadWait, EventKind::ThreadEnd];

pub(super) fn link(trace: &Trace, links: &mut Links) {
    let (mut created, mut ended) = (HashMap::<Thread, OpRef>::new(), HashMap::<Thread, OpRef>::new());
    let (mut begun, mut awaited) = (Vec::new(), Vec::new());
    for location in locations_with(trace, KINDS) {
        let process = trace.location(location).process;
        for (number, op) in trace.timeline(location).ops.iter().enumerate() {
            let at = OpRef { location, op: number as u32 };
            match op.event {
                Event::ThreadCreate { team, count } => {
                    created.insert((process, team, count), at);
                }
                Event::ThreadEnd { team, count } => {
                    ended.insert((process, team, count), at);
                }
                Event::ThreadBegin { team, count } => begun.push(((process, team, count), at)),
                Event::ThreadWait { team, count } => awaited.push(((process, team, count), at)),
                _ => {}
            }
        }
    }
    for (of, from) in [(created, begun), (ended, awaited)] {
        for (thread, at) in from {
            if let Some(&other) = of.get(&thread).filter(|other| other.location != at.location) {
                links.point(at, Link::Op(other));
            }
        }
    }
}
