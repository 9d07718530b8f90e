//! Shortens the inserted waits at the ends of teams to the time found by matching.

use lotse_model::id::PathId;
use lotse_model::trace::Ticks;

use super::{CallRef, PathUse, Trace};

/// Ends the waits in [`Links::released`](crate::matching::Links) before the next event of their thread. From then on the
/// thread is in the enclosing path.
pub(super) fn release(trace: &mut Trace) {
    for (call, at) in std::mem::take(&mut trace.links.released) {
        let timeline = &mut trace.timelines[call.location.index()];
        let steps = &mut timeline.calls[call.call as usize];
        let (exit, inside, later) = (steps.exit as usize, steps.path, steps.left - at);
        steps.left = at;
        timeline.at[exit] = at;
        let outside = timeline.path[exit];
        move_time(&mut trace.uses[call.location.index()], (inside, outside), later);
    }
}

/// Moves exclusive time from one path to another.
fn move_time(uses: &mut Vec<PathUse>, (from, to): (PathId, PathId), ticks: Ticks) {
    if let Ok(at) = uses.binary_search_by_key(&from, |used| used.path) {
        uses[at].exclusive -= ticks;
    }
    match uses.binary_search_by_key(&to, |used| used.path) {
        Ok(at) => uses[at].exclusive += ticks,
        Err(at) => uses.insert(at, PathUse { path: to, visits: 0, exclusive: ticks }),
    }
}

impl Trace {
    /// Whether a call is an inserted wait at the end of a team.
    pub(crate) fn is_team_end(&self, call: CallRef) -> bool {
        self.is_team_end_path(self.path(call))
    }

    /// The same for the path of a call.
    pub(crate) fn is_team_end_path(&self, path: PathId) -> bool {
        // It is the last but one region: see `GapRegions`.
        self.paths.region(path).index() + 2 == self.definitions.regions.len()
    }
}

#[cfg(test)]
mod tests;
