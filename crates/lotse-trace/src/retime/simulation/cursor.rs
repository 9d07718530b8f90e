//! The position of a location in the recorded execution and in the simulation.

use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;

use super::super::graph::{EntryKind, Graph};
use super::Lanes;
use crate::store::Trace;

/// The position of a location.
#[derive(Debug, Clone)]
pub(in crate::retime) struct Cursor<const N: usize> {
    /// The location whose recorded timeline it executes: its own, or that of its current job of shared work.
    pub(in crate::retime) on: usize,
    pub(super) entry: usize,
    /// The end of its range of entries, and the recorded time at which that range ends.
    pub(super) end: usize,
    pub(super) to: Ticks,
    pub(super) then: AtEnd,
    pub(super) step: usize,
    /// The recorded time.
    pub(super) pos: Ticks,
    /// The simulated time in each lane.
    pub(in crate::retime) clock: Lanes<N>,
    /// The next need of the current entry that is not known to have happened.
    pub(super) need: u32,
    /// The lock that it waits for.
    pub(super) requested_lock: Option<u32>,
    /// The semaphore or reader-writer lock that it waits for.
    pub(super) requested_admission: Option<u32>,
    pub(super) done: bool,
}

/// What a location does at the end of its range of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AtEnd {
    Ends,
    TakesJob,
}

impl<const N: usize> Cursor<N> {
    /// The begin of a location; `first` is the first tick of the trace.
    pub(super) fn new(graph: &Graph, trace: &Trace, location: LocationId, first: Ticks) -> Self {
        let timeline = trace.timeline(location);
        let entries = &graph.tables[location.index()].entries;
        let starts = entries.first().is_some_and(|entry| {
            entry.at == timeline.first && matches!(entry.kind, EntryKind::Starts { .. })
        });
        let begun = if starts { 0 } else { timeline.first.saturating_sub(first) };
        let member = graph.members.get(location.index()).copied().flatten();
        let (end, to, then) = match member {
            Some(member) => (member.entries.0 as usize, member.from, AtEnd::TakesJob),
            None => (entries.len(), timeline.last, AtEnd::Ends),
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
            requested_lock: None,
            requested_admission: None,
            done: timeline.at.is_empty(),
        }
    }
}
