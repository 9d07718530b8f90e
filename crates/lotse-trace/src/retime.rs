//! What if: the same run with some of its time changed, re-timed over the dependencies between locations.
//!
//! Local work keeps its length (or the changed one), a wait ends when all that it waited for has happened, and what
//! follows a wait inside the call (the transfer) keeps its length. So the answer is the gain that can really be
//! reached: another location that was nearly as late shows up at once.
//!
//! The order in which locks are taken and messages are matched stays that of the recorded run.
//!
//! Another latency moves the arrival of messages, not the end of receives: one that came to a message long after it
//! had arrived ends as before. When a message arrived is estimated from the fastest of its kind (`transfers`). The
//! handshake of a send that waits for its receive, and collectives, keep their times.

use hashbrown::HashMap;
use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use crate::critical::Segment;
use crate::store::{CallRef, Trace};

mod build;
mod longest;
mod run;
mod sends;
mod shape;
mod spans;
mod transfers;

pub use longest::{LongestPath, longest};
pub(crate) use sends::Lengths;
pub(crate) use shape::Shape;

/// What depends on what.
#[derive(Debug, Default)]
pub struct Graph {
    /// When somebody does what others wait for, by its number.
    sources: Vec<Source>,
    /// How many sources each meeting of several needs. Its number is behind those of the sources.
    hubs: Vec<u32>,
    /// By location, in the order of time.
    lines: Vec<Line>,
}

/// One location's part of the graph.
#[derive(Debug, Default)]
struct Line {
    entries: Vec<Entry>,
    /// Numbers of sources and hubs that waits depend on.
    needs: Vec<u32>,
}

/// A moment that others wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Source {
    location: LocationId,
    at: Ticks,
    /// The meeting it counts for.
    hub: u32,
}

/// Something on a location that is tied to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    /// When, or from when the location waits.
    at: Ticks,
    /// From when it goes on by itself.
    resume: Ticks,
    what: What,
    /// The waiting call, or the one that tells where in its moment this belongs.
    call: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// A source, by its number.
    Gives(u32),
    /// A wait: where its needs stand, and how many they are.
    Needs { first: u32, count: u32 },
    /// The same for messages, whose transfer lasts from the end of the wait to the end of the call.
    Completes { first: u32, count: u32 },
    /// The beginning of a thread's part: where its need stands. Before it the location idled.
    Starts { need: u32 },
}

impl What {
    /// Where its needs stand; nowhere for what is given.
    fn needs(self) -> std::ops::Range<usize> {
        match self {
            Self::Gives(_) => 0..0,
            Self::Needs { first, count } | Self::Completes { first, count } => {
                first as usize..(first + count) as usize
            }
            Self::Starts { need } => need as usize..need as usize + 1,
        }
    }
}

const NO_HUB: u32 = u32::MAX;

/// One way in which the run is changed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Change {
    /// Call paths whose own time becomes longer or shorter: millionths of what it was.
    pub factors: Vec<(PathId, u32)>,
    /// Whether all time in MPI but waiting vanishes.
    pub ideal_network: bool,
    /// Ticks by which messages arrive later; negative: earlier, but not before they could be received.
    pub latency: i64,
    /// Calls that no longer wait.
    pub removed: Vec<CallRef>,
    /// Pieces of time that vanish.
    pub spans: Vec<Segment>,
}

/// A factor of one.
pub const WHOLE: u32 = 1_000_000;

impl Change {
    /// Nothing changes.
    pub fn none() -> Self {
        Self::default()
    }

    /// The time of call paths is multiplied.
    pub fn scaled(paths: impl IntoIterator<Item = PathId>, factor: u32) -> Self {
        Self { factors: paths.into_iter().map(|path| (path, factor)).collect(), ..Self::default() }
    }

    /// Communication takes no time.
    pub fn ideal_network() -> Self {
        Self { ideal_network: true, ..Self::default() }
    }
}

/// What came of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// From the first event to the last.
    pub length: Ticks,
    /// Dependencies that had to be left out because they formed a circle, which only wrong clocks or a damaged trace
    /// make.
    pub cut: u64,
}

impl Graph {
    /// The new length of the run under each change.
    pub fn run(&self, trace: &Trace, changes: &[Change]) -> Vec<Outcome> {
        let lots = changes.chunks(run::LANES);
        lots.flat_map(|changes| run::Run::new(self, trace, changes, false).outcomes()).collect()
    }

    /// Until when calls wait by what is in the graph so far.
    fn told(&self) -> HashMap<CallRef, Ticks> {
        let mut told = HashMap::new();
        for (location, line) in self.lines.iter().enumerate() {
            let location = LocationId::from(location);
            for entry in line.entries.iter().filter(|entry| !entry.what.needs().is_empty()) {
                let until = told.entry(CallRef { location, call: entry.call }).or_insert(entry.resume);
                *until = entry.resume.max(*until);
            }
        }
        told
    }
}

#[cfg(test)]
mod tests;
