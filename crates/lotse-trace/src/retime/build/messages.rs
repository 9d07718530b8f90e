//! Receives need their sends, and sends that wait need the posting of their receives.

use std::ops::Range;

use lotse_model::id::LocationId;
use lotse_model::trace::{Event, Ticks};

use super::super::graph::{Need, SourceId};
use super::super::sends::Sends;
use super::rests::{AskedId, Rests, Waited};
use super::{Builder, WaitKind, Waiting};
use crate::polls::polls;
use crate::store::{CallRef, OpRef};
use crate::waits::Waits;

/// The entry of a call that waited for a message, and the kind of the message.
struct Noticed {
    location: LocationId,
    entry: usize,
    kind: AskedId,
}

fn is_receive(event: &Event) -> bool {
    matches!(event, Event::MpiRecv { .. } | Event::MpiIrecv { .. })
}

impl Builder<'_> {
    /// A call that completes receives waits for all their sends. Gives how long calls last after the sends of the
    /// messages that they waited for.
    pub(super) fn need_messages(&mut self) -> Rests {
        let trace = self.trace;
        let (mut rests, mut noticed) = (Rests::default(), Vec::new());
        let mut on: Vec<Need> = Vec::new();
        for location in trace.locations() {
            let ops = &trace.timeline(location).ops;
            let by_call = ops.has(is_receive).then(|| ops.by_call());
            for records in by_call.into_iter().flatten() {
                on.clear();
                let call = trace.call_of(OpRef { location, op: records.start as u32 });
                let last = self.sends_of(location, records, &mut on);
                if let (Some(call), Some(last)) = (call, last) {
                    let waited = self.waited(call, last);
                    let entry = self.graph.lines[location.index()].entries.len();
                    noticed.extend(rests.see(trace, &waited).map(|kind| Noticed { location, entry, kind }));
                    let (begin, exit, happened) = (waited.enter, waited.exit, waited.sent);
                    let kind = WaitKind::Completes;
                    self.push(&Waiting { call, begin, exit, happened, late: 0, on: &on, kind });
                }
            }
            for poll in polls(trace, location) {
                rests.see(trace, &poll.waited(trace, location));
            }
        }
        rests.settle();
        noticed.iter().for_each(|it| self.notice(it, &rests));
        rests
    }

    /// A call that noticed its message late waited so much longer.
    fn notice(&mut self, &Noticed { location, entry, kind }: &Noticed, rests: &Rests) {
        let entry = &mut self.graph.lines[location.index()].entries[entry];
        let exit = self.trace.exit(CallRef { location, call: entry.call });
        entry.resume += rests.beyond(kind, exit - entry.resume);
    }

    fn waited(&self, call: CallRef, send: OpRef) -> Waited {
        let (enter, exit) = (self.trace.enter(call), self.trace.exit(call));
        let sent = self.source_of(send).map_or(enter, |source| self.graph.source(source).at);
        Waited { send, to: call.location, probes: false, enter, sent, exit }
    }

    /// Collects the sends of the messages that records receive; gives the last.
    fn sends_of(&self, location: LocationId, records: Range<usize>, on: &mut Vec<Need>) -> Option<OpRef> {
        let ops = &self.trace.timeline(location).ops;
        let mut last: Option<(Ticks, OpRef)> = None;
        for number in records.filter(|&number| is_receive(ops.shape(number))) {
            let send = self.trace.links.partner(OpRef { location, op: number as u32 });
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
