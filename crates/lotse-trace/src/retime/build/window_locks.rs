//! Locks of RMA windows: exclusive locks are modelled like a mutex with a queue. If some locks are shared, they are
//! modelled like a reader-writer lock.
//!
//! Libraries often poll for such a lock: which process gets it next is random and differs from execution to execution. So
//! the simulation grants it in the order of requests, also without a change; gains are counted from that simulation.
//!
//! Some libraries let MPI_Win_lock return at once and wait in the accesses or in MPI_Win_unlock. If the recorder takes the
//! return for the acquisition, holdings overlap and the waits between processes are unknown. Then the recorded order is
//! kept. The same holds if one thread ends a holding that another began.

use hashbrown::HashSet;
use lotse_model::trace::Ticks;

use super::Builder;
use super::locks::Acquired;
use crate::matching::rma::WindowHolding;
use crate::matching::rwlocks::{RwAccess, RwHolding, with_needs};
use crate::patterns::RMA_LOCK_CONTENTION;
use crate::store::{CallRef, OpRef, Trace};
use crate::waits::{Wait, Waits};

/// Holdings count as exclusive if at most this fraction (1 / `MOST_OVERLAP`) of their time overlaps. Clocks may differ, and
/// a release may be recorded after the next acquisition.
const MOST_OVERLAP: Ticks = 10;

/// A holding that was released.
#[derive(Clone, Copy)]
struct ReleasedHolding {
    acquire: OpRef,
    call: CallRef,
    exclusive: bool,
    requested: Ticks,
    at: Ticks,
    release: OpRef,
    released: Ticks,
    /// The release of another process that it needed.
    needs: Option<OpRef>,
}

impl Builder<'_> {
    /// Adds a queue for each lock of a window that was ever held exclusively.
    pub(super) fn add_window_locks(&mut self, waits: &Waits) {
        let trace = self.trace;
        let locks = trace.links.rma.locks();
        let calls = if locks.is_empty() { HashSet::new() } else { waiting_for_more(waits) };
        for holdings in locks.iter().filter(|holdings| holdings.iter().any(|it| it.exclusive)) {
            let mut held: Vec<ReleasedHolding> =
                holdings.iter().filter_map(|it| ReleasedHolding::new(trace, it)).collect();
            if excludes(trace, &held) {
                self.queue_from_needed(&mut held, &calls);
                self.queue_for_window(&held);
            }
        }
    }

    /// Sets the part of each call that is waiting in the queue. The rest of the call depends on something else.
    fn queue_from_needed(&mut self, held: &mut [ReleasedHolding], waiting_for_more: &HashSet<CallRef>) {
        let trace = self.trace;
        let releases: HashSet<OpRef> = held.iter().map(|it| it.release).collect();
        for it in held {
            let needed =
                it.needs.map_or(it.requested, |release| trace.op(release).at).clamp(it.requested, it.at);
            if it.needs.is_some_and(|release| !releases.contains(&release)) {
                it.requested = needed;
                continue;
            }
            self.window_lock_calls.insert(it.call);
            if waiting_for_more.contains(&it.call) {
                it.at = needed;
            }
        }
    }

    fn queue_for_window(&mut self, held: &[ReleasedHolding]) {
        match held.iter().all(|it| it.exclusive) {
            true => {
                let acquired: Vec<Acquired> = held.iter().map(|it| it.acquired(self.trace)).collect();
                self.queue_in_order(&acquired);
            }
            false => self.add_rwlock(&with_needs(held.iter().map(ReleasedHolding::rw_holding).collect())),
        }
    }
}

/// Calls that wait for something other than the lock of a window.
fn waiting_for_more(waits: &Waits) -> HashSet<CallRef> {
    let for_more =
        |wait: &&Wait| wait.causal && wait.metric.is_some_and(|metric| *metric != RMA_LOCK_CONTENTION);
    waits.by_location.iter().flatten().filter(for_more).map(|wait| wait.call).collect()
}

/// Whether the records show mutual exclusion, and each holding is ended by the thread that began it.
fn excludes(trace: &Trace, held: &[ReleasedHolding]) -> bool {
    let overlap = |it: &ReleasedHolding| {
        let needed = it.needs.map_or(0, |release| trace.op(release).at);
        needed.min(it.released).saturating_sub(it.at)
    };
    let total: Ticks = held.iter().map(|it| it.released - it.at).sum();
    let overlaps: Ticks = held.iter().map(overlap).sum();
    held.iter().all(|it| it.acquire.location == it.release.location)
        && overlaps.saturating_mul(MOST_OVERLAP) <= total
}

impl ReleasedHolding {
    fn new(trace: &Trace, holding: &WindowHolding) -> Option<Self> {
        let (acquire, release) = (holding.acquire, holding.release?);
        let call = trace.call_of(acquire)?;
        let (at, released) = (trace.op(acquire).at, trace.op(release).at);
        let (requested, needs) = (trace.enter(call).min(at), trace.links.partner(acquire));
        let released = released.max(at);
        Some(Self { acquire, call, exclusive: holding.exclusive, requested, at, release, released, needs })
    }

    fn acquired(&self, trace: &Trace) -> Acquired {
        let &Self { call, requested, at, release, released, .. } = self;
        Acquired { call, path: trace.path(call), requested, at, release, released }
    }

    fn rw_holding(&self) -> RwHolding {
        let &Self { acquire: op, call, requested, at, release, released, .. } = self;
        let access = if self.exclusive { RwAccess::Write } else { RwAccess::Read };
        RwHolding { op, call, access, requested, at, release, released, needs: None }
    }
}

#[cfg(test)]
mod tests;
