//! Records for each entered loop the loop around it and its source line.

use super::Engine;
use crate::access::Iteration;
use crate::code::loop_site::loop_lines;
use crate::decode::thread::{RunningFunction, ThreadState};

impl Engine<'_, '_> {
    /// A running function entered `entered` nested loops.
    pub(super) fn loops_entered(&mut self, thread: &ThreadState, function: u64, entered: usize) {
        let Some(at) = thread.running.iter().rposition(|running| running.function == function) else {
            return;
        };
        let (outer, running) = (&thread.running[..at], &thread.running[at]);
        let loops: Vec<_> = running.position.iterations().collect();
        for depth in (0..entered.min(loops.len())).rev() {
            let (number, iteration) = loops[depth];
            let around = loops.get(depth + 1).map(|(_, iteration)| *iteration);
            let parent = around.or_else(|| innermost(outer));
            self.decoded.tables.codes.loops.record_entry(iteration.loop_id, parent);
            if self.located.insert((iteration.loop_id, running.context)) {
                let carried = self.flows.carried(function, number);
                self.decoded.tables.codes.loops.set_carried(iteration.loop_id, carried);
                let body = || self.flows.body(self.image, function, number);
                self.decoded.tables.codes.loops.set_body(iteration.loop_id, body);
                let places = self.flows.border_places(function, number);
                let lines = loop_lines(self.image, &places, self.contexts.callers(running.context));
                self.decoded.tables.codes.loops.record_lines(iteration.loop_id, lines);
            }
        }
    }
}

/// The iteration of the innermost active loop of running functions.
fn innermost(outer: &[RunningFunction]) -> Option<Iteration> {
    outer.iter().rev().find_map(|running| Some(running.position.iterations().next()?.1))
}
