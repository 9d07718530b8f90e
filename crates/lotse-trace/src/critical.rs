//! The critical path: the chain of activities that determined the run time.
//!
//! It is followed backwards from the last exit. At the end of a wait it continues at the same time on the location that
//! caused the wait. At the begin of a thread's part in a team it continues at the fork, at the begin of a thread at its
//! creation, and where an idle worker gets work, on its master. Its length is therefore the time between its first and its
//! last event, and this time is divided among call paths and locations.
//!
//! ```text
//! rank 0   ━━━━━━━ work ━━━━━━━┓┤MPI_Send├── work ──┤
//! rank 1   ── work ──┤MPI_Recv▒┗━━┿━━━━━ work ━━━━━━━┫ last exit
//!                              ╰ end of the wait for rank 0: the path changes to rank 0
//! ```

use std::collections::BTreeMap;

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::{Event, Ticks};

use crate::idle::unrecorded_idle;
use crate::near::count_over;
use crate::store::{OpRef, PathTimes, Paths, Trace};
use crate::waits::{Wait, Waits};

/// The critical path, its time by call path and location, and the imbalance on it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CriticalPath {
    /// Time from its first to its last event.
    pub length: Ticks,
    /// Its time by call path and location, in that order.
    pub rows: Vec<PathShare>,
    /// Pairs of locations between which it changes.
    pub pairs: Vec<PairShare>,
    /// Its segments, the last first.
    pub segments: Vec<Segment>,
    /// By call path: how its time on the path differs from that of the processes.
    pub imbalance: Vec<Imbalance>,
}

/// Time of a call path and location on the critical path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathShare {
    pub path: PathId,
    pub location: LocationId,
    pub ticks: Ticks,
}

/// A pair of locations between which the path changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairShare {
    /// The location that was waited for.
    pub from: LocationId,
    /// The location that waited.
    pub to: LocationId,
    /// How often the path changes between them.
    pub count: u64,
    /// Time on the path from the end of the wait to the end of the waiting call.
    pub ticks: Ticks,
}

/// A segment of the path on one location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    pub location: LocationId,
    pub from: Ticks,
    pub to: Ticks,
}

/// What the uneven distribution of a call path over the processes costs, in ticks.
///
/// The path is on one thread at a time, so it is compared with the time of a thread: the time of a process is the mean over
/// its threads that entered the call path. Serial code of the master and work that all threads share equally are thus
/// balanced if all processes have the same amount of them; the metric `omp_idle_threads` reports that workers are idle
/// meanwhile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Imbalance {
    pub path: PathId,
    /// Its time on the critical path.
    pub on_path: Ticks,
    /// max(0, time on the path - mean over the processes).
    pub excess: f64,
    /// Idle time of processes that spend less time in this call path than the critical path does.
    pub critical: Ticks,
    /// Idle time of processes that never enter this call path.
    pub inter_partition: Ticks,
    /// Time that processes spend in it beyond that on the critical path.
    pub non_critical: Ticks,
}

/// Computes the critical path.
pub fn critical_path(trace: &Trace, waits: &Waits) -> CriticalPath {
    let mut walk = BackwardWalk::new(trace, waits);
    let Some(end) = last_to_leave(trace) else { return CriticalPath::default() };
    let last = trace.timeline(end).last;
    let first = walk.follow(end, last);
    let rows = shares(trace, &walk.segments);
    let pairs = walk.pairs.iter().map(|(&(from, to), &(count, ticks))| PairShare { from, to, count, ticks });
    let pairs = pairs.collect();
    let of_threads: Vec<PathShare> =
        rows.iter().filter(|row| trace.is_thread(row.location)).copied().collect();
    let imbalance = imbalances(trace, &of_threads);
    CriticalPath { length: last - first, rows, pairs, segments: walk.segments, imbalance }
}

/// The location with the last exit of all; locations with records but without calls do not count.
fn last_to_leave(trace: &Trace) -> Option<LocationId> {
    let left = |location: &LocationId| match trace.timeline(*location).at.as_slice() {
        [] | [_] => None,
        [.., last] => Some(*last),
    };
    trace.cpu_locations().max_by_key(|location| (left(location), std::cmp::Reverse(*location)))
}

/// The begin of activity on a location that another location started: by fork, thread creation, launch or new work.
#[derive(Debug, Clone, Copy)]
struct Start {
    at: Ticks,
    /// The location that started it, and when.
    location: LocationId,
    requested: Ticks,
}

/// By location: its starts, in the order of time.
fn all_starts(trace: &Trace) -> Vec<Vec<Start>> {
    let mut starts: Vec<Vec<Start>> = trace.locations().map(|location| starts(trace, location)).collect();
    for idle in unrecorded_idle(trace) {
        let start = Start { at: idle.to, location: idle.master, requested: idle.master_at };
        starts[idle.worker.index()].push(start);
    }
    starts.iter_mut().for_each(|starts| starts.sort_by_key(|start| start.at));
    starts
}

fn starts(trace: &Trace, location: LocationId) -> Vec<Start> {
    let ops = &trace.timeline(location).ops;
    let begins =
        |&number: &usize| matches!(ops.shape(number), Event::TeamBegin { .. } | Event::ThreadBegin { .. });
    let begun = (0..ops.len()).filter(begins).filter_map(|number| {
        let by = trace.links.partner(OpRef { location, op: number as u32 })?;
        let requested = trace.op(by).at.min(ops.at(number));
        Some(Start { at: ops.at(number), location: by.location, requested })
    });
    begun.chain(launches(trace, location)).collect()
}

/// Starts on an accelerator stream: the launches of work that was not queued behind other work.
fn launches(trace: &Trace, location: LocationId) -> impl Iterator<Item = Start> {
    let activities = trace.accelerators().stream(location).map_or(&[][..], |stream| &stream.activities);
    activities.iter().filter_map(|activity| {
        let launch = activity.launch.filter(|launch| !launch.queued)?;
        let requested = launch.at.min(activity.begin);
        Some(Start { at: activity.begin, location: launch.call.location, requested })
    })
}

/// Follows the critical path backwards in time and collects its segments.
struct BackwardWalk<'a> {
    trace: &'a Trace,
    waits: &'a Waits,
    pairs: BTreeMap<(LocationId, LocationId), (u64, Ticks)>,
    segments: Vec<Segment>,
    /// By location: its starts by other locations.
    starts: Vec<Vec<Start>>,
    /// By location: how many of its waits had ended when the path was last here; a starting point for the next search.
    ended: Vec<usize>,
    /// Locations that the path visited at the present time: it does not return to them before time has decreased, so that
    /// it cannot cycle.
    visited_now: Vec<LocationId>,
}

impl<'a> BackwardWalk<'a> {
    fn new(trace: &'a Trace, waits: &'a Waits) -> Self {
        Self {
            trace,
            waits,
            pairs: BTreeMap::new(),
            segments: Vec::new(),
            starts: all_starts(trace),
            ended: waits.by_location.iter().map(Vec::len).collect(),
            visited_now: Vec::new(),
        }
    }

    /// Follows the path from a time on a location back to its first event; gives the time of that event.
    fn follow(&mut self, mut location: LocationId, mut now: Ticks) -> Ticks {
        loop {
            self.visited_now.push(location);
            let wait = self.wait_before(location, now);
            let start = self.start_before(location, now);
            let (from, to) = match (wait, start) {
                (wait, Some(start)) if wait.is_none_or(|wait| start.at >= wait.end) => {
                    (start.requested, start.location)
                }
                (Some(Wait { call, end, cause: Some(cause), .. }), _) => {
                    let pair = self.pairs.entry((cause.location, location)).or_default();
                    pair.0 += 1;
                    pair.1 += self.trace.exit(call).min(now) - end;
                    (end, cause.location)
                }
                _ => {
                    let first = self.trace.timeline(location).first.min(now);
                    self.add_segment(location, first, now);
                    return first;
                }
            };
            self.add_segment(location, from, now);
            if from < now {
                self.visited_now.clear();
            }
            (now, location) = (from, to);
        }
    }

    /// The last start of the location at or before `now`.
    fn start_before(&self, location: LocationId, now: Ticks) -> Option<Start> {
        let starts = &self.starts[location.index()];
        let start = *starts[..starts.partition_point(|start| start.at <= now)].last()?;
        (start.requested < now || !self.visited_now.contains(&start.location)).then_some(start)
    }

    /// The last wait that ended at or before `now` and whose cause is on another location that the path can change to.
    fn wait_before(&mut self, location: LocationId, now: Ticks) -> Option<Wait> {
        let waits = &self.waits.by_location[location.index()];
        let ended = &mut self.ended[location.index()];
        *ended = count_over(waits.len(), *ended, |number| waits[number].end <= now);
        let until = *ended;
        let has_next = |wait: &&Wait| {
            let is_new = |at: LocationId| wait.end < now || !self.visited_now.contains(&at);
            wait.causal
                && wait.cause.is_some_and(|cause| cause.location != location && is_new(cause.location))
        };
        waits[..until].iter().rev().find(has_next).copied()
    }

    fn add_segment(&mut self, location: LocationId, from: Ticks, to: Ticks) {
        if from >= to {
            return;
        }
        self.segments.push(Segment { location, from, to });
    }
}

/// Sums the time of the path by call path and location.
fn shares(trace: &Trace, segments: &[Segment]) -> Vec<PathShare> {
    let mut by_location: Vec<Vec<&Segment>> = vec![Vec::new(); trace.timelines.len()];
    // The path was followed backwards.
    segments.iter().rev().for_each(|segment| by_location[segment.location.index()].push(segment));
    let mut sums: BTreeMap<(PathId, LocationId), Ticks> = BTreeMap::new();
    let mut times = PathTimes::new(trace.paths.len());
    for (location, segments) in trace.locations().zip(by_location) {
        let timeline = trace.timeline(location);
        let mut step = 0;
        for &&Segment { from, to, .. } in &segments {
            // A thread that was started but has not begun is in no region.
            times.add(Paths::ROOT, timeline.first.min(to).saturating_sub(from));
            step = timeline.step_near(step, from).unwrap_or(0);
            timeline.sum_from(step, from, to, &mut times);
        }
        let touched = times.touched().map(|path| ((path, location), times.get(path)));
        sums.extend(touched);
        times.clear();
    }
    sums.into_iter().map(|((path, location), ticks)| PathShare { path, location, ticks }).collect()
}

/// Computes the imbalance of all call paths on the critical path; the same path of OpenMP masters and workers counts as
/// one.
fn imbalances(trace: &Trace, rows: &[PathShare]) -> Vec<Imbalance> {
    let processes: Vec<Vec<LocationId>> = trace.processes().into_iter().map(|(_, threads)| threads).collect();
    let mut on_path: BTreeMap<PathId, Ticks> = BTreeMap::new();
    rows.iter().for_each(|row| *on_path.entry(trace.paths.joined(row.path)).or_default() += row.ticks);
    let mut of_workers: BTreeMap<PathId, Vec<PathId>> = BTreeMap::new();
    for path in trace.paths.ids().filter(|_| trace.paths.has_forked()) {
        of_workers.entry(trace.paths.joined(path)).or_default().push(path);
    }
    let one = |(path, on_path): (PathId, Ticks)| {
        let alone = [path];
        let same = of_workers.get(&path).map_or(&alone[..], Vec::as_slice);
        imbalance(trace, &processes, (path, same), on_path)
    };
    on_path.into_iter().map(one).collect()
}

fn imbalance(
    trace: &Trace,
    processes: &[Vec<LocationId>],
    (path, same): (PathId, &[PathId]),
    on_path: Ticks,
) -> Imbalance {
    let (mut sum, mut critical, mut inter_partition, mut non_critical) = (0_u128, 0_u64, 0_u64, 0_u64);
    for ticks in processes.iter().map(|threads| mean_thread_time(trace, threads, same)) {
        sum += u128::from(ticks);
        match ticks {
            0 => inter_partition = inter_partition.saturating_add(on_path),
            _ => critical = critical.saturating_add(on_path.saturating_sub(ticks)),
        }
        non_critical = non_critical.saturating_add(ticks.saturating_sub(on_path));
    }
    let excess = (on_path as f64 - sum as f64 / processes.len().max(1) as f64).max(0.0);
    Imbalance { path, on_path, excess, critical, inter_partition, non_critical }
}

/// The time of a process in a call path: the mean over its threads that entered it. `same` has the path of master and
/// workers.
fn mean_thread_time(trace: &Trace, threads: &[LocationId], same: &[PathId]) -> Ticks {
    let of_one = |location: &LocationId| {
        let uses = &trace.uses[location.index()];
        let time =
            |path: &PathId| uses.binary_search_by_key(path, |used| used.path).map(|at| uses[at].exclusive);
        same.iter().filter_map(|path| time(path).ok()).sum::<Ticks>()
    };
    let times = || threads.iter().map(of_one).filter(|&ticks| ticks > 0);
    let sum: u128 = times().map(u128::from).sum();
    (sum / times().count().max(1) as u128) as Ticks
}

#[cfg(test)]
mod tests;
