//! Semaphores and reader-writer locks in a simulation: which request is admitted, and when.
//!
//! A semaphore gives its tokens to threads in the order of their requests, as soon as there is a token. A reader-writer
//! lock admits a writer when it is free, and a reader when no writer holds it. If readers did not overtake waiting writers
//! in the recorded execution, they queue behind them.
//!
//! ```text
//! A  ┤read ────────────├                 released at 100
//! B     ┤write · · · · · · · ├──────├    requested at 30: admitted at 150, after C
//! C          ┤read ──────────├           requested at 50: admitted at once, released at 150
//! ```

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashSet;
use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use super::super::Change;
use super::super::graph::{Admission, AdmissionMode, CountingLock, EntryKind, Graph, SourceId};
use super::decisions::Decision;
use super::{Cursor, Simulation};
use crate::store::{CallRef, Trace};

/// The time of a post or release, and its source; no source for initial tokens and a lock that was never held.
type Freed = (Ticks, Option<SourceId>);

/// The state of a semaphore or a reader-writer lock.
#[derive(Debug, Clone, Default)]
pub(super) struct CountingState {
    /// Free tokens.
    tokens: BinaryHeap<Reverse<Freed>>,
    /// Tokens that were taken before they were posted, by calls whose wait is removed.
    owed: u32,
    /// The admissions that hold the lock.
    inside: HashSet<u32>,
    writer_inside: bool,
    /// The last release by a writer, and the last release.
    freed_by_writer: Freed,
    last_freed: Freed,
    requests: Vec<AdmissionRequest>,
}

/// A thread that requests admission.
#[derive(Debug, Clone, Copy)]
struct AdmissionRequest {
    worker: u32,
    admission: u32,
    requested: Ticks,
}

impl CountingState {
    pub(super) fn new(lock: &CountingLock) -> Self {
        let tokens = (0..lock.tokens).map(|_| Reverse((0, None))).collect();
        Self { tokens, ..Self::default() }
    }

    /// The next request to be admitted, as far as is known: time, index in `requests`, and the post or release.
    fn next(&self, lock: &CountingLock, admissions: &[Admission]) -> Option<(Ticks, usize, Freed)> {
        let rows =
            self.requests.iter().enumerate().map(|(at, it)| (at, it, &admissions[it.admission as usize]));
        let able = rows.filter_map(|(at, it, row)| {
            let since = self.free_since(lock, admissions, it, row.mode)?;
            let overtakes = lock.readers_first && row.mode == AdmissionMode::Read;
            Some(((it.requested.max(since.0), !overtakes, it.requested, row.order), at, since))
        });
        able.min_by_key(|(key, _, _)| *key).map(|(key, at, since)| (key.0, at, since))
    }

    /// The post or release since which a request can be admitted; none if that is not known yet.
    fn free_since(
        &self,
        lock: &CountingLock,
        admissions: &[Admission],
        it: &AdmissionRequest,
        mode: AdmissionMode,
    ) -> Option<Freed> {
        let writer_before = || {
            let is_before = |other: &&AdmissionRequest| other.requested < it.requested;
            let mut before = self.requests.iter().filter(is_before);
            before.any(|other| admissions[other.admission as usize].mode == AdmissionMode::Write)
        };
        match mode {
            AdmissionMode::Token => self.tokens.peek().map(|token| token.0),
            AdmissionMode::Read if self.writer_inside || (!lock.readers_first && writer_before()) => None,
            AdmissionMode::Read => Some(self.freed_by_writer),
            AdmissionMode::Write => self.inside.is_empty().then_some(self.last_freed),
        }
    }

    fn admit(&mut self, admission: u32, mode: AdmissionMode) {
        match mode {
            AdmissionMode::Token => drop(self.tokens.pop()),
            AdmissionMode::Read | AdmissionMode::Write => {
                self.inside.insert(admission);
                self.writer_inside |= mode == AdmissionMode::Write;
            }
        }
    }

    fn leave(&mut self, admission: u32, mode: AdmissionMode, freed: Freed) {
        // An admission that was removed or cut out of a cycle does not hold the lock.
        if !self.inside.remove(&admission) {
            return;
        }
        self.last_freed = self.last_freed.max(freed);
        if mode == AdmissionMode::Write {
            self.writer_inside = false;
            self.freed_by_writer = self.freed_by_writer.max(freed);
        }
    }

    fn post(&mut self, freed: Freed) {
        match self.owed {
            0 => self.tokens.push(Reverse(freed)),
            _ => self.owed -= 1,
        }
    }
}

/// The locks and call paths of removed waits: no call of the same path waits for the lock.
pub(super) fn open_counting(graph: &Graph, trace: &Trace, changes: &[&Change]) -> HashSet<(u32, PathId)> {
    let removed: HashSet<CallRef> =
        changes.iter().flat_map(|change| &change.removed).map(|it| it.call).collect();
    let mut open = HashSet::new();
    if removed.is_empty() || graph.counting_locks.is_empty() {
        return open;
    }
    for (location, table) in trace.locations().zip(&graph.tables) {
        for entry in &table.entries {
            let call = CallRef { location, call: entry.call };
            if let (EntryKind::Enters { admission }, true) = (entry.kind, removed.contains(&call)) {
                open.insert((graph.admissions[admission as usize].lock, trace.path(call)));
            }
        }
    }
    open
}

impl<const N: usize> Simulation<'_, N> {
    /// A location requests admission; returns whether it continues at once, which it does only if the wait is removed.
    pub(super) fn request_admission(&mut self, worker: usize, admission: u32) -> bool {
        let Cursor { on, entry, clock, .. } = self.cursors[worker];
        let entry = self.graph.tables[on].entries[entry];
        let call = CallRef { location: LocationId::from(on), call: entry.call };
        let requested = clock[0] + self.extra.before(call);
        self.cursors[worker].clock[0] = requested;
        let row = self.graph.admissions[admission as usize];
        let path = self.trace.path(call);
        let lock = &mut self.counting[row.lock as usize];
        if self.open_counting.contains(&(row.lock, path)) {
            if row.mode == AdmissionMode::Token && lock.tokens.pop().is_none() {
                lock.owed += 1;
            }
            let factor = self.factors.factors_of(on, path)[0];
            self.cursors[worker].clock[0] = requested + factor.apply(row.if_free);
            self.skip(worker, entry.resume);
            return true;
        }
        lock.requests.push(AdmissionRequest { worker: worker as u32, admission, requested });
        self.cursors[worker].requested_admission = Some(row.lock);
        self.schedule_next_admission(row.lock);
        false
    }

    /// Admits the next request if it is certain at the time `now`.
    pub(super) fn try_admit(&mut self, number: u32, now: Ticks) -> bool {
        let lock = &self.counting[number as usize];
        match lock.next(&self.graph.counting_locks[number as usize], &self.graph.admissions) {
            Some((at, _, _)) if at > now => {
                self.due.push(Reverse((at, Decision::Admission(number))));
                false
            }
            Some((_, index, since)) => {
                let request = self.counting[number as usize].requests.remove(index);
                self.admit(request, since);
                self.schedule_next_admission(number);
                true
            }
            None => false,
        }
    }

    /// Admits a request: after a hand-over if it waited for the post or release (`since`, `by`), else after the time that
    /// admission takes when free.
    fn admit(
        &mut self,
        AdmissionRequest { worker, admission, requested }: AdmissionRequest,
        (since, by): Freed,
    ) {
        let worker = worker as usize;
        let row = self.graph.admissions[admission as usize];
        let Cursor { on, entry: number, .. } = self.cursors[worker];
        let entry = self.graph.tables[on].entries[number];
        let call = CallRef { location: LocationId::from(on), call: entry.call };
        let factor = self.factors.factors_of(on, self.trace.path(call))[0];
        let hand_over = factor.apply(row.hand_over.unsigned_abs()) as i64 * row.hand_over.signum();
        let waited = requested < since;
        let at = match waited {
            true => since.saturating_add_signed(hand_over).max(requested),
            false => requested + factor.apply(row.if_free),
        };
        self.counting[row.lock as usize].admit(admission, row.mode);
        if let (Some(bindings), Some(by), true) = (&mut self.bindings, by, waited) {
            bindings.entry[on][number] = Some(by.into());
        }
        self.cursors[worker].clock[0] = at;
        self.cursors[worker].requested_admission = None;
        self.skip(worker, entry.resume);
        self.next_entry(worker);
        self.ready.push(worker as u32);
    }

    /// A reader-writer lock is released.
    pub(super) fn leave_admission(&mut self, admission: u32, at: Ticks, source: SourceId) {
        let row = self.graph.admissions[admission as usize];
        self.counting[row.lock as usize].leave(admission, row.mode, (at, Some(source)));
        self.schedule_next_admission(row.lock);
    }

    /// A token is posted.
    pub(super) fn post(&mut self, lock: u32, at: Ticks, source: SourceId) {
        self.counting[lock as usize].post((at, Some(source)));
        self.schedule_next_admission(lock);
    }

    /// Cuts a cycle: admits a thread without a post or release.
    pub(super) fn force_admission(&mut self, worker: usize, number: u32) {
        let lock = &mut self.counting[number as usize];
        if let Some(index) = lock.requests.iter().position(|it| it.worker as usize == worker) {
            let request = lock.requests.remove(index);
            self.admit(request, (0, None));
        }
    }

    fn schedule_next_admission(&mut self, number: u32) {
        let lock = &self.counting[number as usize];
        let next = lock.next(&self.graph.counting_locks[number as usize], &self.graph.admissions);
        if let Some((at, _, _)) = next {
            self.due.push(Reverse((at, Decision::Admission(number))));
        }
    }
}

#[cfg(test)]
mod tests;
