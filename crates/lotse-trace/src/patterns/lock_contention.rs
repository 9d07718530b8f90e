//! Lock contention: a thread waits for a lock that another holds.

use lotse_model::Rule;
use lotse_model::trace::{Event, EventKind, Ticks};

use super::condition_wait::is_condition_wait;
use super::{PRIOR, Pattern, Search};
use crate::class::Class;
use crate::metric::{Bound, Metric};
use crate::signals::Signals;
use crate::store::{CallRef, OpRef, Trace};
use crate::waits::{Cause, Scene, Wait, WaitCollector};

pub(super) const PATTERN: Pattern = Pattern {
    rule: &RULE,
    metrics: &[&LOCK_CONTENTION],
    search: Search::Records(
        &[EventKind::OmpAcquireLock, EventKind::ThreadAcquireLock, EventKind::Attribute],
        search,
    ),
};

/// Waiting for a lock that another thread holds.
pub(crate) static LOCK_CONTENTION: Metric =
    Metric::wait("lock_contention", "lock contention", Class::Lock, Bound::Exact).from_records();

static RULE: Rule = Rule {
    id: "lock_contention",
    version: 1,
    title: "lock contention: a thread waits for a lock that another thread holds",
    meaning: "The lock, mutex or critical section was taken when the thread asked for it. Where many threads ask, \
              what it protects runs one after the other, however many threads there are.",
    computation: "min(release by the predecessor in the order of acquisition, acquire) - E(lock call), where that is \
                  more than 0. OpenMP's critical sections and locks and mutexes of threads. In pthread_cond_wait, \
                  which takes the mutex again, it counts from the signal. Exact.",
    picture: "holder    ┤lock├── inside ───┤unlock├──
asking    ──┤lock▒▒▒▒▒▒▒▒▒▒▒▒▒─├── inside ──
            ↑E             ↑release",
    example: "A lock is held from 1.0 to 1.3 s; threads ask at 1.05 and 1.10 s. The first gets it at 1.3 s and has \
              waited 0.25 s; it holds it until 1.6 s, so that the second has waited 0.5 s.",
    advice: "Do less while holding the lock, split what it protects, or give each thread its own copy and join them \
             later: a reduction instead of a critical section, atomics for single values.",
    thresholds: &[],
    prior: PRIOR,
    references: &["F. Wolf, B. Mohr: Automatic performance analysis of hybrid MPI/OpenMP applications, 2003"],
};

fn search(scene: &Scene<'_>, op: OpRef, collector: &mut WaitCollector) {
    let trace = scene.trace;
    if !matches!(trace.shape(op), Event::AcquireLock { .. }) {
        return;
    }
    let (Some(call), Some(release)) = (trace.call_of(op), trace.links.partner(op)) else { return };
    let (begin, end) =
        (lock_requested_at(trace, scene.signals, call), trace.op(release).at.min(trace.op(op).at));
    let cause = Some(Cause { location: release.location, at: end });
    collector.add(
        trace,
        Wait { metric: Some(&LOCK_CONTENTION), call, begin, end, cause, causal: true, is_overlapped: false },
    );
}

/// When a call requests its lock: its enter, or the signal in a condition wait.
pub(crate) fn lock_requested_at(trace: &Trace, signals: &Signals, call: CallRef) -> Ticks {
    let enter = trace.enter(call);
    if signals.is_empty() || !is_condition_wait(trace.class(call)) {
        return enter;
    }
    signals.signal_that_ended(trace, call).map_or(enter, |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::{Event, EventKind, LockKind, Paradigm, RegionRole};

    use crate::fixture::Script;
    use crate::patterns::cube_rows;

    const LOCK: &str = "pthread_mutex_lock";
    const UNLOCK: &str = "pthread_mutex_unlock";

    fn acquire(order: u32) -> (EventKind, Event) {
        (EventKind::ThreadAcquireLock, Event::AcquireLock { kind: LockKind::Mutex, lock: 1, order })
    }

    fn release(order: u32) -> (EventKind, Event) {
        (EventKind::ThreadReleaseLock, Event::ReleaseLock { kind: LockKind::Mutex, lock: 1, order })
    }

    #[test]
    fn a_lock_held_for_300_makes_requesting_threads_wait_in_turn() {
        let mut script = Script::threads(4);
        let holds =
            [(0, 1000, 1001, 1300), (1, 1050, 1301, 1600), (2, 1100, 1601, 1900), (3, 2900, 2901, 3200)];
        for (order, (thread, requests, gets, releases)) in (1..).zip(holds) {
            script.with_record(thread, (requests, gets), LOCK, gets, acquire(order));
            script.with_record(thread, (releases - 1, releases + 1), UNLOCK, releases, release(order));
        }
        let expected =
            [(1, 250), (2, 500)].map(|(at, ticks)| ("lock_contention", at, LOCK.to_owned(), ticks));
        assert_eq!(cube_rows(&script), expected);
    }

    #[test]
    fn in_a_condition_wait_it_counts_from_the_signal() {
        let mut script = Script::threads(2);
        script.enter(0, 100, "pthread_cond_wait");
        let (kind, event) = release(1);
        script.event(0, 100, kind, event);
        let (kind, event) = acquire(3);
        script.event(0, 910, kind, event).leave(0, 910, "pthread_cond_wait");
        script.with_record(1, (600, 602), LOCK, 601, acquire(2)).call(1, 700, 710, "pthread_cond_signal");
        script.with_record(1, (899, 901), UNLOCK, 900, release(2));
        let path = "pthread_cond_wait".to_owned();
        assert_eq!(
            cube_rows(&script),
            [("lock_contention", 0, path.clone(), 200), ("condition_wait", 0, path, 600)]
        );
    }

    #[test]
    fn critical_sections_are_locks() {
        let mut script = Script::threads(2);
        script.define("critical", RegionRole::Critical, Paradigm::OpenMp);
        for (thread, order, requests, gets, releases) in [(0, 1, 100, 101, 400), (1, 2, 150, 401, 500)] {
            let (kind, lock) = (LockKind::OpenMp, 7);
            script.enter(thread, requests, "critical");
            script.event(thread, gets, EventKind::OmpAcquireLock, Event::AcquireLock { kind, lock, order });
            script.event(
                thread,
                releases,
                EventKind::OmpReleaseLock,
                Event::ReleaseLock { kind, lock, order },
            );
            script.leave(thread, releases, "critical");
        }
        assert_eq!(cube_rows(&script), [("lock_contention", 1, "critical".to_owned(), 250)]);
    }
}
