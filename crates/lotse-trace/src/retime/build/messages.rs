//! Receives need their sends, and sends that wait need the posting of their receives.

use lotse_model::id::LocationId;
use lotse_model::trace::{Event, Ticks};

use super::super::graph::{Need, SourceId};
use super::super::sends::Sends;
use super::Builder;
use crate::store::{Op, OpRef};
use crate::waits::Waits;

impl Builder<'_> {
    /// A call that completes receives waits for all their sends.
    pub(super) fn need_messages(&mut self) {
        let trace = self.trace;
        let mut on: Vec<Need> = Vec::new();
        for location in trace.locations() {
            let mut first = 0;
            for records in trace.timeline(location).ops.chunk_by(|a, b| a.call == b.call) {
                on.clear();
                let happened = self.sends_of((location, first), records, &mut on);
                let call = trace.call_of(OpRef { location, op: first }).filter(|_| !on.is_empty());
                if let Some(call) = call {
                    self.need_call(call, happened, &on, true);
                }
                first += records.len() as u32;
            }
        }
    }

    /// Collects the sends of the messages that records receive; gives when the last was entered.
    fn sends_of(&self, (location, first): (LocationId, u32), records: &[Op], on: &mut Vec<Need>) -> Ticks {
        let is_receive = |record: &Op| matches!(record.event, Event::MpiRecv { .. } | Event::MpiIrecv { .. });
        let receives = (first..).zip(records).filter(|(_, record)| is_receive(record));
        let mut happened = 0;
        for (number, _) in receives {
            let send = self.trace.links.partner(OpRef { location, op: number });
            if let Some(source) = send.and_then(|send| self.source_of(send)) {
                happened = happened.max(self.graph.source(source).at);
                on.push(source.into());
            }
        }
        happened
    }

    /// A send that is not buffered waits for the posting of its receive.
    pub(super) fn need_sends(&mut self, waits: &Waits) {
        let sends = Sends::new(self.trace, waits.of_phase.as_ref());
        if waits.of_phase.is_some() {
            self.sending.extend(sends.calls());
        }
        for sent in sends.waiting() {
            let posted = self.posting(sent.posting, sent.posted);
            self.need_call(sent.call, sent.posted, &[posted.into()], false);
        }
    }

    /// The source that the posting of a receive is, made when first asked for.
    fn posting(&mut self, op: OpRef, at: Ticks) -> SourceId {
        if let Some(known) = self.source_of(op) {
            return known;
        }
        let source = self.source(op.location, at, self.place(op), None);
        self.of_op[op.location.index()][op.op as usize] = Some(source);
        source
    }
}
