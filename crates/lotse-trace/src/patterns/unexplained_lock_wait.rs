//! Unexplained wait for a lock: time in calls that only wait, without a record of what they wait for.

use lotse_model::Rule;
use lotse_model::trace::{Event, ObjectKind};

use super::{PRIOR, Pattern, Search};
use crate::class::{Class, RegionClass, is_lock_of_python};
use crate::metric::{Bound, Metric};
use crate::store::{CallRef, OpRef, Trace};
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern =
    Pattern { rule: &RULE, metrics: &[&UNEXPLAINED], search: Search::Calls(is_waiting, search) };

/// Time in calls that wait for a lock or semaphore without any record of it.
static UNEXPLAINED: Metric =
    Metric::wait("unexplained_lock_wait", "unexplained wait for a lock", Class::Lock, Bound::Upper)
        .without_dependency();

static RULE: Rule = Rule {
    id: "unexplained_lock_wait",
    version: 1,
    title: "unexplained wait for a lock: no record tells who holds it",
    meaning: "Calls such as pthread_mutex_lock, sem_wait and Python's lock.acquire do nothing but wait. Here the trace does not say for which \
              lock or semaphore, or nobody in it ever posts the semaphore, so that who is to blame is not known.",
    computation: "X - E of every call that acquires a mutex, a spin lock, a reader-writer lock or a semaphore and has \
                  no record of which one; and of those for semaphores whose token no recorded thread posted. An \
                  upper bound: a free lock is acquired without waiting.",
    picture: "thread 1  ── work ──┤sem_wait▒▒▒▒▒▒▒▒▒▒▒▒▒├── work ──
                    ↑E                    ↑X   who posted is not recorded",
    example: "sem_wait from 0.2 to 1.0 s for a semaphore that another process posts: 0.8 s, cause unknown.",
    advice: "Record what the calls are about: Score-P writes records of mutexes, EZTrace's module pthread the address \
             of mutexes, semaphores and reader-writer locks.",
    thresholds: &[],
    prior: PRIOR,
    references: &["IEEE Std 1003.1: pthread_mutex_lock, pthread_rwlock_wrlock, sem_wait"],
};

fn is_waiting(class: &RegionClass) -> bool {
    let name = class.name.as_str();
    match name.strip_prefix("pthread_") {
        Some("mutex_lock" | "mutex_timedlock" | "mutex_clocklock" | "spin_lock") => true,
        Some(rest) if rest.starts_with("rwlock_") && !rest.contains("try") => {
            rest.ends_with("rdlock") || rest.ends_with("wrlock")
        }
        _ => matches!(name, "sem_wait" | "sem_timedwait" | "sem_clockwait") || is_lock_of_python(name),
    }
}

fn search(scene: &Scene<'_>, call: CallRef, collector: &mut WaitCollector) {
    if !is_explained(scene.trace, call) {
        collector.add_wait_until(scene.trace, &UNEXPLAINED, call, scene.trace.exit(call), None);
    }
}

fn is_explained(trace: &Trace, call: CallRef) -> bool {
    let location = call.location;
    let mut records = trace.timeline(location).ops_of(call.call);
    records.any(|(op, record)| match record.event() {
        Event::Object { kind: ObjectKind::Semaphore, .. } => {
            trace.links.partner(OpRef { location, op }).is_some()
        }
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::ObjectKind;

    use crate::fixture::Script;
    use crate::patterns::cube_rows;

    #[test]
    fn calls_that_only_wait_are_no_work() {
        let mut script = Script::threads(2);
        script.call(0, 100, 400, "sem_wait").call(1, 50, 250, "pthread_rwlock_wrlock");
        script.call(1, 300, 310, "pthread_rwlock_unlock").call(1, 400, 500, "pthread_mutex_trylock");
        script.call(0, 500, 700, "_thread.lock.acquire");
        let expected =
            [(0, "sem_wait", 300), (0, "_thread.lock.acquire", 200), (1, "pthread_rwlock_wrlock", 200)]
                .map(|(at, path, ticks)| ("unexplained_lock_wait", at, path.to_owned(), ticks));
        let mut found = cube_rows(&script);
        found.sort_by_key(|row| (row.1, std::cmp::Reverse(row.3)));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_semaphore_without_posts_is_unexplained() {
        let mut script = Script::threads(2);
        script.call_about(0, (100, 400), "sem_wait", (ObjectKind::Semaphore, 1));
        script.call_about(1, (200, 201), "sem_post", (ObjectKind::Semaphore, 2));
        assert_eq!(cube_rows(&script), [("unexplained_lock_wait", 0, "sem_wait".to_owned(), 300)]);
    }
}
