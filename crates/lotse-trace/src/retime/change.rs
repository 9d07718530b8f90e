//! What is changed in a run.

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use super::Factor;
use crate::critical::Segment;
use crate::store::CallRef;
use crate::waits::Wait;

/// One way in which the run is changed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Change {
    /// Call paths whose own time becomes longer or shorter. Of several for one place the last counts.
    pub scaled: Vec<Scaled>,
    /// Whether all time in MPI but waiting vanishes.
    pub ideal_network: bool,
    /// Ticks by which messages arrive later; negative: earlier, but not before they could be received.
    pub latency: i64,
    /// Waits for others that do not happen. What their calls waited for beyond them, they still wait for.
    pub removed: Vec<Removed>,
    /// Pieces of time that vanish.
    pub spans: Vec<Segment>,
    /// Time that is spent before locks are asked for.
    pub inserted: Vec<Extra>,
    /// Pieces of time that become longer or shorter. Those of one location do not overlap, and the call paths that they are
    /// in are not scaled.
    pub stretched: Vec<Stretched>,
}

/// A piece of a call path's own time on a location that takes another time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretched {
    /// Where.
    pub location: LocationId,
    /// In which call path.
    pub path: PathId,
    /// From when.
    pub from: Ticks,
    /// Until when.
    pub to: Ticks,
    /// How long it takes instead.
    pub becomes: Ticks,
}

/// A wait for others that does not happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Removed {
    /// The waiting call.
    pub call: CallRef,
    /// From when it waited.
    pub from: Ticks,
    /// Until when.
    pub to: Ticks,
}

/// Time that a location spends before it asks for a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extra {
    /// The call that asks for it.
    pub before: CallRef,
    /// In which call path.
    pub path: PathId,
    /// How long.
    pub ticks: Ticks,
}

/// A call path whose own time is multiplied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scaled {
    /// Which.
    pub path: PathId,
    /// Where; everywhere without.
    pub location: Option<LocationId>,
    /// By what.
    pub factor: Factor,
}

impl Stretched {
    /// How long a part of the piece takes instead.
    pub(super) fn apply(&self, part: Ticks) -> Ticks {
        let whole = u128::from(self.to - self.from).max(1);
        u64::try_from(u128::from(part) * u128::from(self.becomes) / whole).unwrap_or(Ticks::MAX)
    }
}

impl Change {
    /// Nothing changes.
    pub fn none() -> Self {
        Self::default()
    }

    /// The own time of call paths is multiplied on all locations.
    pub fn scaled(paths: impl IntoIterator<Item = PathId>, factor: Factor) -> Self {
        let scaled = |path| Scaled { path, location: None, factor };
        Self { scaled: paths.into_iter().map(scaled).collect(), ..Self::default() }
    }

    /// Whether it does the same as another one, whatever they do to the network.
    pub(super) fn is_same_but_network(&self, other: &Self) -> bool {
        (&self.scaled, &self.removed, self.latency) == (&other.scaled, &other.removed, other.latency)
            && (&self.spans, &self.inserted) == (&other.spans, &other.inserted)
            && self.stretched == other.stretched
    }

    /// A wait does not happen. One that nobody ended, such as being late to leave a collective, is a piece of time of
    /// its call; the others are left out, and the call ends when it would have without them.
    pub fn remove(&mut self, wait: &Wait) {
        let (location, from, to) = (wait.call.location, wait.begin, wait.end);
        match wait.cause {
            Some(_) => self.removed.push(Removed { call: wait.call, from, to }),
            None => self.spans.push(Segment { location, from, to }),
        }
    }

    /// Communication takes no time.
    pub fn ideal_network() -> Self {
        Self { ideal_network: true, ..Self::default() }
    }
}
