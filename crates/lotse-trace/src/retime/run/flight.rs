//! Messages whose latency is changed.

use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;

use super::{Entry, Lanes, Need, Run};
use crate::store::CallRef;

/// Later than this nothing is said to come: times of the run can be added without counting beyond all ticks.
const LATEST: Ticks = Ticks::MAX / 4;

impl<const N: usize> Run<'_, N> {
    /// Where messages take longer or shorter, a receive ends when it has done its own part and every message has
    /// come: `max(E + own, S + transfer + latency)`, a message taking as long as its receive at least. `before` is
    /// when the receive is entered in each changed run; gives when what follows its wait begins.
    pub(super) fn fly(
        &mut self,
        location: usize,
        entry: &Entry,
        needs: &[Need],
        before: &Lanes<N>,
    ) -> Lanes<N> {
        let mut clock = self.cursors[location].clock;
        let Some(transfers) = &self.transfers else { return clock };
        let on = self.cursors[location].on;
        let call = CallRef { location: LocationId::from(on), call: entry.call };
        let receive = transfers.receive(self.trace, call);
        let rest = self.trace.exit(call).saturating_sub(entry.resume);
        let factors = *self.factors.of(on, self.trace.path(call));
        let removed = self.removed[on].get(entry.call as usize).copied().unwrap_or(0);
        for (lane, change) in self.changes.iter().enumerate() {
            if change.latency == 0 || removed >> lane & 1 == 1 {
                continue;
            }
            let own = factors[lane].apply(receive.own);
            let mut end = before[lane].saturating_add(own);
            let mut last = None;
            for (&need, &transfer) in needs.iter().zip(&receive.transfers) {
                let on_its_way = factors[lane].apply(transfer).saturating_add_signed(change.latency).max(own);
                let point = self.graph.point(need);
                let came = self.when.of(point)[lane].saturating_add(on_its_way);
                // What was cut out of a circle has not happened.
                if self.left[point] == 0 && came > end {
                    (end, last) = (came, Some(need));
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
