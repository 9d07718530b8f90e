//! Polls: calls that test whether a message has arrived, as blocking probes or loops of tests.
//!
//! A blocking probe waits for the message that the location receives next. A loop of `MPI_Iprobe` or `MPI_Test` is a series
//! of such calls of one call path with no other call of MPI in between; it waits for the message that the next call
//! receives, or that its last call completes.

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::{Event, Ticks};

use crate::patterns::is_test;
use crate::store::{CallRef, OpRef, Paths, Trace};

/// A series of calls that poll for one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Poll {
    pub(crate) first: u32,
    /// The last call, which found the message.
    pub(crate) last: u32,
    /// The record that sends the message.
    pub(crate) send: OpRef,
    /// When that send was entered.
    pub(crate) sent: Ticks,
    /// Whether it is one blocking call, and not a loop of calls that return at once.
    pub(crate) blocks: bool,
}

/// The polls of a location.
pub(crate) fn polls(trace: &Trace, location: LocationId) -> Vec<Poll> {
    let is_polling_path =
        |path: PathId| path != Paths::ROOT && is_poll(&trace.classes[trace.paths.region(path).index()].name);
    if !trace.uses[location.index()].iter().any(|used| is_polling_path(used.path)) {
        return Vec::new();
    }
    let timeline = trace.timeline(location);
    let next = NextOnLocation::new(trace, location);
    let mut polls = Vec::new();
    let mut series: Option<(u32, u32)> = None;
    for call in 0..timeline.calls.len() as u32 {
        let class = trace.class(CallRef { location, call });
        if !class.class.is_mpi() {
            continue;
        }
        if !is_poll(&class.name) {
            series = None;
            continue;
        }
        let first = match series {
            Some((first, last)) if timeline.call_path(last) == timeline.call_path(call) => first,
            _ => call,
        };
        series = Some((first, call));
        if let Some(send) = send_of_found_message(trace, location, call, &next) {
            let sent = trace.call_of(send).map_or(trace.op(send).at, |call| trace.enter(call));
            polls.push(Poll { first, last: call, send, sent, blocks: is_blocking_probe(&class.name) });
            series = None;
        }
    }
    polls
}

/// Whether a call tests or probes for a message.
fn is_poll(name: &str) -> bool {
    is_test(name) || is_blocking_probe(name)
}

/// Whether a call waits until a message has arrived.
pub(crate) fn is_blocking_probe(name: &str) -> bool {
    matches!(name, "mpi_probe" | "mpi_mprobe")
}

/// The send of the message that a call found: one that the call completes, or the one that the next call receives.
fn send_of_found_message(
    trace: &Trace,
    location: LocationId,
    call: u32,
    next: &NextOnLocation,
) -> Option<OpRef> {
    let timeline = trace.timeline(location);
    let name = trace.class(CallRef { location, call }).name.as_str();
    if name.starts_with("mpi_test") {
        return completed(trace, location, call);
    }
    let first = timeline.calls[call as usize].first_op;
    let receive = next.receive.get(first as usize).copied().flatten()?;
    let receiving_call = timeline.ops.call(receive as usize);
    let is_next = next.mpi_call[call as usize] == Some(receiving_call);
    let receive = match timeline.ops.shape(receive as usize) {
        Event::MpiIrecvRequest { .. } => trace.links.other_half(OpRef { location, op: receive })?,
        _ => OpRef { location, op: receive },
    };
    // Another call of MPI may come between a blocking probe and its receive, but not between a loop and its receive.
    (is_next || is_blocking_probe(name)).then(|| trace.links.partner(receive)).flatten()
}

/// The send of the message that was sent last of those that a call completes.
fn completed(trace: &Trace, location: LocationId, call: u32) -> Option<OpRef> {
    let records = trace.timeline(location).ops_of(call);
    let receives =
        records.filter(|(_, op)| matches!(op.shape(), Event::MpiIrecv { .. } | Event::MpiRecv { .. }));
    let sends = receives.filter_map(|(op, _)| trace.links.partner(OpRef { location, op }));
    sends.max_by_key(|&send| trace.op(send).at)
}

/// The next receive and the next MPI call after each position. Computed backwards in one pass, because a program may test a
/// million times without success.
struct NextOnLocation {
    /// By record: the first record from it on that receives or posts a receive.
    receive: Vec<Option<u32>>,
    /// By call: the next call of MPI.
    mpi_call: Vec<Option<u32>>,
}

impl NextOnLocation {
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
