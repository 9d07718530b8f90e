//! Smooths jumps: events before a jump are moved as well, decreasing with the distance, but not beyond the time at which
//! another location depends on them.
//!
//! Moving events later never violates a constraint of another location, so each location is smoothed separately.

use std::sync::{Mutex, PoisonError};

use lotse_model::Workers;
use lotse_model::trace::Ticks;
use lotse_model::work;

use super::sync_events::{Constraint, SyncEvent, SyncGroup};

/// A jump is spread over this many times its length.
const SPREAD: Ticks = 64;

/// Smooths the jumps of all locations.
pub(super) fn smooth(
    sync_events: Vec<Vec<SyncEvent>>,
    groups: &[SyncGroup],
    workers: &dyn Workers,
) -> Vec<Vec<SyncEvent>> {
    each(workers, sync_events, |_, mut sync_events| {
        smooth_one(&mut sync_events, groups);
        sync_events
    })
}

fn smooth_one(sync_events: &mut [SyncEvent], groups: &[SyncGroup]) {
    for number in (1..sync_events.len()).rev() {
        let (after, event) = (sync_events[number], &mut sync_events[number - 1]);
        let wanted = after.shift().saturating_sub((after.at - event.at) / SPREAD);
        let cap = match event.constraint {
            Constraint::Enters(group) => event.cap.min(groups[group as usize].first_out),
            _ => event.cap,
        };
        event.now = event.now.max(cap.min(event.at + wanted));
    }
}

/// Applies a function to each item in parallel; each item is owned by one job.
pub(super) fn each<T: Send, R: Send>(
    workers: &dyn Workers,
    things: Vec<T>,
    change: impl Fn(usize, T) -> R + Sync,
) -> Vec<R> {
    let slots: Vec<Mutex<Option<T>>> = things.into_iter().map(|thing| Mutex::new(Some(thing))).collect();
    work::map(workers, slots.len(), |at| {
        let taken = slots[at].lock().unwrap_or_else(PoisonError::into_inner).take();
        change(at, taken.expect("every slot is taken once"))
    })
}

#[cfg(test)]
mod tests {
    use super::super::sync_events::{Constraint, SyncEvent};
    use super::smooth_one;

    fn event(at: u64, now: u64, cap: u64) -> SyncEvent {
        SyncEvent { step: 0, op: 0, is_op: false, constraint: Constraint::Free, at, now, cap }
    }

    fn smoothed(mut sync_events: Vec<SyncEvent>) -> Vec<u64> {
        smooth_one(&mut sync_events, &[]);
        sync_events.iter().map(|event| event.now).collect()
    }

    #[test]
    fn a_jump_fades_out_before_it() {
        let sync_events = vec![
            event(0, 0, u64::MAX),
            event(6400, 6400, u64::MAX),
            event(12_800, 12_800, u64::MAX),
            event(12_800, 12_950, u64::MAX),
        ];
        assert_eq!(smoothed(sync_events), [0, 6450, 12_950, 12_950]);
    }

    #[test]
    fn a_cause_stays_before_its_effects() {
        let sync_events = vec![event(0, 0, u64::MAX), event(100, 100, 130), event(200, 300, u64::MAX)];
        assert_eq!(smoothed(sync_events), [29, 130, 300]);
    }
}
