//! Waits for messages: receives depend on their sends, and sends that are not buffered on the posting of their receives.

use std::ops::Range;

use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;

use super::super::graph::{Need, SourceId};
use super::super::sends::Sends;
use super::notice_times::{MessageKindId, MessageWait, NoticeTimes};
use super::{Builder, NewWait, WaitKind};
use crate::matching::is_receive;
use crate::polls::polls;
use crate::store::{CallRef, OpRef};
use crate::waits::Waits;

/// The entry of a call that waited for a message, and the kind of the message.
struct MessageEntry {
    location: LocationId,
    entry: usize,
    kind: MessageKindId,
}

impl Builder<'_> {
    /// Adds a wait for each call that completes receives: it depends on all their sends. Returns how long calls last after
    /// the send of a message they waited for.
    pub(super) fn add_receive_waits(&mut self) -> NoticeTimes {
        let trace = self.trace;
        let (mut notice_times, mut noticed) = (NoticeTimes::default(), Vec::new());
        let mut needs: Vec<Need> = Vec::new();
        for location in trace.locations() {
            let ops = &trace.timeline(location).ops;
            let by_call = ops.has(is_receive).then(|| ops.by_call());
            for records in by_call.into_iter().flatten() {
                needs.clear();
                let call = trace.call_of(OpRef { location, op: records.start as u32 });
                let last = self.sends_of(location, records, &mut needs);
                if let (Some(call), Some(last)) = (call, last) {
                    let message_wait = self.message_wait(call, last);
                    let entry = self.graph.tables[location.index()].entries.len();
                    noticed.extend(notice_times.record(trace, &message_wait).map(|kind| MessageEntry {
                        location,
                        entry,
                        kind,
                    }));
                    let (begin, exit, happened) = (message_wait.enter, message_wait.exit, message_wait.sent);
                    let kind = WaitKind::Completes;
                    self.add_wait(&NewWait { call, begin, exit, happened, late: 0, needs: &needs, kind });
                }
            }
            for poll in polls(trace, location) {
                notice_times.record(trace, &poll.message_wait(trace, location));
            }
        }
        notice_times.compute_medians();
        noticed.iter().for_each(|it| self.notice(it, &notice_times));
        notice_times
    }

    /// Extends the wait of a call that noticed its message late.
    fn notice(&mut self, &MessageEntry { location, entry, kind }: &MessageEntry, notice_times: &NoticeTimes) {
        let entry = &mut self.graph.tables[location.index()].entries[entry];
        let exit = self.trace.exit(CallRef { location, call: entry.call });
        entry.resume += notice_times.excess(kind, exit - entry.resume);
    }

    fn message_wait(&self, call: CallRef, send: OpRef) -> MessageWait {
        let (enter, exit) = (self.trace.enter(call), self.trace.exit(call));
        let sent = self.source_of(send).map_or(enter, |source| self.graph.source(source).at);
        MessageWait { send, to: call.location, probes: false, enter, sent, exit }
    }

    /// Collects the sends of the messages that a call receives; returns the last.
    fn sends_of(&self, location: LocationId, records: Range<usize>, needs: &mut Vec<Need>) -> Option<OpRef> {
        let ops = &self.trace.timeline(location).ops;
        let mut last: Option<(Ticks, OpRef)> = None;
        for number in records.filter(|&number| is_receive(ops.shape(number))) {
            let send = self.trace.links.partner(OpRef { location, op: number as u32 });
            if let Some((send, source)) = send.and_then(|send| Some((send, self.source_of(send)?))) {
                let at = self.graph.source(source).at;
                if last.is_none_or(|(latest, _)| at > latest) {
                    last = Some((at, send));
                }
                needs.push(source.into());
            }
        }
        last.map(|(_, send)| send)
    }

    /// Adds a wait for each send that is not buffered: it depends on the posting of its receive.
    pub(super) fn add_send_waits(&mut self, waits: &Waits) {
        let sends = Sends::new(self.trace, waits.of_phase.as_ref());
        if let Some(run) = &waits.of_phase {
            self.send_calls.extend(sends.calls().chain(run.non_waiting.iter().copied()));
        }
        for sent in sends.waiting() {
            let posted = self.posting(sent.posting, sent.posted);
            self.add_call_wait(sent.call, sent.posted, &[posted.into()]);
        }
    }

    /// The source of the posting of a receive, which is created if it is new.
    fn posting(&mut self, op: OpRef, at: Ticks) -> SourceId {
        if let Some(known) = self.source_of(op) {
            return known;
        }
        let source = self.source(op.location, at, self.order_call(op), None);
        self.source_of_op[op.location.index()][op.op as usize] = Some(source);
        source
    }
}
