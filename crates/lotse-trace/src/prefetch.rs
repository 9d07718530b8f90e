//! Software prefetch: loads the partners of the next records into the cache before they are needed.
//!
//! The partner of a record (the receive of a send, the release before an acquisition) usually lies far away in memory.
//! A loop that handles one record after the other would stall on a cache miss for each partner. Here the partners of a
//! whole batch are read back to back, without branches on their values, so that the processor has many cache misses
//! outstanding at the same time. When the loop comes to these records, their partners are in the cache.

use std::hint::black_box;

use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;

use crate::store::{OpRef, Trace};

/// Number of records whose partners are loaded at once. Their rows and calls take a few kilobytes, less than an L1 cache.
const BATCH: usize = 64;

/// Prefetches the partners of one location's records, batch by batch.
#[derive(Debug)]
pub(crate) struct Prefetch<'a> {
    trace: &'a Trace,
    location: LocationId,
    /// The first record whose partner has not been loaded.
    next: usize,
}

impl<'a> Prefetch<'a> {
    pub(crate) fn new(trace: &'a Trace, location: LocationId) -> Self {
        Self { trace, location, next: 0 }
    }

    /// Announces that the record of this number is handled next; loads the next batch if its partner is not loaded yet.
    /// Numbers must not decrease from call to call.
    #[inline]
    pub(crate) fn advance_to(&mut self, number: usize) {
        if number >= self.next {
            self.load_batch(number);
        }
    }

    fn load_batch(&mut self, first: usize) {
        let trace = self.trace;
        self.next = (first + BATCH).min(trace.timeline(self.location).ops.len());
        let location = self.location;
        let partners = || {
            let ops = (first..self.next).map(|number| OpRef { location, op: number as u32 });
            ops.filter_map(|op| trace.links.partner(op))
        };
        let at = |op: OpRef| trace.timeline(op.location).ops.at(op.op as usize);
        black_box(partners().map(at).fold(0, Ticks::max));
        // The patterns of messages read when the partner's call began; those of locks do not.
        if trace.links.messages > 0 {
            let calls = partners().filter_map(|op| trace.call_of(op));
            black_box(calls.map(|call| trace.enter(call)).fold(0, Ticks::max));
        }
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::LocationId;

    use super::{BATCH, Prefetch};
    use crate::fixture::Script;

    #[test]
    fn each_batch_is_loaded_once_and_ends_at_the_last_record() {
        let mut script = Script::processes(2);
        for message in 0..BATCH as u64 + 10 {
            script.send(0, 10 * message, 10 * message + 1, 1, 0);
            script.recv(1, 10 * message + 2, 10 * message + 3, 0, 0);
        }
        let trace = script.trace();
        let mut prefetch = Prefetch::new(&trace, LocationId(1));
        let loaded_until = [0, 1, BATCH - 1, BATCH, BATCH + 9].map(|number| {
            prefetch.advance_to(number);
            prefetch.next
        });
        let all = BATCH + 10;
        assert_eq!(loaded_until, [BATCH, BATCH, BATCH, all, all]);
    }
}
