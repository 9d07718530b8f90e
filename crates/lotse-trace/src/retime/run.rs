//! Plays a graph forward under several changes at once.
//!
//! Every location goes on until it needs what has not happened yet; then it waits in that thing's list. A change is a
//! lane: all lanes take the same way through the graph, so one pass serves them all. Where it matters who comes first
//! (`turns`), each change has a way of its own, and is played alone.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::{HashMap, HashSet};
use lotse_model::id::PathId;
use lotse_model::trace::Ticks;

use super::graph::{Entry, Graph, HubId, Need, SourceId, What};
use super::spans::Spans;
use super::stretches::Stretches;
use super::transfers::Transfers;
use super::{Change, Factor, Outcome};
use crate::store::Trace;

mod counting;
mod cursor;
mod extras;
mod factors;
mod flight;
mod left_out;
mod locks;
mod moments;
mod time;
mod turns;

use counting::Counting;
use cursor::{Cursor, Then};
use extras::Extras;
use factors::Factors;
use locks::Lock;
use moments::Moments;
use turns::Turn;

/// The times of one moment under the changes that are played at the same time.
pub(super) type Lanes<const N: usize> = [Ticks; N];

const NOBODY: u32 = u32::MAX;

/// Decisions after which the next of several runs goes on: the part of the graph that they read is smaller than a cache.
pub(super) const SLICE: usize = 2048;

pub(super) struct Run<'a, const N: usize> {
    graph: &'a Graph,
    trace: &'a Trace,
    changes: &'a [&'a Change],
    factors: Factors<N>,
    /// By group of call paths: its time, while a span is summed.
    sums: Vec<Ticks>,
    /// When sources and hubs happened; not yet where `left` is above zero.
    when: Moments<N>,
    left: Vec<u32>,
    /// Who waits for a source or hub: the first, and after each location the next.
    first_waiting: Vec<u32>,
    next_waiting: Vec<u32>,
    pub(super) cursors: Vec<Cursor<N>>,
    ready: Vec<u32>,
    cut: u64,
    /// By location and call: the changes, a bit each, under which it does not wait; empty where none is removed.
    removed: Vec<Vec<u16>>,
    /// The waits of these calls that do not happen, by change.
    unwaited: Vec<Spans>,
    /// Whether any change concerns single pieces of time.
    has_pieces: bool,
    /// Pieces of time that vanish, by change.
    spans: Vec<Spans>,
    /// Pieces of time that become longer or shorter, by change.
    stretches: Vec<Stretches>,
    /// Time that is spent before locks are asked for, by the call that asks.
    extra: Extras,
    locks: Vec<Lock>,
    /// By holding: whether nobody waits at its call path for its lock; empty where everybody does.
    open_locks: Vec<bool>,
    /// Semaphores and reader-writer locks, and the call paths at which nobody waits for them.
    counting: Vec<Counting>,
    open_counting: HashSet<(u32, PathId)>,
    /// Locks that can be given to somebody and threads that take the next piece of work, by when.
    due: BinaryHeap<Reverse<(Ticks, Turn)>>,
    /// By pool: how many of its pieces of work have been taken.
    jobs_taken: Vec<usize>,
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
    /// By pool and piece of work: what its thread did before, a location of the recorded run and a moment there.
    pub(super) job: Vec<Vec<(usize, Ticks)>>,
    /// By location: the same for what it does after all shared work.
    pub(super) alone: Vec<Option<(usize, Ticks)>>,
    /// By location and entry: what is left of a wait of which a part does not happen.
    pub(super) kept: HashMap<(usize, usize), Ticks>,
}

impl<'a, const N: usize> Run<'a, N> {
    pub(super) fn new(graph: &'a Graph, trace: &'a Trace, changes: &'a [&'a Change], bind: bool) -> Self {
        let mut run = Self::at_start(graph, trace, changes, bind);
        while !run.play_some(usize::MAX) {}
        run
    }

    /// The run before anything has happened.
    pub(super) fn at_start(
        graph: &'a Graph,
        trace: &'a Trace,
        changes: &'a [&'a Change],
        bind: bool,
    ) -> Self {
        let left = (0..graph.awaited).map(|_| 1).chain(graph.hubs.iter().map(|hub| hub.needs)).collect();
        let bindings = bind.then(|| Bindings {
            entry: graph.lines.iter().map(|line| vec![None; line.entries.len()]).collect(),
            hub: vec![None; graph.hubs.len()],
            job: vec![Vec::new(); graph.pools.len()],
            alone: vec![None; graph.lines.len()],
            kept: HashMap::new(),
        });
        let (factors, first) = (Factors::new(trace, changes), trace.first_tick());
        let removed = left_out::removed(trace, changes);
        Self {
            graph,
            trace,
            changes,
            sums: vec![0; factors.count()],
            factors,
            when: Moments::new(graph),
            left,
            first_waiting: vec![NOBODY; graph.points()],
            next_waiting: vec![NOBODY; graph.lines.len()],
            cursors: trace.locations().map(|location| Cursor::new(graph, trace, location, first)).collect(),
            ready: (0..graph.lines.len() as u32).rev().collect(),
            cut: 0,
            open_locks: turns::open_locks(graph, trace, &removed),
            removed,
            unwaited: changes.iter().map(|change| left_out::unwaited(change)).collect(),
            transfers: changes.iter().any(|change| change.latency != 0).then(|| Transfers::new(trace)),
            has_pieces: changes.iter().any(|it| !it.spans.is_empty() || !it.stretched.is_empty()),
            spans: changes.iter().map(|change| Spans::new(&change.spans)).collect(),
            stretches: changes.iter().map(|change| Stretches::new(change)).collect(),
            extra: Extras::new(changes),
            locks: vec![Lock::default(); graph.locks],
            counting: graph.counting_locks.iter().map(Counting::new).collect(),
            open_counting: counting::open_counting(graph, trace, changes),
            due: BinaryHeap::new(),
            jobs_taken: vec![0; graph.pools.len()],
            bindings,
        }
    }

    /// Plays several runs, each in a way of its own. They take turns after a while: so they come to a part of the graph one
    /// soon after the other, and read it from the cache.
    pub(super) fn play_by_turns(runs: &mut [Self]) {
        let mut playing: Vec<&mut Self> = runs.iter_mut().collect();
        while !playing.is_empty() {
            playing.retain_mut(|run| !run.play_some(SLICE));
        }
    }

    pub(super) fn outcomes(&self) -> Vec<Outcome> {
        // Sources of metrics are tied to nothing, so they would never end earlier, and nobody waits for the end of work
        // on an accelerator that no thread synchronises with.
        let cursors = || self.trace.cpu_locations().map(|location| &self.cursors[location.index()]);
        let length = |lane: usize| cursors().map(|cursor| cursor.clock[lane]).max().unwrap_or(0);
        (0..self.changes.len()).map(|lane| Outcome { length: length(lane), cut: self.cut }).collect()
    }

    /// Plays on until so many decisions have been made of who comes first; whether the run is over.
    fn play_some(&mut self, decisions: usize) -> bool {
        let mut made = 0;
        while made < decisions {
            while let Some(location) = self.ready.pop() {
                self.go_on(location as usize);
            }
            if self.take_turn() {
                made += 1;
                continue;
            }
            let waiting = self.cursors.iter().enumerate().filter(|(_, cursor)| !cursor.done);
            let Some((location, _)) = waiting.min_by_key(|(_, cursor)| cursor.pos) else { return true };
            // A circle: the one that waits since the earliest moment goes on without what it needs.
            self.cut += 1;
            if let Some(lock) = self.cursors[location].asks {
                self.force(location, lock);
                continue;
            }
            if let Some(lock) = self.cursors[location].asks_admission {
                self.force_admission(location, lock);
                continue;
            }
            self.unlist(location as u32);
            self.cursors[location].need += 1;
            self.ready.push(location as u32);
        }
        false
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
        let cursor = &self.cursors[location];
        let line = &self.graph.lines[cursor.on];
        let needs = line.entries.get(cursor.entry)?.what.needs();
        line.needs[needs].get(cursor.need as usize).copied()
    }

    /// Plays a location until it is through or must wait.
    fn go_on(&mut self, location: usize) {
        let line = &self.graph.lines[self.cursors[location].on];
        while let Some(entry) = line.entries[..self.cursors[location].end].get(self.cursors[location].entry) {
            self.advance(location, entry.at);
            let goes_on = match entry.what {
                What::Gives(source) => self.publish(source, self.cursors[location].clock),
                What::Releases { holding, source } => {
                    self.give_back(holding, self.cursors[location].clock[0], source);
                    self.publish(source, self.cursors[location].clock)
                }
                What::Acquires { holding } => self.ask(location, holding),
                What::Leaves { admission, source } => {
                    self.leave_admission(admission, self.cursors[location].clock[0], source);
                    self.publish(source, self.cursors[location].clock)
                }
                What::Posts { lock, source } => {
                    self.post(lock, self.cursors[location].clock[0], source);
                    self.publish(source, self.cursors[location].clock)
                }
                What::Enters { admission } => self.ask_admission(location, admission),
                What::Needs { .. } | What::Completes { .. } | What::Notices { .. } | What::Starts { .. } => {
                    self.meet_needs(location, entry, &line.needs[entry.what.needs()])
                }
            };
            if !goes_on {
                return;
            }
            self.next_entry(location);
        }
        self.advance(location, self.cursors[location].to);
        match self.cursors[location].then {
            Then::Ends => self.cursors[location].done = true,
            Then::TakesJob => {
                self.due.push(Reverse((self.cursors[location].clock[0], Turn::Job(location as u32))));
            }
        }
    }

    fn next_entry(&mut self, location: usize) {
        let cursor = &mut self.cursors[location];
        cursor.entry += 1;
        cursor.need = 0;
    }

    /// A location comes to a wait; whether all that it needs has happened.
    fn meet_needs(&mut self, location: usize, entry: &Entry, needs: &[Need]) -> bool {
        while let Some(need) = self.needed(location) {
            let point = self.graph.point(need);
            if self.left[point] > 0 {
                self.next_waiting[location] = self.first_waiting[point];
                self.first_waiting[point] = location as u32;
                return false;
            }
            self.cursors[location].need += 1;
        }
        self.resume(location, entry, needs);
        needs.iter().for_each(|&need| self.when.met(self.graph.point(need)));
        true
    }

    /// A moment that others wait for happens; the location goes on.
    fn publish(&mut self, source: SourceId, clock: Lanes<N>) -> bool {
        // Nobody needs most releases of locks.
        if !self.graph.is_awaited(source) {
            return true;
        }
        if self.when.is_needed(source.index()) {
            self.when.happen(source.index(), &clock);
            self.left[source.index()] = 0;
            self.wake(source.index());
        }
        if let Some(hub) = self.graph.source(source).hub {
            self.meet(hub, clock, source);
        }
        true
    }

    /// Something that a hub needs has happened; when it was the last, so has the hub, and what needs it goes on.
    fn meet(&mut self, first: HubId, clock: Lanes<N>, source: SourceId) {
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
                bindings.entry[cursor.on][cursor.entry] = Some(need);
            }
            clock
                .iter_mut()
                .zip(happened)
                .for_each(|(clock, &happened)| *clock = (*clock).max(happened + lag));
        }
        let before = self.cursors[location].clock;
        self.notice_late(entry, needs, &before, &mut clock);
        self.leave_out(location, entry, &before, &mut clock);
        self.cursors[location].clock = clock;
        if self.transfers.is_some() && matches!(entry.what, What::Completes { .. }) {
            self.cursors[location].clock = self.fly(location, entry, needs, &before);
        }
        self.skip(location, entry.resume);
    }

    /// A message that was waited for was noticed late: as much later as the location still waits for it.
    fn notice_late(&self, entry: &Entry, needs: &[Need], before: &Lanes<N>, clock: &mut Lanes<N>) {
        if !matches!(entry.what, What::Completes { .. } | What::Notices { .. }) {
            return;
        }
        let sources = needs.iter().filter_map(|&need| self.graph.source_in(need));
        let sent = sources.map(|source| source.at).max().unwrap_or(entry.at);
        let (waited, late) = (sent.saturating_sub(entry.at), entry.resume.saturating_sub(sent.max(entry.at)));
        if waited == 0 || late == 0 {
            return;
        }
        for (clock, before) in clock.iter_mut().zip(before) {
            *clock += Factor::ratio((*clock - before).min(waited), waited).apply(late);
        }
    }

    /// How long after what it needs a thread's part begins; nothing for waits.
    fn lag(&self, entry: &Entry, needs: &[Need]) -> Ticks {
        let asked = match (entry.what, needs) {
            (What::Starts { .. }, [need]) => self.graph.source_in(*need),
            _ => None,
        };
        asked.map_or(0, |source| entry.resume.saturating_sub(source.at))
    }
}
