//! Contention for the lock of a window.

use lotse_model::Rule;
use lotse_model::trace::{Event, EventKind, Ticks};

use super::{PRIOR, Pattern, Search};
use crate::class::Class;
use crate::metric::{Bound, Metric};
use crate::store::{CallRef, OpRef, Trace};
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern = Pattern {
    rule: &RULE,
    metrics: &[&RMA_LOCK_CONTENTION],
    search: Search::Records(&[EventKind::RmaAcquireLock], search),
};

/// Waiting for a window that another has locked.
pub(crate) static RMA_LOCK_CONTENTION: Metric =
    Metric::wait("rma_lock_contention", "window lock contention", Class::Rma, Bound::Upper);

static RULE: Rule = Rule {
    id: "rma_lock_contention",
    version: 1,
    title: "window lock contention: an origin waits for a window that another has locked",
    meaning: "Two origins want the same target's window, and at least one of them for itself alone. The second is held \
              up in the call that gets the lock: MPI_Win_lock, or with some libraries the first access or \
              MPI_Win_unlock.",
    computation: "min(release by the holder, acquire) - E of the call that gets the lock, where that is more than 0. \
                  The holder is who released last of those who got the lock before: any for an exclusive lock, \
                  exclusive ones for a shared lock. No record says the order, so clocks decide: an upper bound.",
    picture: "holder  ┤lock├─ accesses ─┤unlock├──
origin  ──┤lock▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒─├── accesses
          ↑E                     ↑release",
    example: "One rank holds the lock until 0.8 s, another asks for it at 0.3 s and has it at 0.81 s: 0.5 s.",
    advice: "Hold locks for fewer accesses, use shared locks where accesses do not conflict, atomic operations \
             (MPI_Fetch_and_op, MPI_Accumulate) under a shared lock instead of an exclusive one, or spread what all \
             want over several targets.",
    thresholds: &[],
    prior: PRIOR,
    references: &[
        "M.-A. Hermanns, M. Geimer, B. Mohr, F. Wolf: Trace-based detection of lock contention in MPI one-sided communication, 2017",
    ],
};

fn search(scene: &Scene<'_>, op: OpRef, collector: &mut WaitCollector) {
    let trace = scene.trace;
    let (Some(call), Some(release)) = (trace.call_of(op), trace.links.partner(op)) else { return };
    collector.add_wait_until(
        trace,
        &RMA_LOCK_CONTENTION,
        call,
        lock_free_at(trace, op, release),
        Some(release.location),
    );
}

/// When the lock became free: at the release of the previous holder, but not after the acquisition.
fn lock_free_at(trace: &Trace, acquire: OpRef, release: OpRef) -> Ticks {
    trace.op(release).at.min(trace.op(acquire).at)
}

/// Until when a call waited for a lock that another location held.
pub(super) fn lock_wait_end(trace: &Trace, call: CallRef) -> Option<Ticks> {
    let records = trace.timeline(call.location).ops_of(call.call);
    let acquires = records.filter(|(_, op)| matches!(op.shape(), Event::RmaAcquireLock { .. }));
    let acquires = acquires.map(|(op, _)| OpRef { location: call.location, op });
    acquires.filter_map(|op| Some(lock_free_at(trace, op, trace.links.partner(op)?))).max()
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;
    use crate::patterns::amounts;

    fn contention(first_exclusive: bool, second_exclusive: bool) -> Vec<(u32, String, u64)> {
        let mut script = Script::processes(3);
        script.lock(1, (100, 110), 0, first_exclusive).unlock(1, (790, 800), 0);
        script.lock(2, (300, 810), 0, second_exclusive).unlock(2, (890, 900), 0);
        amounts(&script, "rma_lock_contention")
    }

    #[test]
    fn the_second_waits_for_the_first_unless_they_share() {
        let waits = [(2, "MPI_Win_lock".to_owned(), 500)];
        assert_eq!(contention(true, true), waits);
        assert_eq!(contention(true, false), waits);
        assert_eq!(contention(false, true), waits);
        assert_eq!(contention(false, false), []);
    }

    #[test]
    fn a_lock_that_was_free_costs_nothing() {
        let mut script = Script::processes(3);
        script.lock(1, (100, 110), 0, true).unlock(1, (190, 200), 0);
        script.lock(2, (300, 810), 0, true).unlock(2, (890, 900), 0);
        assert_eq!(amounts(&script, "rma_lock_contention"), []);
    }
}
