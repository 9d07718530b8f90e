//! Which sends wait for their receivers.
//!
//! No record says whether a message was buffered, but the run shows it: a send that was over before its receive was
//! posted was buffered, and so are all others of its length or less. Longer ones that overlap the posting of their
//! receives waited for it, and so will all of that length or more, whether they had to in this run or not.

use lotse_model::trace::{Event, Ticks};

use crate::store::{CallRef, OpRef, Trace};

pub(super) struct Sends<'a> {
    trace: &'a Trace,
    /// Blocking sends whose receives are known.
    all: Vec<Sent>,
    lengths: Lengths,
}

/// What a run tells of how messages are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lengths {
    /// The longest message that was buffered.
    buffered: Option<u64>,
    /// The shortest longer one whose sender waited.
    waited: Option<u64>,
}

/// A blocking send and the posting of its receive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent {
    pub(super) call: CallRef,
    pub(super) posting: OpRef,
    pub(super) posted: Ticks,
    length: u64,
}

impl Lengths {
    /// Learned from all sends of a trace.
    pub(crate) fn of(trace: &Trace) -> Self {
        Sends::new(trace, None).lengths
    }

    fn learned(trace: &Trace, all: &[Sent]) -> Self {
        // Only of these does the length decide.
        let ordinary = || {
            let special = |sent: &&Sent| matches!(name(trace, sent), "mpi_ssend" | "mpi_bsend");
            all.iter().filter(move |sent| !special(sent))
        };
        let over = |sent: &&Sent| trace.exit(sent.call) < sent.posted;
        let buffered = ordinary().filter(over).map(|sent| sent.length).max();
        let overlaps = |sent: &&Sent| trace.enter(sent.call) < sent.posted && !over(sent);
        let overlapping = ordinary().filter(overlaps).map(|sent| sent.length);
        let waited = overlapping.filter(|&length| Some(length) > buffered).min();
        Self { buffered, waited }
    }
}

impl<'a> Sends<'a> {
    /// `lengths` are those of the whole run where the trace is a part of it.
    pub(super) fn new(trace: &'a Trace, lengths: Option<Lengths>) -> Self {
        let all: Vec<Sent> = records(trace).filter_map(|op| sent(trace, op)).collect();
        let lengths = lengths.unwrap_or_else(|| Lengths::learned(trace, &all));
        Self { trace, all, lengths }
    }

    /// The sends that wait for their receives.
    pub(super) fn waiting(&self) -> impl Iterator<Item = &Sent> {
        self.all.iter().filter(|sent| match name(self.trace, sent) {
            "mpi_ssend" => true,
            "mpi_bsend" => false,
            _ => !self.is_buffered(sent.length) && self.lengths.waited.is_some_and(|it| sent.length >= it),
        })
    }

    /// Whether a call that seems to wait for a receiver is a blocking send, or completes one that was buffered.
    pub(super) fn knows(&self, call: CallRef) -> bool {
        let known = |(number, event): (u32, Event)| match event {
            Event::MpiSend { .. } => true,
            Event::MpiIsendComplete { .. } => {
                let posted = self.trace.links.other_half(OpRef { location: call.location, op: number });
                posted.is_some_and(|op| match self.trace.op(op).event {
                    Event::MpiIsend { length, .. } => self.is_buffered(length),
                    _ => false,
                })
            }
            _ => false,
        };
        self.trace.timeline(call.location).ops_of(call.call).any(|(number, op)| known((number, op.event)))
    }

    fn is_buffered(&self, length: u64) -> bool {
        Some(length) <= self.lengths.buffered
    }
}

/// The send of a record, where its receive is known.
fn sent(trace: &Trace, op: OpRef) -> Option<Sent> {
    let Event::MpiSend { length, .. } = trace.op(op).event else { return None };
    let (call, receive) = (trace.call_of(op)?, trace.links.partner(op)?);
    let posting = posting(trace, receive)?;
    let posted = trace.call_of(posting).map_or(trace.op(posting).at, |it| trace.enter(it));
    Some(Sent { call, posting, posted, length })
}

/// What posted a receive: the receive itself where it blocks. Where all requests fit, one whose posting is not there
/// was posted before the phase, and nobody in the phase waits for that.
fn posting(trace: &Trace, receive: OpRef) -> Option<OpRef> {
    let blocks = !matches!(trace.op(receive).event, Event::MpiIrecv { .. });
    let posted = trace.links.other_half(receive);
    posted.or_else(|| (blocks || trace.links.odd_requests > 0).then_some(receive))
}

fn name<'a>(trace: &'a Trace, sent: &Sent) -> &'a str {
    &trace.class(sent.call).name
}

/// All records of blocking sends.
fn records(trace: &Trace) -> impl Iterator<Item = OpRef> + '_ {
    trace.locations().flat_map(move |location| {
        let ops = trace.timeline(location).ops.iter().enumerate();
        ops.filter(|(_, op)| matches!(op.event, Event::MpiSend { .. }))
            .map(move |(op, _)| OpRef { location, op: op as u32 })
    })
}
