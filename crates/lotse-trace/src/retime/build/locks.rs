//! Locks: the intervals during which they were held, and how long it took to acquire them.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use lotse_model::id::{LocationId, PathId, ProcessId};
use lotse_model::trace::{Event, LockKind, Ticks};

use super::super::graph::{EntryKind, GraphEntry, LockHolding};
use super::Builder;
use crate::patterns::lock_requested_at;
use crate::signals::Signals;
use crate::store::{CallRef, OpRef, Trace};

/// A lock of a process.
type LockKey = (ProcessId, LockKind, u64);

/// The acquisition of a lock, and the release that ends the holding.
#[derive(Debug, Clone, Copy)]
pub(super) struct Acquired {
    pub(super) call: CallRef,
    pub(super) path: PathId,
    /// When the call requested the lock.
    pub(super) requested: Ticks,
    pub(super) at: Ticks,
    pub(super) release: OpRef,
    pub(super) released: Ticks,
}

/// A holding with the recorder's number of the acquisition.
type Numbered = (u32, Acquired);

impl Builder<'_> {
    /// Adds a holding for each pair of acquisition and release.
    pub(super) fn add_locks(&mut self) {
        for of_lock in acquired(self.trace).into_values() {
            let of_lock: Vec<Acquired> = of_lock.into_iter().map(|(_, it)| it).collect();
            let rows = holdings(self.graph.locks as u32, &of_lock);
            self.add_queue(&of_lock, &rows);
        }
    }

    /// Adds a lock that is granted in the order of requests, even if threads overtook each other in the recorded execution.
    pub(super) fn queue_in_order(&mut self, acquired: &[Acquired]) {
        let mut rows = holdings(self.graph.locks as u32, acquired);
        rows.iter_mut().for_each(|row| (row.queued_after, row.yields_for) = (0, 0));
        self.add_queue(acquired, &rows);
    }

    fn add_queue(&mut self, acquired: &[Acquired], rows: &[LockHolding]) {
        self.graph.locks += 1;
        for (it, &row) in acquired.iter().zip(rows) {
            self.hold(it, row);
        }
    }

    fn hold(&mut self, it: &Acquired, row: LockHolding) {
        let holding = self.graph.holdings.len() as u32;
        self.graph.holdings.push(row);
        let kind = EntryKind::Acquires { holding };
        let entry = GraphEntry { at: it.requested, resume: it.at, kind, call: it.call.call };
        self.graph.tables[it.call.location.index()].entries.push(entry);
        let call = self.order_call(it.release);
        let source = self.source(it.release.location, it.released, call, None);
        let entries = &mut self.graph.tables[it.release.location.index()].entries;
        if let Some(entry) = entries.last_mut() {
            entry.kind = EntryKind::Releases { holding, source };
        }
    }
}

/// The holdings of one lock, from its acquisitions in their order.
///
/// An acquisition shows either how long it takes when the lock is free, or how long a hand-over takes. The missing time is
/// that of the shortest other acquisition which shows it.
fn holdings(lock: u32, acquired: &[Acquired]) -> Vec<LockHolding> {
    let before = |at: usize| at.checked_sub(1).map(|before| acquired[before].released);
    let hand_over = |at: usize| acquired[at].hand_over(before(at));
    let if_free = |at: usize| hand_over(at).is_none().then(|| acquired[at].at - acquired[at].requested);
    let shortest_free = (0..acquired.len()).filter_map(if_free).min();
    let shortest_hand_over = (0..acquired.len()).filter_map(hand_over).min().map(|ticks| ticks.max(0));
    let mut last_requested = 0;
    let mut barging = BargingTimes::default();
    let mut holdings = Vec::with_capacity(acquired.len());
    for (at, it) in acquired.iter().enumerate() {
        last_requested = it.requested.max(last_requested);
        let own = i64::try_from(it.at - it.requested).unwrap_or(i64::MAX);
        let hand_over = hand_over(at);
        let after = u64::try_from(hand_over.unwrap_or(0)).unwrap_or(0);
        holdings.push(LockHolding {
            lock,
            order: at as u32,
            path: it.path,
            if_free: if_free(at).unwrap_or_else(|| shortest_free.map_or(after, |free| free.min(after))),
            hand_over: hand_over.or(shortest_hand_over).unwrap_or(own),
            queued_after: last_requested - it.requested,
            yields_for: barging.since(it.requested),
        });
        if let Some(released) = before(at) {
            barging.add(released, it.requested);
        }
    }
    holdings
}

/// Barging: how long after a release another thread requested the lock and got it, although a thread was already waiting.
///
/// ```text
/// A   ┤ holds ├──┤ requests and gets it ├──
/// B     ┤ requests · · · · · · · · · · · · ├ holds
///             ↔ the lock was free for this long (plus one tick)
/// ```
///
/// For every wait the longest such time during the wait is needed. A thread may wait while all others hold the lock in
/// turn, and each of them may do so, so going over all releases during each wait would take quadratic time. Instead two
/// monotonic stacks are kept: the releases that no later entry precedes, and the times that no later entry exceeds.
#[derive(Debug, Default)]
struct BargingTimes {
    count: usize,
    /// Releases, each earlier than all that follow it: time, and index in the recorded order.
    releases: Vec<(Ticks, usize)>,
    /// How long the lock was free plus one tick, each longer than all that follow it, and the index.
    free_for: Vec<(Ticks, usize)>,
}

impl BargingTimes {
    /// Adds a release, and when the next holder requested the lock.
    fn add(&mut self, released: Ticks, requested: Ticks) {
        let place = self.count;
        self.count += 1;
        while self.releases.pop_if(|last| last.0 >= released).is_some() {}
        self.releases.push((released, place));
        if let Some(ticks) = requested.checked_sub(released) {
            while self.free_for.pop_if(|last| last.0 <= ticks + 1).is_some() {}
            self.free_for.push((ticks + 1, place));
        }
    }

    /// The longest time after the last release that was not later than a request.
    fn since(&self, requested: Ticks) -> Ticks {
        let before = self.releases.partition_point(|release| release.0 <= requested);
        let first = before.checked_sub(1).map_or(0, |last| self.releases[last].1 + 1);
        let at = self.free_for.partition_point(|free| free.1 < first);
        self.free_for.get(at).map_or(0, |free| free.0)
    }
}

impl Acquired {
    /// How long after the previous release it got the lock, if it had to wait for that release.
    fn hand_over(&self, released: Option<Ticks>) -> Option<i64> {
        let released = released.filter(|&released| released > self.requested)?;
        let signed = |ticks: Ticks| i64::try_from(ticks).unwrap_or(i64::MAX);
        Some(signed(self.at) - signed(released))
    }
}

/// By lock: its holdings in the order of acquisition. If the recorder does not number acquisitions, all numbers are equal.
/// Nested acquisitions by the holder are left out, since they never wait.
fn acquired(trace: &Trace) -> BTreeMap<LockKey, Vec<Numbered>> {
    let mut all: BTreeMap<LockKey, Vec<Numbered>> = BTreeMap::new();
    let signals = Signals::new(trace);
    for location in trace.locations() {
        let process = trace.location(location).process;
        for ((kind, lock), rows) in acquired_by(trace, &signals, location) {
            all.entry((process, kind, lock)).or_default().extend(rows);
        }
    }
    for rows in all.values_mut() {
        // The holdings of a location are already in order, which makes a stable sort fast.
        rows.sort_by_key(|(number, it)| (*number, it.at, it.call));
    }
    all
}

/// The holdings of one location by lock, in the order of their releases. The lock of a record is looked up once per shape
/// (event without its varying part), not once per record.
fn acquired_by(
    trace: &Trace,
    signals: &Signals,
    location: LocationId,
) -> Vec<((LockKind, u64), Vec<Numbered>)> {
    let ops = &trace.timeline(location).ops;
    let mut places: HashMap<(LockKind, u64), usize> = HashMap::new();
    let mut locks = Vec::new();
    let mut place = |event: &Event| {
        let (Event::AcquireLock { kind, lock, .. } | Event::ReleaseLock { kind, lock, .. }) = *event else {
            return None;
        };
        Some(*places.entry((kind, lock)).or_insert_with(|| {
            locks.push(((kind, lock), Vec::new()));
            locks.len() - 1
        }))
    };
    let of_shape: Vec<Option<usize>> = ops.shapes().map(&mut place).collect();
    let mut open: Vec<Vec<(OpRef, u32)>> = vec![Vec::new(); locks.len()];
    if locks.is_empty() {
        return locks;
    }
    for (number, record) in ops.iter().enumerate() {
        let Some(place) = of_shape[ops.shape_number(number)] else { continue };
        let op = OpRef { location, op: number as u32 };
        if let Event::AcquireLock { order, .. } = record.event() {
            open[place].push((op, order));
            continue;
        }
        let (Some((acquire, number)), true) = (open[place].pop(), open[place].is_empty()) else { continue };
        let Some(call) = trace.call_of(acquire) else { continue };
        let at = trace.op(acquire).at;
        let requested = lock_requested_at(trace, signals, call).min(at);
        let (path, released) = (trace.path(call), record.at);
        locks[place].1.push((number, Acquired { call, path, requested, at, release: op, released }));
    }
    locks
}
