//! Messages with a changed latency.

use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;

use super::{GraphEntry, Lanes, Need, Simulation};
use crate::store::CallRef;

/// The latest time of an arrival: times of the simulation can be added without overflow.
const LATEST: Ticks = Ticks::MAX / 4;

impl<const N: usize> Simulation<'_, N> {
    /// The end of the wait of a receive, in each lane with a changed latency.
    ///
    /// The receive ends when it has done its own work and every message has arrived: at
    /// `max(E + own, S + transfer + latency)`, where `transfer + latency` is at least `own`. The wait ends earlier by the rest
    /// of the call. `before` is the time at which the receive is entered.
    pub(super) fn receive_end(
        &mut self,
        location: usize,
        entry: &GraphEntry,
        needs: &[Need],
        before: &Lanes<N>,
    ) -> Lanes<N> {
        let mut clock = self.cursors[location].clock;
        let Some(transfers) = &self.transfers else { return clock };
        let on = self.cursors[location].on;
        let call = CallRef { location: LocationId::from(on), call: entry.call };
        let receive = transfers.receive(self.trace, call);
        let rest = self.trace.exit(call).saturating_sub(entry.resume);
        let factors = *self.factors.factors_of(on, self.trace.path(call));
        let removed = self.removed[on].get(entry.call as usize).copied().unwrap_or(0);
        for (lane, change) in self.changes.iter().enumerate() {
            if change.latency == 0 || removed >> lane & 1 == 1 {
                continue;
            }
            let own = factors[lane].apply(receive.own);
            let mut end = before[lane].saturating_add(own);
            let mut last = None;
            for (&need, &transfer) in needs.iter().zip(&receive.transfers) {
                let in_transit = factors[lane].apply(transfer).saturating_add_signed(change.latency).max(own);
                let point = self.graph.point(need);
                let arrival = self.times.time_of(point)[lane].saturating_add(in_transit);
                // A need that was cut out of a cycle has not happened.
                if self.unmet[point] == 0 && arrival > end {
                    (end, last) = (arrival, Some(need));
                }
            }
            clock[lane] = end.min(LATEST).saturating_sub(factors[lane].apply(rest));
            if let (0, Some(bindings)) = (lane, &mut self.bindings) {
                bindings.entry[on][self.cursors[location].entry] = last;
            }
        }
        clock
    }
}
