//! Semaphores and reader-writer locks: when calls were admitted, and how long admission took.

use lotse_model::trace::Ticks;

use super::super::graph::{Admission, AdmissionMode, CountingLock, EntryKind, GraphEntry};
use super::Builder;
use crate::matching::rwlocks::{self, RwHolding, rwlocks};
use crate::matching::semaphores::{Semaphore, semaphores};
use crate::store::{CallRef, OpRef};

/// The times of a call that was admitted.
#[derive(Debug, Clone, Copy)]
struct AdmittedCall {
    call: CallRef,
    mode: AdmissionMode,
    requested: Ticks,
    at: Ticks,
    /// When the post or release that it needed happened.
    needed: Option<Ticks>,
}

impl Builder<'_> {
    /// Adds an admission for each wait for a semaphore, and for each holding of a reader-writer lock.
    pub(super) fn add_counting_locks(&mut self) {
        for semaphore in semaphores(self.trace) {
            self.add_semaphore(&semaphore);
        }
        for holdings in rwlocks(self.trace) {
            self.add_rwlock(&holdings);
        }
    }

    fn add_semaphore(&mut self, semaphore: &Semaphore) {
        let trace = self.trace;
        let admitted = semaphore.taken.iter().map(|taken| AdmittedCall {
            call: taken.call,
            mode: AdmissionMode::Token,
            requested: trace.enter(taken.call),
            at: trace.exit(taken.call),
            needed: taken.post.map(|post| trace.op(post).at),
        });
        let admitted: Vec<AdmittedCall> = admitted.collect();
        let lock = self.add_lock(CountingLock { tokens: semaphore.initial as u32, readers_first: false });
        self.admit(lock, &admitted);
        for &post in &semaphore.posts {
            self.add_freeing(post, |source| EntryKind::Posts { lock, source });
        }
    }

    /// Adds a reader-writer lock with its holdings in the order of acquisition.
    pub(super) fn add_rwlock(&mut self, holdings: &[RwHolding]) {
        let admitted = holdings.iter().map(|holding| AdmittedCall {
            call: holding.call,
            mode: match holding.access {
                rwlocks::RwAccess::Read => AdmissionMode::Read,
                rwlocks::RwAccess::Write => AdmissionMode::Write,
            },
            requested: holding.requested,
            at: holding.at,
            needed: holding.needs.map(|(at, _)| at),
        });
        let admitted: Vec<AdmittedCall> = admitted.collect();
        let lock = self.add_lock(CountingLock { tokens: 0, readers_first: readers_overtake(&admitted) });
        let first = self.admit(lock, &admitted);
        for (admission, holding) in (first..).zip(holdings) {
            self.add_freeing(holding.release, |source| EntryKind::Leaves { admission, source });
        }
    }

    fn add_lock(&mut self, lock: CountingLock) -> u32 {
        self.graph.counting_locks.push(lock);
        self.graph.counting_locks.len() as u32 - 1
    }

    /// Adds the admissions of a lock; returns the number of the first. An admission that was not blocked does not show how
    /// long a hand-over takes, and a blocked one not how long a free lock takes: then the shortest of the others is used.
    fn admit(&mut self, lock: u32, admitted: &[AdmittedCall]) -> u32 {
        let first = self.graph.admissions.len() as u32;
        let shortest_free = admitted.iter().filter_map(AdmittedCall::if_free).min();
        let shortest_hand_over =
            admitted.iter().filter_map(AdmittedCall::hand_over).min().map(|it| it.max(0));
        for (order, it) in (0..).zip(admitted) {
            let after = u64::try_from(it.hand_over().unwrap_or(0)).unwrap_or(0);
            let own = i64::try_from(it.at - it.requested).unwrap_or(i64::MAX);
            self.graph.admissions.push(Admission {
                lock,
                order,
                mode: it.mode,
                if_free: it.if_free().unwrap_or_else(|| shortest_free.map_or(after, |free| free.min(after))),
                hand_over: it.hand_over().or(shortest_hand_over).unwrap_or(own),
            });
            let kind = EntryKind::Enters { admission: first + order };
            let entry = GraphEntry { at: it.requested, resume: it.at, kind, call: it.call.call };
            self.graph.tables[it.call.location.index()].entries.push(entry);
        }
        first
    }

    /// Adds a source at which others may be admitted: a post or a release.
    fn add_freeing(&mut self, op: OpRef, kind: impl FnOnce(super::SourceId) -> EntryKind) {
        let (at, call) = (self.trace.op(op).at, self.order_call(op));
        let source = self.source(op.location, at, call, None);
        if let Some(entry) = self.graph.tables[op.location.index()].entries.last_mut() {
            entry.kind = kind(source);
        }
    }
}

impl AdmittedCall {
    /// How long after the post or release it was admitted, if it had to wait for it.
    fn hand_over(&self) -> Option<i64> {
        let needed = self.needed.filter(|&needed| needed > self.requested)?;
        let signed = |ticks: Ticks| i64::try_from(ticks).unwrap_or(i64::MAX);
        Some(signed(self.at) - signed(needed))
    }

    /// How long admission took, if it did not have to wait.
    fn if_free(&self) -> Option<Ticks> {
        self.hand_over().is_none().then(|| self.at - self.requested)
    }
}

/// Whether a reader was admitted while an earlier request of a writer still waited, which is the default of glibc.
fn readers_overtake(admitted: &[AdmittedCall]) -> bool {
    let mut first_requested = Ticks::MAX;
    admitted.iter().rev().any(|it| {
        if it.mode == AdmissionMode::Write {
            first_requested = first_requested.min(it.requested);
        }
        it.mode == AdmissionMode::Read && first_requested < it.requested
    })
}
