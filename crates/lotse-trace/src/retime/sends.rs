//! Decides which sends wait for their receivers (rendezvous) and which are buffered (eager).
//!
//! The protocol is not recorded, but the times show it. A send could end its call at the time `ready`: the call has begun,
//! and all messages that the same call receives have been sent. The call ends at `X`, and the receive is posted at `P`:
//!
//! ```text
//! X < P            the message was buffered: the send never waits, unless it lasted until the receiver re-entered
//!                  the library (then it waited for buffer space: `attention`)
//! ready < P <= X   the send waited for the receiver if it ended soon after P (X - P at most half of P - ready), or if
//!                  it lasted longer than its transfer takes
//! P <= ready       the receiver was ready first: this send is no evidence, others of its kind decide
//! ```
//!
//! Sends of one kind have the same sender and receiver and lengths with the same number of bits. The transfer time is
//! estimated from the sends of the kind that did not wait, as twice their median. If a kind has no evidence, sends of the
//! same length between other processes decide, then buffered longer ones and waiting shorter ones.

use std::ops::Range;

use hashbrown::HashSet;
use lotse_model::id::{LocationId, ProcessId};
use lotse_model::trace::{Event, EventKind, Ticks};

use crate::attention::Attention;
use crate::prefetch::Prefetch;
use crate::store::{CallRef, OpRef, Timeline, Trace};

mod protocol;

pub(crate) use protocol::ProtocolModel;

/// Evidence from the whole trace for the sends of one of its phases: their receives may be outside the phase.
#[derive(Debug)]
pub(crate) struct WholeTraceSends {
    protocol: ProtocolModel,
    /// Calls that complete sends and do not wait for any receiver.
    pub(crate) non_waiting: HashSet<CallRef>,
}

impl WholeTraceSends {
    /// Learns from all sends of a trace. `renumbered` returns the number of a call in the phase, if it is in the phase.
    pub(crate) fn new(trace: &Trace, renumbered: impl Fn(CallRef) -> Option<CallRef>) -> Self {
        let sends = Sends::new(trace, None);
        let waiting_calls: HashSet<CallRef> = sends.waiting().map(|sent| sent.call).collect();
        let non_waiting =
            sends.calls().filter(|call| !waiting_calls.contains(call)).filter_map(renumbered).collect();
        Self { protocol: sends.protocol, non_waiting }
    }
}

/// Sender, receiver, and the number of bits of the length.
type SendKind = (ProcessId, ProcessId, u32);

/// The sends with known receives.
pub(super) struct Sends {
    all: Vec<Sent>,
    protocol: ProtocolModel,
}

/// A send, the call that completes it and the posting of its receive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent {
    /// The call that completes it.
    pub(super) call: CallRef,
    /// The record that posts its receive, and its time.
    pub(super) posting: OpRef,
    pub(super) posted: Ticks,
    /// From this time on only the receiver can delay the call.
    ready: Ticks,
    exit: Ticks,
    kind: SendKind,
    mode: SendMode,
    /// Whether the call completes nothing else.
    is_only_send: bool,
    /// Whether it lasted until the receiver re-entered the library, before the receive was posted.
    until_attention: bool,
}

/// How a message is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SendMode {
    /// The library decides whether it is buffered.
    Standard,
    /// It always waits for the receiver.
    Synchronous,
    /// It never waits: it is buffered, or the receive has been posted before.
    Local,
}

/// The evidence of a single send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Evidence {
    Buffered,
    UntilAttention,
    Overlap,
    Nothing,
}

impl Sent {
    fn evidence(&self) -> Evidence {
        match self.posted {
            posted if posted > self.exit && self.until_attention => Evidence::UntilAttention,
            posted if posted > self.exit => Evidence::Buffered,
            posted if posted > self.ready => Evidence::Overlap,
            _ => Evidence::Nothing,
        }
    }

    /// How long the call lasted after `ready`.
    fn duration(&self) -> Ticks {
        self.exit - self.ready
    }
}

impl Sends {
    /// `run` is the evidence from the whole trace if `trace` is a phase of it.
    pub(super) fn new(trace: &Trace, run: Option<&WholeTraceSends>) -> Self {
        let completions = |it: &Timeline| {
            it.kinds.count_of(EventKind::MpiSend) + it.kinds.count_of(EventKind::MpiIsendComplete)
        };
        let mut all = Vec::with_capacity(trace.timelines.iter().map(completions).sum());
        let attention = Attention::new(trace);
        trace.locations().for_each(|location| collect_sends(trace, &attention, location, &mut all));
        let protocol = run.map_or_else(|| ProtocolModel::learn(&all), |run| run.protocol.clone());
        Self { all, protocol }
    }

    /// The calls that complete sends.
    pub(super) fn calls(&self) -> impl Iterator<Item = CallRef> + '_ {
        self.all.iter().map(|sent| sent.call)
    }

    /// The sends that wait for their receives, or would wait if the receiver were later.
    pub(super) fn waiting(&self) -> impl Iterator<Item = &Sent> {
        self.all.iter().filter(|sent| match sent.mode {
            SendMode::Synchronous => true,
            SendMode::Local => false,
            SendMode::Standard => self.protocol.waits(sent),
        })
    }
}

/// Adds the sends that a location completes.
fn collect_sends(trace: &Trace, attention: &Attention, location: LocationId, all: &mut Vec<Sent>) {
    let timeline = trace.timeline(location);
    let completes = |it: &Event| matches!(it, Event::MpiSend { .. } | Event::MpiIsendComplete { .. });
    if !timeline.ops.has(completes) {
        return;
    }
    let mut ahead = Prefetch::new(trace, location);
    let shape_completes: Vec<bool> = timeline.ops.shapes().map(completes).collect();
    let completes_any =
        |records: &Range<usize>| records.clone().any(|it| shape_completes[timeline.ops.shape_number(it)]);
    for records in timeline.ops.by_call().filter(completes_any) {
        ahead.advance_to(records.start);
        let first_of_call = all.len();
        let mut ready = None;
        for number in records.clone() {
            let op = OpRef { location, op: number as u32 };
            if let Some(sent) = sent(trace, op) {
                let records = records.clone();
                let ready = *ready.get_or_insert_with(|| ready_at(trace, records, sent.call));
                all.push(Sent { ready, ..sent });
            }
        }
        keep_last_posting(&mut all[first_of_call..]);
        if let [sent] = &mut all[first_of_call..] {
            let buffered = sent.posted > sent.exit;
            sent.until_attention = buffered && attention.ended(trace, sent.call, sent.kind.1).is_some();
        }
    }
}

/// If a call completes several sends, only the one with the last posting is evidence: `ready` of the others is set to
/// their posting.
fn keep_last_posting(sends_of_call: &mut [Sent]) {
    let [_, _, ..] = sends_of_call else { return };
    let until = |sent: &Sent| (sent.posted <= sent.exit).then_some(sent.posted);
    let last = sends_of_call.iter().filter_map(until).max();
    for sent in sends_of_call {
        sent.is_only_send = false;
        if until(sent).is_some() && until(sent) < last {
            sent.ready = sent.ready.max(sent.posted);
        }
    }
}

/// The time from which a call is not delayed by messages that it receives.
fn ready_at(trace: &Trace, records: Range<usize>, call: CallRef) -> Ticks {
    let (enter, exit) = (trace.enter(call), trace.exit(call));
    let location = call.location;
    let ops = &trace.timeline(location).ops;
    let received = |number: usize| {
        let is_receive = matches!(ops.shape(number), Event::MpiRecv { .. } | Event::MpiIrecv { .. });
        let send =
            is_receive.then(|| trace.links.partner(OpRef { location, op: number as u32 })).flatten()?;
        Some(trace.call_of(send).map_or(trace.op(send).at, |call| trace.enter(call)))
    };
    let last = records.filter_map(received).filter(|&sent| sent <= exit).max();
    last.map_or(enter, |last| last.max(enter))
}

/// The send that a record completes, if its receive is known.
fn sent(trace: &Trace, op: OpRef) -> Option<Sent> {
    let send = match trace.timeline(op.location).ops.shape(op.op as usize) {
        Event::MpiSend { .. } => op,
        Event::MpiIsendComplete { .. } => trace.links.other_half(op)?,
        _ => return None,
    };
    let length = trace.op(send).message_length()?;
    let (call, receive) = (trace.call_of(op)?, trace.links.partner(send)?);
    if trace.class(call).class.is_accelerator() {
        return None;
    }
    let posting = posting(trace, receive)?;
    let posted = trace.call_of(posting).map_or(trace.op(posting).at, |it| trace.enter(it));
    let process = |location: LocationId| trace.location(location).process;
    Some(Sent {
        call,
        posting,
        posted,
        ready: trace.enter(call),
        exit: trace.exit(call),
        kind: (process(send.location), process(receive.location), u64::BITS - length.leading_zeros()),
        mode: mode(trace, send),
        is_only_send: true,
        until_attention: false,
    })
}

/// By the name of the call that sends.
fn mode(trace: &Trace, send: OpRef) -> SendMode {
    match trace.call_of(send).map(|call| trace.class(call).name.as_str()) {
        Some("mpi_ssend" | "mpi_issend") => SendMode::Synchronous,
        Some("mpi_bsend" | "mpi_ibsend" | "mpi_rsend" | "mpi_irsend") => SendMode::Local,
        _ => SendMode::Standard,
    }
}

/// The record that posts a receive; a blocking receive posts itself. If all requests of the trace are matched, a receive
/// without a posting was posted before the phase, and no send of the phase waits for it.
fn posting(trace: &Trace, receive: OpRef) -> Option<OpRef> {
    let blocks = !matches!(trace.shape(receive), Event::MpiIrecv { .. });
    let posted = trace.links.other_half(receive);
    posted.or_else(|| (blocks || trace.links.odd_requests > 0).then_some(receive))
}
