//! The iterations around events and operations.

use super::{Context, Engine};
use crate::access::Iteration;
use crate::code::chains::CallId;
use crate::decode::thread::{Entered, ThreadState};

impl Engine<'_, '_> {
    /// A basic block begins in a frame, below a call stack.
    pub(super) fn block_begins(
        &mut self,
        thread: &mut ThreadState,
        context: &Context<'_>,
        pc: u32,
        (frame, stack): (u64, u32),
    ) {
        let (function, is_entry) = self.guard(pc);
        let entered = Entered { frame, function, stack, is_entry };
        thread.guard(entered, |around| self.context(around, context, stack));
        if is_entry {
            self.enter(thread, context, function, stack);
        }
        self.advance(thread, function, pc);
    }

    /// A function is entered: its loops begin anew, and its caller is at the call.
    pub(super) fn enter(
        &mut self,
        thread: &mut ThreadState,
        context: &Context<'_>,
        function: u64,
        stack: u32,
    ) {
        if let Some((position, left)) = thread.position(function) {
            position.restart(left);
        }
        let caller = context.stacks.stacks.get(&stack).and_then(|list| self.image.relative(*list.first()?));
        if let Some(place) = caller.and_then(|place| u32::try_from(place).ok()) {
            let outer = self.function(place);
            if outer != function {
                self.advance(thread, outer, place);
            }
        }
    }

    /// A function is at a place now.
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

    /// The iteration of the innermost loop around the present event, or around an operation under way.
    pub(super) fn iteration(&mut self, thread: &ThreadState, operation: Option<CallId>) -> Option<Iteration> {
        for running in thread.running.iter().rev() {
            for (number, iteration) in running.position.iterations() {
                let Some(call) = operation else { return Some(iteration) };
                let header = self.flows.header_place(running.function, number)?;
                let chain = self.chain(running.context, u32::try_from(header).ok()?);
                if !self.decoded.book.chains[chain.0 as usize].calls.contains(&call) {
                    return Some(iteration);
                }
            }
        }
        None
    }

    /// Looks up the iterations of operations that began with the present event.
    pub(super) fn place_operations(&mut self, thread: &mut ThreadState) {
        for at in 0..thread.active.len() {
            if thread.active[at].iteration.is_none() {
                let call = thread.active[at].call;
                thread.active[at].iteration = Some(self.iteration(thread, Some(call)));
            }
        }
    }
}
