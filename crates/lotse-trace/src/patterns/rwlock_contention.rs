//! Contention of a reader-writer lock: a writer waits for all holders, a reader for a writer.

use lotse_model::Rule;
use lotse_model::trace::{Event, EventKind, ObjectKind};

use super::{PRIOR, Pattern, Search};
use crate::class::Class;
use crate::metric::{Bound, Metric};
use crate::store::OpRef;
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern = Pattern {
    rule: &RULE,
    metrics: &[&WAIT_TO_READ, &WAIT_TO_WRITE],
    search: Search::Records(&[EventKind::Attribute], search),
};

/// A reader waits for a writer.
static WAIT_TO_READ: Metric =
    Metric::wait("rwlock_wait_to_read", "wait to read", Class::Lock, Bound::Exact).from_records();

/// A writer waits for readers and writers.
static WAIT_TO_WRITE: Metric =
    Metric::wait("rwlock_wait_to_write", "wait to write", Class::Lock, Bound::Exact).from_records();

static RULE: Rule = Rule {
    id: "rwlock_contention",
    version: 1,
    title: "wait for a reader-writer lock: others read or write",
    meaning: "A writer has to wait until all readers and the writer before it have released the lock, a reader until \
              the writer has. Where readers come all the time, a writer may wait very long: by default they overtake it.",
    computation: "min(release, X(lock call)) - E(lock call), where that is more than 0. The release is the last of \
                  those who acquired the lock before: of all for a writer, of writers for a reader. Exact.",
    picture: "reader    ┤rdlock├── inside ────┤unlock├──
writer    ──┤wrlock▒▒▒▒▒▒▒▒▒▒▒▒▒─├── inside ──┤unlock├──
reader    ─────────────────┤rdlock▒▒▒▒▒▒▒▒▒▒▒▒▒─├── inside ──
            ↑E(wrlock)           ↑last release",
    example: "Two readers have the lock until 1.0 and 1.2 s; a writer asks at 0.7 s and waits 0.5 s. It writes until \
              1.5 s; a reader that asks at 1.3 s waits 0.2 s.",
    advice: "Do less while holding the lock. Where writing is frequent, a mutex may be cheaper; where it is rare, let \
             readers use a copy that the writer replaces. PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP keeps readers \
             from overtaking a writer.",
    thresholds: &[],
    prior: PRIOR,
    references: &["IEEE Std 1003.1: pthread_rwlock_rdlock, pthread_rwlock_wrlock"],
};

fn search(scene: &Scene<'_>, op: OpRef, collector: &mut WaitCollector) {
    let trace = scene.trace;
    if !matches!(trace.shape(op), Event::Object { kind: ObjectKind::RwLock, .. }) {
        return;
    }
    let (Some(call), Some(release)) = (trace.call_of(op), trace.links.partner(op)) else { return };
    let metric = if trace.class(call).name.ends_with("wrlock") { &WAIT_TO_WRITE } else { &WAIT_TO_READ };
    collector.add_wait_until(trace, metric, call, trace.op(release).at, Some(release.location));
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::ObjectKind;

    use crate::fixture::Script;
    use crate::patterns::cube_rows;

    /// A thread requests the lock, acquires it and releases it.
    fn hold(script: &mut Script, thread: usize, name: &str, (requests, gets, releases): (u64, u64, u64)) {
        let about = (ObjectKind::RwLock, 0x10);
        script.call_about(thread, (requests, gets), name, about);
        script.call_about(thread, (releases, releases + 1), "pthread_rwlock_unlock", about);
    }

    fn waits(script: &Script) -> Vec<(&'static str, u32, u64)> {
        cube_rows(script).into_iter().map(|row| (row.0, row.1, row.3)).collect()
    }

    #[test]
    fn a_writer_waits_for_all_readers_and_a_reader_for_the_writer() {
        let mut script = Script::threads(4);
        hold(&mut script, 0, "pthread_rwlock_rdlock", (100, 101, 1000));
        hold(&mut script, 1, "pthread_rwlock_rdlock", (200, 201, 1200));
        hold(&mut script, 2, "pthread_rwlock_wrlock", (700, 1205, 1500));
        hold(&mut script, 3, "pthread_rwlock_rdlock", (1300, 1505, 1600));
        assert_eq!(waits(&script), [("rwlock_wait_to_read", 3, 200), ("rwlock_wait_to_write", 2, 500)]);
    }

    #[test]
    fn readers_do_not_wait_for_readers_and_overtake_a_writer() {
        let mut script = Script::threads(3);
        hold(&mut script, 0, "pthread_rwlock_rdlock", (100, 101, 1000));
        hold(&mut script, 1, "pthread_rwlock_wrlock", (200, 1405, 1500));
        hold(&mut script, 2, "pthread_rwlock_rdlock", (300, 301, 1400));
        assert_eq!(waits(&script), [("rwlock_wait_to_write", 1, 1200)]);
    }

    #[test]
    fn unsuccessful_tries_are_ignored() {
        let mut script = Script::threads(2);
        hold(&mut script, 0, "pthread_rwlock_wrlock", (100, 101, 900));
        script.call_about(1, (200, 201), "pthread_rwlock_tryrdlock", (ObjectKind::RwLock, 0x10));
        hold(&mut script, 1, "pthread_rwlock_wrlock", (300, 905, 950));
        assert_eq!(waits(&script), [("rwlock_wait_to_write", 1, 600)]);
    }
}
