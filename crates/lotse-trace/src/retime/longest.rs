//! The longest path of a re-timed run, and what it is made of: near-critical paths.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use super::graph::{Dependency, Entry, Graph, Need, SourceId, What};
use super::run::{Bindings, Run};
use super::spans::Spans;
use super::stretches::Stretches;
use super::{Change, Extra, Factor};
use crate::critical::PathShare;
use crate::store::{CallRef, PathTimes, Trace};

/// A path that bounds a changed run.
#[derive(Debug, Clone, PartialEq)]
pub struct LongestPath {
    /// How long the changed run takes.
    pub length: Ticks,
    /// How long the path is in each call path and location, after the change.
    pub rows: Vec<PathShare>,
}

/// What bounds the run once a change is made. Without the critical path's own pieces this is the nearest rival.
pub fn longest(graph: &Graph, trace: &Trace, change: &Change) -> LongestPath {
    let changes = [change];
    let run = Run::<1>::new(graph, trace, &changes, true);
    let length = run.outcomes()[0].length;
    let Some(bindings) = &run.bindings else { return LongestPath { length, rows: Vec::new() } };
    let ended = |at: &LocationId| (run.cursors[at.index()].clock[0], std::cmp::Reverse(*at));
    let last = trace.cpu_locations().max_by_key(ended);
    let rows = last.map_or(Vec::new(), |at| back(graph, trace, change, bindings, at.index()));
    LongestPath { length, rows }
}

fn back(graph: &Graph, trace: &Trace, change: &Change, bindings: &Bindings, start: usize) -> Vec<PathShare> {
    let mut sums: BTreeMap<(PathId, LocationId), Ticks> = BTreeMap::new();
    let mut times = PathTimes::new(trace.paths.len());
    let mut kept: BTreeMap<(PathId, LocationId), Ticks> = BTreeMap::new();
    let (mut location, mut now, mut entry) = (start, trace.timelines[start].last, None);
    let spans = Spans::new(&change.spans);
    let mut pieces = Pieces { stretches: Stretches::new(change), sums: BTreeMap::new() };
    let mut inserted: HashMap<CallRef, Vec<&Extra>> = HashMap::new();
    change.inserted.iter().for_each(|extra| inserted.entry(extra.before).or_default().push(extra));
    loop {
        let entries = &graph.lines[location].entries;
        let stretch = Stretch::new(graph, trace, bindings, location, now);
        let end = entry.unwrap_or(stretch.entries.1);
        let bound = (stretch.entries.0..end).rev().find(|&it| bindings.entry[location][it].is_some());
        let from = bound.map_or(stretch.from, |it| entries[it].resume);
        let first = bound.map_or(stretch.entries.0, |it| it + 1).min(end);
        let passed = &entries[first..end];
        let gone = gone(spans.within(location, from, now), passed);
        stay(trace, (location, from, now), gone, &mut times, &mut sums, &mut pieces);
        for (number, entry) in (first..).zip(passed) {
            let path = || trace.timelines[location].call_path(entry.call);
            if let Some(&ticks) = bindings.kept.get(&(location, number)) {
                *kept.entry((path(), LocationId::from(location))).or_default() += ticks;
            }
        }
        for entry in
            passed.iter().filter(|entry| matches!(entry.what, What::Acquires { .. } | What::Enters { .. }))
        {
            let call = CallRef { location: LocationId::from(location), call: entry.call };
            for extra in inserted.get(&call).into_iter().flatten() {
                *sums.entry((extra.path, call.location)).or_default() += extra.ticks;
            }
        }
        let source =
            bound.and_then(|it| bindings.entry[location][it]).and_then(|need| source_of(bindings, need));
        match (bound, source, stretch.before) {
            (Some(_), Some(source), _) => {
                (now, location) = (graph.source(source).at, graph.source(source).location.index());
                let entries = &graph.lines[location].entries;
                let first = entries.partition_point(|it| it.at < now);
                let own = entries[first..].iter().position(|it| it.what.is_source(source));
                entry = Some(first + own.unwrap_or(0));
            }
            (None, _, Some(before)) => ((location, now), entry) = (before, None),
            _ => break,
        }
    }
    for (&(path, location), ticks) in &mut sums {
        *ticks = factor(trace, change, path, location).apply(*ticks);
    }
    pieces.apply(&mut sums);
    // What is left of a wait lasts as long as it did.
    kept.into_iter().for_each(|(key, ticks)| *sums.entry(key).or_default() += ticks);
    let rows = sums.into_iter().map(|((path, location), ticks)| PathShare { path, location, ticks });
    rows.filter(|row| row.ticks > 0).collect()
}

/// A part of a location that one thread went through in the changed run.
struct Stretch {
    from: Ticks,
    /// Its entries: the first, and the first that follows.
    entries: (usize, usize),
    /// What the thread did before: a location, and a moment there.
    before: Option<(usize, Ticks)>,
}

impl Stretch {
    /// The part of a location that ends at a moment or goes beyond it.
    fn new(graph: &Graph, trace: &Trace, bindings: &Bindings, location: usize, now: Ticks) -> Self {
        let (first, count) = (trace.timelines[location].first, graph.lines[location].entries.len());
        let Some(member) = graph.members.get(location).copied().flatten() else {
            return Self { from: first, entries: (0, count), before: None };
        };
        let range = |(from, to): (u32, u32)| (from as usize, to as usize);
        if now > member.until {
            let entries = (member.entries.1 as usize, count);
            return Self { from: member.until, entries, before: bindings.alone[location] };
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

/// What a change does to a call path on a location.
fn factor(trace: &Trace, change: &Change, path: PathId, location: LocationId) -> Factor {
    let here = |it: Option<LocationId>| it.is_none_or(|it| it == location);
    let scaled = change.scaled.iter().rev().find(|it| it.path == path && here(it.location));
    let vanished = change.ideal_network && trace.class_of(path).is_mpi();
    scaled.map_or(if vanished { Factor::ZERO } else { Factor::ONE }, |it| it.factor)
}

/// The source that a need is, or the last of a hub.
fn source_of(bindings: &Bindings, need: Need) -> Option<SourceId> {
    match need.dependency() {
        Dependency::Source(source) => Some(source),
        Dependency::Hub(hub) => bindings.hub[hub.index()],
    }
}

/// Times of the recorded run that the changed one has not: what the change takes away, and waits that are over
/// before they begin.
fn gone(spans: &[(Ticks, Ticks)], passed: &[Entry]) -> Vec<(Ticks, Ticks)> {
    let waits = passed.iter().map(|entry| (entry.at, entry.resume)).filter(|(from, to)| from < to);
    let mut gone: Vec<(Ticks, Ticks)> = spans.iter().copied().chain(waits).collect();
    gone.sort_unstable();
    gone
}

/// Pieces on the path that become longer or shorter.
struct Pieces {
    stretches: Stretches,
    /// By call path and location: how long they were, and are.
    sums: BTreeMap<(PathId, LocationId), (Ticks, Ticks)>,
}

impl Pieces {
    fn add(&mut self, location: usize, from: Ticks, to: Ticks) {
        for (piece, ticks) in self.stretches.within(location, from, to) {
            let sum = self.sums.entry((piece.path, piece.location)).or_default();
            *sum = (sum.0 + ticks, sum.1 + piece.apply(ticks));
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

fn stay(
    trace: &Trace,
    (location, from, to): (usize, Ticks, Ticks),
    gone: Vec<(Ticks, Ticks)>,
    times: &mut PathTimes,
    sums: &mut BTreeMap<(PathId, LocationId), Ticks>,
    pieces: &mut Pieces,
) {
    let timeline = &trace.timelines[location];
    let mut at = from;
    for (gone_from, gone_to) in gone {
        timeline.sum(at, gone_from.min(to), times);
        pieces.add(location, at, gone_from.min(to));
        at = at.max(gone_to);
    }
    timeline.sum(at, to, times);
    pieces.add(location, at, to);
    for path in times.touched() {
        *sums.entry((path, LocationId::from(location))).or_default() += times.get(path);
    }
    times.clear();
}
