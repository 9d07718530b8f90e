//! The dependency graph of a trace: events that others wait for (sources), and waits, by location.
//!
//! ```text
//! location 0   ──●───────────────●──┤wait├──      ●     source: happens when its location reaches it
//!                 \               \    ▲
//! location 1   ────┤wait├──        hub─┘           hub   happens when the last of its sources has happened
//!                                 /    ▼
//! location 2   ──────────────────●──┤wait├──      wait  ends when its needs (sources, hubs) have happened
//! ```

use std::num::NonZeroU32;

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

/// The dependency graph of a trace.
#[derive(Debug, Default)]
pub struct Graph {
    pub(super) sources: Vec<GraphSource>,
    pub(super) hubs: Vec<Hub>,
    pub(super) holdings: Vec<LockHolding>,
    /// The number of locks.
    pub(super) locks: usize,
    /// Semaphores and reader-writer locks, and the calls that these admitted.
    pub(super) counting_locks: Vec<CountingLock>,
    pub(super) admissions: Vec<Admission>,
    /// By location.
    pub(super) tables: Vec<EntryTable>,
    /// Work that threads share.
    pub(super) pools: Vec<Pool>,
    /// By location: its membership in a pool; empty if there are no pools.
    pub(super) members: Vec<Option<PoolMember>>,
    /// The number of sources on which a wait or a hub depends: they come before all others.
    pub(super) awaited: usize,
}

/// Work that threads share: each thread takes the next job as soon as it is free.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pool {
    /// The call that a job begins with.
    pub(super) path: PathId,
    /// In the order of their begins.
    pub(super) jobs: Vec<Job>,
}

/// A job of a pool, where it was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) location: LocationId,
    pub(super) from: Ticks,
    pub(super) to: Ticks,
    /// Its entries in the location's table: begin and end of the range.
    pub(super) entries: (u32, u32),
}

/// The membership of a thread in a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PoolMember {
    pub(super) pool: u32,
    /// From the begin of its first job to the end of its last.
    pub(super) from: Ticks,
    pub(super) until: Ticks,
    /// The entries of all its jobs: begin and end of the range.
    pub(super) entries: (u32, u32),
}

/// A junction of several sources and hubs: it happens when the last of them has happened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Hub {
    /// The number of sources and other hubs it depends on.
    pub(super) needs: u32,
    /// The hub that depends on this one.
    pub(super) feeds: Option<HubId>,
}

/// An interval during which a lock was held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LockHolding {
    pub(super) lock: u32,
    /// Its index in the recorded order of acquisition.
    pub(super) order: u32,
    /// The call path that acquires it.
    pub(super) path: PathId,
    /// How long the acquisition takes when the lock is free.
    pub(super) if_free: Ticks,
    /// How long after the release by another thread it is acquired, if it was not free. Negative if the release is
    /// recorded after the acquisition.
    pub(super) hand_over: i64,
    /// How much later than its request it counts as queued: others that requested the lock up to this much later got it
    /// before, while all of them waited.
    pub(super) queued_after: Ticks,
    /// How long after a release others still take the lock before it (barging): the longest observed time plus one tick.
    pub(super) yields_for: Ticks,
}

/// A semaphore or a reader-writer lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CountingLock {
    /// The initial value of a semaphore.
    pub(super) tokens: u32,
    /// Whether readers overtake writers that wait.
    pub(super) readers_first: bool,
}

/// A call that a semaphore or a reader-writer lock admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Admission {
    pub(super) lock: u32,
    /// Its index in the recorded order.
    pub(super) order: u32,
    pub(super) mode: AdmissionMode,
    /// How long admission takes when there is nothing to wait for.
    pub(super) if_free: Ticks,
    /// How long after the post or release it waits for it is admitted; negative if that is recorded late.
    pub(super) hand_over: i64,
}

/// The mode of an admission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AdmissionMode {
    /// A token of a semaphore.
    Token,
    Read,
    Write,
}

/// The entries of one location, in the order of time.
#[derive(Debug, Default)]
pub(super) struct EntryTable {
    pub(super) entries: Vec<GraphEntry>,
    /// The needs of all entries; an entry has a range of them.
    pub(super) needs: Vec<Need>,
}

/// An event that others wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GraphSource {
    pub(super) location: LocationId,
    pub(super) at: Ticks,
    /// The hub that depends on it.
    pub(super) hub: Option<HubId>,
}

/// An event or wait of a location that is connected with other locations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GraphEntry {
    /// The time of the event, or the begin of the wait.
    pub(super) at: Ticks,
    /// The end of the wait: from here on, recorded time is local time.
    pub(super) resume: Ticks,
    pub(super) kind: EntryKind,
    /// The waiting call, or the call that orders this entry among others of the same time.
    pub(super) call: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    /// A source.
    Publishes(SourceId),
    /// A wait with its range of needs.
    Needs { first: u32, count: u32 },
    /// A wait for messages; their transfer lasts from the end of the wait to the end of the call.
    Completes { first: u32, count: u32 },
    /// A wait for a message that another call completes.
    Notices { first: u32, count: u32 },
    /// The begin of a thread or of its part in a team, with its need. Before it the location idles.
    Starts { need: u32 },
    /// The acquisition of a lock, which begins a holding.
    Acquires { holding: u32 },
    /// The release of a lock, which ends a holding.
    Releases { holding: u32, source: SourceId },
    /// The request of a semaphore or a reader-writer lock.
    Enters { admission: u32 },
    /// The release of a reader-writer lock.
    Leaves { admission: u32, source: SourceId },
    /// The post of a token to a semaphore.
    Posts { lock: u32, source: SourceId },
}

impl EntryKind {
    /// The order among entries of one call and time: a source does not depend on a wait that begins at the same time, and a
    /// thread has to begin before it can wait.
    pub(super) fn rank(self) -> u8 {
        match self {
            Self::Publishes(_) | Self::Releases { .. } | Self::Leaves { .. } | Self::Posts { .. } => 0,
            Self::Starts { .. } => 1,
            Self::Needs { .. }
            | Self::Completes { .. }
            | Self::Notices { .. }
            | Self::Acquires { .. }
            | Self::Enters { .. } => 2,
        }
    }

    /// Whether it is the entry of a source.
    pub(super) fn is_source(self, wanted: SourceId) -> bool {
        matches!(
            self,
            Self::Publishes(source)
                | Self::Releases { source, .. }
                | Self::Leaves { source, .. }
                | Self::Posts { source, .. } if source == wanted
        )
    }

    /// The range of its needs; empty for sources and locks.
    pub(super) fn needs(self) -> std::ops::Range<usize> {
        match self {
            Self::Publishes(_)
            | Self::Releases { .. }
            | Self::Acquires { .. }
            | Self::Enters { .. }
            | Self::Leaves { .. }
            | Self::Posts { .. } => 0..0,
            Self::Needs { first, count }
            | Self::Completes { first, count }
            | Self::Notices { first, count } => first as usize..(first + count) as usize,
            Self::Starts { need } => need as usize..need as usize + 1,
        }
    }
}

/// Index types whose `Option` takes four bytes as well: a trace has millions of them.
macro_rules! compact_ids {
    ($($(#[$doc:meta])* $name:ident),+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(super) struct $name(NonZeroU32);

        impl $name {
            /// Panics at 2^31 rows, which would need more memory than a machine has.
            pub(super) fn from_index(index: usize) -> Self {
                let number = u32::try_from(index + 1).ok().filter(|&number| number < Need::HUB);
                Self(number.and_then(NonZeroU32::new).expect("a graph holds fewer than 2^31 rows"))
            }

            #[inline]
            pub(super) fn index(self) -> usize {
                self.0.get() as usize - 1
            }
        }
    )+};
}

compact_ids! {
    /// An index of [`Graph::sources`].
    SourceId,
    /// An index of [`Graph::hubs`].
    HubId
}

/// What a wait depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dependency {
    Source(SourceId),
    Hub(HubId),
}

/// A dependency in four bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Need(u32);

impl Need {
    /// The bit that distinguishes hubs from sources.
    const HUB: u32 = 1 << 31;

    #[inline]
    pub(super) fn dependency(self) -> Dependency {
        let id = |number: u32| NonZeroU32::new(number).expect("needs are made of ids, which are not zero");
        match self.0 & Self::HUB {
            0 => Dependency::Source(SourceId(id(self.0))),
            _ => Dependency::Hub(HubId(id(self.0 & !Self::HUB))),
        }
    }
}

impl From<SourceId> for Need {
    fn from(source: SourceId) -> Self {
        Self(source.0.get())
    }
}

impl From<HubId> for Need {
    fn from(hub: HubId) -> Self {
        Self(hub.0.get() | Self::HUB)
    }
}

impl Graph {
    /// Whether a wait or a hub depends on a source.
    #[inline]
    pub(super) fn is_awaited(&self, source: SourceId) -> bool {
        source.index() < self.awaited
    }

    /// The source of a need; none if it is a hub.
    pub(super) fn source_in(&self, need: Need) -> Option<&GraphSource> {
        match need.dependency() {
            Dependency::Source(source) => Some(self.source(source)),
            Dependency::Hub(_) => None,
        }
    }

    pub(super) fn source(&self, source: SourceId) -> &GraphSource {
        &self.sources[source.index()]
    }

    /// The number of points, which are the awaited sources and the hubs.
    pub(super) fn points(&self) -> usize {
        self.awaited + self.hubs.len()
    }

    /// The index of a need in tables with a row for each awaited source and then one for each hub.
    #[inline]
    pub(super) fn point(&self, need: Need) -> usize {
        match need.dependency() {
            Dependency::Source(source) => source.index(),
            Dependency::Hub(hub) => self.hub_point(hub),
        }
    }

    #[inline]
    pub(super) fn hub_point(&self, hub: HubId) -> usize {
        self.awaited + hub.index()
    }
}

#[cfg(test)]
mod tests {
    use super::{Dependency, GraphEntry, GraphSource, HubId, Need, SourceId};

    #[test]
    fn a_need_keeps_what_it_was_made_of() {
        for index in [0, 1, (1 << 31) - 3] {
            let (source, hub) = (SourceId::from_index(index), HubId::from_index(index));
            assert_eq!(Need::from(source).dependency(), Dependency::Source(source));
            assert_eq!(Need::from(hub).dependency(), Dependency::Hub(hub));
            assert_eq!((source.index(), hub.index()), (index, index));
        }
    }

    #[test]
    fn rows_are_small() {
        assert_eq!((size_of::<Need>(), size_of::<GraphSource>(), size_of::<GraphEntry>()), (4, 16, 32));
    }
}
