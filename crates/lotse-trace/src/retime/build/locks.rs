//! Locks: who held them when, and how long it took to get them.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use lotse_model::id::{LocationId, PathId, ProcessId};
use lotse_model::trace::{Event, LockKind, Ticks};

use super::super::graph::{Entry, Holding, What};
use super::Builder;
use crate::patterns::lock_requested_at;
use crate::signals::Signals;
use crate::store::{CallRef, OpRef, Trace};

/// A lock of a process.
type Lock = (ProcessId, LockKind, u64);

/// A record that acquires a lock, and the release that ends the holding.
#[derive(Debug, Clone, Copy)]
pub(super) struct Acquired {
    pub(super) call: CallRef,
    pub(super) path: PathId,
    /// Since when the call wants the lock.
    pub(super) asked: Ticks,
    pub(super) at: Ticks,
    /// The release that ends the holding.
    pub(super) release: OpRef,
    pub(super) released: Ticks,
}

/// A holding with the recorder's number of the acquisition.
type Numbered = (u32, Acquired);

impl Builder<'_> {
    /// Makes a holding of each pair of acquire and release.
    pub(super) fn need_locks(&mut self) {
        for of_lock in acquired(self.trace).into_values() {
            let of_lock: Vec<Acquired> = of_lock.into_iter().map(|(_, it)| it).collect();
            let rows = holdings(self.graph.locks as u32, &of_lock);
            self.add_queue(&of_lock, &rows);
        }
    }

    /// Adds a lock that is given to those who ask in the order in which they ask, whoever overtook whom in the
    /// recorded run.
    pub(super) fn queue_in_order(&mut self, acquired: &[Acquired]) {
        let mut rows = holdings(self.graph.locks as u32, acquired);
        rows.iter_mut().for_each(|row| (row.queued_after, row.yields_for) = (0, 0));
        self.add_queue(acquired, &rows);
    }

    fn add_queue(&mut self, acquired: &[Acquired], rows: &[Holding]) {
        self.graph.locks += 1;
        for (it, &row) in acquired.iter().zip(rows) {
            self.hold(it, row);
        }
    }

    fn hold(&mut self, it: &Acquired, row: Holding) {
        let holding = self.graph.holdings.len() as u32;
        self.graph.holdings.push(row);
        let what = What::Acquires { holding };
        let entry = Entry { at: it.asked, resume: it.at, what, call: it.call.call };
        self.graph.lines[it.call.location.index()].entries.push(entry);
        let call = self.place(it.release);
        let source = self.source(it.release.location, it.released, call, None);
        let entries = &mut self.graph.lines[it.release.location.index()].entries;
        if let Some(entry) = entries.last_mut() {
            entry.what = What::Releases { holding, source };
        }
    }
}

/// The holdings of one lock, from its acquisitions in their order.
///
/// What an acquisition does not show of itself (how long it takes when the lock is free, or when it is not) is taken
/// from the shortest of the others.
fn holdings(lock: u32, acquired: &[Acquired]) -> Vec<Holding> {
    let before = |at: usize| at.checked_sub(1).map(|before| acquired[before].released);
    let hand_over = |at: usize| acquired[at].hand_over(before(at));
    let if_free = |at: usize| hand_over(at).is_none().then(|| acquired[at].at - acquired[at].asked);
    let shortest_free = (0..acquired.len()).filter_map(if_free).min();
    let shortest_hand_over = (0..acquired.len()).filter_map(hand_over).min().map(|ticks| ticks.max(0));
    let mut last_asked = 0;
    let mut yields = Yields::default();
    let mut holdings = Vec::with_capacity(acquired.len());
    for (at, it) in acquired.iter().enumerate() {
        last_asked = it.asked.max(last_asked);
        let own = i64::try_from(it.at - it.asked).unwrap_or(i64::MAX);
        let hand_over = hand_over(at);
        let after = u64::try_from(hand_over.unwrap_or(0)).unwrap_or(0);
        holdings.push(Holding {
            lock,
            order: at as u32,
            path: it.path,
            if_free: if_free(at).unwrap_or_else(|| shortest_free.map_or(after, |free| free.min(after))),
            hand_over: hand_over.or(shortest_hand_over).unwrap_or(own),
            queued_after: last_asked - it.asked,
            yields_for: yields.since(it.asked),
        });
        if let Some(released) = before(at) {
            yields.add(released, it.asked);
        }
    }
    holdings
}

/// How long after releases others came and got the lock while it was free, for those who already waited.
///
/// One thread may wait while all others have the lock in turn, and each of them may do so. So for every wait the
/// answer is looked up instead of walking over all that happened during it: of the releases only those are kept that
/// no later one precedes, of the times only those that no later one exceeds.
#[derive(Debug, Default)]
struct Yields {
    count: usize,
    /// Releases, each earlier than all that follow it: when, and the place in the recorded order.
    releases: Vec<(Ticks, usize)>,
    /// For how long the lock was free plus one tick, each longer than all that follow it, and the place.
    free_for: Vec<(Ticks, usize)>,
}

impl Yields {
    /// A release, and when the next holder came.
    fn add(&mut self, released: Ticks, came: Ticks) {
        let place = self.count;
        self.count += 1;
        while self.releases.pop_if(|last| last.0 >= released).is_some() {}
        self.releases.push((released, place));
        if let Some(ticks) = came.checked_sub(released) {
            while self.free_for.pop_if(|last| last.0 <= ticks + 1).is_some() {}
            self.free_for.push((ticks + 1, place));
        }
    }

    /// The longest after the last release that was not later than a moment.
    fn since(&self, asked: Ticks) -> Ticks {
        let before = self.releases.partition_point(|release| release.0 <= asked);
        let first = before.checked_sub(1).map_or(0, |last| self.releases[last].1 + 1);
        let at = self.free_for.partition_point(|free| free.1 < first);
        self.free_for.get(at).map_or(0, |free| free.0)
    }
}

impl Acquired {
    /// How long after the release before it got the lock, where it had to wait for that.
    fn hand_over(&self, released: Option<Ticks>) -> Option<i64> {
        let released = released.filter(|&released| released > self.asked)?;
        let signed = |ticks: Ticks| i64::try_from(ticks).unwrap_or(i64::MAX);
        Some(signed(self.at) - signed(released))
    }
}

/// By lock: its holdings in the order of the acquisitions. Their numbers are the same where the recorder does not count. A thread that acquires a lock that it has already waits for nobody.
fn acquired(trace: &Trace) -> BTreeMap<Lock, Vec<Numbered>> {
    let mut all: BTreeMap<Lock, Vec<Numbered>> = BTreeMap::new();
    let signals = Signals::new(trace);
    for location in trace.locations() {
        let process = trace.location(location).process;
        for ((kind, lock), rows) in acquired_by(trace, &signals, location) {
            all.entry((process, kind, lock)).or_default().extend(rows);
        }
    }
    for rows in all.values_mut() {
        // Those of a location are in order, which a stable sort finds out.
        rows.sort_by_key(|(number, it)| (*number, it.at, it.call));
    }
    all
}

/// The holdings of one location by lock, in the order of the releases.
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
        let asked = lock_requested_at(trace, signals, call).min(at);
        let (path, released) = (trace.path(call), record.at);
        locks[place].1.push((number, Acquired { call, path, asked, at, release: op, released }));
    }
    locks
}
