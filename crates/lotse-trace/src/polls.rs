//! Calls that ask whether a message has come: probes, and loops of tests.
//!
//! A blocking probe waits for the message that the location receives next. A loop of `MPI_Iprobe` or `MPI_Test` is a
//! run of such calls of one call path with no other call of MPI in between; it waits for the message that the call
//! right behind it receives, or that its last call completes.

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::{Event, Ticks};

use crate::patterns::asks;
use crate::store::{CallRef, OpRef, Paths, Timeline, Trace};

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
        if let Some(send) = found(trace, location, call) {
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
fn found(trace: &Trace, location: LocationId, call: u32) -> Option<OpRef> {
    let timeline = trace.timeline(location);
    let name = trace.class(CallRef { location, call }).name.as_str();
    if name.starts_with("mpi_test") {
        return completed(trace, location, call);
    }
    let receive = next_receive(timeline, call)?;
    let behind = timeline.ops[receive as usize].call;
    let is_next = next_mpi_call(trace, location, call) == Some(behind);
    let receive = match timeline.ops[receive as usize].event {
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
        records.filter(|(_, op)| matches!(op.event, Event::MpiIrecv { .. } | Event::MpiRecv { .. }));
    let sends = receives.filter_map(|(op, _)| trace.links.partner(OpRef { location, op }));
    sends.max_by_key(|&send| trace.op(send).at)
}

/// The first record behind a call that receives or posts a receive.
fn next_receive(timeline: &Timeline, call: u32) -> Option<u32> {
    let first = timeline.calls[call as usize].first_op as usize;
    let is_receive = |event: &Event| matches!(event, Event::MpiRecv { .. } | Event::MpiIrecvRequest { .. });
    let at = timeline.ops[first..].iter().position(|op| is_receive(&op.event))?;
    Some((first + at) as u32)
}

fn next_mpi_call(trace: &Trace, location: LocationId, call: u32) -> Option<u32> {
    let count = trace.timeline(location).calls.len() as u32;
    (call + 1..count).find(|&call| trace.class(CallRef { location, call }).class.is_mpi())
}
