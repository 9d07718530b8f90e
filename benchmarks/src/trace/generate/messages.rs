//! The workload of messages: a ring that exchanges after every short piece of computing, and reductions.

use lotse_model::trace::{CollectiveOp, EventSink};

use super::process::Rank;
use super::{DRIFT, LATENCY, World, regions};

/// All reduce after so many steps.
const REDUCTION: u64 = 8;
/// Computing 2, MPI_Irecv 3, MPI_Isend 3, MPI_Waitall 4, and an eighth of the 4 of MPI_Allreduce.
pub(super) const EVENTS_OF_STEP: f64 = 12.0 + 4.0 / REDUCTION as f64;

impl<S: EventSink> World<'_, S> {
    /// Everyone computes, sends to its right, waits for its left; now and then all reduce.
    pub(super) fn exchange_and_reduce(&mut self, step: u64) {
        let count = self.ranks.len();
        for (number, rank) in self.ranks.iter_mut().enumerate() {
            if step.is_multiple_of(DRIFT) {
                rank.drift();
            }
            rank.enter(regions::STENCIL);
            rank.compute(4000);
            rank.leave(regions::STENCIL);
            rank.post_receive();
            let (right, bytes) = ((number + 1) % count, rank.message_length());
            let sent = rank.send_on(right as u32, bytes);
            self.arrivals[right] = sent + LATENCY + bytes / 8;
        }
        let lengths: Vec<u64> = self.ranks.iter().map(Rank::sent_length).collect();
        for (number, rank) in self.ranks.iter_mut().enumerate() {
            let left = (number + count - 1) % count;
            rank.wait_all(left as u32, lengths[left], self.arrivals[number]);
        }
        if step % REDUCTION == REDUCTION - 1 {
            self.meet(regions::ALLREDUCE, CollectiveOp::Allreduce, 8);
        }
    }
}
