//! Derives records of locks and threads from calls of a threading library.
//!
//! Recorders that record only enters and leaves (eztrace) add an attribute with the mutex, condition or barrier to the
//! enter. From this, records are derived as other recorders write them. Their kind is [`EventKind::Attribute`], which is
//! not counted as an event:
//! - A lock is acquired at the leave of `pthread_mutex_lock` or `pthread_spin_lock`, and released at the enter of the
//!   unlock. `pthread_cond_wait` releases its mutex at its enter and acquires it again at its leave.
//! - `pthread_create` creates a thread at its enter, and `pthread_join` waits for a thread until its leave. Which thread it
//!   is, is found by time (`matching::threads`).
//!
//! For semaphores and reader-writer locks the attribute itself is the record (`matching::semaphores`, `matching::rwlocks`).
//!
//! Unknown remain: whether a `trylock` succeeded (its release still counts), and locks inside critical sections that are
//! recorded as a whole.

use lotse_model::id::{CommunicatorId, RegionId};
use lotse_model::trace::{Event, EventKind, LockKind, ObjectKind, UNKNOWN_THREAD, UNORDERED};

use super::Replay;
use crate::store::ops::NO_CALL;

/// The action at the leave of a call.
#[derive(Debug, Clone, Copy)]
pub(super) enum OnLeave {
    /// Add a record of this kind for the acquisition of a lock.
    Acquires(EventKind, LockKind, u64),
    /// Add a record for the creation of a thread.
    Creates,
    /// Add a record for the wait for a thread.
    Joins,
}

impl Replay<'_> {
    /// A call that creates threads or waits for them is entered.
    #[cold]
    pub(super) fn enter_threading(&mut self, region: RegionId, call: u32) {
        match self.classes[region.index()].name.as_str() {
            "pthread_create" => self.on_leave.push((call, OnLeave::Creates)),
            "pthread_join" => self.on_leave.push((call, OnLeave::Joins)),
            _ => {}
        }
    }

    /// Handles an attribute: the object of the call that was entered last.
    #[cold]
    pub(super) fn add_object(&mut self, kind: ObjectKind, address: u64) {
        let Some(frame) = self.stack.last().copied().filter(|frame| frame.call != NO_CALL) else { return };
        let release = Event::ReleaseLock { kind: LockKind::Mutex, lock: address, order: UNORDERED };
        match (kind, self.classes[frame.region.index()].name.as_str()) {
            (ObjectKind::Lock, "pthread_mutex_lock" | "pthread_spin_lock") => {
                self.on_leave
                    .push((frame.call, OnLeave::Acquires(EventKind::Attribute, LockKind::Mutex, address)));
            }
            (ObjectKind::Lock, "pthread_mutex_unlock" | "pthread_spin_unlock") => {
                self.record(EventKind::Attribute, release);
            }
            (ObjectKind::Lock, "pthread_cond_wait" | "pthread_cond_timedwait") => {
                self.record(EventKind::Attribute, release);
                self.on_leave
                    .push((frame.call, OnLeave::Acquires(EventKind::Attribute, LockKind::Mutex, address)));
            }
            (ObjectKind::Condition | ObjectKind::Barrier | ObjectKind::Semaphore | ObjectKind::RwLock, _) => {
                self.record(EventKind::Attribute, Event::Object { kind, address });
            }
            _ => {}
        }
    }

    /// Performs the actions of a call that is left.
    #[cold]
    pub(super) fn run_leave_actions(&mut self, call: u32) {
        while let Some((_, action)) = self.on_leave.pop_if(|(left, _)| *left == call) {
            let team = CommunicatorId(0);
            match action {
                OnLeave::Acquires(record, kind, lock) => {
                    let event = Event::AcquireLock { kind, lock, order: UNORDERED };
                    self.timeline.ops.push(self.now, call, record, event);
                }
                OnLeave::Creates => {
                    let at = self.timeline.calls[call as usize].entered;
                    self.record_if_first(at, call, Event::ThreadCreate { team, count: UNKNOWN_THREAD });
                }
                OnLeave::Joins => {
                    self.record_if_first(self.now, call, Event::ThreadWait { team, count: UNKNOWN_THREAD })
                }
            }
        }
    }

    /// Adds a record to a call unless it has one already.
    fn record_if_first(&mut self, at: u64, call: u32, event: Event) {
        if self.timeline.calls[call as usize].first_op as usize == self.timeline.ops.len() {
            self.timeline.kinds.count(EventKind::Attribute);
            self.timeline.ops.push(at, call, EventKind::Attribute, event);
        }
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::{Event, EventKind, ObjectKind};

    use crate::fixture::Script;
    use crate::patterns::cube_rows;

    /// A call with objects as attributes.
    fn call(
        script: &mut Script,
        thread: usize,
        (from, to): (u64, u64),
        name: &str,
        objects: &[(ObjectKind, u64)],
    ) {
        script.enter(thread, from, name);
        for &(kind, address) in objects {
            script.event(thread, from, EventKind::Attribute, Event::Object { kind, address });
        }
        script.leave(thread, to, name);
    }

    fn lock(
        script: &mut Script,
        thread: usize,
        (requested, acquired, released): (u64, u64, u64),
        mutex: u64,
    ) {
        let objects = [(ObjectKind::Lock, mutex)];
        call(script, thread, (requested, acquired), "pthread_mutex_lock", &objects);
        call(script, thread, (released, released + 1), "pthread_mutex_unlock", &objects);
    }

    /// Location and ticks of all waits of a metric.
    fn waits(script: &Script, metric: &str) -> Vec<(u32, u64)> {
        cube_rows(script).into_iter().filter(|row| row.0 == metric).map(|row| (row.1, row.3)).collect()
    }

    #[test]
    fn waits_for_locks_are_found_from_attributes() {
        let mut script = Script::threads(4);
        lock(&mut script, 0, (1000, 1001, 1300), 0x7fff_0000_1000);
        lock(&mut script, 1, (1050, 1302, 1600), 0x7fff_0000_1000);
        lock(&mut script, 2, (1100, 1602, 1900), 0x7fff_0000_1000);
        // Another mutex whose address ends with the same digits.
        lock(&mut script, 3, (1200, 1201, 1250), 0x1000);
        assert_eq!(cube_rows(&script).len(), 2);
        assert_eq!(waits(&script, "lock_contention"), [(1, 250), (2, 500)]);
    }

    #[test]
    fn derived_records_are_not_counted() {
        let mut script = Script::threads(1);
        lock(&mut script, 0, (10, 20, 30), 1);
        script.call(0, 40, 50, "pthread_join");
        let kinds = &script.trace().timelines[0].kinds;
        assert_eq!(kinds.total(), 6);
        assert_eq!(kinds.seen().collect::<Vec<_>>(), [(EventKind::Enter, 3), (EventKind::Leave, 3)]);
    }

    #[test]
    fn a_lock_held_by_trylock_is_waited_for() {
        let mut script = Script::threads(2);
        let objects = [(ObjectKind::Lock, 5)];
        call(&mut script, 0, (0, 1), "pthread_mutex_trylock", &objects);
        call(&mut script, 0, (500, 501), "pthread_mutex_unlock", &objects);
        lock(&mut script, 1, (100, 502, 600), 5);
        assert_eq!(waits(&script, "lock_contention"), [(1, 400)]);
    }

    #[test]
    fn a_condition_wait_is_ended_only_by_its_own_signals() {
        let mut script = Script::threads(3);
        let (mutex, condition) = ((ObjectKind::Lock, 1), (ObjectKind::Condition, 2));
        lock(&mut script, 1, (250, 251, 990), 1);
        call(&mut script, 0, (200, 1050), "pthread_cond_wait", &[condition, mutex]);
        call(&mut script, 2, (700, 710), "pthread_cond_signal", &[condition]);
        call(&mut script, 2, (900, 910), "pthread_cond_signal", &[(ObjectKind::Condition, 3)]);
        assert_eq!(waits(&script, "condition_wait"), [(0, 500)]);
        assert_eq!(
            waits(&script, "lock_contention"),
            [(0, 290)],
            "the mutex is requested again from the signal on"
        );
    }

    #[test]
    fn the_mutex_of_a_condition_is_free_during_the_wait() {
        let mut script = Script::threads(2);
        let mutex = (ObjectKind::Lock, 1);
        call(&mut script, 0, (0, 1), "pthread_mutex_lock", &[mutex]);
        call(&mut script, 0, (200, 1050), "pthread_cond_wait", &[(ObjectKind::Condition, 2), mutex]);
        lock(&mut script, 1, (100, 205, 300), 1);
        assert_eq!(waits(&script, "lock_contention").first(), Some(&(1, 100)));
    }

    #[test]
    fn barriers_are_distinguished_and_may_have_different_threads() {
        let mut script = Script::threads(3);
        let barrier = |number| [(ObjectKind::Barrier, number)];
        let name = "pthread_barrier_wait";
        // The second round of the first barrier has other threads than the first.
        call(&mut script, 0, (100, 310), name, &barrier(1));
        call(&mut script, 0, (320, 330), name, &barrier(2));
        call(&mut script, 1, (300, 311), name, &barrier(1));
        call(&mut script, 1, (400, 510), name, &barrier(1));
        call(&mut script, 2, (500, 511), name, &barrier(1));
        assert_eq!(waits(&script, "thread_barrier_wait"), [(0, 200), (1, 100)]);
    }

    #[test]
    fn threads_match_in_order_and_the_last_to_end_ends_a_join() {
        let mut script = Script::threads(3);
        let thread = |count| lotse_model::trace::Event::ThreadBegin { team: super::CommunicatorId(0), count };
        let ended = |count| Event::ThreadEnd { team: super::CommunicatorId(0), count };
        script.event(0, 0, EventKind::ThreadBegin, thread(0));
        script.call(0, 10, 20, "pthread_create").call(0, 30, 40, "pthread_create");
        script.call(0, 50, 510, "pthread_join").call(0, 520, 530, "pthread_join");
        for (location, count, begin, end) in [(1, 1, 35, 300), (2, 2, 45, 500)] {
            script.event(location, begin, EventKind::ThreadBegin, thread(count));
            script.event(location, end, EventKind::ThreadEnd, ended(count));
        }
        assert_eq!(waits(&script, "thread_join_wait"), [(0, 450)]);
        let trace = script.trace();
        let op = |location, op| crate::store::OpRef { location: lotse_model::id::LocationId(location), op };
        assert_eq!(trace.links.partner(op(1, 0)), Some(op(0, 1)));
        assert_eq!(trace.links.partner(op(2, 0)), Some(op(0, 2)));
        assert_eq!(trace.links.partner(op(0, 0)), None, "the first thread has no creation");
    }
}
