//! Locks of windows: processes queue for exclusive ones like threads for a mutex; where some are shared, they are
//! admitted as by a reader-writer lock.
//!
//! Libraries often poll for such a lock: who gets it next is chance, and another run draws another lot. So who asks first
//! has it first, in the unchanged run as well, from which gains are counted.
//!
//! Some libraries let MPI_Win_lock return at once and wait in the accesses or in MPI_Win_unlock. Recorders that take the
//! return for the acquisition then show holdings that overlap. Who waited for whom is not known there: what the
//! recorded order shows is kept, as it is where one thread ends what another began.

use hashbrown::HashSet;
use lotse_model::trace::Ticks;

use super::Builder;
use super::locks::Acquired;
use crate::matching::rma::WindowHolding;
use crate::matching::rwlocks::{Access, RwHolding, with_needs};
use crate::patterns::RMA_LOCK_CONTENTION;
use crate::store::{CallRef, OpRef, Trace};
use crate::waits::{Wait, Waits};

/// Holdings exclude each other if at most one part in so many of their time overlaps. Clocks may differ, and recorders
/// may write down a release after the next origin has the lock.
const MOST_OVERLAP: Ticks = 10;

/// A holding that was released.
#[derive(Clone, Copy)]
struct Held {
    acquire: OpRef,
    call: CallRef,
    exclusive: bool,
    asked: Ticks,
    at: Ticks,
    release: OpRef,
    released: Ticks,
    /// The release by another process that it needed.
    needs: Option<OpRef>,
}

impl Builder<'_> {
    /// Makes a queue for each lock of a window that can keep somebody out.
    pub(super) fn need_window_locks(&mut self, waits: &Waits) {
        let trace = self.trace;
        let locks = trace.links.rma.locks();
        let calls = if locks.is_empty() { HashSet::new() } else { waiting_for_more(waits) };
        for holdings in locks.iter().filter(|holdings| holdings.iter().any(|it| it.exclusive)) {
            let mut held: Vec<Held> = holdings.iter().filter_map(|it| Held::new(trace, it)).collect();
            if excludes(trace, &held) {
                self.queue_from_needed(&mut held, &calls);
                self.queue_for_window(&held);
            }
        }
    }

    /// Decides from when to when each waits in the queue. The rest of its call depends on something else.
    fn queue_from_needed(&mut self, held: &mut [Held], waiting_for_more: &HashSet<CallRef>) {
        let trace = self.trace;
        let releases: HashSet<OpRef> = held.iter().map(|it| it.release).collect();
        for it in held {
            let needed = it.needs.map_or(it.asked, |release| trace.op(release).at).clamp(it.asked, it.at);
            if it.needs.is_some_and(|release| !releases.contains(&release)) {
                it.asked = needed;
                continue;
            }
            self.queuing.insert(it.call);
            if waiting_for_more.contains(&it.call) {
                it.at = needed;
            }
        }
    }

    fn queue_for_window(&mut self, held: &[Held]) {
        match held.iter().all(|it| it.exclusive) {
            true => {
                let acquired: Vec<Acquired> = held.iter().map(|it| it.acquired(self.trace)).collect();
                self.queue_in_order(&acquired);
            }
            false => self.add_rwlock(&with_needs(held.iter().map(Held::rw_holding).collect())),
        }
    }
}

/// Calls that wait for something else than the lock of a window.
fn waiting_for_more(waits: &Waits) -> HashSet<CallRef> {
    let for_more =
        |wait: &&Wait| wait.causal && wait.metric.is_some_and(|metric| *metric != RMA_LOCK_CONTENTION);
    waits.by_location.iter().flatten().filter(for_more).map(|wait| wait.call).collect()
}

/// Whether the records show that the lock keeps others out, and each holding is ended by the thread that began it.
fn excludes(trace: &Trace, held: &[Held]) -> bool {
    let overlap = |it: &Held| {
        let needed = it.needs.map_or(0, |release| trace.op(release).at);
        needed.min(it.released).saturating_sub(it.at)
    };
    let whole: Ticks = held.iter().map(|it| it.released - it.at).sum();
    let overlaps: Ticks = held.iter().map(overlap).sum();
    held.iter().all(|it| it.acquire.location == it.release.location)
        && overlaps.saturating_mul(MOST_OVERLAP) <= whole
}

impl Held {
    fn new(trace: &Trace, holding: &WindowHolding) -> Option<Self> {
        let (acquire, release) = (holding.acquire, holding.release?);
        let call = trace.call_of(acquire)?;
        let (at, released) = (trace.op(acquire).at, trace.op(release).at);
        let (asked, needs) = (trace.enter(call).min(at), trace.links.partner(acquire));
        let released = released.max(at);
        Some(Self { acquire, call, exclusive: holding.exclusive, asked, at, release, released, needs })
    }

    fn acquired(&self, trace: &Trace) -> Acquired {
        let &Self { call, asked, at, release, released, .. } = self;
        Acquired { call, path: trace.path(call), asked, at, release, released }
    }

    fn rw_holding(&self) -> RwHolding {
        let &Self { acquire: op, call, asked, at, release, released, .. } = self;
        let access = if self.exclusive { Access::Write } else { Access::Read };
        RwHolding { op, call, access, asked, at, release, released, needs: None }
    }
}

#[cfg(test)]
mod tests;
