//! What depends on what: the moments that others wait for, and the waits, location by location.

use std::num::NonZeroU32;

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

/// What depends on what.
#[derive(Debug, Default)]
pub struct Graph {
    pub(super) sources: Vec<Source>,
    pub(super) hubs: Vec<Hub>,
    /// Times that locks were held.
    pub(super) holdings: Vec<Holding>,
    /// How many locks there are.
    pub(super) locks: usize,
    /// Semaphores and reader-writer locks, and the calls that these admitted.
    pub(super) counting_locks: Vec<CountingLock>,
    pub(super) admissions: Vec<Admission>,
    /// By location, in the order of time.
    pub(super) lines: Vec<Line>,
    /// Work that threads share.
    pub(super) pools: Vec<Pool>,
    /// By location: its part in shared work; empty where none is shared.
    pub(super) members: Vec<Option<Member>>,
    /// How many sources a wait or a meeting needs: these come before all others.
    pub(super) awaited: usize,
}

/// Work that threads share: each takes the next piece as soon as it is free.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pool {
    /// The call that a piece of work begins with.
    pub(super) path: PathId,
    /// In the order in which they were begun.
    pub(super) jobs: Vec<Job>,
}

/// A piece of shared work, where it was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) location: LocationId,
    pub(super) from: Ticks,
    pub(super) to: Ticks,
    /// Its entries in the location's line: the first, and the first that follows.
    pub(super) entries: (u32, u32),
}

/// A thread's part in shared work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) pool: u32,
    /// From the beginning of its first piece to the end of its last one.
    pub(super) from: Ticks,
    pub(super) until: Ticks,
    /// The entries of all its pieces: the first, and the first that follows.
    pub(super) entries: (u32, u32),
}

/// A meeting of several: it happens when the last of what it needs has happened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Hub {
    /// How many sources and other hubs it needs.
    pub(super) needs: u32,
    /// The hub that needs this one.
    pub(super) feeds: Option<HubId>,
}

/// One time that a lock was held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Holding {
    /// Which lock.
    pub(super) lock: u32,
    /// Its place in the recorded order of acquisition.
    pub(super) order: u32,
    /// Where it is acquired.
    pub(super) path: PathId,
    /// How long acquiring takes when the lock is free.
    pub(super) if_free: Ticks,
    /// How long after the release by another it is acquired when it was not free. Recorders may write down the
    /// release after the next thread has the lock: then it is negative.
    pub(super) hand_over: i64,
    /// How much later than it asked it came into the queue: others that asked later got the lock before it while all
    /// of them waited.
    pub(super) queued_after: Ticks,
    /// How long after a release others still take the lock before it: one tick more than what was seen.
    pub(super) yields_for: Ticks,
}

/// A semaphore or a reader-writer lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CountingLock {
    /// Tokens of a semaphore that were there from the beginning.
    pub(super) tokens: u32,
    /// Whether readers overtake writers that wait.
    pub(super) readers_first: bool,
}

/// A call that a semaphore or a reader-writer lock admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Admission {
    /// Which one.
    pub(super) lock: u32,
    /// Its place in the recorded order.
    pub(super) order: u32,
    pub(super) access: Access,
    /// How long it takes when there is nothing to wait for.
    pub(super) if_free: Ticks,
    /// How long after what it waits for it is admitted; negative where recorders write that down late.
    pub(super) hand_over: i64,
}

/// What a call is admitted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// To take a token of a semaphore.
    Token,
    /// To read with others.
    Read,
    /// To write alone.
    Write,
}

/// One location's part of the graph.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub(super) entries: Vec<Entry>,
    /// What the waits of the entries depend on.
    pub(super) needs: Vec<Need>,
}

/// A moment that others wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) location: LocationId,
    pub(super) at: Ticks,
    /// The meeting it counts for.
    pub(super) hub: Option<HubId>,
}

/// Something on a location that is tied to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// When, or from when the location waits.
    pub(super) at: Ticks,
    /// From when it goes on by itself.
    pub(super) resume: Ticks,
    pub(super) what: What,
    /// The waiting call, or the call that orders this entry among others of the same moment.
    pub(super) call: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// Others wait for this moment.
    Gives(SourceId),
    /// A wait: where its needs stand, and how many they are.
    Needs { first: u32, count: u32 },
    /// The same for messages, whose transfer lasts from the end of the wait to the end of the call.
    Completes { first: u32, count: u32 },
    /// The same for a message that another call completes.
    Notices { first: u32, count: u32 },
    /// The beginning of a thread's part: where its need stands. Before it the location idled.
    Starts { need: u32 },
    /// A lock is acquired: which holding begins.
    Acquires { holding: u32 },
    /// A lock is released: which holding ends, and the source that this moment is.
    Releases { holding: u32, source: SourceId },
    /// A semaphore or a reader-writer lock is asked: which admission begins.
    Enters { admission: u32 },
    /// A reader-writer lock is released: which admission ends, and the source that this moment is.
    Leaves { admission: u32, source: SourceId },
    /// A token is posted: to which semaphore, and the source that this moment is.
    Posts { lock: u32, source: SourceId },
}

impl What {
    /// Its place among what happens to one call at one moment: what is given does not depend on what is waited for from
    /// that moment on, and a thread has to begin before it can wait.
    pub(super) fn rank(self) -> u8 {
        match self {
            Self::Gives(_) | Self::Releases { .. } | Self::Leaves { .. } | Self::Posts { .. } => 0,
            Self::Starts { .. } => 1,
            Self::Needs { .. }
            | Self::Completes { .. }
            | Self::Notices { .. }
            | Self::Acquires { .. }
            | Self::Enters { .. } => 2,
        }
    }

    /// Whether it is the moment that a source is.
    pub(super) fn is_source(self, wanted: SourceId) -> bool {
        matches!(
            self,
            Self::Gives(source)
                | Self::Releases { source, .. }
                | Self::Leaves { source, .. }
                | Self::Posts { source, .. } if source == wanted
        )
    }

    /// Where its needs stand; nowhere for what is given.
    pub(super) fn needs(self) -> std::ops::Range<usize> {
        match self {
            Self::Gives(_)
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

/// A table index that leaves room for "none" in four bytes: a trace has millions of them.
macro_rules! compact_ids {
    ($($(#[$doc:meta])* $name:ident),+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(super) struct $name(NonZeroU32);

        impl $name {
            /// Panics on more than two thousand million rows, which would need more memory than a machine has.
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
    /// A moment that others wait for.
    SourceId,
    /// A meeting of several: it happens when the last of its sources has happened.
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
    /// The bit that tells hubs from sources.
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
    /// Whether a wait or a meeting needs a source.
    #[inline]
    pub(super) fn is_awaited(&self, source: SourceId) -> bool {
        source.index() < self.awaited
    }

    /// The source that a dependency is.
    pub(super) fn source_in(&self, need: Need) -> Option<&Source> {
        match need.dependency() {
            Dependency::Source(source) => Some(self.source(source)),
            Dependency::Hub(_) => None,
        }
    }

    pub(super) fn source(&self, source: SourceId) -> &Source {
        &self.sources[source.index()]
    }

    /// How many sources that are needed and hubs there are.
    pub(super) fn points(&self) -> usize {
        self.awaited + self.hubs.len()
    }

    /// The place of a dependency in tables that hold a row for each source that is needed and then one for each hub.
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
    use super::{Dependency, Entry, HubId, Need, Source, SourceId};

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
    fn rows_are_as_small_as_they_were_planned() {
        assert_eq!((size_of::<Need>(), size_of::<Source>(), size_of::<Entry>()), (4, 16, 32));
    }
}
