//! Messages whose latency is changed.

use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;

use super::{Entry, Lanes, NOBODY, Run, scaled};
use crate::store::CallRef;

/// Later than this nothing is said to come: times of the run can be added without counting beyond all ticks.
const LATEST: Ticks = Ticks::MAX / 4;

impl Run<'_> {
    /// Where messages take longer or shorter, a receive ends when it has done its own part and every message has
    /// come: `max(E + own, S + transfer + latency)`, a message taking as long as its receive at least. `before` is
    /// when the receive is entered in each changed run; gives when what follows its wait begins.
    pub(super) fn fly(&mut self, location: usize, entry: &Entry, needs: &[u32], before: &Lanes) -> Lanes {
        let mut clock = self.cursors[location].clock;
        let Some(transfers) = &self.transfers else { return clock };
        let call = CallRef { location: LocationId::from(location), call: entry.call };
        let receive = transfers.receive(self.trace, call);
        let rest = self.trace.exit(call).saturating_sub(entry.resume);
        let group = self.factors.group[self.trace.path(call).index()];
        let factors = self.factors.groups[usize::from(group)];
        let removed = self.removed[location].get(entry.call as usize).copied().unwrap_or(0);
        for (lane, change) in self.changes.iter().enumerate() {
            if change.latency == 0 || removed >> lane & 1 == 1 {
                continue;
            }
            let own = scaled(receive.own, factors[lane]);
            let mut end = before[lane].saturating_add(own);
            let mut last = NOBODY;
            for (&need, &transfer) in needs.iter().zip(&receive.transfers) {
                let on_its_way =
                    scaled(transfer, factors[lane]).saturating_add_signed(change.latency).max(own);
                let came = self.when.of(need)[lane].saturating_add(on_its_way);
                // What was cut out of a circle has not happened.
                if self.left[need as usize] == 0 && came > end {
                    (end, last) = (came, need);
                }
            }
            clock[lane] = end.min(LATEST).saturating_sub(scaled(rest, factors[lane]));
            if let (0, Some(bindings)) = (lane, &mut self.bindings) {
                bindings.entry[location][self.cursors[location].entry] = last;
            }
        }
        clock
    }
}
