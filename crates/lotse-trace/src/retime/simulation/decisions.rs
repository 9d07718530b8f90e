//! Decisions that depend on the order of events: which request gets a lock, and which thread takes the next job of shared
//! work.
//!
//! A decision is made when every location has advanced as far as possible without it, and the earliest decision comes
//! first: then nothing that happens later can change it.

use std::cmp::Reverse;

use hashbrown::HashSet;
use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;

use super::super::graph::{EntryKind, Graph, GraphEntry, SourceId};
use super::locks::LockRequest;
use super::{AtEnd, Cursor, Simulation};
use crate::store::{CallRef, Trace};

/// A pending decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Decision {
    /// Grant this lock to the next request.
    Lock(u32),
    /// This thread takes the next job of shared work.
    Job(u32),
    /// This semaphore or reader-writer lock admits the next request.
    Admission(u32),
}

/// By holding: whether a change removes a wait of the same call path for the same lock. Then no call of that path waits for
/// the lock: otherwise a removed wait would only be replaced by a wait for another holder. Empty if no wait is removed.
pub(super) fn open_locks(graph: &Graph, trace: &Trace, removed: &[Vec<u16>]) -> Vec<bool> {
    let mut open = HashSet::new();
    if removed.iter().all(Vec::is_empty) {
        return Vec::new();
    }
    for (location, (table, removed)) in trace.locations().zip(graph.tables.iter().zip(removed)) {
        let is_removed =
            |entry: &&GraphEntry| removed.get(entry.call as usize).is_some_and(|&lanes| lanes != 0);
        for entry in table.entries.iter().filter(is_removed) {
            if let EntryKind::Acquires { holding } = entry.kind {
                let path = trace.path(CallRef { location, call: entry.call });
                open.insert((graph.holdings[holding as usize].lock, path));
            }
        }
    }
    match open.is_empty() {
        true => Vec::new(),
        false => graph.holdings.iter().map(|row| open.contains(&(row.lock, row.path))).collect(),
    }
}

impl<const N: usize> Simulation<'_, N> {
    /// Makes the earliest pending decision; returns false if there is none.
    pub(super) fn make_next_decision(&mut self) -> bool {
        while let Some(Reverse((at, decision))) = self.due.pop() {
            match decision {
                Decision::Job(worker) => {
                    self.take_job(worker as usize);
                    return true;
                }
                Decision::Lock(lock) if self.is_due(lock, at) && self.try_grant(lock, at) => return true,
                Decision::Admission(lock) if self.try_admit(lock, at) => return true,
                Decision::Lock(_) | Decision::Admission(_) => {}
            }
        }
        false
    }

    /// Whether the decision about a lock is still pending for this time: it may have been replaced by an earlier one.
    fn is_due(&mut self, number: u32, now: Ticks) -> bool {
        self.locks[number as usize].due.take_if(|due| *due == now).is_some()
    }

    /// Grants a lock to the next request if that is certain at the time `now`.
    fn try_grant(&mut self, number: u32, now: Ticks) -> bool {
        let lock = &mut self.locks[number as usize];
        if lock.holder.is_some() {
            return false;
        }
        match lock.next(&self.graph.holdings) {
            Some((at, _)) if at > now => {
                self.schedule(number, at);
                false
            }
            Some((_, request)) => {
                lock.remove(request);
                self.grant(request);
                true
            }
            None => false,
        }
    }

    /// Schedules a decision about a lock, unless there is an earlier one.
    fn schedule(&mut self, number: u32, at: Ticks) {
        let lock = &mut self.locks[number as usize];
        if lock.due.is_none_or(|due| at < due) {
            lock.due = Some(at);
            self.due.push(Reverse((at, Decision::Lock(number))));
        }
    }

    /// A location requests a lock; returns whether it continues at once, which it does only if the wait is removed.
    pub(super) fn request_lock(&mut self, worker: usize, holding: u32) -> bool {
        let Cursor { on, entry, clock, .. } = self.cursors[worker];
        let entry = self.graph.tables[on].entries[entry];
        let call = CallRef { location: LocationId::from(on), call: entry.call };
        let requested = clock[0] + self.extra.before(call);
        self.cursors[worker].clock[0] = requested;
        let row = self.graph.holdings[holding as usize];
        if self.open_locks.get(holding as usize).is_some_and(|&open| open) {
            let factor = self.factors.factors_of(on, row.path)[0];
            self.cursors[worker].clock[0] = requested + factor.apply(row.if_free);
            self.skip(worker, entry.resume);
            return true;
        }
        let request = LockRequest { worker: worker as u32, holding, requested };
        self.locks[row.lock as usize].add_request(request, &self.graph.holdings);
        self.cursors[worker].requested_lock = Some(row.lock);
        self.schedule_next(row.lock);
        false
    }

    /// Grants a lock to a request, and lets its thread continue.
    fn grant(&mut self, LockRequest { worker, holding, requested }: LockRequest) {
        let worker = worker as usize;
        let row = self.graph.holdings[holding as usize];
        let Cursor { on, entry: number, .. } = self.cursors[worker];
        let entry = self.graph.tables[on].entries[number];
        let factor = self.factors.factors_of(on, row.path)[0];
        let hand_over = factor.apply(row.hand_over.unsigned_abs()) as i64 * row.hand_over.signum();
        let lock = &mut self.locks[row.lock as usize];
        let (at, waited) = lock.acquired_at(requested, factor.apply(row.if_free), hand_over);
        lock.holder = Some(holding);
        if let (Some(bindings), Some(release), true) = (&mut self.bindings, lock.released_by, waited) {
            bindings.entry[on][number] = Some(release.into());
        }
        self.cursors[worker].clock[0] = at;
        self.cursors[worker].requested_lock = None;
        self.skip(worker, entry.resume);
        self.next_entry(worker);
        self.ready.push(worker as u32);
    }

    /// Ends a holding. A holding that was removed or cut out of a cycle releases nothing.
    pub(super) fn release_lock(&mut self, holding: u32, at: Ticks, source: SourceId) {
        let number = self.graph.holdings[holding as usize].lock;
        let lock = &mut self.locks[number as usize];
        if lock.holder == Some(holding) {
            lock.release(at, source, &self.graph.holdings);
            self.schedule_next(number);
        }
    }

    /// Cuts a cycle: grants a lock although another thread holds it.
    pub(super) fn force_lock(&mut self, worker: usize, number: u32) {
        let lock = &mut self.locks[number as usize];
        if let Some(request) = lock.request_of(worker as u32) {
            lock.remove(request);
            self.grant(request);
        }
    }

    fn schedule_next(&mut self, number: u32) {
        let lock = &mut self.locks[number as usize];
        if lock.holder.is_none()
            && let Some((at, _)) = lock.next(&self.graph.holdings)
        {
            self.schedule(number, at);
        }
    }

    /// A thread takes the next job of shared work; if there is none, it continues with its own time after the shared work.
    fn take_job(&mut self, worker: usize) {
        let Some(member) = self.graph.members.get(worker).copied().flatten() else { return };
        let pool = &self.graph.pools[member.pool as usize];
        let number = self.jobs_taken[member.pool as usize];
        let before = (self.cursors[worker].on, self.cursors[worker].pos);
        let next = pool.jobs.get(number).copied();
        let (on, entries, from, to, then) = match next {
            Some(job) => (job.location.index(), job.entries, job.from, job.to, AtEnd::TakesJob),
            None => {
                let end = self.graph.tables[worker].entries.len() as u32;
                (
                    worker,
                    (member.entries.1, end),
                    member.until,
                    self.trace.timelines[worker].last,
                    AtEnd::Ends,
                )
            }
        };
        if let Some(bindings) = &mut self.bindings {
            match next {
                Some(_) => bindings.job[member.pool as usize].push(before),
                None => bindings.after_jobs[worker] = Some(before),
            }
        }
        self.jobs_taken[member.pool as usize] += usize::from(next.is_some());
        let cursor = &mut self.cursors[worker];
        (cursor.on, cursor.entry, cursor.end) = (on, entries.0 as usize, entries.1 as usize);
        (cursor.pos, cursor.to, cursor.then) = (from, to, then);
        cursor.step = self.trace.timelines[on].step_at(from).unwrap_or(0);
        self.ready.push(worker as u32);
    }
}
