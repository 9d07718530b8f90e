//! Semaphores and reader-writer locks of a changed run: who is admitted, and when.
//!
//! A semaphore gives its tokens to threads in the order in which they ask, as soon as a token is there. A
//! reader-writer lock admits a writer when nobody has it, a reader when no writer has it; where readers did not
//! overtake waiting writers in the recorded run, they queue behind them.
//!
//! ```text
//! A  ┤read ────────────├                 released at 100
//! B     ┤write · · · · · · · ├──────├    asks at 30: admitted at 150, after C
//! C          ┤read ──────────├           asks at 50: admitted at once, released at 150
//! ```

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashSet;
use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use super::super::Change;
use super::super::graph::{Access, Admission, CountingLock, Graph, SourceId, What};
use super::turns::Turn;
use super::{Cursor, Run};
use crate::store::{CallRef, Trace};

/// When something happened that lets others go on, and by which source; none for what was so from the beginning.
type Moment = (Ticks, Option<SourceId>);

/// A semaphore or a reader-writer lock.
#[derive(Debug, Clone, Default)]
pub(super) struct Counting {
    /// Tokens that nobody has taken.
    tokens: BinaryHeap<Reverse<Moment>>,
    /// Tokens that were taken before they were there, by calls that no longer wait.
    owed: u32,
    /// The admissions that have the lock.
    inside: HashSet<u32>,
    writer_inside: bool,
    /// When a writer released it last, and when anybody did.
    left_by_writer: Moment,
    left: Moment,
    asking: Vec<Asking>,
}

/// A thread that asks to be admitted.
#[derive(Debug, Clone, Copy)]
struct Asking {
    worker: u32,
    admission: u32,
    asked: Ticks,
}

impl Counting {
    pub(super) fn new(lock: &CountingLock) -> Self {
        let tokens = (0..lock.tokens).map(|_| Reverse((0, None))).collect();
        Self { tokens, ..Self::default() }
    }

    /// Who is admitted next by what is known: when, its place among those that ask, and what lets it.
    fn next(&self, lock: &CountingLock, admissions: &[Admission]) -> Option<(Ticks, usize, Moment)> {
        let rows =
            self.asking.iter().enumerate().map(|(at, it)| (at, it, &admissions[it.admission as usize]));
        let able = rows.filter_map(|(at, it, row)| {
            let since = self.free_since(lock, admissions, it, row.access)?;
            let overtakes = lock.readers_first && row.access == Access::Read;
            Some(((it.asked.max(since.0), !overtakes, it.asked, row.order), at, since))
        });
        able.min_by_key(|(key, _, _)| *key).map(|(key, at, since)| (key.0, at, since))
    }

    /// Since when somebody could have been admitted; nothing where that is not known yet.
    fn free_since(
        &self,
        lock: &CountingLock,
        admissions: &[Admission],
        it: &Asking,
        access: Access,
    ) -> Option<Moment> {
        let writer_before = || {
            let is_before = |other: &&Asking| other.asked < it.asked;
            let mut before = self.asking.iter().filter(is_before);
            before.any(|other| admissions[other.admission as usize].access == Access::Write)
        };
        match access {
            Access::Token => self.tokens.peek().map(|token| token.0),
            Access::Read if self.writer_inside || (!lock.readers_first && writer_before()) => None,
            Access::Read => Some(self.left_by_writer),
            Access::Write => self.inside.is_empty().then_some(self.left),
        }
    }

    fn admit(&mut self, admission: u32, access: Access) {
        match access {
            Access::Token => drop(self.tokens.pop()),
            Access::Read | Access::Write => {
                self.inside.insert(admission);
                self.writer_inside |= access == Access::Write;
            }
        }
    }

    fn leave(&mut self, admission: u32, access: Access, moment: Moment) {
        // One whose beginning was left out, or does not happen, gives nothing back.
        if !self.inside.remove(&admission) {
            return;
        }
        self.left = self.left.max(moment);
        if access == Access::Write {
            self.writer_inside = false;
            self.left_by_writer = self.left_by_writer.max(moment);
        }
    }

    fn post(&mut self, moment: Moment) {
        match self.owed {
            0 => self.tokens.push(Reverse(moment)),
            _ => self.owed -= 1,
        }
    }
}

/// The locks of calls that no longer wait: no call of the same path waits for them.
pub(super) fn open_counting(graph: &Graph, trace: &Trace, changes: &[&Change]) -> HashSet<(u32, PathId)> {
    let removed: HashSet<CallRef> =
        changes.iter().flat_map(|change| &change.removed).map(|it| it.call).collect();
    let mut open = HashSet::new();
    if removed.is_empty() || graph.counting_locks.is_empty() {
        return open;
    }
    for (location, line) in trace.locations().zip(&graph.lines) {
        for entry in &line.entries {
            let call = CallRef { location, call: entry.call };
            if let (What::Enters { admission }, true) = (entry.what, removed.contains(&call)) {
                open.insert((graph.admissions[admission as usize].lock, trace.path(call)));
            }
        }
    }
    open
}

impl<const N: usize> Run<'_, N> {
    /// A location comes to a call that asks to be admitted; whether it goes on at once.
    pub(super) fn ask_admission(&mut self, worker: usize, admission: u32) -> bool {
        let Cursor { on, entry, clock, .. } = self.cursors[worker];
        let entry = self.graph.lines[on].entries[entry];
        let call = CallRef { location: LocationId::from(on), call: entry.call };
        let asked = clock[0] + self.extra.before(call);
        self.cursors[worker].clock[0] = asked;
        let row = self.graph.admissions[admission as usize];
        let path = self.trace.path(call);
        let lock = &mut self.counting[row.lock as usize];
        if self.open_counting.contains(&(row.lock, path)) {
            if row.access == Access::Token && lock.tokens.pop().is_none() {
                lock.owed += 1;
            }
            let factor = self.factors.of(on, path)[0];
            self.cursors[worker].clock[0] = asked + factor.apply(row.if_free);
            self.skip(worker, entry.resume);
            return true;
        }
        lock.asking.push(Asking { worker: worker as u32, admission, asked });
        self.cursors[worker].asks_admission = Some(row.lock);
        self.decide_admission(row.lock);
        false
    }

    /// Admits who is next, if that is certain by now.
    pub(super) fn give_admission(&mut self, number: u32, now: Ticks) -> bool {
        let lock = &self.counting[number as usize];
        match lock.next(&self.graph.counting_locks[number as usize], &self.graph.admissions) {
            Some((at, _, _)) if at > now => {
                self.due.push(Reverse((at, Turn::Admission(number))));
                false
            }
            Some((_, place, since)) => {
                let asking = self.counting[number as usize].asking.remove(place);
                self.admit(asking, since);
                self.decide_admission(number);
                true
            }
            None => false,
        }
    }

    fn admit(&mut self, Asking { worker, admission, asked }: Asking, (since, by): Moment) {
        let worker = worker as usize;
        let row = self.graph.admissions[admission as usize];
        let Cursor { on, entry: number, .. } = self.cursors[worker];
        let entry = self.graph.lines[on].entries[number];
        let call = CallRef { location: LocationId::from(on), call: entry.call };
        let factor = self.factors.of(on, self.trace.path(call))[0];
        let hand_over = factor.apply(row.hand_over.unsigned_abs()) as i64 * row.hand_over.signum();
        let waited = asked < since;
        let at = match waited {
            true => since.saturating_add_signed(hand_over).max(asked),
            false => asked + factor.apply(row.if_free),
        };
        self.counting[row.lock as usize].admit(admission, row.access);
        if let (Some(bindings), Some(by), true) = (&mut self.bindings, by, waited) {
            bindings.entry[on][number] = Some(by.into());
        }
        self.cursors[worker].clock[0] = at;
        self.cursors[worker].asks_admission = None;
        self.skip(worker, entry.resume);
        self.next_entry(worker);
        self.ready.push(worker as u32);
    }

    /// A reader-writer lock is released.
    pub(super) fn leave_admission(&mut self, admission: u32, at: Ticks, source: SourceId) {
        let row = self.graph.admissions[admission as usize];
        self.counting[row.lock as usize].leave(admission, row.access, (at, Some(source)));
        self.decide_admission(row.lock);
    }

    /// A token is posted.
    pub(super) fn post(&mut self, lock: u32, at: Ticks, source: SourceId) {
        self.counting[lock as usize].post((at, Some(source)));
        self.decide_admission(lock);
    }

    /// A circle: the thread is admitted although nothing lets it.
    pub(super) fn force_admission(&mut self, worker: usize, number: u32) {
        let lock = &mut self.counting[number as usize];
        if let Some(place) = lock.asking.iter().position(|it| it.worker as usize == worker) {
            let asking = lock.asking.remove(place);
            self.admit(asking, (0, None));
        }
    }

    fn decide_admission(&mut self, number: u32) {
        let lock = &self.counting[number as usize];
        let next = lock.next(&self.graph.counting_locks[number as usize], &self.graph.admissions);
        if let Some((at, _, _)) = next {
            self.due.push(Reverse((at, Turn::Admission(number))));
        }
    }
}

#[cfg(test)]
mod tests;
