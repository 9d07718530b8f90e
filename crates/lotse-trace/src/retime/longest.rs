//! The longest path of a simulation and its call paths: near-critical paths.
//!
//! The path is traced back from the location that ends last. Where a wait was binding, i.e. delayed its location, the path
//! continues at the source that ended the wait:
//!
//! ```text
//! rank 0     ┤─────── work ───────┤send├          path: work on rank 0, then the transfer and rest on rank 1
//!                                 ↖ binding
//! rank 1     ┤── own ──┤ receive ▒▒───├── rest ──┤◀ begin here
//! ```

use std::collections::BTreeMap;

use hashbrown::HashMap;
use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use super::graph::{Dependency, EntryKind, Graph, GraphEntry, Need, SourceId};
use super::intervals::IntervalsByLocation;
use super::simulation::{Bindings, Simulation};
use super::stretches::Stretches;
use super::{Change, Extra, Factor};
use crate::critical::PathShare;
use crate::store::{CallRef, PathTimes, Trace};

/// A path that determines the length of a simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct LongestPath {
    /// The length of the simulation.
    pub length: Ticks,
    /// The time of the path by call path and location, after the change.
    pub rows: Vec<PathShare>,
}

/// The path that determines the length under a change. If the change removes the critical path, this is the next longest
/// path.
pub fn longest(graph: &Graph, trace: &Trace, change: &Change) -> LongestPath {
    let changes = [change];
    let simulation = Simulation::<1>::run(graph, trace, &changes, true);
    let length = simulation.outcomes()[0].length;
    let Some(bindings) = &simulation.bindings else { return LongestPath { length, rows: Vec::new() } };
    let ended = |at: &LocationId| (simulation.cursors[at.index()].clock[0], std::cmp::Reverse(*at));
    let last = trace.cpu_locations().max_by_key(ended);
    let rows = last.map_or(Vec::new(), |at| rows(graph, trace, change, bindings, at.index()));
    LongestPath { length, rows }
}

/// Traces the longest path back from the end of location `start`; returns its time by call path and location. Times are
/// summed as recorded; the change is applied to the sums at the end.
///
/// Each round handles the section of a location from the last binding wait before `now` to `now`, then continues at the
/// source that ended that wait, or at the job that the thread did before.
fn rows(graph: &Graph, trace: &Trace, change: &Change, bindings: &Bindings, start: usize) -> Vec<PathShare> {
    let mut sums: BTreeMap<(PathId, LocationId), Ticks> = BTreeMap::new();
    let mut times = PathTimes::new(trace.paths.len());
    let mut remaining: BTreeMap<(PathId, LocationId), Ticks> = BTreeMap::new();
    let (mut location, mut now, mut entry) = (start, trace.timelines[start].last, None);
    let spans = IntervalsByLocation::new(&change.spans);
    let mut stretched = StretchedSums { stretches: Stretches::new(change), sums: BTreeMap::new() };
    let mut inserted: HashMap<CallRef, Vec<&Extra>> = HashMap::new();
    change.inserted.iter().for_each(|extra| inserted.entry(extra.before).or_default().push(extra));
    loop {
        let entries = &graph.tables[location].entries;
        let section = PathSection::new(graph, trace, bindings, location, now);
        let end = entry.unwrap_or(section.entries.1);
        let bound = (section.entries.0..end).rev().find(|&it| bindings.entry[location][it].is_some());
        let from = bound.map_or(section.from, |it| entries[it].resume);
        let first = bound.map_or(section.entries.0, |it| it + 1).min(end);
        let passed = &entries[first..end];
        let removed = removed_intervals(spans.within(location, from, now), passed);
        add_section(trace, (location, from, now), removed, &mut times, &mut sums, &mut stretched);
        for (number, entry) in (first..).zip(passed) {
            let path = || trace.timelines[location].call_path(entry.call);
            if let Some(&ticks) = bindings.remaining.get(&(location, number)) {
                *remaining.entry((path(), LocationId::from(location))).or_default() += ticks;
            }
        }
        let requests =
            |it: &&GraphEntry| matches!(it.kind, EntryKind::Acquires { .. } | EntryKind::Enters { .. });
        for entry in passed.iter().filter(requests) {
            let call = CallRef { location: LocationId::from(location), call: entry.call };
            for extra in inserted.get(&call).into_iter().flatten() {
                *sums.entry((extra.path, call.location)).or_default() += extra.ticks;
            }
        }
        let source =
            bound.and_then(|it| bindings.entry[location][it]).and_then(|need| source_of(bindings, need));
        match (bound, source, section.before) {
            (Some(_), Some(source), _) => {
                (now, location) = (graph.source(source).at, graph.source(source).location.index());
                let entries = &graph.tables[location].entries;
                let first = entries.partition_point(|it| it.at < now);
                let own = entries[first..].iter().position(|it| it.kind.is_source(source));
                entry = Some(first + own.unwrap_or(0));
            }
            (None, _, Some(before)) => ((location, now), entry) = (before, None),
            _ => break,
        }
    }
    for (&(path, location), ticks) in &mut sums {
        *ticks = factor(trace, change, path, location).apply(*ticks);
    }
    stretched.apply(&mut sums);
    // The remaining part of a wait is not changed.
    remaining.into_iter().for_each(|(key, ticks)| *sums.entry(key).or_default() += ticks);
    let rows = sums.into_iter().map(|((path, location), ticks)| PathShare { path, location, ticks });
    rows.filter(|row| row.ticks > 0).collect()
}

/// A section of a location's timeline that one thread executed in the simulation. With shared work, a thread executes
/// jobs that were recorded on other locations.
struct PathSection {
    from: Ticks,
    /// Its entries: begin and end of the range.
    entries: (usize, usize),
    /// Where the thread was before: a location, and a time there.
    before: Option<(usize, Ticks)>,
}

impl PathSection {
    /// The section of a location that contains a time or ends at it.
    fn new(graph: &Graph, trace: &Trace, bindings: &Bindings, location: usize, now: Ticks) -> Self {
        let (first, count) = (trace.timelines[location].first, graph.tables[location].entries.len());
        let Some(member) = graph.members.get(location).copied().flatten() else {
            return Self { from: first, entries: (0, count), before: None };
        };
        let range = |(from, to): (u32, u32)| (from as usize, to as usize);
        if now > member.until {
            let entries = (member.entries.1 as usize, count);
            return Self { from: member.until, entries, before: bindings.after_jobs[location] };
        }
        let jobs = &graph.pools[member.pool as usize].jobs;
        let begun = &jobs[..jobs.partition_point(|job| job.from < now)];
        match begun.iter().rposition(|job| job.location.index() == location && now <= job.to) {
            Some(job) => {
                let before = bindings.job[member.pool as usize].get(job).copied();
                Self { from: jobs[job].from, entries: range(jobs[job].entries), before }
            }
            None => Self { from: first, entries: (0, member.entries.0 as usize), before: None },
        }
    }
}

/// The factor of a call path on a location.
fn factor(trace: &Trace, change: &Change, path: PathId, location: LocationId) -> Factor {
    let here = |it: Option<LocationId>| it.is_none_or(|it| it == location);
    let scaled = change.scaled.iter().rev().find(|it| it.path == path && here(it.location));
    let vanished = change.ideal_network && trace.class_of(path).is_mpi();
    scaled.map_or(if vanished { Factor::ZERO } else { Factor::ONE }, |it| it.factor)
}

/// The source of a need; for a hub its last source.
fn source_of(bindings: &Bindings, need: Need) -> Option<SourceId> {
    match need.dependency() {
        Dependency::Source(source) => Some(source),
        Dependency::Hub(hub) => bindings.hub[hub.index()],
    }
}

/// Intervals of the recorded execution that the simulation does not have: those that the change removes, and waits that are
/// over before they begin.
fn removed_intervals(spans: &[(Ticks, Ticks)], passed: &[GraphEntry]) -> Vec<(Ticks, Ticks)> {
    let waits = passed.iter().map(|entry| (entry.at, entry.resume)).filter(|(from, to)| from < to);
    let mut removed_intervals: Vec<(Ticks, Ticks)> = spans.iter().copied().chain(waits).collect();
    removed_intervals.sort_unstable();
    removed_intervals
}

/// Intervals on the path that become longer or shorter.
struct StretchedSums {
    stretches: Stretches,
    /// By call path and location: the old length and the new length.
    sums: BTreeMap<(PathId, LocationId), (Ticks, Ticks)>,
}

impl StretchedSums {
    fn add(&mut self, location: usize, from: Ticks, to: Ticks) {
        for (interval, ticks) in self.stretches.within(location, from, to) {
            let sum = self.sums.entry((interval.path, interval.location)).or_default();
            *sum = (sum.0 + ticks, sum.1 + interval.apply(ticks));
        }
    }

    fn apply(&self, sums: &mut BTreeMap<(PathId, LocationId), Ticks>) {
        for (key, &(was, is)) in &self.sums {
            if let Some(ticks) = sums.get_mut(key) {
                *ticks = ticks.saturating_sub(was) + is;
            }
        }
    }
}

/// Adds the time from `from` to `to` on a location, without the removed intervals, to the sums of the path.
fn add_section(
    trace: &Trace,
    (location, from, to): (usize, Ticks, Ticks),
    removed_intervals: Vec<(Ticks, Ticks)>,
    times: &mut PathTimes,
    sums: &mut BTreeMap<(PathId, LocationId), Ticks>,
    stretched: &mut StretchedSums,
) {
    let timeline = &trace.timelines[location];
    let mut at = from;
    for (gone_from, gone_to) in removed_intervals {
        timeline.sum(at, gone_from.min(to), times);
        stretched.add(location, at, gone_from.min(to));
        at = at.max(gone_to);
    }
    timeline.sum(at, to, times);
    stretched.add(location, at, to);
    for path in times.touched() {
        *sums.entry((path, LocationId::from(location))).or_default() += times.get(path);
    }
    times.clear();
}
