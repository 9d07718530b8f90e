//! Detects work that threads share, by their use of a lock.
//!
//! Threads that take jobs from a common queue and hold a lock while they work block each other: the thread that holds the
//! lock takes one job after the other, while the others wait for the lock with their first job.
//!
//! ```text
//! thread 1   ┤ job ├┤ job ├┤ job ├┤ job ├           four jobs
//! thread 2   ┤ · · · waits for the lock · · ┤ job ├  one job
//! ```
//!
//! Sharing is not recorded, but it can be inferred from the distribution: threads with the same code would not be assigned
//! four jobs and one. So the work is assumed to be shared if the threads with much less of it waited for the lock most of
//! the time. In a simulation each thread takes the next job as soon as it is free.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use super::super::graph::{Dependency, EntryKind, Graph, Job, Pool, PoolMember};
use crate::store::{Paths, Trace};

/// A thread has much less work than another if it has at most this fraction (1 / `MUCH_LESS`) of the other's jobs.
const MUCH_LESS: usize = 2;

/// The use of a lock by one thread.
#[derive(Debug, Clone, Default)]
struct LockUse {
    /// The paths of the calls that acquire it.
    acquires: Vec<PathId>,
    waited: Ticks,
}

impl Graph {
    /// Finds the work that threads share. The entries must be sorted.
    pub(super) fn find_pools(&mut self, trace: &Trace) {
        for lock_uses in lock_uses(self, trace).into_values() {
            if let Some((path, members)) = shared_jobs(trace, &lock_uses)
                && members.iter().all(|(location, jobs)| self.meets_only_at_locks(*location, jobs))
            {
                self.add_pool(trace, path, &members);
            }
        }
    }

    /// Adds a pool with the jobs of its members, unless a thread is already a member of another pool. The entries of a job
    /// are those from its begin to its end; the last job of a thread includes those at its end.
    fn add_pool(&mut self, trace: &Trace, path: PathId, members: &[JobsOfThread]) {
        self.members.resize(trace.timelines.len(), None);
        if members.iter().any(|(location, _)| self.members[location.index()].is_some()) {
            return;
        }
        let pool = self.pools.len() as u32;
        let mut jobs = Vec::new();
        for (location, job_intervals) in members {
            let entries = &self.tables[location.index()].entries;
            let place = |at: Ticks| entries.partition_point(|entry| entry.at < at) as u32;
            let (Some(first), Some(last)) = (job_intervals.first(), job_intervals.last()) else { continue };
            let behind = entries.partition_point(|entry| entry.at <= last.1) as u32;
            let end = |interval: &JobInterval| if interval == last { behind } else { place(interval.1) };
            jobs.extend(job_intervals.iter().map(|interval| Job {
                location: *location,
                from: interval.0,
                to: interval.1,
                entries: (place(interval.0), end(interval)),
            }));
            self.members[location.index()] =
                Some(PoolMember { pool, from: first.0, until: last.1, entries: (place(first.0), behind) });
        }
        jobs.sort_by_key(|job| (job.from, job.location));
        self.pools.push(Pool { path, jobs });
    }

    /// Whether a thread synchronises only at locks and by single sources while it works, and not at hubs: a job cannot be
    /// moved to another thread across a barrier.
    fn meets_only_at_locks(&self, location: LocationId, jobs: &[JobInterval]) -> bool {
        let (Some(first), Some(last)) = (jobs.first(), jobs.last()) else { return false };
        let table = &self.tables[location.index()];
        let during = table.entries.iter().filter(|entry| first.0 <= entry.at && entry.at <= last.1);
        let mut entries = during.map(|entry| match entry.kind {
            EntryKind::Starts { .. } => false,
            kind => table.needs[kind.needs()]
                .iter()
                .all(|need| matches!(need.dependency(), Dependency::Source(_))),
        });
        entries.all(|free| free)
    }
}

/// Begin and end of a job.
type JobInterval = (Ticks, Ticks);

/// The jobs of a thread.
type JobsOfThread = (LocationId, Vec<JobInterval>);

/// By lock: the use by each thread.
fn lock_uses(graph: &Graph, trace: &Trace) -> BTreeMap<u32, BTreeMap<LocationId, LockUse>> {
    let mut lock_uses: BTreeMap<u32, BTreeMap<LocationId, LockUse>> = BTreeMap::new();
    for (location, table) in trace.locations().zip(&graph.tables) {
        let mut of_location: HashMap<u32, LockUse> = HashMap::new();
        for entry in &table.entries {
            let EntryKind::Acquires { holding } = entry.kind else { continue };
            let holding = &graph.holdings[holding as usize];
            let lock_use = of_location.entry(holding.lock).or_default();
            lock_use.acquires.push(holding.path);
            lock_use.waited += (entry.resume - entry.at).saturating_sub(holding.if_free);
        }
        for (lock, lock_use) in of_location {
            lock_uses.entry(lock).or_default().insert(location, lock_use);
        }
    }
    lock_uses
}

/// If work is shared: the call that each job begins with, and the jobs of each thread.
fn shared_jobs(
    trace: &Trace,
    lock_uses: &BTreeMap<LocationId, LockUse>,
) -> Option<(PathId, Vec<JobsOfThread>)> {
    let (&busiest, most) = lock_uses.iter().max_by_key(|(_, lock_use)| lock_use.acquires.len())?;
    let least = lock_uses.values().map(|lock_use| lock_use.acquires.len()).min()?;
    if lock_uses.len() < 2 || least * MUCH_LESS > most.acquires.len() {
        return None;
    }
    let process = |location: LocationId| trace.location(location).process;
    if lock_uses.keys().any(|&location| process(location) != process(busiest)) {
        return None;
    }
    let path = job_path(trace, busiest, most)?;
    let job_intervals = lock_uses.keys().map(|&location| (location, job_intervals(trace, location, path)));
    let job_intervals: Vec<JobsOfThread> =
        job_intervals.filter(|(_, job_intervals)| !job_intervals.is_empty()).collect();
    let end = job_intervals
        .iter()
        .filter_map(|(_, job_intervals)| job_intervals.last())
        .map(|interval| interval.1)
        .max()?;
    let most = job_intervals.iter().map(|(_, job_intervals)| job_intervals.len()).max()?;
    let starved = |(location, jobs): &JobsOfThread| {
        jobs.len() * MUCH_LESS > most || 2 * lock_uses[location].waited >= end - jobs[0].0
    };
    let uneven = job_intervals.iter().any(|(_, jobs)| jobs.len() * MUCH_LESS <= most);
    (job_intervals.len() > 1 && uneven && job_intervals.iter().all(starved)).then_some((path, job_intervals))
}

/// The outermost call that a thread makes as often as it acquires the lock.
fn job_path(trace: &Trace, location: LocationId, lock_use: &LockUse) -> Option<PathId> {
    let &first = lock_use.acquires.first()?;
    if lock_use.acquires.iter().any(|&path| path != first) {
        return None;
    }
    let visits = |path: PathId| {
        let uses = &trace.uses[location.index()];
        uses.binary_search_by_key(&path, |used| used.path).map_or(0, |at| uses[at].visits)
    };
    let above = std::iter::successors(Some(first), |&path| Some(trace.paths.parent(path)));
    let jobs =
        above.take_while(|&path| path != Paths::ROOT && visits(path) == lock_use.acquires.len() as u64);
    jobs.last()
}

/// The jobs of a thread: each lasts until the next begins, the last one until its call ends.
fn job_intervals(trace: &Trace, location: LocationId, job: PathId) -> Vec<JobInterval> {
    let timeline = trace.timeline(location);
    let outside = trace.paths.parent(job);
    let mut job_intervals: Vec<JobInterval> = Vec::new();
    let mut before = Paths::ROOT;
    for (&at, &path) in timeline.at.iter().zip(&timeline.path) {
        if path == job && before == outside {
            if let Some(last) = job_intervals.last_mut() {
                last.1 = at;
            }
            job_intervals.push((at, timeline.last));
        } else if path == outside
            && let Some(last) = job_intervals.last_mut().filter(|last| last.1 == timeline.last)
        {
            last.1 = at;
        }
        before = path;
    }
    job_intervals
}

#[cfg(test)]
mod tests;
