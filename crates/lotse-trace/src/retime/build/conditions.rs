//! Barriers made of a condition: the last to come lets all go on, whoever that is in the changed run.

use super::{Builder, WaitKind, Waiting};
use crate::condition_barriers::{BarrierRound, ConditionBarriers};
use crate::store::CallRef;

impl Builder<'_> {
    /// All come to a meeting and go on when the last is there.
    pub(super) fn need_condition_barriers(&mut self) {
        let found = ConditionBarriers::new(self.trace);
        found.barriers.iter().flat_map(|barrier| &barrier.rounds).for_each(|round| self.need_round(round));
    }

    fn need_round(&mut self, round: &BarrierRound) {
        let trace = self.trace;
        let hub = self.new_hub();
        for call in round.waits.iter().chain([&round.broadcast]) {
            self.source(call.location, trace.enter(*call), call.call, Some(hub));
        }
        let released = trace.enter(round.broadcast);
        for &call in &round.waits {
            let (begin, exit) = (self.waits_from(call, released), trace.exit(call));
            let (happened, on) = (released, &[hub.into()]);
            self.push(&Waiting { call, begin, exit, happened, late: 0, on, kind: WaitKind::Other });
        }
        // Who came last in the recorded run may come earlier in another: then it waits as well, but without the mutex
        // that the others need.
        let call: CallRef = round.leaves;
        let (at, on) = (trace.exit(call), &[hub.into()]);
        self.push(&Waiting { call, begin: at, exit: at, happened: at, late: 0, on, kind: WaitKind::Other });
        self.meeting.extend(&round.waits);
    }
}
