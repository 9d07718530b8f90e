//! Loops that are entered: within which other loop, and at which line of the source.

use super::Engine;
use crate::access::Iteration;
use crate::code::loop_site::loop_lines;
use crate::decode::thread::{Running, ThreadState};

impl Engine<'_, '_> {
    /// A function that runs entered so many loops, one within the other.
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
            self.decoded.book.codes.loops.entered(iteration.of_loop, parent);
            if self.placed.insert((iteration.of_loop, running.context)) {
                let carried = self.flows.carried(function, number);
                self.decoded.book.codes.loops.carries(iteration.of_loop, carried);
                let body = || self.flows.body(self.image, function, number);
                self.decoded.book.codes.loops.has_body(iteration.of_loop, body);
                let places = self.flows.border_places(function, number);
                let lines = loop_lines(self.image, &places, self.contexts.callers(running.context));
                self.decoded.book.codes.loops.placed(iteration.of_loop, lines);
            }
        }
    }
}

/// The iteration of the innermost loop of functions that run.
fn innermost(outer: &[Running]) -> Option<Iteration> {
    outer.iter().rev().find_map(|running| Some(running.position.iterations().next()?.1))
}
