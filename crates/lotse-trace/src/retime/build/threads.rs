//! Threads begin when they are asked to, and who waits for a thread needs its end.

use lotse_model::trace::Event;

use super::super::graph::{Entry, What};
use super::{Builder, WaitKind, Waiting};
use crate::store::OpRef;

impl Builder<'_> {
    /// What threads need of each other's beginnings and ends.
    pub(super) fn need_threads(&mut self) {
        let trace = self.trace;
        for location in trace.locations() {
            let ops = &trace.timeline(location).ops;
            let tells = |event: &Event| {
                matches!(
                    event,
                    Event::ThreadWait { .. } | Event::TeamBegin { .. } | Event::ThreadBegin { .. }
                )
            };
            if !ops.has(tells) {
                continue;
            }
            for (number, op) in (0..).zip(ops) {
                match op.shape() {
                    Event::ThreadWait { .. } => self.need_end(OpRef { location, op: number }),
                    Event::TeamBegin { .. } | Event::ThreadBegin { .. } => {
                        self.need_start(OpRef { location, op: number });
                    }
                    _ => {}
                }
            }
        }
    }

    fn need_end(&mut self, op: OpRef) {
        let (Some(call), Some(partner)) = (self.trace.call_of(op), self.trace.links.partner(op)) else {
            return;
        };
        let Some(source) = self.source_of(partner) else { return };
        let happened = self.graph.source(source).at;
        let (begin, exit) = (self.trace.enter(call), self.trace.op(op).at);
        self.push(&Waiting {
            call,
            begin,
            exit,
            happened,
            on: &[source.into()],
            late: 0,
            kind: WaitKind::Other,
        });
    }

    /// A thread's part begins some time after it was asked to; before that it idled.
    fn need_start(&mut self, op: OpRef) {
        let Some(partner) = self.trace.links.partner(op) else { return };
        let Some(source) = self.source_of(partner) else { return };
        let timeline = self.trace.timeline(op.location);
        let at = self.trace.op(op).at;
        let before = op.op.checked_sub(1).map_or(timeline.first, |before| timeline.ops.at(before as usize));
        let step =
            timeline.at.partition_point(|&step| step < at).checked_sub(1).map(|step| timeline.at[step]);
        let begin = before.max(step.unwrap_or(timeline.first)).min(at);
        let call = self.place(op);
        let line = &mut self.graph.lines[op.location.index()];
        let what = What::Starts { need: line.needs.len() as u32 };
        line.needs.push(source.into());
        line.entries.push(Entry { at: begin, resume: at, what, call });
    }
}
