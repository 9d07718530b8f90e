//! How far a location is in the recorded run and in the changed ones.

use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;

use super::super::graph::{Graph, What};
use super::Lanes;
use crate::store::Trace;

/// How far a location is.
#[derive(Debug, Clone)]
pub(in crate::retime) struct Cursor<const N: usize> {
    /// The location of the recorded run whose time it spends: its own, or where its present piece of shared work was.
    pub(in crate::retime) on: usize,
    pub(super) entry: usize,
    /// The first entry that it does not come to, and the moment up to which it goes.
    pub(super) end: usize,
    pub(super) to: Ticks,
    pub(super) then: Then,
    pub(super) step: usize,
    /// In the recorded run.
    pub(super) pos: Ticks,
    /// In the changed ones.
    pub(in crate::retime) clock: Lanes<N>,
    /// The next need of the present entry that is not known to have happened.
    pub(super) need: u32,
    /// The lock that it waits for.
    pub(super) asks: Option<u32>,
    /// The semaphore or reader-writer lock that it waits for.
    pub(super) asks_admission: Option<u32>,
    pub(super) done: bool,
}

/// What a location does when it has come to an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    Ends,
    TakesJob,
}

impl<const N: usize> Cursor<N> {
    /// At the beginning of a location; `first` is when the run begins.
    pub(super) fn new(graph: &Graph, trace: &Trace, location: LocationId, first: Ticks) -> Self {
        let timeline = trace.timeline(location);
        let entries = &graph.lines[location.index()].entries;
        let starts = entries
            .first()
            .is_some_and(|entry| entry.at == timeline.first && matches!(entry.what, What::Starts { .. }));
        let begun = if starts { 0 } else { timeline.first.saturating_sub(first) };
        let member = graph.members.get(location.index()).copied().flatten();
        let (end, to, then) = match member {
            Some(member) => (member.entries.0 as usize, member.from, Then::TakesJob),
            None => (entries.len(), timeline.last, Then::Ends),
        };
        Self {
            on: location.index(),
            entry: 0,
            end,
            to,
            then,
            step: 0,
            pos: timeline.first,
            clock: [begun; N],
            need: 0,
            asks: None,
            asks_admission: None,
            done: timeline.at.is_empty(),
        }
    }
}
