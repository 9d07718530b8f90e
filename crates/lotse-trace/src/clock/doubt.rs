//! What corrected clocks cannot tell: waits shorter than the clocks are known to, and who of several came last.

use hashbrown::{HashMap, HashSet};
use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use super::{Correction, roles};
use crate::matching::Collective;
use crate::store::{CallRef, Trace};
use crate::waits::{Wait, Waits};

/// A trace whose clocks were corrected; where they were not, nothing is in doubt.
#[derive(Clone, Copy)]
pub(crate) struct Doubt<'a> {
    trace: &'a Trace,
    correction: Option<&'a Correction>,
}

/// Sums of doubtful waits, by the name of the metric, location and call path.
pub(crate) type Sums = HashMap<(&'static str, LocationId, PathId), Ticks>;

impl<'a> Doubt<'a> {
    pub(crate) fn new(trace: &'a Trace, correction: Option<&'a Correction>) -> Self {
        Self { trace, correction }
    }

    /// How far the clocks may be off by which a wait was measured; nothing where that is not bounded.
    pub(crate) fn uncertainty(&self, wait: &Wait) -> Option<Ticks> {
        let Some(correction) = self.correction else { return Some(0) };
        match wait.cause {
            Some(cause) => correction.certainty.between(wait.call.location, cause.location),
            // Whose clock it was measured by is not told.
            None if self.trace.class_of(self.trace.path(wait.call)).is_mpi() => {
                correction.certainty.from_any(wait.call.location)
            }
            None => Some(0),
        }
    }

    /// Whether a wait could as well be none.
    pub(crate) fn is_doubtful(&self, wait: &Wait) -> bool {
        self.uncertainty(wait).is_none_or(|uncertainty| wait.ticks() <= uncertainty)
    }

    /// All doubtful waits.
    pub(crate) fn sums(&self, waits: &Waits) -> Sums {
        let mut sums = Sums::new();
        if self.correction.is_none() {
            return sums;
        }
        for wait in waits.by_location.iter().flatten().filter(|wait| self.is_doubtful(wait)) {
            let Some(metric) = wait.metric else { continue };
            let sum = sums.entry((metric.id, wait.call.location, self.trace.path(wait.call))).or_insert(0);
            *sum = sum.saturating_add(wait.ticks());
        }
        sums
    }

    /// Calls of collectives to which two came last, as far as the clocks are known.
    pub(crate) fn contested(&self) -> HashSet<CallRef> {
        let mut calls = HashSet::new();
        if self.correction.is_none() {
            return calls;
        }
        for collective in &self.trace.links.collectives {
            let met = self.members(collective);
            if self.is_contested(&met) {
                calls.extend(met.iter().map(|role| role.left));
            }
        }
        calls
    }

    fn members(&self, collective: &Collective) -> Vec<roles::Role> {
        let members = collective.members.iter().filter_map(|&op| roles::role(self.trace, collective, op));
        members.filter(roles::Role::meets).collect()
    }

    fn is_contested(&self, met: &[roles::Role]) -> bool {
        let Some(correction) = self.correction else { return false };
        let came = |role: &roles::Role| self.trace.enter(role.came);
        let Some(last) = met.iter().max_by_key(|role| came(role)) else { return false };
        let others = met.iter().filter(|role| role.came != last.came);
        others.into_iter().any(|other| {
            let uncertainty = correction.certainty.between(last.came.location, other.came.location);
            uncertainty.is_none_or(|most| most > 0 && came(last) - came(other) <= most)
        })
    }
}
