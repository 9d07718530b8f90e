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

use lotse_model::Workers;
use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;
use lotse_model::work::{self, Sequential};

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
mod stretches;
mod transfers;

pub use change::{Change, Extra, Removed, Scaled, Stretched};
pub use factor::{Factor, FactorOutOfRange};
pub use graph::Graph;
pub use longest::{LongestPath, longest};
pub(crate) use sends::SendsOfRun;
pub(crate) use shape::{Shape, is_by_pairs, last_before_exit};

/// Changes that are played at the same time where all take the same way, at most.
const LANES: usize = 16;

/// Rows of sources and hubs that runs which take turns have together, at most: 16 bytes each.
const ROWS: usize = 1 << 20;

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
            let mut counts = vec![0; self.members.len()];
            row.jobs.iter().for_each(|job| counts[job.location.index()] += 1);
            let pieces = ours.map(|(at, _)| (LocationId::from(at), counts[at])).collect();
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
        self.run_on(trace, changes, &Sequential)
    }

    /// The same on several workers, which helps where each change is played alone.
    pub fn run_on(&self, trace: &Trace, changes: &[Change], workers: &dyn Workers) -> Vec<Outcome> {
        let (distinct, places) = distinct(trace, changes);
        let outcomes: Vec<Outcome> = if self.plays_alone() {
            let room = ROWS / self.points().max(1);
            let size = distinct.len().div_ceil(workers.threads().max(1)).min(room).clamp(1, LANES);
            let parts: Vec<&[&Change]> = distinct.chunks(size).collect();
            let played = work::map(workers, parts.len(), |part| self.run_by_turns(trace, parts[part]));
            played.into_iter().flatten().collect()
        } else {
            distinct.chunks(LANES).flat_map(|changes| self.run_together(trace, changes)).collect()
        };
        places.into_iter().map(|place| outcomes[place].clone()).collect()
    }

    /// Changes whose runs take different ways.
    fn run_by_turns(&self, trace: &Trace, changes: &[&Change]) -> Vec<Outcome> {
        let mut runs: Vec<Run<'_, 1>> =
            changes.chunks(1).map(|alone| Run::at_start(self, trace, alone, false)).collect();
        Run::play_by_turns(&mut runs);
        runs.iter().flat_map(Run::outcomes).collect()
    }

    /// Whether every change has to be played alone: it matters who comes first.
    pub fn plays_alone(&self) -> bool {
        self.locks > 0 || !self.counting_locks.is_empty()
    }

    /// Lanes that nobody needs take time too.
    fn run_together(&self, trace: &Trace, changes: &[&Change]) -> Vec<Outcome> {
        match changes.len() {
            0..=4 => Run::<4>::new(self, trace, changes, false).outcomes(),
            5..=12 => Run::<12>::new(self, trace, changes, false).outcomes(),
            _ => Run::<LANES>::new(self, trace, changes, false).outcomes(),
        }
    }
}

/// How long the recorded run takes under a change: less what re-timing gains. Without a change, re-timing may give another
/// length than the recorded one: circles are cut, and locks of windows are given in another order.
pub(crate) fn recorded_under_change(trace: &Trace, unchanged: Ticks, changed: Ticks) -> Ticks {
    let last = trace.cpu_locations().map(|location| trace.timeline(location).last).max();
    let recorded = last.map_or(0, |last| last.saturating_sub(trace.first_tick()));
    recorded.saturating_add(changed).saturating_sub(unchanged)
}

/// The changes that differ, and by change its place among them.
fn distinct<'a>(trace: &Trace, changes: &'a [Change]) -> (Vec<&'a Change>, Vec<usize>) {
    let talks = trace.paths.ids().any(|path| trace.class_of(path).is_mpi());
    // An ideal network changes nothing where there is no network.
    let same = |one: &Change, other: &Change| {
        (talks && one.ideal_network) == (talks && other.ideal_network) && one.is_same_but_network(other)
    };
    let mut distinct: Vec<&Change> = Vec::new();
    let mut places = Vec::with_capacity(changes.len());
    for change in changes {
        let known = distinct.iter().position(|known| same(known, change));
        places.push(known.unwrap_or(distinct.len()));
        if known.is_none() {
            distinct.push(change);
        }
    }
    (distinct, places)
}

#[cfg(test)]
mod tests;
