//! Results that corrected clocks leave in doubt: waits shorter than the uncertainty of the clocks, and which of several
//! members was the last to arrive.

use hashbrown::{HashMap, HashSet};
use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use super::{Correction, roles};
use crate::matching::Collective;
use crate::store::{CallRef, Trace};
use crate::waits::{Wait, Waits};

/// A trace and its clock correction. Without a correction nothing is in doubt.
#[derive(Clone, Copy)]
pub(crate) struct Doubt<'a> {
    trace: &'a Trace,
    correction: Option<&'a Correction>,
}

/// Sums of doubtful waits, by the name of the metric, location and call path.
pub(crate) type DoubtfulSums = HashMap<(&'static str, LocationId, PathId), Ticks>;

impl<'a> Doubt<'a> {
    pub(crate) fn new(trace: &'a Trace, correction: Option<&'a Correction>) -> Self {
        Self { trace, correction }
    }

    /// The uncertainty of the clocks with which a wait was measured; none if it is not bounded.
    pub(crate) fn uncertainty(&self, wait: &Wait) -> Option<Ticks> {
        let Some(correction) = self.correction else { return Some(0) };
        match wait.cause {
            Some(cause) => correction.certainty.between(wait.call.location, cause.location),
            // The other clock is not known.
            None if self.trace.class_of(self.trace.path(wait.call)).is_mpi() => {
                correction.certainty.from_any(wait.call.location)
            }
            None => Some(0),
        }
    }

    /// Whether there may have been no wait at all.
    pub(crate) fn is_doubtful(&self, wait: &Wait) -> bool {
        self.uncertainty(wait).is_none_or(|uncertainty| wait.ticks() <= uncertainty)
    }

    /// The sums of all doubtful waits.
    pub(crate) fn sums(&self, waits: &Waits) -> DoubtfulSums {
        let mut sums = DoubtfulSums::new();
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

    /// Calls of collectives for which the uncertainty of the clocks leaves open which member arrived last.
    pub(crate) fn contested(&self) -> HashSet<CallRef> {
        let mut calls = HashSet::new();
        if self.correction.is_none() {
            return calls;
        }
        for collective in &self.trace.links.collectives {
            let roles = self.members(collective);
            if self.is_contested(&roles) {
                calls.extend(roles.iter().map(|role| role.left));
            }
        }
        calls
    }

    fn members(&self, collective: &Collective) -> Vec<roles::CollectiveRole> {
        let members = collective.members.iter().filter_map(|&op| roles::role(self.trace, collective, op));
        members.filter(roles::CollectiveRole::is_synchronising).collect()
    }

    fn is_contested(&self, roles: &[roles::CollectiveRole]) -> bool {
        let Some(correction) = self.correction else { return false };
        let entered = |role: &roles::CollectiveRole| self.trace.enter(role.entered);
        let Some(last) = roles.iter().max_by_key(|role| entered(role)) else { return false };
        let others = roles.iter().filter(|role| role.entered != last.entered);
        others.into_iter().any(|other| {
            let uncertainty = correction.certainty.between(last.entered.location, other.entered.location);
            uncertainty.is_none_or(|most| most > 0 && entered(last) - entered(other) <= most)
        })
    }
}
