//! Barriers made of a condition variable: the last thread to arrive releases the others. In a simulation this may be another
//! thread than in the recorded execution.

use super::{Builder, NewWait, WaitKind};
use crate::condition_barriers::{BarrierRound, ConditionBarriers};
use crate::store::CallRef;

impl Builder<'_> {
    /// Adds a hub for each round of each barrier.
    pub(super) fn add_condition_barriers(&mut self) {
        let found = ConditionBarriers::new(self.trace);
        found.barriers.iter().flat_map(|barrier| &barrier.rounds).for_each(|round| self.add_round(round));
    }

    fn add_round(&mut self, round: &BarrierRound) {
        let trace = self.trace;
        let hub = self.new_hub();
        for call in round.waits.iter().chain([&round.broadcast]) {
            self.source(call.location, trace.enter(*call), call.call, Some(hub));
        }
        let released = trace.enter(round.broadcast);
        for &call in &round.waits {
            let (begin, exit) = (self.waits_from(call, released), trace.exit(call));
            let (happened, needs) = (released, &[hub.into()]);
            self.add_wait(&NewWait { call, begin, exit, happened, late: 0, needs, kind: WaitKind::Other });
        }
        // The thread that arrived last in the recorded execution may arrive earlier in a simulation. Then it waits as well,
        // after it has released the mutex that the others need.
        let call: CallRef = round.leaves;
        let (at, needs) = (trace.exit(call), &[hub.into()]);
        self.add_wait(&NewWait {
            call,
            begin: at,
            exit: at,
            happened: at,
            late: 0,
            needs,
            kind: WaitKind::Other,
        });
        self.condition_waits.extend(&round.waits);
    }
}
