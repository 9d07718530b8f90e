//! Which sends wait for their receivers.
//!
//! No record says whether a message was buffered, but the run shows it. A send can end its call once the call has
//! begun and the messages that the same call receives have been sent; call that moment `ready`. The call ends at `X`,
//! and the receive is posted at `P`:
//!
//! ```text
//! X < P            the message was buffered: the send never waits, unless it lasted until the receiver came back
//!                  into the library (then it waited for room: `attention`)
//! ready < P <= X   the send waited for the receiver, if it ended soon after that (within half of the time before), or
//!                  lasted longer than its transfer takes
//! P <= ready       the receiver was ready first: this send says nothing, others of its kind decide
//! ```
//!
//! Sends of one kind go from one process to another and have lengths of as many bits. How long a transfer takes is
//! learned from the sends of the kind that waited for nobody: twice their median. Where a kind says nothing, sends of
//! the same length between other processes decide, then buffered longer ones and waiting shorter ones.

use std::ops::Range;

use hashbrown::HashSet;
use lotse_model::id::{LocationId, ProcessId};
use lotse_model::trace::{Event, EventKind, Ticks};

use crate::attention::Attention;
use crate::prefetch::Prefetch;
use crate::store::{CallRef, OpRef, Timeline, Trace};

mod habits;

pub(crate) use habits::Habits;

/// What the whole run tells of the sends in one of its phases: their receives may lie beyond the phase's borders.
#[derive(Debug)]
pub(crate) struct SendsOfRun {
    habits: Habits,
    /// Calls that complete sends and wait for none of the receivers.
    pub(crate) unkept: HashSet<CallRef>,
}

impl SendsOfRun {
    /// Learned from all sends of a trace. `renumbered` gives the number of a call in the phase, if it is there.
    pub(crate) fn new(trace: &Trace, renumbered: impl Fn(CallRef) -> Option<CallRef>) -> Self {
        let sends = Sends::new(trace, None);
        let kept: HashSet<CallRef> = sends.waiting().map(|sent| sent.call).collect();
        let unkept = sends.calls().filter(|call| !kept.contains(call)).filter_map(renumbered).collect();
        Self { habits: sends.habits, unkept }
    }
}

/// From whom, to whom, and how many bits the length has.
type Kind = (ProcessId, ProcessId, u32);

/// The sends whose receives are known.
pub(super) struct Sends {
    all: Vec<Sent>,
    habits: Habits,
}

/// A send, the call that completes it and the posting of its receive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent {
    /// The call that completes it.
    pub(super) call: CallRef,
    /// What posted its receive.
    pub(super) posting: OpRef,
    /// When that was.
    pub(super) posted: Ticks,
    /// From when nothing but the receiver can keep the call.
    ready: Ticks,
    exit: Ticks,
    kind: Kind,
    mode: Mode,
    /// Whether the call completes nothing else.
    alone: bool,
    /// Whether it lasted until the receiver came back into the library, before the receive was posted.
    attended: bool,
}

/// How a message is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// The library decides whether it is buffered.
    Standard,
    /// It waits for the receiver.
    Synchronous,
    /// It never does: it is buffered, or the receiver was there before.
    Local,
}

/// What a send itself shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shows {
    Buffered,
    Attended,
    Overlap,
    Nothing,
}

impl Sent {
    fn shows(&self) -> Shows {
        match self.posted {
            posted if posted > self.exit && self.attended => Shows::Attended,
            posted if posted > self.exit => Shows::Buffered,
            posted if posted > self.ready => Shows::Overlap,
            _ => Shows::Nothing,
        }
    }

    /// How long the call lasted for this send.
    fn lasted(&self) -> Ticks {
        self.exit - self.ready
    }
}

impl Sends {
    /// `run` is the whole run where the trace is a part of it.
    pub(super) fn new(trace: &Trace, run: Option<&SendsOfRun>) -> Self {
        let completions = |it: &Timeline| {
            it.kinds.count_of(EventKind::MpiSend) + it.kinds.count_of(EventKind::MpiIsendComplete)
        };
        let mut all = Vec::with_capacity(trace.timelines.iter().map(completions).sum());
        let attention = Attention::new(trace);
        trace.locations().for_each(|location| gather(trace, &attention, location, &mut all));
        let habits = run.map_or_else(|| Habits::learned(&all), |run| run.habits.clone());
        Self { all, habits }
    }

    /// The calls that complete sends.
    pub(super) fn calls(&self) -> impl Iterator<Item = CallRef> + '_ {
        self.all.iter().map(|sent| sent.call)
    }

    /// The sends that wait for their receives, in this run or once the receiver comes later.
    pub(super) fn waiting(&self) -> impl Iterator<Item = &Sent> {
        self.all.iter().filter(|sent| match sent.mode {
            Mode::Synchronous => true,
            Mode::Local => false,
            Mode::Standard => self.habits.waits(sent),
        })
    }
}

/// Adds the sends that a location completes.
fn gather(trace: &Trace, attention: &Attention, location: LocationId, all: &mut Vec<Sent>) {
    let timeline = trace.timeline(location);
    let completes = |it: &Event| matches!(it, Event::MpiSend { .. } | Event::MpiIsendComplete { .. });
    if !timeline.ops.has(completes) {
        return;
    }
    let mut ahead = Prefetch::new(trace, location);
    for records in timeline.ops.by_call() {
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
        only_the_last_shows(&mut all[first_of_call..]);
        if let [sent] = &mut all[first_of_call..] {
            let buffered = sent.posted > sent.exit;
            sent.attended = buffered && attention.ended(trace, sent.call, sent.kind.1).is_some();
        }
    }
}

/// Of several sends that one call completes, only that with the last posting shows whether the call waited for it.
fn only_the_last_shows(of_call: &mut [Sent]) {
    let [_, _, ..] = of_call else { return };
    let until = |sent: &Sent| (sent.posted <= sent.exit).then_some(sent.posted);
    let last = of_call.iter().filter_map(until).max();
    for sent in of_call {
        sent.alone = false;
        if until(sent).is_some() && until(sent) < last {
            sent.ready = sent.ready.max(sent.posted);
        }
    }
}

/// From when a call is kept by none of the messages that it receives.
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

/// The send that a record completes, where its receive is known.
fn sent(trace: &Trace, op: OpRef) -> Option<Sent> {
    let send = match trace.timeline(op.location).ops.shape(op.op as usize) {
        Event::MpiSend { .. } => op,
        Event::MpiIsendComplete { .. } => trace.links.other_half(op)?,
        _ => return None,
    };
    let (Event::MpiSend { length, .. } | Event::MpiIsend { length, .. }) = trace.op(send).event() else {
        return None;
    };
    let (call, receive) = (trace.call_of(op)?, trace.links.partner(send)?);
    if trace.class(call).class.is_accelerator() {
        return None;
    }
    let posting = posting(trace, receive)?;
    let posted = trace.call_of(posting).map_or(trace.op(posting).at, |it| trace.enter(it));
    let process = |of: LocationId| trace.location(of).process;
    Some(Sent {
        call,
        posting,
        posted,
        ready: trace.enter(call),
        exit: trace.exit(call),
        kind: (process(send.location), process(receive.location), u64::BITS - length.leading_zeros()),
        mode: mode(trace, send),
        alone: true,
        attended: false,
    })
}

/// By the name of the call that sends.
fn mode(trace: &Trace, send: OpRef) -> Mode {
    match trace.call_of(send).map(|call| trace.class(call).name.as_str()) {
        Some("mpi_ssend" | "mpi_issend") => Mode::Synchronous,
        Some("mpi_bsend" | "mpi_ibsend" | "mpi_rsend" | "mpi_irsend") => Mode::Local,
        _ => Mode::Standard,
    }
}

/// What posted a receive: the receive itself where it blocks. Where all requests fit, one whose posting is not there
/// was posted before the phase, and nobody in the phase waits for that.
fn posting(trace: &Trace, receive: OpRef) -> Option<OpRef> {
    let blocks = !matches!(trace.shape(receive), Event::MpiIrecv { .. });
    let posted = trace.links.other_half(receive);
    posted.or_else(|| (blocks || trace.links.odd_requests > 0).then_some(receive))
}
