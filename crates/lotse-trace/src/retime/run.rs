//! Plays a graph forward under several changes at once.
//!
//! Every location goes on until it needs what has not happened yet; then it waits in that thing's list. A change is a
//! lane: all lanes take the same way through the graph, so one pass serves them all.

use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;

use super::graph::{Entry, Graph, Need, SourceId, What};
use super::spans::Spans;
use super::transfers::Transfers;
use super::{Change, Outcome};
use crate::store::Trace;

mod factors;
mod flight;
mod moments;

use factors::{Factors, UNCHANGED};
use moments::Moments;

/// Changes that are played at the same time.
pub(super) const LANES: usize = 12;

pub(super) type Lanes = [Ticks; LANES];

const NOBODY: u32 = u32::MAX;

pub(super) struct Run<'a> {
    graph: &'a Graph,
    trace: &'a Trace,
    changes: &'a [Change],
    factors: Factors,
    /// By group of call paths: its time, while a span is summed.
    sums: Vec<Ticks>,
    /// When sources and hubs happened; not yet where `left` is above zero.
    when: Moments,
    left: Vec<u32>,
    /// Who waits for a source or hub: the first, and after each location the next.
    first_waiting: Vec<u32>,
    next_waiting: Vec<u32>,
    pub(super) cursors: Vec<Cursor>,
    ready: Vec<u32>,
    cut: u64,
    /// By location and call: the changes, a bit each, under which it does not wait; empty where none is removed.
    removed: Vec<Vec<u16>>,
    /// Pieces of time that vanish, by change.
    spans: Vec<Spans>,
    /// How long messages take, where they take another time under some change.
    transfers: Option<Transfers>,
    /// Where asked for: which need of each entry came last in the first lane, and the last source of each hub.
    pub(super) bindings: Option<Bindings>,
}

/// What the longest path is walked back over.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    pub(super) entry: Vec<Vec<Option<Need>>>,
    pub(super) hub: Vec<Option<SourceId>>,
}

/// How far a location is.
#[derive(Debug, Clone)]
pub(super) struct Cursor {
    entry: usize,
    step: usize,
    /// In the recorded run.
    pos: Ticks,
    /// In the changed ones.
    pub(super) clock: Lanes,
    /// The next need of the present entry that is not known to have happened.
    need: u32,
    done: bool,
}

impl<'a> Run<'a> {
    pub(super) fn new(graph: &'a Graph, trace: &'a Trace, changes: &'a [Change], bind: bool) -> Self {
        let left = graph.sources.iter().map(|_| 1).chain(graph.hubs.iter().copied()).collect();
        let first = trace.first_tick();
        let cursor = |location: LocationId| {
            let timeline = trace.timeline(location);
            let starts = graph.lines[location.index()]
                .entries
                .first()
                .is_some_and(|entry| entry.at == timeline.first && matches!(entry.what, What::Starts { .. }));
            let clock = [if starts { 0 } else { timeline.first.saturating_sub(first) }; LANES];
            Cursor { entry: 0, step: 0, pos: timeline.first, clock, need: 0, done: timeline.at.is_empty() }
        };
        let bindings = bind.then(|| Bindings {
            entry: graph.lines.iter().map(|line| vec![None; line.entries.len()]).collect(),
            hub: vec![None; graph.hubs.len()],
        });
        let factors = Factors::new(trace, changes);
        let mut run = Self {
            graph,
            trace,
            changes,
            sums: vec![0; factors.count()],
            factors,
            when: Moments::new(graph),
            left,
            first_waiting: vec![NOBODY; graph.points()],
            next_waiting: vec![NOBODY; graph.lines.len()],
            cursors: trace.locations().map(cursor).collect(),
            ready: (0..graph.lines.len() as u32).rev().collect(),
            cut: 0,
            removed: removed(trace, changes),
            transfers: changes.iter().any(|change| change.latency != 0).then(|| Transfers::new(trace)),
            spans: changes.iter().map(|change| Spans::new(&change.spans)).collect(),
            bindings,
        };
        run.play();
        run
    }

    pub(super) fn outcomes(&self) -> Vec<Outcome> {
        // Sources of metrics and streams of accelerators are tied to nothing here, so they would never end earlier.
        let cursors = || self.trace.cpu_locations().map(|location| &self.cursors[location.index()]);
        let length = |lane: usize| cursors().map(|cursor| cursor.clock[lane]).max().unwrap_or(0);
        (0..self.changes.len()).map(|lane| Outcome { length: length(lane), cut: self.cut }).collect()
    }

    fn play(&mut self) {
        loop {
            while let Some(location) = self.ready.pop() {
                self.go_on(location as usize);
            }
            let waiting = self.cursors.iter().enumerate().filter(|(_, cursor)| !cursor.done);
            let Some((location, _)) = waiting.min_by_key(|(_, cursor)| cursor.pos) else { return };
            // A circle: the one that waits since the earliest moment goes on without what it needs.
            self.cut += 1;
            self.unlist(location as u32);
            self.cursors[location].need += 1;
            self.ready.push(location as u32);
        }
    }

    fn unlist(&mut self, location: u32) {
        let Some(need) = self.needed(location as usize) else { return };
        let point = self.graph.point(need);
        let mut at = self.first_waiting[point];
        if at == location {
            self.first_waiting[point] = self.next_waiting[location as usize];
            return;
        }
        while at != NOBODY {
            let next = self.next_waiting[at as usize];
            if next == location {
                self.next_waiting[at as usize] = self.next_waiting[location as usize];
                return;
            }
            at = next;
        }
    }

    /// The source or hub that a location needs now.
    fn needed(&self, location: usize) -> Option<Need> {
        let (line, cursor) = (&self.graph.lines[location], &self.cursors[location]);
        let needs = line.entries.get(cursor.entry)?.what.needs();
        line.needs[needs].get(cursor.need as usize).copied()
    }

    /// Plays a location until it is through or must wait.
    fn go_on(&mut self, location: usize) {
        let line = &self.graph.lines[location];
        while let Some(entry) = line.entries.get(self.cursors[location].entry) {
            self.advance(location, entry.at);
            match entry.what {
                What::Gives(source) => self.publish(source, self.cursors[location].clock),
                What::Needs { .. } | What::Completes { .. } | What::Starts { .. } => {
                    while let Some(need) = self.needed(location) {
                        let point = self.graph.point(need);
                        if self.left[point] > 0 {
                            self.next_waiting[location] = self.first_waiting[point];
                            self.first_waiting[point] = location as u32;
                            return;
                        }
                        self.cursors[location].need += 1;
                    }
                    self.resume(location, entry, &line.needs[entry.what.needs()]);
                }
            }
            let cursor = &mut self.cursors[location];
            cursor.entry += 1;
            cursor.need = 0;
        }
        self.advance(location, self.trace.timelines[location].last);
        self.cursors[location].done = true;
    }

    fn publish(&mut self, source: SourceId, clock: Lanes) {
        self.when.happen(source.index(), &clock);
        self.left[source.index()] = 0;
        self.wake(source.index());
        let Some(hub) = self.graph.source(source).hub else { return };
        let point = self.graph.hub_point(hub);
        if let Some(bindings) = &mut self.bindings
            && (bindings.hub[hub.index()].is_none() || clock[0] > self.when.of(point)[0])
        {
            bindings.hub[hub.index()] = Some(source);
        }
        self.when.happen(point, &clock);
        self.left[point] -= 1;
        if self.left[point] == 0 {
            self.wake(point);
        }
    }

    fn wake(&mut self, point: usize) {
        let mut location = std::mem::replace(&mut self.first_waiting[point], NOBODY);
        while location != NOBODY {
            self.ready.push(location);
            location = std::mem::replace(&mut self.next_waiting[location as usize], NOBODY);
        }
    }

    /// All that was needed has happened.
    fn resume(&mut self, location: usize, entry: &Entry, needs: &[Need]) {
        let lag = self.lag(entry, needs);
        let cursor = &mut self.cursors[location];
        let mut clock = cursor.clock;
        // What was cut out of a circle has not happened.
        for &need in needs {
            let point = self.graph.point(need);
            if self.left[point] > 0 {
                continue;
            }
            let happened = self.when.of(point);
            if let Some(bindings) = &mut self.bindings
                && happened[0] + lag > clock[0]
            {
                bindings.entry[location][cursor.entry] = Some(need);
            }
            clock
                .iter_mut()
                .zip(happened)
                .for_each(|(clock, &happened)| *clock = (*clock).max(happened + lag));
        }
        let removed = match entry.what {
            What::Gives(_) | What::Starts { .. } => 0,
            _ => self.removed[location].get(entry.call as usize).copied().unwrap_or(0),
        };
        for lane in (0..self.changes.len()).filter(|&lane| removed >> lane & 1 == 1) {
            clock[lane] = cursor.clock[lane];
        }
        let before = std::mem::replace(&mut cursor.clock, clock);
        if self.transfers.is_some() && matches!(entry.what, What::Completes { .. }) {
            self.cursors[location].clock = self.fly(location, entry, needs, &before);
        }
        needs.iter().for_each(|&need| self.when.met(self.graph.point(need)));
        let cursor = &mut self.cursors[location];
        if entry.resume > cursor.pos {
            cursor.pos = entry.resume;
            let at = &self.trace.timelines[location].at;
            while at.get(cursor.step + 1).is_some_and(|&next| next <= cursor.pos) {
                cursor.step += 1;
            }
        }
    }

    /// How long after what it needs a thread's part begins; nothing for waits.
    fn lag(&self, entry: &Entry, needs: &[Need]) -> Ticks {
        let asked = match (entry.what, needs) {
            (What::Starts { .. }, [need]) => self.graph.sources.get(self.graph.point(*need)),
            _ => None,
        };
        asked.map_or(0, |source| entry.resume.saturating_sub(source.at))
    }

    /// Local time goes on to a moment of the recorded run.
    fn advance(&mut self, location: usize, to: Ticks) {
        let cursor = &mut self.cursors[location];
        if to <= cursor.pos {
            return;
        }
        let total = to - cursor.pos;
        let from = cursor.pos;
        if self.factors.count() > 1 {
            self.walk(location, to);
        }
        let cursor = &mut self.cursors[location];
        cursor.pos = to;
        let mut elapsed = [total; LANES];
        for (sum, factors) in self.sums.iter_mut().zip(self.factors.rows()).skip(UNCHANGED + 1) {
            if *sum > 0 {
                for (elapsed, factor) in elapsed.iter_mut().zip(factors) {
                    *elapsed = (*elapsed - *sum) + factor.apply(*sum);
                }
                *sum = 0;
            }
        }
        for (elapsed, spans) in elapsed.iter_mut().zip(&self.spans) {
            *elapsed = elapsed.saturating_sub(spans.overlap(location, from, to));
        }
        cursor.clock.iter_mut().zip(elapsed).for_each(|(clock, elapsed)| *clock += elapsed);
    }

    /// Sums the time of changed call paths up to a moment.
    fn walk(&mut self, location: usize, to: Ticks) {
        let timeline = &self.trace.timelines[location];
        let groups = self.factors.groups_on(location);
        let cursor = &mut self.cursors[location];
        let mut pos = cursor.pos;
        // A location without events may still be said to have caused something.
        while pos < to && !timeline.at.is_empty() {
            let next = timeline.at.get(cursor.step + 1).copied().unwrap_or(Ticks::MAX);
            let group = groups[timeline.path[cursor.step].index()] as usize;
            let until = next.min(to);
            if group != UNCHANGED {
                self.sums[group] += until - pos;
            }
            pos = until;
            if next <= to {
                cursor.step += 1;
            }
        }
    }
}

/// By location and call: which changes remove its wait.
fn removed(trace: &Trace, changes: &[Change]) -> Vec<Vec<u16>> {
    let mut removed = vec![Vec::new(); trace.timelines.len()];
    for (lane, change) in changes.iter().enumerate() {
        for call in &change.removed {
            let of_one = &mut removed[call.location.index()];
            if of_one.is_empty() {
                of_one.resize(trace.timeline(call.location).calls.len(), 0);
            }
            if let Some(lanes) = of_one.get_mut(call.call as usize) {
                *lanes |= 1 << lane;
            }
        }
    }
    removed
}
