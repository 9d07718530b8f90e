//! Calls that ask whether a message has come: probes, and loops of tests.
//!
//! A blocking probe waits for the message that the location receives next. A loop of `MPI_Iprobe` or `MPI_Test` is a
//! run of such calls of one call path with no other call of MPI in between; it waits for the message that the call
//! right behind it receives, or that its last call completes.

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::{Event, Ticks};

use crate::patterns::asks;
use crate::store::{CallRef, OpRef, Paths, Trace};

/// Calls in a row that ask for one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Poll {
    /// The first call.
    pub(crate) first: u32,
    /// The last call, which found the message.
    pub(crate) last: u32,
    /// The record that sends the message.
    pub(crate) send: OpRef,
    /// When that send was entered.
    pub(crate) sent: Ticks,
    /// Whether it is one call that waits, not a loop of calls that come back at once.
    pub(crate) blocks: bool,
}

/// The messages that a location asked for.
pub(crate) fn polls(trace: &Trace, location: LocationId) -> Vec<Poll> {
    let polled =
        |path: PathId| path != Paths::ROOT && is_poll(&trace.classes[trace.paths.region(path).index()].name);
    if !trace.uses[location.index()].iter().any(|used| polled(used.path)) {
        return Vec::new();
    }
    let timeline = trace.timeline(location);
    let behind = Behind::new(trace, location);
    let mut polls = Vec::new();
    let mut run: Option<(u32, u32)> = None;
    for call in 0..timeline.calls.len() as u32 {
        let class = trace.class(CallRef { location, call });
        if !class.class.is_mpi() {
            continue;
        }
        if !is_poll(&class.name) {
            run = None;
            continue;
        }
        let first = match run {
            Some((first, last)) if timeline.call_path(last) == timeline.call_path(call) => first,
            _ => call,
        };
        run = Some((first, call));
        if let Some(send) = found(trace, location, call, &behind) {
            let sent = trace.call_of(send).map_or(trace.op(send).at, |call| trace.enter(call));
            polls.push(Poll { first, last: call, send, sent, blocks: is_blocking_probe(&class.name) });
            run = None;
        }
    }
    polls
}

/// Whether a call asks for a message.
fn is_poll(name: &str) -> bool {
    asks(name) || is_blocking_probe(name)
}

/// Whether a call waits until there is a message.
pub(crate) fn is_blocking_probe(name: &str) -> bool {
    matches!(name, "mpi_probe" | "mpi_mprobe")
}

/// The send of the message that a call found: of one that it completes, or of the one received right behind it.
fn found(trace: &Trace, location: LocationId, call: u32, follows: &Behind) -> Option<OpRef> {
    let timeline = trace.timeline(location);
    let name = trace.class(CallRef { location, call }).name.as_str();
    if name.starts_with("mpi_test") {
        return completed(trace, location, call);
    }
    let first = timeline.calls[call as usize].first_op;
    let receive = follows.receive.get(first as usize).copied().flatten()?;
    let behind = timeline.ops.call(receive as usize);
    let is_next = follows.mpi_call[call as usize] == Some(behind);
    let receive = match timeline.ops.shape(receive as usize) {
        Event::MpiIrecvRequest { .. } => trace.links.other_half(OpRef { location, op: receive })?,
        _ => OpRef { location, op: receive },
    };
    // Another call of MPI may come between a blocking probe and its receive, but not between a loop and its end.
    (is_next || is_blocking_probe(name)).then(|| trace.links.partner(receive)).flatten()
}

/// The last sent of the messages that a call completes.
fn completed(trace: &Trace, location: LocationId, call: u32) -> Option<OpRef> {
    let records = trace.timeline(location).ops_of(call);
    let receives =
        records.filter(|(_, op)| matches!(op.shape(), Event::MpiIrecv { .. } | Event::MpiRecv { .. }));
    let sends = receives.filter_map(|(op, _)| trace.links.partner(OpRef { location, op }));
    sends.max_by_key(|&send| trace.op(send).at)
}

/// What comes next on a location. It is worked out from the end, for a program may ask a million times in vain.
struct Behind {
    /// By record: the first from it on that receives or posts a receive.
    receive: Vec<Option<u32>>,
    /// By call: the next call of MPI.
    mpi_call: Vec<Option<u32>>,
}

impl Behind {
    fn new(trace: &Trace, location: LocationId) -> Self {
        let timeline = trace.timeline(location);
        let is_receive =
            |event: &Event| matches!(event, Event::MpiRecv { .. } | Event::MpiIrecvRequest { .. });
        let mut receive = vec![None; timeline.ops.len()];
        let mut next = None;
        for (number, op) in timeline.ops.iter().enumerate().rev() {
            next = if is_receive(op.shape()) { Some(number as u32) } else { next };
            receive[number] = next;
        }
        let mut mpi_call = vec![None; timeline.calls.len()];
        let mut next = None;
        for call in (0..timeline.calls.len() as u32).rev() {
            mpi_call[call as usize] = next;
            next = if trace.class(CallRef { location, call }).class.is_mpi() { Some(call) } else { next };
        }
        Self { receive, mpi_call }
    }
}
