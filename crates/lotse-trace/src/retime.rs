//! What-if analysis: re-times a recorded execution with some times changed, along the dependencies between locations.
//!
//! Local work keeps its recorded length or gets its changed one. A wait ends when everything it depends on has happened.
//! The rest of the call after the wait (the transfer) keeps its length. The result is therefore the gain that can really
//! be reached: if another location was nearly as late, it limits the gain.
//!
//! Worked example (also in `tests`): rank 0 works for 6 and sends; rank 1 works for 2, waits for 4, receives the message
//! in 1 and works for 3.
//!
//! ```text
//! time       0    1    2    3    4    5    6    7    8    9    10
//! rank 0     ┤───────────── work ─────────┤send├
//! rank 1     ┤── own ──┤ receive ▒▒▒▒▒▒▒▒▒▒───├───── rest ────┤
//!                      ↑at                ↑resume
//! ```
//!
//! The graph ([`Graph`]) has one source, rank 0 at time 6, and one entry with a wait: rank 1 waits for that source from
//! `at` = 2 and continues on its own from `resume` = 6. Now the graph is simulated with `work` set to 0:
//!
//! ```text
//! time       0    1    2    3    4    5    6
//! rank 0     ┤send├                                 the source is reached at 0
//! rank 1     ┤── own ──┤────├───── rest ────┤       the wait is reached at 2: no waiting; then 10 - 6 = 4 remain
//! ```
//!
//! So the new length is 2 + 4 = 6.
//!
//! Messages are matched as in the recorded execution. Locks are granted in the order in which threads request them in the
//! simulation, and work that threads shared in the recorded execution is shared again.
//!
//! A changed latency moves the arrival of messages and not the end of receives: a receive that began long after the
//! arrival ends as before. The time of arrival is estimated from the fastest message of its kind (`transfers`). The
//! handshake of a send that waits for its receive, and collectives, keep their times.

use lotse_model::Workers;
use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;
use lotse_model::work::{self, Sequential};

use crate::store::Trace;
use simulation::Simulation;

mod build;
mod change;
mod factor;
mod graph;
mod intervals;
mod longest;
mod outside;
mod sends;
mod shape;
mod simulation;
mod stretches;
mod transfers;

pub use change::{Change, Extra, Removed, Scaled, Stretched};
pub use factor::{Factor, FactorOutOfRange};
pub use graph::Graph;
pub use longest::{LongestPath, longest};
pub(crate) use sends::WholeTraceSends;
pub(crate) use shape::{CollectiveShape, has_pairwise_lengths, last_before_exit};

/// Maximum number of changes that are simulated in one pass, as lanes of the same simulation.
const LANES: usize = 16;

/// Maximum number of sources and hubs of all interleaved simulations together, 16 bytes each.
const ROWS: usize = 1 << 20;

/// Work that threads take from a common queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedWork {
    /// The call that each piece of work begins with.
    pub path: PathId,
    /// The number of pieces of each thread in the recorded execution.
    pub pieces: Vec<(LocationId, usize)>,
}

/// The result of simulating a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// From the first event to the last.
    pub length: Ticks,
    /// The number of dependencies that were ignored because they formed a cycle. Only wrong clocks or a damaged trace
    /// cause cycles.
    pub cut: u64,
}

impl Graph {
    /// The work that threads are assumed to share.
    pub fn shared_work(&self) -> Vec<SharedWork> {
        let shared_work_of = |(pool, row): (usize, &graph::Pool)| {
            let members = self.members.iter().enumerate();
            let ours = members.filter(|(_, member)| member.is_some_and(|it| it.pool as usize == pool));
            let mut counts = vec![0; self.members.len()];
            row.jobs.iter().for_each(|job| counts[job.location.index()] += 1);
            let pieces = ours.map(|(at, _)| (LocationId::from(at), counts[at])).collect();
            SharedWork { path: row.path, pieces }
        };
        self.pools.iter().enumerate().map(shared_work_of).collect()
    }

    /// The same dependencies, but every thread keeps the work that it had.
    pub fn without_sharing(mut self) -> Self {
        self.pools.clear();
        self.members.clear();
        self
    }

    /// Simulates each change.
    pub fn run(&self, trace: &Trace, changes: &[Change]) -> Vec<Outcome> {
        self.run_on(trace, changes, &Sequential)
    }

    /// Simulates each change on several threads, which helps if every change needs a simulation of its own. Equal changes
    /// are simulated once.
    pub fn run_on(&self, trace: &Trace, changes: &[Change], workers: &dyn Workers) -> Vec<Outcome> {
        let (distinct, places) = distinct(trace, changes);
        let outcomes: Vec<Outcome> = if self.needs_separate_simulations() {
            let fitting = ROWS / self.points().max(1);
            let chunk_len = distinct.len().div_ceil(workers.threads().max(1)).min(fitting).clamp(1, LANES);
            let chunks: Vec<&[&Change]> = distinct.chunks(chunk_len).collect();
            let outcomes =
                work::map(workers, chunks.len(), |chunk| self.simulate_interleaved(trace, chunks[chunk]));
            outcomes.into_iter().flatten().collect()
        } else {
            distinct.chunks(LANES).flat_map(|changes| self.simulate_in_lanes(trace, changes)).collect()
        };
        places.into_iter().map(|place| outcomes[place].clone()).collect()
    }

    /// Simulates each change separately, but interleaved.
    fn simulate_interleaved(&self, trace: &Trace, changes: &[&Change]) -> Vec<Outcome> {
        let mut simulations: Vec<Simulation<'_, 1>> =
            changes.chunks(1).map(|change| Simulation::new(self, trace, change, false)).collect();
        Simulation::run_interleaved(&mut simulations);
        simulations.iter().flat_map(Simulation::outcomes).collect()
    }

    /// Whether every change needs a simulation of its own: with locks, the order of events depends on the change.
    pub fn needs_separate_simulations(&self) -> bool {
        self.locks > 0 || !self.counting_locks.is_empty()
    }

    /// Simulates all changes in one pass. The number of lanes is chosen to fit, because unused lanes take time as well.
    fn simulate_in_lanes(&self, trace: &Trace, changes: &[&Change]) -> Vec<Outcome> {
        match changes.len() {
            0..=4 => Simulation::<4>::run(self, trace, changes, false).outcomes(),
            5..=12 => Simulation::<12>::run(self, trace, changes, false).outcomes(),
            _ => Simulation::<LANES>::run(self, trace, changes, false).outcomes(),
        }
    }
}

/// The length of the recorded execution under a change: the recorded length minus the gain of the simulation. The simulated
/// length without a change (`unchanged`) may differ from the recorded one: cycles are cut, and locks of windows are granted
/// in a different order.
pub(crate) fn recorded_under_change(trace: &Trace, unchanged: Ticks, changed: Ticks) -> Ticks {
    let last = trace.cpu_locations().map(|location| trace.timeline(location).last).max();
    let recorded = last.map_or(0, |last| last.saturating_sub(trace.first_tick()));
    recorded.saturating_add(changed).saturating_sub(unchanged)
}

/// The distinct changes, and for each change its index among them.
fn distinct<'a>(trace: &Trace, changes: &'a [Change]) -> (Vec<&'a Change>, Vec<usize>) {
    let has_mpi = trace.paths.ids().any(|path| trace.class_of(path).is_mpi());
    // An ideal network changes nothing without MPI.
    let same = |a: &Change, b: &Change| {
        (has_mpi && a.ideal_network) == (has_mpi && b.ideal_network) && a.is_same_but_network(b)
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
