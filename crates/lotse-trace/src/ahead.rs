//! Looks at what records point to before it is needed.
//!
//! The other ends of records lie far apart in memory. Whoever goes from record to record and asks about the other end of
//! each waits for memory each time. Looked at one right after the other, with nothing decided in between, many of them
//! are on their way to the processor at a time; then they are in its cache when they are asked for.

use std::hint::black_box;

use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;

use crate::store::{OpRef, Trace};

/// Records whose other ends are looked at together. Their rows and calls are some kilobytes, less than a cache.
const TOGETHER: usize = 64;

/// The records of a location, whose other ends are looked at some records ahead.
#[derive(Debug)]
pub(crate) struct Ahead<'a> {
    trace: &'a Trace,
    location: LocationId,
    /// The first record whose other end has not been looked at.
    next: usize,
}

impl<'a> Ahead<'a> {
    pub(crate) fn new(trace: &'a Trace, location: LocationId) -> Self {
        Self { trace, location, next: 0 }
    }

    /// The record of this number is asked about next. Numbers come in their order.
    #[inline]
    pub(crate) fn come_to(&mut self, number: usize) {
        if number >= self.next {
            self.look(number);
        }
    }

    fn look(&mut self, first: usize) {
        let trace = self.trace;
        self.next = (first + TOGETHER).min(trace.timeline(self.location).ops.len());
        let location = self.location;
        let ends = || {
            let ops = (first..self.next).map(|number| OpRef { location, op: number as u32 });
            ops.filter_map(|op| trace.links.partner(op))
        };
        let at = |op: OpRef| trace.timeline(op.location).ops.at(op.op as usize);
        black_box(ends().map(at).fold(0, Ticks::max));
        // Of messages it is asked when their calls began; of locks it is not.
        if trace.links.messages > 0 {
            let calls = ends().filter_map(|op| trace.call_of(op));
            black_box(calls.map(|call| trace.enter(call)).fold(0, Ticks::max));
        }
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::LocationId;

    use super::{Ahead, TOGETHER};
    use crate::fixture::Script;

    #[test]
    fn no_record_is_looked_at_twice_or_beyond_the_last() {
        let mut script = Script::processes(2);
        for message in 0..TOGETHER as u64 + 10 {
            script.send(0, 10 * message, 10 * message + 1, 1, 0);
            script.recv(1, 10 * message + 2, 10 * message + 3, 0, 0);
        }
        let trace = script.trace();
        let mut ahead = Ahead::new(&trace, LocationId(1));
        let looked = [0, 1, TOGETHER - 1, TOGETHER, TOGETHER + 9].map(|number| {
            ahead.come_to(number);
            ahead.next
        });
        let all = TOGETHER + 10;
        assert_eq!(looked, [TOGETHER, TOGETHER, TOGETHER, all, all]);
    }
}
