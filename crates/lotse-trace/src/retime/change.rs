//! The change that a what-if simulation applies.

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use super::Factor;
use crate::critical::Segment;
use crate::store::CallRef;
use crate::waits::Wait;

/// A hypothetical change of the recorded execution.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Change {
    /// Call paths whose exclusive time becomes longer or shorter. Of several for the same path and location the last counts.
    pub scaled: Vec<Scaled>,
    /// Whether all time in MPI except waiting vanishes.
    pub ideal_network: bool,
    /// Ticks by which messages arrive later; negative for earlier, but not before they could be received.
    pub latency: i64,
    /// Waits for other locations that do not happen. If a call waited for something else as well, it still does.
    pub removed: Vec<Removed>,
    /// Intervals that vanish.
    pub spans: Vec<Segment>,
    /// Time that is inserted before requests of locks.
    pub inserted: Vec<Extra>,
    /// Intervals that become longer or shorter. Those of one location do not overlap, and their call paths are not scaled.
    pub stretched: Vec<Stretched>,
}

/// An interval of exclusive time of a call path on a location, with a new length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretched {
    pub location: LocationId,
    pub path: PathId,
    pub from: Ticks,
    pub to: Ticks,
    /// The new length.
    pub becomes: Ticks,
}

/// A wait for another location that does not happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Removed {
    pub call: CallRef,
    pub from: Ticks,
    pub to: Ticks,
}

/// Time that a location spends before it requests a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extra {
    /// The call that requests the lock.
    pub before: CallRef,
    /// The call path to which the time is charged.
    pub path: PathId,
    pub ticks: Ticks,
}

/// A call path whose exclusive time is multiplied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scaled {
    pub path: PathId,
    /// All locations if none is given.
    pub location: Option<LocationId>,
    pub factor: Factor,
}

impl Stretched {
    /// The new length of a part of the interval.
    pub(super) fn apply(&self, part: Ticks) -> Ticks {
        let length = u128::from(self.to - self.from).max(1);
        u64::try_from(u128::from(part) * u128::from(self.becomes) / length).unwrap_or(Ticks::MAX)
    }
}

impl Change {
    /// No change.
    pub fn none() -> Self {
        Self::default()
    }

    /// Multiplies the exclusive time of call paths on all locations.
    pub fn scaled(paths: impl IntoIterator<Item = PathId>, factor: Factor) -> Self {
        let scaled = |path| Scaled { path, location: None, factor };
        Self { scaled: paths.into_iter().map(scaled).collect(), ..Self::default() }
    }

    /// Whether it equals another change apart from `ideal_network`.
    pub(super) fn is_same_but_network(&self, other: &Self) -> bool {
        (&self.scaled, &self.removed, self.latency) == (&other.scaled, &other.removed, other.latency)
            && (&self.spans, &self.inserted) == (&other.spans, &other.inserted)
            && self.stretched == other.stretched
    }

    /// Removes a wait. A wait without a cause, such as leaving a collective late, is removed as an interval of its call.
    /// Other waits are left out of the simulation: the call ends when it would have ended without them.
    pub fn remove(&mut self, wait: &Wait) {
        let (location, from, to) = (wait.call.location, wait.begin, wait.end);
        match wait.cause {
            Some(_) => self.removed.push(Removed { call: wait.call, from, to }),
            None => self.spans.push(Segment { location, from, to }),
        }
    }

    /// All time in MPI except waiting vanishes.
    pub fn ideal_network() -> Self {
        Self { ideal_network: true, ..Self::default() }
    }
}
