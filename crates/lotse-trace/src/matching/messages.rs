//! Messages: the n-th send and the n-th receive with the same communicator, source, destination and tag match. Receives
//! count in the order of posting.
//!
//! Several threads of a process may communicate, so matching is between processes. Each process lists its sends and its
//! receives by channel. Then each process joins its lists with those of its peers; all processes can do this in parallel.

use lotse_model::Workers;
use lotse_model::id::{LocationId, ProcessId};
use lotse_model::trace::{Event, Ticks};
use lotse_model::work;

use super::channels::{Channel, Channels, MessageEnd};
use super::{Link, Links, Pointer, entered, member};
use crate::store::{OpRef, Trace};

/// The sends and receives of one process.
#[derive(Debug, Default)]
struct MessageEnds {
    sends: Channels,
    receives: Channels,
    /// Ends whose peer is not part of the trace.
    lost_sends: u64,
    lost_receives: u64,
}

/// Matches all messages and counts the unmatched.
pub(super) fn link(trace: &Trace, links: &mut Links, workers: &dyn Workers) {
    let locations = by_process(trace);
    let ends = work::map(workers, locations.len(), |process| list(trace, links, &locations[process]));
    let pointers = work::map(workers, ends.len(), |process| {
        point(trace, &ends, &locations[process], ProcessId::from(process))
    });
    links.remote = trace.locations().map(|_| Vec::new()).collect();
    for (pointers, of_process) in pointers.into_iter().zip(&locations) {
        links.messages += pointers.received;
        for (remote, location) in pointers.remote.into_iter().zip(of_process) {
            links.remote[location.index()] = remote;
        }
    }
    let count = |of: fn(&MessageEnds) -> u64| ends.iter().map(of).sum::<u64>();
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

/// The sends and receives of all threads of a process, by channel.
fn list(trace: &Trace, links: &Links, locations: &[LocationId]) -> MessageEnds {
    let mut ends = MessageEnds::default();
    for &location in locations {
        collect(trace, links, location, &mut ends);
    }
    if locations.len() > 1 {
        renumber(&mut ends.sends.ends, |end| (trace.op(end.op).at, end.op));
        renumber(&mut ends.receives.ends, |end| {
            let posting = links.other_half(end.op).unwrap_or(end.op);
            (entered(trace, posting), posting)
        });
    }
    ends.sends.chain();
    ends.receives.chain();
    ends
}

/// Orders the ends of several threads by time.
fn renumber(ends: &mut [MessageEnd], time: impl Fn(&MessageEnd) -> (Ticks, OpRef)) {
    ends.sort_by_key(time);
    for (number, end) in ends.iter_mut().enumerate() {
        end.order = number as u32;
    }
}

/// Whether a record sends a message.
pub(crate) fn is_send(event: &Event) -> bool {
    matches!(event, Event::MpiSend { .. } | Event::MpiIsend { .. })
}

/// Whether a record receives a message.
pub(crate) fn is_receive(event: &Event) -> bool {
    matches!(event, Event::MpiRecv { .. } | Event::MpiIrecv { .. })
}

/// What records of a shape are for the matching: sends or receives of one channel.
#[derive(Debug, Clone, Copy)]
enum EndShape {
    Other,
    /// Its peer is not part of the trace.
    Lost {
        sends: bool,
        blocks: bool,
    },
    /// With the number of the channel.
    Sends {
        channel: u32,
        blocks: bool,
    },
    Receives {
        channel: u32,
        blocks: bool,
    },
}

impl EndShape {
    /// The shape of an event on a location; its channel gets a number.
    fn new(trace: &Trace, location: LocationId, event: &Event, ends: &mut MessageEnds) -> Self {
        let (communicator, rank, tag) = match *event {
            Event::MpiSend { receiver, communicator, tag, .. }
            | Event::MpiIsend { receiver, communicator, tag, .. } => (communicator, receiver, tag),
            Event::MpiRecv { sender, communicator, tag, .. }
            | Event::MpiIrecv { sender, communicator, tag, .. } => (communicator, sender, tag),
            _ => return Self::Other,
        };
        let blocks = matches!(event, Event::MpiSend { .. } | Event::MpiRecv { .. });
        let peer = member(&trace.definitions, communicator, location, rank);
        let channel = peer.and_then(|peer| trace.definitions.process_of(peer)).map(|peer| Channel {
            peer,
            communicator,
            tag,
        });
        match (channel, is_send(event)) {
            (Some(channel), true) => Self::Sends { channel: ends.sends.number_of(channel), blocks },
            (Some(channel), false) => Self::Receives { channel: ends.receives.number_of(channel), blocks },
            (None, sends) => Self::Lost { sends, blocks },
        }
    }
}

/// Adds the sends and receives of a location. A non-blocking receive is ordered by its posting, which is its other half.
/// Cancelled sends are left out.
fn collect(trace: &Trace, links: &Links, location: LocationId, ends: &mut MessageEnds) {
    let (local, ops) = (&links.local[location.index()], &trace.timeline(location).ops);
    if !ops.has(|event| is_send(event) || is_receive(event)) {
        return;
    }
    let shapes: Vec<EndShape> =
        ops.shapes().map(|event| EndShape::new(trace, location, event, ends)).collect();
    let cancelled = |op: OpRef| {
        let half = links.other_half(op);
        half.is_some_and(|half| matches!(trace.shape(half), Event::MpiRequestCancelled { .. }))
    };
    for (number, &half) in local.iter().enumerate() {
        let op = OpRef { location, op: number as u32 };
        match shapes[ops.shape_number(number)] {
            EndShape::Other => {}
            EndShape::Sends { blocks: false, .. } | EndShape::Lost { sends: true, blocks: false }
                if cancelled(op) => {}
            EndShape::Lost { sends: true, .. } => ends.lost_sends += 1,
            EndShape::Lost { sends: false, .. } => ends.lost_receives += 1,
            EndShape::Sends { channel, .. } => ends.sends.push(channel, op.op, op),
            EndShape::Receives { channel, blocks } => {
                let order = if blocks { op.op } else { half.min(op.op) };
                ends.receives.push(channel, order, op);
            }
        }
    }
}

/// The pointers of the records of a process.
struct Pointers {
    /// By thread and record.
    remote: Vec<Vec<Pointer>>,
    /// Number of matched receives.
    received: u64,
}

/// Matches the n-th sends and receives of each channel of a process with those of its peers. Only pointers of the
/// process's own records are set, so that all processes can be matched in parallel.
fn point(trace: &Trace, ends: &[MessageEnds], threads: &[LocationId], process: ProcessId) -> Pointers {
    let remote = threads.iter().map(|&it| vec![Pointer::NONE; trace.timeline(it).ops.len()]).collect();
    let mut pointers = Pointers { remote, received: 0 };
    let (own, of_peer) = (&ends[process.index()], |peer: ProcessId| ends.get(peer.index()));
    let mut thread = 0;
    let mut point = |(own, other): (OpRef, OpRef)| {
        if threads[thread] != own.location {
            thread = threads.iter().position(|&it| it == own.location).unwrap_or(thread);
        }
        pointers.remote[thread][own.op as usize] = Link::Op(other).into();
    };
    let theirs = |channel: Channel| Channel { peer: process, ..channel };
    for (channel, sends) in own.sends.iter() {
        let receives = of_peer(channel.peer).map(|it| it.receives.get(theirs(channel)));
        sends.zip(receives.into_iter().flatten()).for_each(&mut point);
    }
    let mut received = 0;
    for (channel, receives) in own.receives.iter() {
        let sends = of_peer(channel.peer).map(|it| it.sends.get(theirs(channel)));
        for pair in receives.zip(sends.into_iter().flatten()) {
            received += 1;
            point(pair);
        }
    }
    pointers.received = received;
    pointers
}
