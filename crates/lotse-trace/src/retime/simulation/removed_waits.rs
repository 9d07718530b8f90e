//! Waits that a change removes.

use super::super::change::{Change, Removed};
use super::super::graph::{EntryKind, GraphEntry};
use super::super::intervals::IntervalsByLocation;
use super::cursor::Cursor;
use super::{Lanes, Simulation};
use crate::critical::Segment;
use crate::store::Trace;

impl<const N: usize> Simulation<'_, N> {
    /// Shortens a wait in the lanes that remove it or a part of it. If the call waited for something else as well, that part
    /// of the wait remains.
    pub(super) fn remove_waits(
        &mut self,
        location: usize,
        entry: &GraphEntry,
        before: &Lanes<N>,
        clock: &mut Lanes<N>,
    ) {
        if matches!(entry.kind, EntryKind::Starts { .. }) {
            return;
        }
        let Cursor { on, entry: number, .. } = self.cursors[location];
        for lane in self.removed_lanes(on, entry.call) {
            let removed = self.removed_intervals[lane].overlap(on, entry.at, entry.resume);
            let remaining = (entry.resume - entry.at).saturating_sub(removed);
            if removed == 0 || clock[lane] <= before[lane] + remaining {
                continue;
            }
            clock[lane] = before[lane] + remaining;
            if let (0, Some(bindings)) = (lane, &mut self.bindings) {
                bindings.entry[on][number] = None;
                bindings.remaining.insert((on, number), remaining);
            }
        }
    }

    /// The lanes that remove the wait of a call.
    pub(super) fn removed_lanes(&self, on: usize, call: u32) -> impl Iterator<Item = usize> + use<N> {
        let removed = self.removed[on].get(call as usize).copied().unwrap_or(0);
        (0..self.changes.len()).filter(move |lane| removed >> lane & 1 == 1)
    }
}

/// The intervals of the waits that a change removes.
pub(super) fn intervals(change: &Change) -> IntervalsByLocation {
    let segment = |it: &Removed| Segment { location: it.call.location, from: it.from, to: it.to };
    IntervalsByLocation::new(&change.removed.iter().map(segment).collect::<Vec<_>>())
}

/// By location and call: the changes that remove its wait, a bit each.
pub(super) fn lanes_by_call(trace: &Trace, changes: &[&Change]) -> Vec<Vec<u16>> {
    let mut removed = vec![Vec::new(); trace.timelines.len()];
    for (lane, change) in changes.iter().enumerate() {
        for Removed { call, .. } in &change.removed {
            let at_location = &mut removed[call.location.index()];
            if at_location.is_empty() {
                at_location.resize(trace.timeline(call.location).calls.len(), 0);
            }
            if let Some(lanes) = at_location.get_mut(call.call as usize) {
                *lanes |= 1 << lane;
            }
        }
    }
    removed
}
