//! The phases that were found, of which a limited number is kept.

use serde::{Deserialize, Serialize};

use super::Characteristic;
use crate::instance::{CodeId, LoopId, ThreadId};
use crate::key_counts::KeyCounts;

/// A maximal run of accesses that satisfy a characteristic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    pub characteristic: Characteristic,
    /// Number of its accesses.
    pub events: u64,
    /// Event numbers of its first and last access.
    pub span: (u64, u64),
    /// The times of its first and last access, in nanoseconds.
    pub time: (u64, u64),
    /// Its smallest and largest index.
    pub indices: (u64, u64),
    /// The index of its first access.
    pub first_index: u64,
    /// The length of the structure at its end.
    pub length: u64,
    /// Nanoseconds of its accesses and of the work between them; a pause counts at most as the threshold `gap`.
    pub busy: u64,
    /// Accesses by call site.
    pub codes: KeyCounts<CodeId>,
    /// Accesses by thread.
    pub threads: KeyCounts<ThreadId>,
    /// Accesses by the innermost loop around them, where it is known.
    pub loops: KeyCounts<LoopId>,
    /// How often that loop was entered.
    pub executions: u64,
    /// Its iterations with accesses of the phase.
    pub iterations: u64,
}

impl Phase {
    /// Number of elements it passes over, at most one per access.
    #[must_use]
    pub fn covered(&self) -> u64 {
        self.events.min((self.indices.1 - self.indices.0).saturating_add(1))
    }

    /// The share of the structure's elements that it passes over.
    #[must_use]
    pub fn coverage(&self) -> f64 {
        if self.length == 0 { 0.0 } else { self.covered() as f64 / self.length as f64 }
    }
}

/// The phases of one characteristic: all are counted, and the longest are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseList {
    /// The kept phases, in the order of time.
    pub phases: Vec<Phase>,
    /// Number of phases, kept or not.
    pub count: u64,
    /// Number of accesses in all phases.
    pub events: u64,
    /// Number of accesses of the longest phase.
    pub longest: u64,
    /// Number of accesses of the longest phase that was not kept.
    least: u64,
}

impl PhaseList {
    /// Number of phases that were counted but not kept.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.count - self.phases.len() as u64
    }

    /// Counts a phase, and keeps it if it may be one of the `most` longest. Up to twice as many are stored temporarily.
    pub(crate) fn push(&mut self, phase: Phase, most: usize) {
        self.count += 1;
        self.events += phase.events;
        self.longest = self.longest.max(phase.events);
        if phase.events > self.least {
            self.phases.push(phase);
        }
        if self.phases.len() > 2 * most.max(1) {
            self.shrink(most);
        }
    }

    /// Drops all but the `most` longest phases; of equally long ones the earliest are kept.
    pub(crate) fn shrink(&mut self, most: usize) {
        if self.phases.len() <= most {
            return;
        }
        let mut sizes: Vec<u64> = self.phases.iter().map(|phase| phase.events).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        let limit = sizes[most];
        self.least = self.least.max(limit);
        let above = sizes.iter().filter(|size| **size > limit).count();
        let mut room = most - above;
        self.phases.retain(|phase| {
            let equal = phase.events == limit && room > 0;
            room -= usize::from(equal);
            phase.events > limit || equal
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{Phase, PhaseList};
    use crate::key_counts::KeyCounts;
    use crate::phases::{Characteristic, Pattern};

    fn phase(first: u64, events: u64) -> Phase {
        Phase {
            characteristic: Characteristic::strict(Pattern::InsertBack),
            events,
            span: (first, first + events - 1),
            time: (first, first + events - 1),
            indices: (0, events - 1),
            first_index: 0,
            length: 2 * events,
            busy: events,
            codes: KeyCounts::default(),
            threads: KeyCounts::default(),
            loops: KeyCounts::default(),
            executions: 0,
            iterations: 0,
        }
    }

    #[test]
    fn the_longest_are_kept_and_all_are_counted() {
        let mut list = PhaseList::default();
        for number in 0..1000 {
            list.push(phase(number * 100, 5 + number % 50), 10);
            assert!(list.phases.len() <= 20);
        }
        list.shrink(10);
        assert_eq!((list.count, list.longest, list.dropped()), (1000, 54, 990));
        assert_eq!(list.events, (0..1000).map(|number| 5 + number % 50).sum::<u64>());
        assert!(list.phases.iter().all(|phase| phase.events == 54), "{:?}", list.phases);
        assert!(list.phases.is_sorted_by_key(|phase| phase.span));
    }

    #[test]
    fn coverage_counts_elements_not_accesses() {
        assert_eq!(phase(0, 10).coverage(), 0.5);
        assert_eq!(Phase { events: 30, ..phase(0, 10) }.covered(), 10);
        assert_eq!(Phase { length: 0, ..phase(0, 10) }.coverage(), 0.0);
    }
}
