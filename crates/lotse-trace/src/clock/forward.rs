//! The controlled logical clock: visits all locations in the order of cause and effect and moves effects after causes.
//!
//! Later events on the same location are moved as well, and return to their measured time by a small fraction of the time
//! that passes:
//!
//! ```text
//! measured     e1  effect     e2       e3        e4
//! corrected    e1      → effect  → e2    → e3     → e4       the shift decreases by 1/128 of the elapsed time
//!                      ^ not before its cause
//! ```
//!
//! A location stops at an event whose cause is not settled yet, and continues when it is. If all locations stop, causes
//! form a cycle: the location with the earliest event continues without its cause.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use hashbrown::HashMap;
use lotse_model::trace::Ticks;

use super::sync_events::{Constraint, SyncEvent, SyncGroup};
use crate::store::OpRef;

/// A shifted clock returns by this fraction (1 / `RETURN`) of the elapsed time.
const RETURN: Ticks = 128;

/// The result of the logical clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LogicalClockResult {
    /// Effects that were moved after their causes.
    pub(super) jumps: u64,
    /// Effects that could not be moved, because their causes depend on them.
    pub(super) circular: u64,
}

/// Sets the corrected time of every synchronisation event.
pub(super) fn settle(sync_events: &mut [Vec<SyncEvent>], groups: &mut [SyncGroup]) -> LogicalClockResult {
    let count = sync_events.len();
    let mut clock = LogicalClock {
        next: vec![0; count],
        awaited: vec![BinaryHeap::new(); count],
        awaited_groups: HashMap::new(),
        ready: (0..count).rev().collect(),
        stopped: BTreeSet::new(),
        settled: LogicalClockResult::default(),
        sync_events,
        groups,
    };
    clock.run();
    clock.settled
}

struct LogicalClock<'a> {
    sync_events: &'a mut [Vec<SyncEvent>],
    groups: &'a mut [SyncGroup],
    /// By location: the first event that is not settled.
    next: Vec<usize>,
    /// By location: which of its events are awaited, and by which location.
    awaited: Vec<BinaryHeap<Reverse<(usize, usize)>>>,
    awaited_groups: HashMap<u32, Vec<usize>>,
    ready: Vec<usize>,
    /// Locations that wait, the earliest first.
    stopped: BTreeSet<(Ticks, usize)>,
    settled: LogicalClockResult,
}

/// The earliest possible time of an event.
enum EarliestTime {
    At(Ticks),
    AfterEvent(usize, usize),
    AfterGroup(u32),
}

impl LogicalClock<'_> {
    fn run(&mut self) {
        loop {
            while let Some(location) = self.ready.pop() {
                self.advance(location);
            }
            let Some((_, location)) = self.stopped.pop_first() else { return };
            self.settled.circular += 1;
            self.settle(location, 0);
            self.ready.push(location);
        }
    }

    fn advance(&mut self, location: usize) {
        while let Some(&event) = self.sync_events[location].get(self.next[location]) {
            self.stopped.remove(&(event.at, location));
            match self.floor(location, event.constraint) {
                EarliestTime::At(floor) => self.settle(location, floor),
                EarliestTime::AfterEvent(other, number) => {
                    self.awaited[other].push(Reverse((number, location)));
                    self.stopped.insert((event.at, location));
                    break;
                }
                EarliestTime::AfterGroup(group) => {
                    self.awaited_groups.entry(group).or_default().push(location);
                    self.stopped.insert((event.at, location));
                    break;
                }
            }
        }
        self.wake(location);
    }

    fn wake(&mut self, location: usize) {
        let next = self.next[location];
        while let Some(&Reverse((number, waiting))) = self.awaited[location].peek()
            && number < next
        {
            self.awaited[location].pop();
            self.ready.push(waiting);
        }
    }

    fn floor(&self, location: usize, constraint: Constraint) -> EarliestTime {
        match constraint {
            Constraint::Free | Constraint::Enters(_) => EarliestTime::At(0),
            Constraint::Leaves(group) if self.groups[group as usize].missing > 0 => {
                EarliestTime::AfterGroup(group)
            }
            Constraint::Leaves(group) => EarliestTime::At(self.groups[group as usize].last_in),
            Constraint::After(cause) => match find(&self.sync_events[cause.location.index()], cause) {
                None => EarliestTime::At(0),
                Some(number) if number < self.next[cause.location.index()] => {
                    EarliestTime::At(self.sync_events[cause.location.index()][number].now)
                }
                // Nothing wakes a location that waits for itself, so it stops until cycles are cut.
                Some(number) => EarliestTime::AfterEvent(
                    cause.location.index(),
                    if cause.location.index() == location { usize::MAX } else { number },
                ),
            },
        }
    }

    /// Settles the next event of a location, not before `floor`.
    fn settle(&mut self, location: usize, floor: Ticks) {
        let number = self.next[location];
        self.next[location] += 1;
        let carried = number.checked_sub(1).map_or(0, |before| {
            let (before, at) = (self.sync_events[location][before], self.sync_events[location][number].at);
            let passed = at - before.at;
            before.now.saturating_add(passed - passed / RETURN)
        });
        let event = &mut self.sync_events[location][number];
        let free = event.at.max(carried);
        event.now = free.max(floor);
        self.settled.jumps += u64::from(floor > free);
        let (now, constraint) = (event.now, event.constraint);
        self.propagate(now, constraint);
    }

    /// Updates the constraints of other locations after an event is settled.
    fn propagate(&mut self, now: Ticks, constraint: Constraint) {
        match constraint {
            Constraint::Free => {}
            Constraint::After(cause) => {
                let sync_events = &mut self.sync_events[cause.location.index()];
                if let Some(number) = find(sync_events, cause) {
                    sync_events[number].cap = sync_events[number].cap.min(now);
                }
            }
            Constraint::Enters(group) => {
                let waiting = &mut self.groups[group as usize];
                waiting.missing = waiting.missing.saturating_sub(1);
                waiting.last_in = waiting.last_in.max(now);
                if waiting.missing == 0 {
                    self.ready.extend(self.awaited_groups.remove(&group).into_iter().flatten());
                }
            }
            Constraint::Leaves(group) => {
                let waiting = &mut self.groups[group as usize];
                waiting.first_out = waiting.first_out.min(now);
            }
        }
    }
}

/// The last event of a record.
fn find(sync_events: &[SyncEvent], record: OpRef) -> Option<usize> {
    let number = sync_events.partition_point(|event| event.op <= record.op).checked_sub(1)?;
    (sync_events[number].is_op && sync_events[number].op == record.op).then_some(number)
}
