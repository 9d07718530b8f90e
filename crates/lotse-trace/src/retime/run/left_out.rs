//! Waits that do not happen.

use super::super::change::{Change, Removed};
use super::super::graph::{Entry, What};
use super::super::spans::Spans;
use super::cursor::Cursor;
use super::{Lanes, Run};
use crate::critical::Segment;
use crate::store::Trace;

impl<const N: usize> Run<'_, N> {
    /// Waits that do not happen: what a call waited for beyond them is left.
    pub(super) fn leave_out(
        &mut self,
        location: usize,
        entry: &Entry,
        before: &Lanes<N>,
        clock: &mut Lanes<N>,
    ) {
        if matches!(entry.what, What::Starts { .. }) {
            return;
        }
        let Cursor { on, entry: number, .. } = self.cursors[location];
        for lane in self.removed_lanes(on, entry.call) {
            let gone = self.unwaited[lane].overlap(on, entry.at, entry.resume);
            let kept = (entry.resume - entry.at).saturating_sub(gone);
            if gone == 0 || clock[lane] <= before[lane] + kept {
                continue;
            }
            clock[lane] = before[lane] + kept;
            if let (0, Some(bindings)) = (lane, &mut self.bindings) {
                bindings.entry[on][number] = None;
                bindings.kept.insert((on, number), kept);
            }
        }
    }

    /// The changes under which a call does not wait.
    pub(super) fn removed_lanes(&self, on: usize, call: u32) -> impl Iterator<Item = usize> + use<N> {
        let removed = self.removed[on].get(call as usize).copied().unwrap_or(0);
        (0..self.changes.len()).filter(move |lane| removed >> lane & 1 == 1)
    }
}

/// The time that calls do not wait under a change.
pub(super) fn unwaited(change: &Change) -> Spans {
    let segment = |it: &Removed| Segment { location: it.call.location, from: it.from, to: it.to };
    Spans::new(&change.removed.iter().map(segment).collect::<Vec<_>>())
}

/// By location and call: which changes remove its wait.
pub(super) fn removed(trace: &Trace, changes: &[&Change]) -> Vec<Vec<u16>> {
    let mut removed = vec![Vec::new(); trace.timelines.len()];
    for (lane, change) in changes.iter().enumerate() {
        for Removed { call, .. } in &change.removed {
            let of_one = &mut removed[call.location.index()];
            if of_one.is_empty() {
                of_one.resize(trace.timeline(call.location).calls.len(), 0);
            }
            if let Some(lanes) = of_one.get_mut(call.call as usize) {
                *lanes |= 1 << lane;
            }
        }
    }
    removed
}
