//! The longest path of a re-timed run, and what it is made of: near-critical paths.

use std::collections::BTreeMap;

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use super::run::{Bindings, Run, scaled};
use super::spans::Spans;
use super::{Change, Entry, Graph, WHOLE, What};
use crate::critical::PathShare;
use crate::store::{PathTimes, Trace};

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
    let changes = std::slice::from_ref(change);
    let run = Run::new(graph, trace, changes, true);
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
    let (mut location, mut now) = (start, trace.timelines[start].last);
    let mut entry = graph.lines[location].entries.len();
    let spans = Spans::new(&change.spans);
    loop {
        let bound = (0..entry).rev().find(|&it| bindings.entry[location][it] != u32::MAX);
        let from =
            bound.map_or(trace.timelines[location].first, |it| graph.lines[location].entries[it].resume);
        let passed = &graph.lines[location].entries[bound.map_or(0, |it| it + 1)..entry];
        let gone = gone(spans.within(location, from, now), passed);
        stay(trace, (location, from, now), gone, &mut times, &mut sums);
        let Some(bound) = bound else { break };
        let source = source_of(graph, bindings, bindings.entry[location][bound]);
        let Some(source) = source else { break };
        let source_entry = &graph.sources[source as usize];
        now = source_entry.at;
        location = source_entry.location.index();
        let entries = &graph.lines[location].entries;
        let first = entries.partition_point(|it| it.at < now);
        let own = entries[first..].iter().position(|it| it.what == What::Gives(source));
        entry = first + own.unwrap_or(0);
    }
    let changed = |path: PathId, ticks: Ticks| scaled(ticks, factor(trace, change, path));
    let rows = sums.into_iter().map(|((path, location), ticks)| PathShare {
        path,
        location,
        ticks: changed(path, ticks),
    });
    rows.filter(|row| row.ticks > 0).collect()
}

/// What a change does to a call path.
fn factor(trace: &Trace, change: &Change, path: PathId) -> u32 {
    let said = change.factors.iter().rev().find(|(it, _)| *it == path).map(|&(_, factor)| factor);
    let vanished = change.ideal_network && trace.class_of(path).is_mpi();
    said.unwrap_or(if vanished { 0 } else { WHOLE })
}

/// The source that a need is, or the last of a hub.
fn source_of(graph: &Graph, bindings: &Bindings, need: u32) -> Option<u32> {
    match (need as usize).checked_sub(graph.sources.len()) {
        None => Some(need),
        Some(hub) => bindings.hub.get(hub).copied().filter(|&source| source != u32::MAX),
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

fn stay(
    trace: &Trace,
    (location, from, to): (usize, Ticks, Ticks),
    gone: Vec<(Ticks, Ticks)>,
    times: &mut PathTimes,
    sums: &mut BTreeMap<(PathId, LocationId), Ticks>,
) {
    let timeline = &trace.timelines[location];
    let mut at = from;
    for (gone_from, gone_to) in gone {
        timeline.sum(at, gone_from.min(to), times);
        at = at.max(gone_to);
    }
    timeline.sum(at, to, times);
    for path in times.touched() {
        *sums.entry((path, LocationId::from(location))).or_default() += times.get(path);
    }
    times.clear();
}
