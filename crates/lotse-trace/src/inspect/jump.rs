//! The next or previous wait in the order of time.

use lotse_model::id::LocationId;
use lotse_model::progress::Checked as _;
use lotse_model::trace::Ticks;

use crate::waits::{Wait, Waits};

/// The place of a wait in the order of time: its begin, its location, its end.
pub type Order = (Ticks, LocationId, Ticks);

/// Which wait is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitQuery<'q> {
    /// The present place: the wait found is the next after it, or the last before it.
    pub from: Order,
    pub backward: bool,
    /// Only waits of this location.
    pub location: Option<LocationId>,
    /// Only waits of the metric with this name.
    pub metric: Option<&'q str>,
    /// Only waits that last at least so long.
    pub least: Ticks,
}

/// A wait, with its place among all that the query allows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoundWait {
    pub wait: Wait,
    /// How many come before it.
    pub before: usize,
    pub count: usize,
}

/// Searches a wait. Waits that overlap a longer one of the same call are not listed. `None` if there is none in this direction.
pub fn find_wait(waits: &Waits, query: &WaitQuery<'_>) -> Option<FoundWait> {
    let all = || waits.by_location.iter().flatten().checked().filter(|wait| query.allows(wait));
    let found = match query.backward {
        false => all().filter(|wait| order(wait) > query.from).min_by_key(|wait| order(wait)),
        true => all().filter(|wait| order(wait) < query.from).max_by_key(|wait| order(wait)),
    }?;
    let before = all().filter(|wait| order(wait) < order(found)).count();
    Some(FoundWait { wait: *found, before, count: all().count() })
}

fn order(wait: &Wait) -> Order {
    (wait.begin, wait.call.location, wait.end)
}

impl WaitQuery<'_> {
    fn allows(&self, wait: &Wait) -> bool {
        let is_named = wait.metric.is_some_and(|metric| self.metric.is_none_or(|name| name == metric.id));
        is_named
            && !wait.is_overlapped
            && wait.ticks() >= self.least
            && self.location.is_none_or(|location| location == wait.call.location)
    }
}
