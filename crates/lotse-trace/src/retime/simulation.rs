//! Simulates a graph under several changes at once.
//!
//! Every location advances until it depends on a source or hub that has not happened yet; then it is added to the waiting
//! list of that point. A change is a lane: all lanes visit the graph in the same order, so one pass serves them all. With
//! locks or shared work (`decisions`) the order depends on the change, and each change has its own simulation.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::{HashMap, HashSet};
use lotse_model::id::PathId;
use lotse_model::trace::Ticks;

use super::graph::{EntryKind, Graph, GraphEntry, HubId, Need, SourceId};
use super::intervals::IntervalsByLocation;
use super::transfers::Transfers;
use super::{Change, Factor, Outcome};
use crate::store::Trace;

mod counting;
mod cursor;
mod decisions;
mod extras;
mod factors;
mod latency;
mod locks;
mod pieces;
mod point_times;
mod removed_waits;
mod time;

use counting::CountingState;
use cursor::{AtEnd, Cursor};
use decisions::Decision;
use extras::Extras;
use factors::Factors;
use locks::LockState;
use pieces::Pieces;
use point_times::PointTimes;

/// The time of an event in each lane.
pub(super) type Lanes<const N: usize> = [Ticks; N];

const NO_LOCATION: u32 = u32::MAX;

/// Decisions after which the next of several simulations continues: what they read in between fits in a cache.
pub(super) const SLICE: usize = 2048;

pub(super) struct Simulation<'a, const N: usize> {
    graph: &'a Graph,
    trace: &'a Trace,
    changes: &'a [&'a Change],
    factors: Factors<N>,
    /// By group of call paths: its time, while an interval is summed.
    sums: Vec<Ticks>,
    /// When sources and hubs happened, valid once `unmet` is zero.
    times: PointTimes<N>,
    unmet: Vec<u32>,
    /// Waiting lists: the first location that waits for a source or hub, and the next after each location.
    first_waiting: Vec<u32>,
    next_waiting: Vec<u32>,
    pub(super) cursors: Vec<Cursor<N>>,
    ready: Vec<u32>,
    cut: u64,
    /// By location and call: the changes, a bit each, that remove its wait; empty if no wait is removed.
    removed: Vec<Vec<u16>>,
    /// By change: the intervals of these waits.
    removed_intervals: Vec<IntervalsByLocation>,
    pieces: Pieces,
    extra: Extras,
    locks: Vec<LockState>,
    /// By holding: whether its call path does not wait for its lock; empty if all do.
    open_locks: Vec<bool>,
    /// Semaphores and reader-writer locks, and the call paths that do not wait for them.
    counting: Vec<CountingState>,
    open_counting: HashSet<(u32, PathId)>,
    /// Pending decisions, the earliest first.
    due: BinaryHeap<Reverse<(Ticks, Decision)>>,
    /// By pool: how many jobs have been taken.
    jobs_taken: Vec<usize>,
    /// Set if a change has another latency.
    transfers: Option<Transfers>,
    /// If requested: the binding need of each entry in the first lane, and the last source of each hub.
    pub(super) bindings: Option<Bindings>,
}

/// The dependencies along which the longest path is traced back.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    pub(super) entry: Vec<Vec<Option<Need>>>,
    pub(super) hub: Vec<Option<SourceId>>,
    /// By pool and job: where its thread was before, as a location and time of the recorded execution.
    pub(super) job: Vec<Vec<(usize, Ticks)>>,
    /// By location: the same for its time after all shared work.
    pub(super) after_jobs: Vec<Option<(usize, Ticks)>>,
    /// By location and entry: the remaining part of a wait that is partly removed.
    pub(super) remaining: HashMap<(usize, usize), Ticks>,
}

impl<'a, const N: usize> Simulation<'a, N> {
    /// Runs a simulation to its end. `bind`: whether to record the bindings.
    pub(super) fn run(graph: &'a Graph, trace: &'a Trace, changes: &'a [&'a Change], bind: bool) -> Self {
        let mut simulation = Self::new(graph, trace, changes, bind);
        while !simulation.run_some(usize::MAX) {}
        simulation
    }

    /// A simulation at its begin.
    pub(super) fn new(graph: &'a Graph, trace: &'a Trace, changes: &'a [&'a Change], bind: bool) -> Self {
        let unmet = (0..graph.awaited).map(|_| 1).chain(graph.hubs.iter().map(|hub| hub.needs)).collect();
        let bindings = bind.then(|| Bindings {
            entry: graph.tables.iter().map(|table| vec![None; table.entries.len()]).collect(),
            hub: vec![None; graph.hubs.len()],
            job: vec![Vec::new(); graph.pools.len()],
            after_jobs: vec![None; graph.tables.len()],
            remaining: HashMap::new(),
        });
        let (factors, first) = (Factors::new(trace, changes), trace.first_tick());
        let removed = removed_waits::lanes_by_call(trace, changes);
        Self {
            graph,
            trace,
            changes,
            sums: vec![0; factors.count()],
            factors,
            times: PointTimes::new(graph),
            unmet,
            first_waiting: vec![NO_LOCATION; graph.points()],
            next_waiting: vec![NO_LOCATION; graph.tables.len()],
            cursors: trace.locations().map(|location| Cursor::new(graph, trace, location, first)).collect(),
            ready: (0..graph.tables.len() as u32).rev().collect(),
            cut: 0,
            open_locks: decisions::open_locks(graph, trace, &removed),
            removed,
            removed_intervals: changes.iter().map(|change| removed_waits::intervals(change)).collect(),
            transfers: changes.iter().any(|change| change.latency != 0).then(|| Transfers::new(trace)),
            pieces: Pieces::new(changes),
            extra: Extras::new(changes),
            locks: vec![LockState::default(); graph.locks],
            counting: graph.counting_locks.iter().map(CountingState::new).collect(),
            open_counting: counting::open_counting(graph, trace, changes),
            due: BinaryHeap::new(),
            jobs_taken: vec![0; graph.pools.len()],
            bindings,
        }
    }

    /// Runs several simulations interleaved: they read the same part of the graph soon after each other, from the cache.
    pub(super) fn run_interleaved(simulations: &mut [Self]) {
        let mut running: Vec<&mut Self> = simulations.iter_mut().collect();
        while !running.is_empty() {
            running.retain_mut(|it| !it.run_some(SLICE));
        }
    }

    pub(super) fn outcomes(&self) -> Vec<Outcome> {
        // Metric locations never end earlier, and nothing waits for accelerator work without a synchronise call.
        let cursors = || self.trace.cpu_locations().map(|location| &self.cursors[location.index()]);
        let length = |lane: usize| cursors().map(|cursor| cursor.clock[lane]).max().unwrap_or(0);
        (0..self.changes.len()).map(|lane| Outcome { length: length(lane), cut: self.cut }).collect()
    }

    /// Continues until a number of decisions have been made; returns whether the simulation has ended.
    fn run_some(&mut self, decisions: usize) -> bool {
        let mut made = 0;
        while made < decisions {
            while let Some(location) = self.ready.pop() {
                self.run_location(location as usize);
            }
            if self.make_next_decision() {
                made += 1;
                continue;
            }
            let waiting = self.cursors.iter().enumerate().filter(|(_, cursor)| !cursor.done);
            let Some((location, _)) = waiting.min_by_key(|(_, cursor)| cursor.pos) else { return true };
            // A cycle: the location that waits since the earliest time continues without its need.
            self.cut += 1;
            if let Some(lock) = self.cursors[location].requested_lock {
                self.force_lock(location, lock);
                continue;
            }
            if let Some(lock) = self.cursors[location].requested_admission {
                self.force_admission(location, lock);
                continue;
            }
            self.remove_waiter(location as u32);
            self.cursors[location].need += 1;
            self.ready.push(location as u32);
        }
        false
    }

    /// Removes a location from the waiting list of its next need.
    fn remove_waiter(&mut self, location: u32) {
        let Some(need) = self.next_need(location as usize) else { return };
        let point = self.graph.point(need);
        let mut at = self.first_waiting[point];
        if at == location {
            self.first_waiting[point] = self.next_waiting[location as usize];
            return;
        }
        while at != NO_LOCATION {
            let next = self.next_waiting[at as usize];
            if next == location {
                self.next_waiting[at as usize] = self.next_waiting[location as usize];
                return;
            }
            at = next;
        }
    }

    /// The source or hub that a location waits for.
    fn next_need(&self, location: usize) -> Option<Need> {
        let cursor = &self.cursors[location];
        let table = &self.graph.tables[cursor.on];
        let needs = table.entries.get(cursor.entry)?.kind.needs();
        table.needs[needs].get(cursor.need as usize).copied()
    }

    /// Advances a location until it ends or has to wait.
    fn run_location(&mut self, location: usize) {
        let table = &self.graph.tables[self.cursors[location].on];
        while let Some(entry) = table.entries[..self.cursors[location].end].get(self.cursors[location].entry)
        {
            self.advance(location, entry.at);
            let continues = match entry.kind {
                EntryKind::Publishes(source) => self.publish(source, self.cursors[location].clock),
                EntryKind::Releases { holding, source } => {
                    self.release_lock(holding, self.cursors[location].clock[0], source);
                    self.publish(source, self.cursors[location].clock)
                }
                EntryKind::Acquires { holding } => self.request_lock(location, holding),
                EntryKind::Leaves { admission, source } => {
                    self.leave_admission(admission, self.cursors[location].clock[0], source);
                    self.publish(source, self.cursors[location].clock)
                }
                EntryKind::Posts { lock, source } => {
                    self.post(lock, self.cursors[location].clock[0], source);
                    self.publish(source, self.cursors[location].clock)
                }
                EntryKind::Enters { admission } => self.request_admission(location, admission),
                EntryKind::Needs { .. }
                | EntryKind::Completes { .. }
                | EntryKind::Notices { .. }
                | EntryKind::Starts { .. } => {
                    self.check_needs(location, entry, &table.needs[entry.kind.needs()])
                }
            };
            if !continues {
                return;
            }
            self.next_entry(location);
        }
        self.advance(location, self.cursors[location].to);
        match self.cursors[location].then {
            AtEnd::Ends => self.cursors[location].done = true,
            AtEnd::TakesJob => {
                self.due.push(Reverse((self.cursors[location].clock[0], Decision::Job(location as u32))));
            }
        }
    }

    fn next_entry(&mut self, location: usize) {
        let cursor = &mut self.cursors[location];
        cursor.entry += 1;
        cursor.need = 0;
    }

    /// Handles a wait: returns whether all its needs have happened, else adds the location to a waiting list.
    fn check_needs(&mut self, location: usize, entry: &GraphEntry, needs: &[Need]) -> bool {
        while let Some(&need) = needs.get(self.cursors[location].need as usize) {
            let point = self.graph.point(need);
            if self.unmet[point] > 0 {
                self.next_waiting[location] = self.first_waiting[point];
                self.first_waiting[point] = location as u32;
                return false;
            }
            self.cursors[location].need += 1;
        }
        self.resume(location, entry, needs);
        needs.iter().for_each(|&need| self.times.release_need(self.graph.point(need)));
        true
    }

    /// A source happens: notifies waiting locations and its hub. Returns true: the location continues.
    fn publish(&mut self, source: SourceId, clock: Lanes<N>) -> bool {
        // Nothing depends on most releases of locks.
        if !self.graph.is_awaited(source) {
            return true;
        }
        if self.times.is_needed(source.index()) {
            self.times.record(source.index(), &clock);
            self.unmet[source.index()] = 0;
            self.wake(source.index());
        }
        if let Some(hub) = self.graph.source(source).hub {
            self.notify_hub(hub, clock, source);
        }
        true
    }

    /// A dependency of a hub has happened. If it was the last, the hub happens, and the hub that depends on it is notified.
    fn notify_hub(&mut self, first: HubId, clock: Lanes<N>, source: SourceId) {
        let (mut hub, mut clock, mut source) = (first, clock, source);
        loop {
            let point = self.graph.hub_point(hub);
            if let Some(bindings) = &mut self.bindings {
                let last = &mut bindings.hub[hub.index()];
                if last.is_none() || clock[0] > self.times.time_of(point)[0] {
                    *last = Some(source);
                }
                source = last.unwrap_or(source);
            }
            self.times.record(point, &clock);
            self.unmet[point] -= 1;
            if self.unmet[point] > 0 {
                return;
            }
            self.wake(point);
            let Some(next) = self.graph.hubs[hub.index()].feeds else { return };
            clock = *self.times.time_of(point);
            self.times.release_need(point);
            hub = next;
        }
    }

    fn wake(&mut self, point: usize) {
        let mut location = std::mem::replace(&mut self.first_waiting[point], NO_LOCATION);
        while location != NO_LOCATION {
            self.ready.push(location);
            location = std::mem::replace(&mut self.next_waiting[location as usize], NO_LOCATION);
        }
    }

    /// Ends a wait: all needs have happened.
    fn resume(&mut self, location: usize, entry: &GraphEntry, needs: &[Need]) {
        let lag = self.lag(entry, needs);
        let cursor = &mut self.cursors[location];
        let mut clock = cursor.clock;
        // A need that was cut out of a cycle has not happened.
        for &need in needs {
            let point = self.graph.point(need);
            if self.unmet[point] > 0 {
                continue;
            }
            let happened = self.times.time_of(point);
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
        self.remove_waits(location, entry, &before, &mut clock);
        self.cursors[location].clock = clock;
        if self.transfers.is_some() && matches!(entry.kind, EntryKind::Completes { .. }) {
            self.cursors[location].clock = self.receive_end(location, entry, needs, &before);
        }
        self.skip(location, entry.resume);
    }

    /// Adds the lateness with which a message was noticed, in proportion to the part of the wait that remains.
    fn notice_late(&self, entry: &GraphEntry, needs: &[Need], before: &Lanes<N>, clock: &mut Lanes<N>) {
        if !matches!(entry.kind, EntryKind::Completes { .. } | EntryKind::Notices { .. }) {
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

    /// How long after its need a thread begins; 0 for waits.
    fn lag(&self, entry: &GraphEntry, needs: &[Need]) -> Ticks {
        let start = match (entry.kind, needs) {
            (EntryKind::Starts { .. }, [need]) => self.graph.source_in(*need),
            _ => None,
        };
        start.map_or(0, |source| entry.resume.saturating_sub(source.at))
    }
}
