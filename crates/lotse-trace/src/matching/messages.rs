//! Messages: sends and receives pair by communicator, source, destination and tag, in the order of the sends and of
//! the posting of the receives.
//!
//! Several threads of a process may talk: pairs are found between processes. Each process lists its sends and its
//! receives in order of their channels; then each receiving process joins its list with those of its sources, which
//! is all that ranks would have to tell each other.

use lotse_model::Workers;
use lotse_model::id::{CommunicatorId, LocationId, ProcessId};
use lotse_model::trace::{Event, Ticks};
use lotse_model::work;

use super::{Link, Links, entered, member};
use crate::store::{OpRef, Trace};

/// A send or a receive; ordered by channel, then as messages overtake each other not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    peer: ProcessId,
    communicator: CommunicatorId,
    tag: u32,
    /// Its place in the order that counts.
    order: u32,
    op: OpRef,
}

impl End {
    fn channel(&self) -> (CommunicatorId, u32) {
        (self.communicator, self.tag)
    }
}

/// The ends of one process.
#[derive(Debug, Default)]
struct Ends {
    sends: Vec<End>,
    receives: Vec<End>,
    /// Ends whose peer is not part of the trace.
    lost_sends: u64,
    lost_receives: u64,
}

pub(super) fn link(trace: &Trace, links: &mut Links, workers: &dyn Workers) {
    let locations = by_process(trace);
    let ends = work::map(workers, locations.len(), |process| list(trace, links, &locations[process]));
    let pairs = work::map(workers, ends.len(), |process| join(&ends, ProcessId::from(process)));
    for (send, receive) in pairs.into_iter().flatten() {
        links.messages += 1;
        links.point(receive, Link::Op(send));
        links.point(send, Link::Op(receive));
    }
    let count = |of: fn(&Ends) -> u64| ends.iter().map(of).sum::<u64>();
    links.unmatched_sends = count(|it| it.sends.len() as u64 + it.lost_sends) - links.messages;
    links.unmatched_recvs = count(|it| it.receives.len() as u64 + it.lost_receives) - links.messages;
}

fn by_process(trace: &Trace) -> Vec<Vec<LocationId>> {
    let count = trace.definitions.locations.iter().map(|it| it.process.index() + 1).max().unwrap_or(0);
    let mut processes = vec![Vec::new(); count];
    for location in trace.locations() {
        processes[trace.location(location).process.index()].push(location);
    }
    processes
}

/// The ends of a process's threads, ordered by channel.
fn list(trace: &Trace, links: &Links, locations: &[LocationId]) -> Ends {
    let mut ends = Ends::default();
    for &location in locations {
        collect(trace, links, location, &mut ends);
    }
    if locations.len() > 1 {
        renumber(&mut ends.sends, |end| (trace.op(end.op).at, end.op));
        renumber(&mut ends.receives, |end| {
            let posting = links.other_half(end.op).unwrap_or(end.op);
            (entered(trace, posting), posting)
        });
    }
    ends.sends.sort_unstable();
    ends.receives.sort_unstable();
    ends
}

/// Where several threads talk, time tells their order.
fn renumber(ends: &mut [End], time: impl Fn(&End) -> (Ticks, OpRef)) {
    ends.sort_by_key(time);
    for (number, end) in ends.iter_mut().enumerate() {
        end.order = number as u32;
    }
}

fn collect(trace: &Trace, links: &Links, location: LocationId, ends: &mut Ends) {
    let local = &links.local[location.index()];
    let ops = &trace.timeline(location).ops;
    let cancelled = |number: u32| {
        let half = links.other_half(OpRef { location, op: number });
        half.is_some_and(|half| matches!(trace.op(half).event, Event::MpiRequestCancelled { .. }))
    };
    for (number, op) in ops.iter().enumerate() {
        let half = local[number];
        let number = number as u32;
        let (peer, communicator, tag, order, sends) = match op.event {
            Event::MpiSend { receiver, communicator, tag, .. } => (receiver, communicator, tag, number, true),
            Event::MpiIsend { receiver, communicator, tag, .. } if !cancelled(number) => {
                (receiver, communicator, tag, number, true)
            }
            Event::MpiRecv { sender, communicator, tag, .. } => (sender, communicator, tag, number, false),
            Event::MpiIrecv { sender, communicator, tag, .. } => {
                (sender, communicator, tag, half.min(number), false)
            }
            _ => continue,
        };
        let op = OpRef { location, op: number };
        let peer = member(&trace.definitions, communicator, location, peer);
        match (peer.and_then(|peer| trace.definitions.process_of(peer)), sends) {
            (Some(peer), true) => ends.sends.push(End { peer, communicator, tag, order, op }),
            (Some(peer), false) => ends.receives.push(End { peer, communicator, tag, order, op }),
            (None, true) => ends.lost_sends += 1,
            (None, false) => ends.lost_receives += 1,
        }
    }
}

/// Pairs the receives of a process with the sends of its sources.
fn join(ends: &[Ends], receiver: ProcessId) -> Vec<(OpRef, OpRef)> {
    let receives = &ends[receiver.index()].receives;
    let mut pairs = Vec::with_capacity(receives.len());
    for from_one in receives.chunk_by(|a, b| a.peer == b.peer) {
        let Some(source) = ends.get(from_one[0].peer.index()) else { continue };
        let first = source.sends.partition_point(|send| send.peer < receiver);
        let last = source.sends.partition_point(|send| send.peer <= receiver);
        pair(&source.sends[first..last], from_one, &mut pairs);
    }
    pairs
}

/// Both are ordered by channel: the n-th of a channel belong together.
fn pair(sends: &[End], receives: &[End], pairs: &mut Vec<(OpRef, OpRef)>) {
    let mut sends = sends.iter().peekable();
    for receives in receives.chunk_by(|a, b| a.channel() == b.channel()) {
        let channel = receives[0].channel();
        while sends.next_if(|send| send.channel() < channel).is_some() {}
        for receive in receives {
            let Some(send) = sends.next_if(|send| send.channel() == channel) else { break };
            pairs.push((send.op, receive.op));
        }
    }
}
