//! Semaphores and reader-writer locks: who was admitted when, and how long that took.

use lotse_model::trace::Ticks;

use super::super::graph::{Access, Admission, CountingLock, Entry, What};
use super::Builder;
use crate::matching::rwlocks::{self, RwHolding, rwlocks};
use crate::matching::semaphores::{Semaphore, semaphores};
use crate::store::{CallRef, OpRef};

/// A call that was admitted, as far as its times are concerned.
#[derive(Debug, Clone, Copy)]
struct Admitted {
    call: CallRef,
    access: Access,
    asked: Ticks,
    at: Ticks,
    /// When that happened which it needed.
    needed: Option<Ticks>,
}

impl Builder<'_> {
    /// Makes an admission of each wait for a semaphore, and of each holding of a reader-writer lock.
    pub(super) fn need_counting_locks(&mut self) {
        for semaphore in semaphores(self.trace) {
            self.add_semaphore(&semaphore);
        }
        for holdings in rwlocks(self.trace) {
            self.add_rwlock(&holdings);
        }
    }

    fn add_semaphore(&mut self, semaphore: &Semaphore) {
        let trace = self.trace;
        let admitted = semaphore.taken.iter().map(|taken| Admitted {
            call: taken.call,
            access: Access::Token,
            asked: trace.enter(taken.call),
            at: trace.exit(taken.call),
            needed: taken.post.map(|post| trace.op(post).at),
        });
        let admitted: Vec<Admitted> = admitted.collect();
        let lock = self.add_lock(CountingLock { tokens: semaphore.initial as u32, readers_first: false });
        self.admit(lock, &admitted);
        for &post in &semaphore.posts {
            self.frees(post, |source| What::Posts { lock, source });
        }
    }

    /// Adds a lock that several may share, with its holdings in the order in which they began.
    pub(super) fn add_rwlock(&mut self, holdings: &[RwHolding]) {
        let admitted = holdings.iter().map(|holding| Admitted {
            call: holding.call,
            access: match holding.access {
                rwlocks::Access::Read => Access::Read,
                rwlocks::Access::Write => Access::Write,
            },
            asked: holding.asked,
            at: holding.at,
            needed: holding.needs.map(|(at, _)| at),
        });
        let admitted: Vec<Admitted> = admitted.collect();
        let lock = self.add_lock(CountingLock { tokens: 0, readers_first: readers_overtake(&admitted) });
        let first = self.admit(lock, &admitted);
        for (admission, holding) in (first..).zip(holdings) {
            self.frees(holding.release, |source| What::Leaves { admission, source });
        }
    }

    fn add_lock(&mut self, lock: CountingLock) -> u32 {
        self.graph.counting_locks.push(lock);
        self.graph.counting_locks.len() as u32 - 1
    }

    /// Adds what asks for a lock; gives the number of the first.
    fn admit(&mut self, lock: u32, admitted: &[Admitted]) -> u32 {
        let first = self.graph.admissions.len() as u32;
        let shortest_free = admitted.iter().filter_map(Admitted::if_free).min();
        let shortest_hand_over = admitted.iter().filter_map(Admitted::hand_over).min().map(|it| it.max(0));
        for (order, it) in (0..).zip(admitted) {
            let after = u64::try_from(it.hand_over().unwrap_or(0)).unwrap_or(0);
            let own = i64::try_from(it.at - it.asked).unwrap_or(i64::MAX);
            self.graph.admissions.push(Admission {
                lock,
                order,
                access: it.access,
                if_free: it.if_free().unwrap_or_else(|| shortest_free.map_or(after, |free| free.min(after))),
                hand_over: it.hand_over().or(shortest_hand_over).unwrap_or(own),
            });
            let what = What::Enters { admission: first + order };
            let entry = Entry { at: it.asked, resume: it.at, what, call: it.call.call };
            self.graph.lines[it.call.location.index()].entries.push(entry);
        }
        first
    }

    /// A moment at which others may be admitted.
    fn frees(&mut self, op: OpRef, what: impl FnOnce(super::SourceId) -> What) {
        let (at, call) = (self.trace.op(op).at, self.place(op));
        let source = self.source(op.location, at, call, None);
        if let Some(entry) = self.graph.lines[op.location.index()].entries.last_mut() {
            entry.what = what(source);
        }
    }
}

impl Admitted {
    /// How long after what it needed it was admitted, where it had to wait for that.
    fn hand_over(&self) -> Option<i64> {
        let needed = self.needed.filter(|&needed| needed > self.asked)?;
        let signed = |ticks: Ticks| i64::try_from(ticks).unwrap_or(i64::MAX);
        Some(signed(self.at) - signed(needed))
    }

    /// How long it took where it did not have to wait.
    fn if_free(&self) -> Option<Ticks> {
        self.hand_over().is_none().then(|| self.at - self.asked)
    }
}

/// Whether a reader was admitted while a writer that had asked before it still waited: glibc's default.
fn readers_overtake(admitted: &[Admitted]) -> bool {
    let mut first_asked = Ticks::MAX;
    admitted.iter().rev().any(|it| {
        if it.access == Access::Write {
            first_asked = first_asked.min(it.asked);
        }
        it.access == Access::Read && first_asked < it.asked
    })
}
