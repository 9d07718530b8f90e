//! Which sends wait for their receivers.
//!
//! No record says whether a message was buffered, but the run shows it: a send that was over before its receive was
//! posted was buffered, and so are all others of its length or less. Longer ones that overlap the posting of their
//! receives waited for it, and so will all of that length or more, whether they had to in this run or not.

use std::collections::BTreeSet;

use lotse_model::trace::{Event, Ticks};

use crate::store::{CallRef, OpRef, Trace};

pub(super) struct Sends<'a> {
    trace: &'a Trace,
    /// The longest message that was buffered.
    buffered: Option<u64>,
    /// The shortest longer one whose sender waited.
    waited: Option<u64>,
}

/// A blocking send and the posting of its receive.
pub(super) struct Sent {
    pub(super) call: CallRef,
    pub(super) posting: OpRef,
    pub(super) posted: Ticks,
    length: u64,
}

impl<'a> Sends<'a> {
    pub(super) fn new(trace: &'a Trace) -> Self {
        let mut sends = Self { trace, buffered: None, waited: None };
        let mut overlapping = BTreeSet::new();
        for op in sends.all() {
            let Some(sent) = sends.sent(op).filter(|sent| sends.is_ordinary(sent)) else { continue };
            if trace.exit(sent.call) < sent.posted {
                sends.buffered = sends.buffered.max(Some(sent.length));
            } else if trace.enter(sent.call) < sent.posted {
                overlapping.insert(sent.length);
            }
        }
        sends.waited = overlapping.into_iter().find(|&length| !sends.is_buffered(length));
        sends
    }

    /// All records of blocking sends.
    pub(super) fn all(&self) -> impl Iterator<Item = OpRef> + use<'a> {
        let trace = self.trace;
        trace.locations().flat_map(move |location| {
            let ops = trace.timeline(location).ops.iter().enumerate();
            ops.filter(|(_, op)| matches!(op.event, Event::MpiSend { .. }))
                .map(move |(op, _)| OpRef { location, op: op as u32 })
        })
    }

    /// The send of a record, where it waits for its receive.
    pub(super) fn waiting(&self, op: OpRef) -> Option<Sent> {
        self.sent(op).filter(|sent| match self.name(sent) {
            "mpi_ssend" => true,
            "mpi_bsend" => false,
            _ => !self.is_buffered(sent.length) && self.waited.is_some_and(|it| sent.length >= it),
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

    fn sent(&self, op: OpRef) -> Option<Sent> {
        let Event::MpiSend { length, .. } = self.trace.op(op).event else { return None };
        let (call, receive) = (self.trace.call_of(op)?, self.trace.links.partner(op)?);
        let posting = self.trace.links.other_half(receive).unwrap_or(receive);
        let posted = self.trace.call_of(posting).map_or(self.trace.op(posting).at, |it| self.trace.enter(it));
        Some(Sent { call, posting, posted, length })
    }

    fn name(&self, sent: &Sent) -> &'a str {
        &self.trace.class(sent.call).name
    }

    /// Whether its length decides.
    fn is_ordinary(&self, sent: &Sent) -> bool {
        !matches!(self.name(sent), "mpi_ssend" | "mpi_bsend")
    }

    fn is_buffered(&self, length: u64) -> bool {
        Some(length) <= self.buffered
    }
}
