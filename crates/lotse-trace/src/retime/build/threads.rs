//! Threads begin after their creation or fork, and a wait for a thread depends on its end.

use lotse_model::trace::Event;

use super::super::graph::{EntryKind, GraphEntry};
use super::{Builder, NewWait, WaitKind};
use crate::store::OpRef;

impl Builder<'_> {
    /// Adds the begins of threads and teams, and the waits for the ends of threads.
    pub(super) fn add_thread_waits(&mut self) {
        let trace = self.trace;
        for location in trace.locations() {
            let ops = &trace.timeline(location).ops;
            let is_about_threads = |event: &Event| {
                matches!(
                    event,
                    Event::ThreadWait { .. } | Event::TeamBegin { .. } | Event::ThreadBegin { .. }
                )
            };
            if !ops.has(is_about_threads) {
                continue;
            }
            for (number, op) in (0..).zip(ops) {
                match op.shape() {
                    Event::ThreadWait { .. } => self.add_wait_for_end(OpRef { location, op: number }),
                    Event::TeamBegin { .. } | Event::ThreadBegin { .. } => {
                        self.add_thread_start(OpRef { location, op: number });
                    }
                    _ => {}
                }
            }
        }
    }

    fn add_wait_for_end(&mut self, op: OpRef) {
        let (Some(call), Some(partner)) = (self.trace.call_of(op), self.trace.links.partner(op)) else {
            return;
        };
        let Some(source) = self.source_of(partner) else { return };
        let happened = self.graph.source(source).at;
        let (begin, exit) = (self.trace.enter(call), self.trace.op(op).at);
        self.add_wait(&NewWait {
            call,
            begin,
            exit,
            happened,
            needs: &[source.into()],
            late: 0,
            kind: WaitKind::Other,
        });
    }

    /// A thread begins some time after its creation or fork; before that it idles.
    fn add_thread_start(&mut self, op: OpRef) {
        let Some(partner) = self.trace.links.partner(op) else { return };
        let Some(source) = self.source_of(partner) else { return };
        let timeline = self.trace.timeline(op.location);
        let at = self.trace.op(op).at;
        let before = op.op.checked_sub(1).map_or(timeline.first, |before| timeline.ops.at(before as usize));
        let step =
            timeline.at.partition_point(|&step| step < at).checked_sub(1).map(|step| timeline.at[step]);
        let begin = before.max(step.unwrap_or(timeline.first)).min(at);
        let call = self.order_call(op);
        let table = &mut self.graph.tables[op.location.index()];
        let kind = EntryKind::Starts { need: table.needs.len() as u32 };
        table.needs.push(source.into());
        table.entries.push(GraphEntry { at: begin, resume: at, kind, call });
    }
}
