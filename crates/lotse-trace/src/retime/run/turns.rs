//! What depends on who comes first: locks, and work that threads share.
//!
//! Such a decision is made when every location has gone as far as it can without it, the earliest first: nothing that
//! happens later can change it then.

use std::cmp::Reverse;

use hashbrown::HashSet;
use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;

use super::super::graph::{Entry, Graph, SourceId, What};
use super::locks::Asking;
use super::{Cursor, Run, Then};
use crate::store::{CallRef, Trace};

/// Who can go on at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Turn {
    /// Whoever gets this lock.
    Lock(u32),
    /// This thread, with the next piece of shared work.
    Job(u32),
    /// Whoever this semaphore or reader-writer lock admits.
    Admission(u32),
}

/// By holding: whether its lock is one of a call that no longer waits. No call of the same path waits for that lock, or
/// else those that waited for the first would wait for the second. Empty where there are none.
pub(super) fn open_locks(graph: &Graph, trace: &Trace, removed: &[Vec<u16>]) -> Vec<bool> {
    let mut open = HashSet::new();
    if removed.iter().all(Vec::is_empty) {
        return Vec::new();
    }
    for (location, (line, removed)) in trace.locations().zip(graph.lines.iter().zip(removed)) {
        let is_removed = |entry: &&Entry| removed.get(entry.call as usize).is_some_and(|&lanes| lanes != 0);
        for entry in line.entries.iter().filter(is_removed) {
            if let What::Acquires { holding } = entry.what {
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

impl<const N: usize> Run<'_, N> {
    /// Lets the earliest go on of those for whom it matters who comes first.
    pub(super) fn take_turn(&mut self) -> bool {
        while let Some(Reverse((at, turn))) = self.due.pop() {
            match turn {
                Turn::Job(worker) => {
                    self.take_job(worker as usize);
                    return true;
                }
                Turn::Lock(lock) if self.is_due(lock, at) && self.give_lock(lock, at) => return true,
                Turn::Admission(lock) if self.give_admission(lock, at) => return true,
                Turn::Lock(_) | Turn::Admission(_) => {}
            }
        }
        false
    }

    /// Whether it is now that a lock is looked at: an earlier moment may have taken the place of this one.
    fn is_due(&mut self, number: u32, now: Ticks) -> bool {
        self.locks[number as usize].due.take_if(|due| *due == now).is_some()
    }

    /// Gives a lock to who is next, if that is certain by now.
    fn give_lock(&mut self, number: u32, now: Ticks) -> bool {
        let lock = &mut self.locks[number as usize];
        if lock.holder.is_some() {
            return false;
        }
        match lock.next(&self.graph.holdings) {
            Some((at, _)) if at > now => {
                self.look_at(number, at);
                false
            }
            Some((_, asking)) => {
                lock.remove(asking);
                self.hold(asking);
                true
            }
            None => false,
        }
    }

    /// A lock is looked at once more at a moment, unless that happens earlier anyway.
    fn look_at(&mut self, number: u32, at: Ticks) {
        let lock = &mut self.locks[number as usize];
        if lock.due.is_none_or(|due| at < due) {
            lock.due = Some(at);
            self.due.push(Reverse((at, Turn::Lock(number))));
        }
    }

    /// A location comes to a call that acquires a lock; whether it goes on at once.
    pub(super) fn ask(&mut self, worker: usize, holding: u32) -> bool {
        let Cursor { on, entry, clock, .. } = self.cursors[worker];
        let entry = self.graph.lines[on].entries[entry];
        let call = CallRef { location: LocationId::from(on), call: entry.call };
        let asked = clock[0] + self.extra.before(call);
        self.cursors[worker].clock[0] = asked;
        let row = self.graph.holdings[holding as usize];
        if self.open_locks.get(holding as usize).is_some_and(|&open| open) {
            let factor = self.factors.of(on, row.path)[0];
            self.cursors[worker].clock[0] = asked + factor.apply(row.if_free);
            self.skip(worker, entry.resume);
            return true;
        }
        let asking = Asking { worker: worker as u32, holding, asked };
        self.locks[row.lock as usize].ask(asking, &self.graph.holdings);
        self.cursors[worker].asks = Some(row.lock);
        self.decide(row.lock);
        false
    }

    /// A thread gets the lock that it asked for.
    fn hold(&mut self, Asking { worker, holding, asked }: Asking) {
        let worker = worker as usize;
        let row = self.graph.holdings[holding as usize];
        let Cursor { on, entry: number, .. } = self.cursors[worker];
        let entry = self.graph.lines[on].entries[number];
        let factor = self.factors.of(on, row.path)[0];
        let hand_over = factor.apply(row.hand_over.unsigned_abs()) as i64 * row.hand_over.signum();
        let lock = &mut self.locks[row.lock as usize];
        let (at, waited) = lock.had_at(asked, factor.apply(row.if_free), hand_over);
        lock.holder = Some(holding);
        if let (Some(bindings), Some(release), true) = (&mut self.bindings, lock.released_by, waited) {
            bindings.entry[on][number] = Some(release.into());
        }
        self.cursors[worker].clock[0] = at;
        self.cursors[worker].asks = None;
        self.skip(worker, entry.resume);
        self.next_entry(worker);
        self.ready.push(worker as u32);
    }

    /// A holding ends. One whose beginning was left out of a circle, or does not happen, gives nothing back.
    pub(super) fn give_back(&mut self, holding: u32, at: Ticks, source: SourceId) {
        let number = self.graph.holdings[holding as usize].lock;
        let lock = &mut self.locks[number as usize];
        if lock.holder == Some(holding) {
            lock.release(at, source, &self.graph.holdings);
            self.decide(number);
        }
    }

    /// A circle: the thread gets the lock although another has it.
    pub(super) fn force(&mut self, worker: usize, number: u32) {
        let lock = &mut self.locks[number as usize];
        if let Some(asking) = lock.asked_by(worker as u32) {
            lock.remove(asking);
            self.hold(asking);
        }
    }

    fn decide(&mut self, number: u32) {
        let lock = &mut self.locks[number as usize];
        if lock.holder.is_none()
            && let Some((at, _)) = lock.next(&self.graph.holdings)
        {
            self.look_at(number, at);
        }
    }

    /// A thread takes the next piece of shared work; when there is none it goes on by itself.
    fn take_job(&mut self, worker: usize) {
        let Some(member) = self.graph.members.get(worker).copied().flatten() else { return };
        let pool = &self.graph.pools[member.pool as usize];
        let number = self.jobs_taken[member.pool as usize];
        let before = (self.cursors[worker].on, self.cursors[worker].pos);
        let next = pool.jobs.get(number).copied();
        let (on, entries, from, to, then) = match next {
            Some(job) => (job.location.index(), job.entries, job.from, job.to, Then::TakesJob),
            None => {
                let end = self.graph.lines[worker].entries.len() as u32;
                (worker, (member.entries.1, end), member.until, self.trace.timelines[worker].last, Then::Ends)
            }
        };
        if let Some(bindings) = &mut self.bindings {
            match next {
                Some(_) => bindings.job[member.pool as usize].push(before),
                None => bindings.alone[worker] = Some(before),
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
