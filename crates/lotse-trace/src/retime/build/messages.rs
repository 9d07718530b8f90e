//! Receives need their sends, and sends that wait need the posting of their receives.

use lotse_model::id::LocationId;
use lotse_model::trace::{Event, Ticks};

use super::super::graph::{Need, SourceId};
use super::super::sends::Sends;
use super::rests::{Rests, Waited};
use super::{Builder, WaitKind, Waiting};
use crate::polls::polls;
use crate::store::{CallRef, Op, OpRef};
use crate::waits::Waits;

impl Builder<'_> {
    /// A call that completes receives waits for all their sends.
    pub(super) fn need_messages(&mut self, rests: &Rests) {
        let trace = self.trace;
        let mut on: Vec<Need> = Vec::new();
        for location in trace.locations() {
            let mut first = 0;
            for records in trace.timeline(location).ops.chunk_by(|a, b| a.call == b.call) {
                on.clear();
                let last = self.sends_of((location, first), records, &mut on);
                let call = trace.call_of(OpRef { location, op: first });
                if let (Some(call), Some(last)) = (call, last) {
                    let waited = self.waited(call, last);
                    let (begin, exit, happened) = (waited.enter, waited.exit, waited.sent);
                    let (late, kind) = (rests.late(trace, &waited), WaitKind::Completes);
                    self.push(&Waiting { call, begin, exit, happened, late, on: &on, kind });
                }
                first += records.len() as u32;
            }
        }
    }

    /// How long calls last after the sends of the messages that they waited for.
    pub(super) fn rests(&self) -> Rests {
        let mut rests = Rests::default();
        for location in self.trace.locations() {
            let mut first = 0;
            for records in self.trace.timeline(location).ops.chunk_by(|a, b| a.call == b.call) {
                let last = self.sends_of((location, first), records, &mut Vec::new());
                let call = self.trace.call_of(OpRef { location, op: first });
                if let (Some(call), Some(last)) = (call, last) {
                    rests.see(self.trace, &self.waited(call, last));
                }
                first += records.len() as u32;
            }
            polls(self.trace, location)
                .iter()
                .for_each(|poll| rests.see(self.trace, &poll.waited(self.trace, location)));
        }
        rests.settle();
        rests
    }

    fn waited(&self, call: CallRef, send: OpRef) -> Waited {
        let (enter, exit) = (self.trace.enter(call), self.trace.exit(call));
        let sent = self.source_of(send).map_or(enter, |source| self.graph.source(source).at);
        Waited { send, to: call.location, probes: false, enter, sent, exit }
    }

    /// Collects the sends of the messages that records receive; gives the last.
    fn sends_of(
        &self,
        (location, first): (LocationId, u32),
        records: &[Op],
        on: &mut Vec<Need>,
    ) -> Option<OpRef> {
        let is_receive = |record: &Op| matches!(record.event, Event::MpiRecv { .. } | Event::MpiIrecv { .. });
        let receives = (first..).zip(records).filter(|(_, record)| is_receive(record));
        let mut last: Option<(Ticks, OpRef)> = None;
        for (number, _) in receives {
            let send = self.trace.links.partner(OpRef { location, op: number });
            if let Some((send, source)) = send.and_then(|send| Some((send, self.source_of(send)?))) {
                let at = self.graph.source(source).at;
                if last.is_none_or(|(latest, _)| at > latest) {
                    last = Some((at, send));
                }
                on.push(source.into());
            }
        }
        last.map(|(_, send)| send)
    }

    /// A send that is not buffered waits for the posting of its receive.
    pub(super) fn need_sends(&mut self, waits: &Waits) {
        let sends = Sends::new(self.trace, waits.of_phase.as_ref());
        if let Some(run) = &waits.of_phase {
            self.sending.extend(sends.calls().chain(run.unkept.iter().copied()));
        }
        for sent in sends.waiting() {
            let posted = self.posting(sent.posting, sent.posted);
            self.need_call(sent.call, sent.posted, &[posted.into()]);
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
