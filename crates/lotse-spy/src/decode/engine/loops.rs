//! Finds the loop iterations around events and operations.

use super::{Engine, EventOrigin};
use crate::access::Iteration;
use crate::code::chains::CallId;
use crate::decode::thread::{BlockEntry, ThreadState};

impl Engine<'_, '_> {
    /// Handles a guard: a basic block begins in a frame, below a call stack.
    pub(super) fn block_begins(
        &mut self,
        thread: &mut ThreadState,
        origin: &EventOrigin<'_>,
        pc: u32,
        (frame, stack): (u64, u32),
    ) {
        let (function, is_entry) = self.guard(pc);
        let entered = BlockEntry { frame, function, stack, is_entry };
        thread.guard(entered, |around| self.context(around, origin, stack));
        if is_entry {
            self.enter(thread, origin, function, stack);
        }
        self.advance(thread, function, pc);
    }

    /// A function is entered: its loops start anew, and the position of its caller moves to the call.
    pub(super) fn enter(
        &mut self,
        thread: &mut ThreadState,
        origin: &EventOrigin<'_>,
        function: u64,
        stack: u32,
    ) {
        if let Some((position, left)) = thread.position(function) {
            position.restart(left);
        }
        let caller = origin.stacks.stacks.get(&stack).and_then(|list| self.image.relative(*list.first()?));
        if let Some(place) = caller.and_then(|place| u32::try_from(place).ok()) {
            let outer = self.function(place);
            if outer != function {
                self.advance(thread, outer, place);
            }
        }
    }

    /// Moves the position of a function to a place.
    pub(super) fn advance(&mut self, thread: &mut ThreadState, function: u64, place: u32) {
        if let Some((position, left)) = thread.position(function) {
            let clock = (&mut self.clock, left);
            let entered =
                self.flows.advance(self.image, &mut self.decoded.loops, (function, place), position, clock);
            if entered > 0 {
                self.loops_entered(thread, function, entered);
            }
        }
    }

    /// The iteration of the innermost loop around the current event, or around an active operation.
    pub(super) fn iteration(&mut self, thread: &ThreadState, operation: Option<CallId>) -> Option<Iteration> {
        for running in thread.running.iter().rev() {
            for (number, iteration) in running.position.iterations() {
                let Some(call) = operation else { return Some(iteration) };
                let header = self.flows.header_place(running.function, number)?;
                let chain = self.chain(running.context, u32::try_from(header).ok()?);
                if !self.decoded.tables.chains[chain.0 as usize].calls.contains(&call) {
                    return Some(iteration);
                }
            }
        }
        None
    }

    /// Looks up the iterations of operations that began with the current event.
    pub(super) fn look_up_iterations(&mut self, thread: &mut ThreadState) {
        for at in 0..thread.active.len() {
            if thread.active[at].iteration.is_none() {
                let call = thread.active[at].call;
                thread.active[at].iteration = Some(self.iteration(thread, Some(call)));
            }
        }
    }
}
