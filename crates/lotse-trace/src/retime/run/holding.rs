//! Locks are acquired in the changed runs.

use lotse_model::id::LocationId;

use super::locks::Costs;
use super::{Entry, Run};
use crate::store::CallRef;

impl Run<'_> {
    /// A lock is acquired as soon as it is free.
    pub(super) fn acquire(&mut self, location: usize, entry: &Entry, holding: u32) {
        let held = self.graph.holdings[holding as usize];
        let before = self.cursors[location].clock;
        self.skip(location, entry.resume);
        let (hold, _) = self.elapsed(location, held.held.1);
        let call = CallRef { location: LocationId::from(location), call: entry.call };
        let factors = self.factors.of(location, self.trace.path(call));
        let costs = factors.map(|factor| Costs {
            if_free: factor.apply(held.if_free),
            hand_over: factor.apply(held.hand_over),
        });
        let (mut clock, after) = self.locks[held.lock as usize].acquire(&before, &hold, &costs);
        for lane in self.removed_lanes(location, entry.call) {
            clock[lane] = before[lane] + costs[lane].if_free;
        }
        let cursor = &mut self.cursors[location];
        cursor.clock = clock;
        if let (Some(bindings), Some(after)) = (&mut self.bindings, after) {
            bindings.entry[location][cursor.entry] = Some(after.into());
        }
    }
}
