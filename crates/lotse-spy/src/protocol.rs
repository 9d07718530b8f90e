//! The protocol of an instance: the phases and statistics of its history.

use serde::{Deserialize, Serialize};

pub use crate::observe::counts::{AccessCounts, KindCount};
pub use crate::observe::ends::{EndCount, EndOperations};
pub use crate::observe::growth::Growth;
pub use crate::observe::loops::{LoopUse, LoopUses};
pub use crate::observe::neighbours::{AfterSearch, SearchPair};
pub use crate::observe::sorted::SortedSearches;
pub use crate::observe::unread::Unread;

use crate::instance::{CodeId, Instance, LoopId};
use crate::key_counts::KeyCounts;
use crate::phases::{Characteristic, Pattern, Phase, PhaseList};
use crate::settings::{Settings, Thresholds};

/// The phases and statistics of an instance's history. The accesses themselves are not kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Protocol {
    pub instance: Instance,
    /// Number of accesses; the order number of its findings.
    pub events: u64,
    /// Maximum length.
    pub max_length: u64,
    /// The times of the first and the last access.
    pub time: (u64, u64),
    pub counts: AccessCounts,
    /// Phases by characteristic, in the order of [`Characteristic::all`].
    pub phases: Vec<PhaseList>,
    /// Insertions and deletions at the ends.
    pub ends: EndOperations,
    /// Long insert phases.
    pub long_inserts: PhaseSum,
    /// Long read phases.
    pub long_reads: PhaseSum,
    /// Long insert phases that a sort follows directly.
    pub sorted_inserts: PhaseSum,
    /// Writes that nothing reads afterwards.
    pub unread: Unread,
    pub growth: Growth,
    /// What directly follows searches.
    pub after_search: AfterSearch,
    /// Searches in sorted elements.
    pub sorted_searches: SortedSearches,
    /// Accesses by loop.
    pub loops: LoopUses,
}

/// The sums over a set of phases of one instance.
///
/// Phases of both directions share the accesses at which the direction turns, and phases at both ends those to an empty
/// structure. Each access counts once:
///
/// ```text
/// reads of the indices      0  1  2  3  2  1  0
/// linear-read-forward      [----------]
/// linear-read-backward              [----------]      4 + 4 accesses in the phases, 7 in their sum
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseSum {
    /// Number of phases.
    pub phases: u64,
    /// Number of accesses in them.
    pub events: u64,
    /// Number of accesses of the longest phase.
    pub longest: u64,
    /// Nanoseconds spent in them.
    pub busy: u64,
    /// Accesses by call site.
    pub codes: KeyCounts<CodeId>,
    /// Accesses by the innermost loop around them.
    pub loops: KeyCounts<LoopId>,
    /// How often these loops were entered.
    pub executions: u64,
    /// Their iterations with such accesses.
    pub iterations: u64,
    /// The event number after the last access that was counted.
    end: u64,
}

impl PhaseSum {
    /// Adds a phase that does not end before those added so far.
    pub(crate) fn add(&mut self, phase: &Phase) {
        let shared = self.end.saturating_sub(phase.span.0).min(phase.events);
        self.end = self.end.max(phase.span.1 + 1);
        self.phases += 1;
        self.events += phase.events - shared;
        self.longest = self.longest.max(phase.events);
        self.busy += busy_without(phase, shared);
        self.codes.merge(&phase.codes);
        self.loops.merge(&phase.loops);
        self.executions += phase.executions;
        self.iterations += phase.iterations;
    }
}

impl Protocol {
    pub(crate) fn new(instance: Instance) -> Self {
        Self {
            instance,
            events: 0,
            max_length: 0,
            time: (u64::MAX, 0),
            counts: AccessCounts::default(),
            phases: vec![PhaseList::default(); Characteristic::COUNT],
            ends: EndOperations::default(),
            long_inserts: PhaseSum::default(),
            long_reads: PhaseSum::default(),
            sorted_inserts: PhaseSum::default(),
            unread: Unread::default(),
            growth: Growth::default(),
            after_search: AfterSearch::default(),
            sorted_searches: SortedSearches::default(),
            loops: LoopUses::default(),
        }
    }

    /// The phases of a characteristic.
    #[must_use]
    pub fn list(&self, characteristic: Characteristic) -> &PhaseList {
        &self.phases[characteristic.number()]
    }

    /// All kept phases, by characteristic and then in the order of time.
    pub fn all_phases(&self) -> impl Iterator<Item = &Phase> {
        self.phases.iter().flat_map(|list| &list.phases)
    }

    /// Whether it is long enough and accessed often enough for findings.
    #[must_use]
    pub fn is_relevant(&self, thresholds: &Thresholds) -> bool {
        self.max_length as f64 >= thresholds.min_length && self.events as f64 >= thresholds.min_accesses
    }

    /// The share of this many accesses in the history.
    pub(crate) fn share(&self, events: u64) -> f64 {
        if self.events == 0 { 0.0 } else { events as f64 / self.events as f64 }
    }

    /// Adds a phase that ended.
    pub(crate) fn add_phase(&mut self, phase: Phase, settings: &Settings) {
        let thresholds = &settings.thresholds;
        if !phase.characteristic.tolerant {
            match phase.characteristic.pattern {
                Pattern::InsertFront | Pattern::InsertBack if is_long_insert(&phase, thresholds) => {
                    self.long_inserts.add(&phase);
                }
                Pattern::LinearReadForward | Pattern::LinearReadBackward
                    if is_long_read(&phase, thresholds) =>
                {
                    self.long_reads.add(&phase);
                }
                _ => {}
            }
        }
        self.phases[phase.characteristic.number()].push(phase, settings.limits.phases);
    }
}

/// The busy time of a phase without its first `shared` accesses: one access has no duration, and several have that between them.
fn busy_without(phase: &Phase, shared: u64) -> u64 {
    let between = phase.events.saturating_sub(1).max(1);
    let left = between.min(phase.events - shared);
    (u128::from(phase.busy) * u128::from(left) / u128::from(between)) as u64
}

fn is_long_insert(phase: &Phase, thresholds: &Thresholds) -> bool {
    phase.events as f64 >= thresholds.long_insert_events
}

fn is_long_read(phase: &Phase, thresholds: &Thresholds) -> bool {
    phase.events as f64 >= thresholds.long_read_events && phase.coverage() >= thresholds.long_read_coverage
}
