//! Threads: the begin of a thread points to its creation, a wait for a thread to that thread's end.
//!
//! If the recorder does not record which thread is created or awaited, they are matched by time: threads begin in the
//! order of their creation, and a wait ends with the last thread of the process that ends during the wait. If several
//! threads begin or end at nearly the same time, a match may be wrong, but then it makes hardly any difference.

use hashbrown::HashMap;
use lotse_model::id::{CommunicatorId, ProcessId};
use lotse_model::trace::{Event, EventKind, Ticks, UNKNOWN_THREAD};

use super::{Link, Links, entered, locations_with};
use crate::store::{OpRef, Trace};

/// A thread: its process, its team, and the recorder's number of the thread.
type ThreadKey = (ProcessId, CommunicatorId, u64);

const KINDS: &[EventKind] = &[
    EventKind::ThreadCreate,
    EventKind::ThreadBegin,
    EventKind::ThreadWait,
    EventKind::ThreadEnd,
    EventKind::Attribute,
];

/// Records of one process with their times.
type Timed = Vec<(Ticks, OpRef)>;

/// Collects the creations, begins, waits and ends of all threads and matches them: by number where the recorder gives one,
/// by time elsewhere.
pub(super) fn link(trace: &Trace, links: &mut Links) {
    let (mut created, mut ended) = (HashMap::<ThreadKey, OpRef>::new(), HashMap::<ThreadKey, OpRef>::new());
    let (mut begun, mut awaited) = (Vec::new(), Vec::new());
    let mut unidentified = Unidentified::default();
    for location in locations_with(trace, KINDS) {
        let process = trace.location(location).process;
        for (number, op) in trace.timeline(location).ops.iter().enumerate() {
            let at = OpRef { location, op: number as u32 };
            match op.event() {
                Event::ThreadCreate { count: UNKNOWN_THREAD, .. } => {
                    unidentified.created(process, (op.at, at))
                }
                Event::ThreadWait { count: UNKNOWN_THREAD, .. } => unidentified.awaited.push((process, at)),
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
    unidentified.link(trace, &begun, &ended, links);
    for (targets, from) in [(created, begun), (ended, awaited)] {
        for (thread, at) in from {
            if let Some(&other) = targets.get(&thread).filter(|other| other.location != at.location) {
                links.point(at, Link::Op(other));
            }
        }
    }
}

/// Creations and waits without the number of the thread.
#[derive(Default)]
struct Unidentified {
    created: HashMap<ProcessId, Timed>,
    awaited: Vec<(ProcessId, OpRef)>,
}

impl Unidentified {
    fn created(&mut self, process: ProcessId, creation: (Ticks, OpRef)) {
        self.created.entry(process).or_default().push(creation);
    }

    /// Matches creations with begins in their order, and each wait with the last end of a thread during the wait.
    fn link(
        self,
        trace: &Trace,
        begun: &[(ThreadKey, OpRef)],
        ended: &HashMap<ThreadKey, OpRef>,
        links: &mut Links,
    ) {
        let timed = |thread: &ThreadKey, op: OpRef| (thread.0, (trace.op(op).at, op));
        let begins = by_process(begun.iter().map(|(thread, op)| timed(thread, *op)));
        for (process, mut creations) in self.created {
            creations.sort_unstable();
            link_in_order(&creations, begins.get(&process).map_or(&[], Vec::as_slice), links);
        }
        let ends = by_process(ended.iter().map(|(thread, op)| timed(thread, *op)));
        for (process, wait) in self.awaited {
            let ends = ends.get(&process).map_or(&[][..], Vec::as_slice);
            let until = ends.partition_point(|&(at, _)| at <= trace.op(wait).at);
            let last = ends[..until].iter().rev().find(|(_, end)| end.location != wait.location);
            if let Some(&(_, end)) = last.filter(|(at, _)| *at > entered(trace, wait)) {
                links.point(wait, Link::Op(end));
            }
        }
    }
}

fn by_process(records: impl Iterator<Item = (ProcessId, (Ticks, OpRef))>) -> HashMap<ProcessId, Timed> {
    let mut timed: HashMap<ProcessId, Timed> = HashMap::new();
    records.for_each(|(process, record)| timed.entry(process).or_default().push(record));
    timed.values_mut().for_each(|records| records.sort_unstable());
    timed
}

/// Links each begin to the first creation that is left, if it is earlier and by another thread.
fn link_in_order(creations: &[(Ticks, OpRef)], begins: &[(Ticks, OpRef)], links: &mut Links) {
    let mut creations = creations.iter().peekable();
    for &(begun, begin) in begins {
        let made = |&&(at, creation): &&(Ticks, OpRef)| at <= begun && creation.location != begin.location;
        if let Some(&(_, creation)) = creations.next_if(made) {
            links.point(begin, Link::Op(creation));
        }
    }
}
