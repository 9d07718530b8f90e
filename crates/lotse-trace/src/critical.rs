//! The critical path: what bounded the run time.
//!
//! It is walked back from the last exit. At the end of a wait it leads to the cause of that wait, at the same moment;
//! so its length is the time between the first and the last event on it, and its time divides over call paths and
//! locations. Where a thread's part begins it leads to the fork, or to the creation of the thread; where a worker
//! without work goes on, to its master.

use std::collections::BTreeMap;

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::{Event, Ticks};

use crate::idle::without_record;
use crate::near::count_over;
use crate::store::{OpRef, PathTimes, Paths, Trace};
use crate::waits::{Wait, Waits};

/// The path, and what it is made of.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CriticalPath {
    /// From its first to its last event.
    pub length: Ticks,
    /// Its time by call path and location, in that order.
    pub rows: Vec<PathShare>,
    /// Where it leads from one location to another.
    pub pairs: Vec<PairShare>,
    /// Its pieces, the last first.
    pub segments: Vec<Segment>,
    /// By call path: how much longer it is on the path than on average, and what that wastes.
    pub imbalance: Vec<Imbalance>,
}

/// Time on the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathShare {
    /// In which call path.
    pub path: PathId,
    /// Where.
    pub location: LocationId,
    /// How long.
    pub ticks: Ticks,
}

/// A pair of locations between which the path leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairShare {
    /// Who was waited for.
    pub from: LocationId,
    /// Who waited.
    pub to: LocationId,
    /// How often.
    pub count: u64,
    /// Time on the path from the end of the wait to the end of the waiting call.
    pub ticks: Ticks,
}

/// A piece of the path on one location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Where.
    pub location: LocationId,
    /// From when.
    pub from: Ticks,
    /// Until when.
    pub to: Ticks,
}

/// What a call path's uneven spread over the processes costs, in ticks.
///
/// The path is on one thread at a time, so what it is held against is a thread's time too: that of a process is the
/// mean of its threads that came to the call path. Serial code of the master and work that all threads share alike are
/// then balanced where all processes have as much of them; that workers idle meanwhile is told by `omp_idle_threads`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Imbalance {
    /// The call path.
    pub path: PathId,
    /// Its time on the critical path.
    pub on_path: Ticks,
    /// max(0, time on the path - mean over the processes).
    pub excess: f64,
    /// Time that processes in this call path idle while the path is longer than theirs.
    pub critical: Ticks,
    /// Time that processes idle which never come to this call path.
    pub inter_partition: Ticks,
    /// Time that processes spend in it beyond the path's.
    pub non_critical: Ticks,
}

/// Walks the path.
pub fn critical_path(trace: &Trace, waits: &Waits) -> CriticalPath {
    let mut walk = Walk::new(trace, waits);
    let Some(end) = last_to_leave(trace) else { return CriticalPath::default() };
    let last = trace.timeline(end).last;
    let first = walk.back(end, last);
    let rows = shares(trace, &walk.segments);
    let pairs = walk.pairs.iter().map(|(&(from, to), &(count, ticks))| PairShare { from, to, count, ticks });
    let pairs = pairs.collect();
    let of_threads: Vec<PathShare> =
        rows.iter().filter(|row| trace.is_thread(row.location)).copied().collect();
    let imbalance = imbalances(trace, &of_threads);
    CriticalPath { length: last - first, rows, pairs, segments: walk.segments, imbalance }
}

/// The location with the last exit of all; what only has records without calls bounds nothing.
fn last_to_leave(trace: &Trace) -> Option<LocationId> {
    let left = |location: &LocationId| match trace.timeline(*location).at.as_slice() {
        [] | [_] => None,
        [.., last] => Some(*last),
    };
    trace.cpu_locations().max_by_key(|location| (left(location), std::cmp::Reverse(*location)))
}

/// A thread's part begins because another thread asked for it.
#[derive(Debug, Clone, Copy)]
struct Start {
    at: Ticks,
    /// Who asked, and when.
    location: LocationId,
    asked: Ticks,
}

/// By location, in their order.
fn all_starts(trace: &Trace) -> Vec<Vec<Start>> {
    let mut starts: Vec<Vec<Start>> = trace.locations().map(|location| starts(trace, location)).collect();
    for idles in without_record(trace) {
        let start = Start { at: idles.to, location: idles.master, asked: idles.moment };
        starts[idles.worker.index()].push(start);
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
        let asked = trace.op(by).at.min(ops.at(number));
        Some(Start { at: ops.at(number), location: by.location, asked })
    });
    begun.chain(launches(trace, location)).collect()
}

/// Work on a stream of an accelerator begins because a thread launched it, unless it was queued behind other work.
fn launches(trace: &Trace, location: LocationId) -> impl Iterator<Item = Start> {
    let activities = trace.accelerators().stream(location).map_or(&[][..], |stream| &stream.activities);
    activities.iter().filter_map(|activity| {
        let launch = activity.launch.filter(|launch| !launch.queued)?;
        let asked = launch.at.min(activity.begin);
        Some(Start { at: activity.begin, location: launch.call.location, asked })
    })
}

struct Walk<'a> {
    trace: &'a Trace,
    waits: &'a Waits,
    pairs: BTreeMap<(LocationId, LocationId), (u64, Ticks)>,
    segments: Vec<Segment>,
    /// By location: where its thread was set to work by another.
    starts: Vec<Vec<Start>>,
    /// By location: how many of its waits had ended when the path was there last, which was later.
    ended: Vec<usize>,
    /// Locations the path was on at the present moment: it does not come back to them without going back in time.
    here: Vec<LocationId>,
}

impl<'a> Walk<'a> {
    fn new(trace: &'a Trace, waits: &'a Waits) -> Self {
        Self {
            trace,
            waits,
            pairs: BTreeMap::new(),
            segments: Vec::new(),
            starts: all_starts(trace),
            ended: waits.by_location.iter().map(Vec::len).collect(),
            here: Vec::new(),
        }
    }

    /// From a moment on a location back to the first event; gives its time.
    fn back(&mut self, mut location: LocationId, mut now: Ticks) -> Ticks {
        loop {
            self.here.push(location);
            let wait = self.wait_before(location, now);
            let start = self.start_before(location, now);
            let (from, to) = match (wait, start) {
                (wait, Some(start)) if wait.is_none_or(|wait| start.at >= wait.end) => {
                    (start.asked, start.location)
                }
                (Some(Wait { call, end, cause: Some(cause), .. }), _) => {
                    let pair = self.pairs.entry((cause.location, location)).or_default();
                    pair.0 += 1;
                    pair.1 += self.trace.exit(call).min(now) - end;
                    (end, cause.location)
                }
                _ => {
                    let first = self.trace.timeline(location).first.min(now);
                    self.stay(location, first, now);
                    return first;
                }
            };
            self.stay(location, from, now);
            if from < now {
                self.here.clear();
            }
            (now, location) = (from, to);
        }
    }

    /// The last time until now that the location's thread was set to work.
    fn start_before(&self, location: LocationId, now: Ticks) -> Option<Start> {
        let starts = &self.starts[location.index()];
        let start = *starts[..starts.partition_point(|start| start.at <= now)].last()?;
        (start.asked < now || !self.here.contains(&start.location)).then_some(start)
    }

    /// The last wait that ended until now and whose cause leads on.
    fn wait_before(&mut self, location: LocationId, now: Ticks) -> Option<Wait> {
        let waits = &self.waits.by_location[location.index()];
        let ended = &mut self.ended[location.index()];
        *ended = count_over(waits.len(), *ended, |number| waits[number].end <= now);
        let until = *ended;
        let leads_on = |wait: &&Wait| {
            let fresh = |at: LocationId| wait.end < now || !self.here.contains(&at);
            wait.causal && wait.cause.is_some_and(|cause| cause.location != location && fresh(cause.location))
        };
        waits[..until].iter().rev().find(leads_on).copied()
    }

    fn stay(&mut self, location: LocationId, from: Ticks, to: Ticks) {
        if from >= to {
            return;
        }
        self.segments.push(Segment { location, from, to });
    }
}

/// How long the path was in each call path of each location.
fn shares(trace: &Trace, segments: &[Segment]) -> Vec<PathShare> {
    let mut by_location: Vec<Vec<&Segment>> = vec![Vec::new(); trace.timelines.len()];
    // The path was walked back.
    segments.iter().rev().for_each(|segment| by_location[segment.location.index()].push(segment));
    let mut sums: BTreeMap<(PathId, LocationId), Ticks> = BTreeMap::new();
    let mut times = PathTimes::new(trace.paths.len());
    for (location, segments) in trace.locations().zip(by_location) {
        let timeline = trace.timeline(location);
        let mut step = 0;
        for &&Segment { from, to, .. } in &segments {
            // A thread that was asked for but has not begun is in no region.
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
    for ticks in processes.iter().map(|threads| spent(trace, threads, same)) {
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

/// How long a process was in a call path, the same for master and workers: the mean of its threads that came to it.
fn spent(trace: &Trace, threads: &[LocationId], same: &[PathId]) -> Ticks {
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
