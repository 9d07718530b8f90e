//! What if: the same run with some of its time changed, re-timed over the dependencies between locations.
//!
//! Local work keeps its length (or the changed one), a wait ends when all that it waited for has happened, and what
//! follows a wait inside the call (the transfer) keeps its length. So the answer is the gain that can really be
//! reached: another location that was nearly as late shows up at once.
//!
//! An example to follow with a pencil (and in `tests`). Rank 0 works for 6 and sends; rank 1 has 2 to do, waits 4, gets
//! the message in 1 and works for 3:
//!
//! ```text
//! time       0    1    2    3    4    5    6    7    8    9    10
//! rank 0     ┤───────────── work ─────────┤send├
//! rank 1     ┤── own ──┤ receive ▒▒▒▒▒▒▒▒▒▒───├───── rest ────┤
//!                      ↑at                ↑resume
//! ```
//!
//! The graph has one source (rank 0 at 6), and rank 1 has one entry: from `at` 2 it waits for that source, from `resume`
//! 6 it goes on by itself. Played with `work` zeroed, rank 0 comes to its source at 0. Rank 1 comes to its entry at 2,
//! which is later, so it does not wait; from 6 to 10 its time is its own: it ends at 2 + 4 = 6.
//!
//! The order in which messages are matched stays that of the recorded run. Locks are given to threads in the order in
//! which they ask for them in the changed run, and work that threads shared in the recorded run they share again.
//!
//! Another latency moves the arrival of messages, not the end of receives: one that came to a message long after it
//! had arrived ends as before. When a message arrived is estimated from the fastest of its kind (`transfers`). The
//! handshake of a send that waits for its receive, and collectives, keep their times.

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use crate::store::Trace;
use run::Run;

mod build;
mod change;
mod factor;
mod graph;
mod longest;
mod outside;
mod run;
mod sends;
mod shape;
mod spans;
mod transfers;

pub use change::{Change, Extra, Removed, Scaled};
pub use factor::{Factor, FactorOutOfRange};
pub use graph::Graph;
pub use longest::{LongestPath, longest};
pub(crate) use sends::SendsOfRun;
pub(crate) use shape::Shape;

/// Changes that are played at the same time where all take the same way.
const LANES: usize = 12;

/// Work that threads share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedWork {
    /// The call that a piece of it begins with.
    pub path: PathId,
    /// How many pieces each thread had in the recorded run.
    pub pieces: Vec<(LocationId, usize)>,
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
    /// The work that threads are taken to share.
    pub fn shared_work(&self) -> Vec<SharedWork> {
        let of_pool = |(pool, row): (usize, &graph::Pool)| {
            let members = self.members.iter().enumerate();
            let ours = members.filter(|(_, member)| member.is_some_and(|it| it.pool as usize == pool));
            let count = |at: usize| row.jobs.iter().filter(|job| job.location.index() == at).count();
            let pieces = ours.map(|(at, _)| (LocationId::from(at), count(at))).collect();
            SharedWork { path: row.path, pieces }
        };
        self.pools.iter().enumerate().map(of_pool).collect()
    }

    /// The same dependencies where every thread keeps the work that it had.
    pub fn without_sharing(mut self) -> Self {
        self.pools.clear();
        self.members.clear();
        self
    }

    /// The new length of the run under each change.
    pub fn run(&self, trace: &Trace, changes: &[Change]) -> Vec<Outcome> {
        let alone =
            |change: &Change| Run::<1>::new(self, trace, std::slice::from_ref(change), false).outcomes();
        if self.locks > 0 {
            return changes.iter().flat_map(alone).collect();
        }
        let together = |changes: &[Change]| Run::<LANES>::new(self, trace, changes, false).outcomes();
        changes.chunks(LANES).flat_map(together).collect()
    }
}

#[cfg(test)]
mod tests;
