//! Plays a graph forward under several changes at once.
//!
//! Every location goes on until it needs what has not happened yet; then it waits in that thing's list. A change is a
//! lane: all lanes take the same way through the graph, so one pass serves them all.

use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;

use super::graph::{Entry, Graph, HubId, Need, SourceId, What};
use super::spans::{Inserted, Spans};
use super::transfers::Transfers;
use super::{Change, Outcome};
use crate::store::Trace;

mod factors;
mod flight;
mod holding;
mod locks;
mod moments;

use factors::{Factors, UNCHANGED};
use locks::Lock;
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
    /// Extra time before moments of the recorded run, by change.
    inserted: Vec<Inserted>,
    /// By lock: when it was held.
    locks: Vec<Lock>,
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
        let left = graph.sources.iter().map(|_| 1).chain(graph.hubs.iter().map(|hub| hub.needs)).collect();
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
            inserted: changes.iter().map(|change| Inserted::new(&change.inserted)).collect(),
            locks: vec![Lock::default(); graph.locks],
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
                What::Releases { holding, source } => {
                    let lock = self.graph.holdings[holding as usize].lock;
                    let clock = self.cursors[location].clock;
                    self.locks[lock as usize].release(&clock, source);
                    self.publish(source, clock);
                }
                What::Needs { .. } | What::Completes { .. } | What::Starts { .. } | What::Acquires { .. } => {
                    while let Some(need) = self.needed(location) {
                        let point = self.graph.point(need);
                        if self.left[point] > 0 {
                            self.next_waiting[location] = self.first_waiting[point];
                            self.first_waiting[point] = location as u32;
                            return;
                        }
                        self.cursors[location].need += 1;
                    }
                    let needs = &line.needs[entry.what.needs()];
                    match entry.what {
                        What::Acquires { holding, .. } => self.acquire(location, entry, holding),
                        _ => self.resume(location, entry, needs),
                    }
                    needs.iter().for_each(|&need| self.when.met(self.graph.point(need)));
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
        self.meet(hub, clock, source);
    }

    /// Something that a hub needs has happened; when it was the last, so has the hub, and what needs it goes on.
    fn meet(&mut self, first: HubId, clock: Lanes, source: SourceId) {
        let (mut hub, mut clock, mut source) = (first, clock, source);
        loop {
            let point = self.graph.hub_point(hub);
            if let Some(bindings) = &mut self.bindings {
                let last = &mut bindings.hub[hub.index()];
                if last.is_none() || clock[0] > self.when.of(point)[0] {
                    *last = Some(source);
                }
                source = last.unwrap_or(source);
            }
            self.when.happen(point, &clock);
            self.left[point] -= 1;
            if self.left[point] > 0 {
                return;
            }
            self.wake(point);
            let Some(next) = self.graph.hubs[hub.index()].feeds else { return };
            clock = *self.when.of(point);
            self.when.met(point);
            hub = next;
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
        let before = self.cursors[location].clock;
        if !matches!(entry.what, What::Starts { .. }) {
            self.removed_lanes(location, entry.call).for_each(|lane| clock[lane] = before[lane]);
        }
        self.cursors[location].clock = clock;
        if self.transfers.is_some() && matches!(entry.what, What::Completes { .. }) {
            self.cursors[location].clock = self.fly(location, entry, needs, &before);
        }
        self.skip(location, entry.resume);
    }

    /// The changes under which a call does not wait.
    fn removed_lanes(&self, location: usize, call: u32) -> impl Iterator<Item = usize> + use<> {
        let removed = self.removed[location].get(call as usize).copied().unwrap_or(0);
        (0..self.changes.len()).filter(move |lane| removed >> lane & 1 == 1)
    }

    /// Time of the recorded run passes that is no time of the changed ones.
    fn skip(&mut self, location: usize, to: Ticks) {
        let cursor = &mut self.cursors[location];
        if to > cursor.pos {
            cursor.pos = to;
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
        if to <= self.cursors[location].pos {
            return;
        }
        let (elapsed, step) = self.elapsed(location, to);
        let cursor = &mut self.cursors[location];
        (cursor.pos, cursor.step) = (to, step);
        cursor.clock.iter_mut().zip(elapsed).for_each(|(clock, elapsed)| *clock += elapsed);
    }

    /// How long local work lasts in each lane from where a location is to a moment of the recorded run, and the step
    /// that it is in then.
    fn elapsed(&mut self, location: usize, to: Ticks) -> (Lanes, usize) {
        let Cursor { pos: from, mut step, .. } = self.cursors[location];
        let mut elapsed = [to.saturating_sub(from); LANES];
        if self.factors.count() > 1 {
            step = self.sum_groups(location, to);
            for (sum, factors) in self.sums.iter_mut().zip(self.factors.rows()).skip(UNCHANGED + 1) {
                if *sum > 0 {
                    for (elapsed, factor) in elapsed.iter_mut().zip(factors) {
                        *elapsed = (*elapsed - *sum) + factor.apply(*sum);
                    }
                    *sum = 0;
                }
            }
        }
        for ((elapsed, spans), inserted) in elapsed.iter_mut().zip(&self.spans).zip(&self.inserted) {
            *elapsed = elapsed.saturating_sub(spans.overlap(location, from, to));
            *elapsed += inserted.within(location, from, to);
        }
        (elapsed, step)
    }

    /// Sums the time of changed call paths up to a moment; gives the step that the location is in then.
    fn sum_groups(&mut self, location: usize, to: Ticks) -> usize {
        let timeline = &self.trace.timelines[location];
        let groups = self.factors.groups_on(location);
        let Cursor { mut pos, mut step, .. } = self.cursors[location];
        // A location without events may still be the cause of something.
        while pos < to && !timeline.at.is_empty() {
            let next = timeline.at.get(step + 1).copied().unwrap_or(Ticks::MAX);
            let group = groups[timeline.path[step].index()] as usize;
            let until = next.min(to);
            if group != UNCHANGED {
                self.sums[group] += until - pos;
            }
            pos = until;
            if next <= to {
                step += 1;
            }
        }
        step
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
