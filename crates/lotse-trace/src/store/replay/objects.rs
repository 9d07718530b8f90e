//! What calls of a threading library do to locks and threads, where no record tells it.
//!
//! Recorders that only note enters and leaves (eztrace) say by an attribute of the enter which mutex, condition or
//! barrier a call is about. From that follow records as others write them, of the kind [`EventKind::Attribute`], which
//! are not counted as events:
//! - a lock is acquired when `pthread_mutex_lock` or `pthread_spin_lock` is left, and released when the unlock is
//!   entered; `pthread_cond_wait` releases its mutex when it is entered and has it again when it is left;
//! - `pthread_create` makes a thread when it is entered, `pthread_join` waits for one until it is left; which one, is
//!   found by time.
//!
//! Semaphores and reader-writer locks keep the attribute as their record (`matching::semaphores`, `matching::rwlocks`).
//!
//! What is not known: whether a `trylock` got its lock (its release still counts), and anything about critical sections
//! of which only the whole is recorded.

use lotse_model::id::{CommunicatorId, RegionId};
use lotse_model::trace::{Event, EventKind, LockKind, ObjectKind, UNKNOWN_THREAD, UNORDERED};

use super::Replay;
use crate::store::ops::NO_CALL;

/// What the end of a call means.
#[derive(Debug, Clone, Copy)]
pub(super) enum End {
    /// It has a lock, of which a record of the kind is made.
    Acquires(EventKind, LockKind, u64),
    /// It made a thread.
    Creates,
    /// A thread has ended.
    Joins,
}

impl Replay<'_> {
    /// A call that makes threads or waits for them is entered.
    #[cold]
    pub(super) fn threading(&mut self, region: RegionId, call: u32) {
        match self.classes[region.index()].name.as_str() {
            "pthread_create" => self.ends.push((call, End::Creates)),
            "pthread_join" => self.ends.push((call, End::Joins)),
            _ => {}
        }
    }

    /// The call that was entered last is about something.
    #[cold]
    pub(super) fn concerns(&mut self, kind: ObjectKind, address: u64) {
        let Some(frame) = self.stack.last().copied().filter(|frame| frame.call != NO_CALL) else { return };
        let release = Event::ReleaseLock { kind: LockKind::Mutex, lock: address, order: UNORDERED };
        match (kind, self.classes[frame.region.index()].name.as_str()) {
            (ObjectKind::Lock, "pthread_mutex_lock" | "pthread_spin_lock") => {
                self.ends.push((frame.call, End::Acquires(EventKind::Attribute, LockKind::Mutex, address)));
            }
            (ObjectKind::Lock, "pthread_mutex_unlock" | "pthread_spin_unlock") => {
                self.record(EventKind::Attribute, release);
            }
            (ObjectKind::Lock, "pthread_cond_wait" | "pthread_cond_timedwait") => {
                self.record(EventKind::Attribute, release);
                self.ends.push((frame.call, End::Acquires(EventKind::Attribute, LockKind::Mutex, address)));
            }
            (ObjectKind::Condition | ObjectKind::Barrier | ObjectKind::Semaphore | ObjectKind::RwLock, _) => {
                self.record(EventKind::Attribute, Event::Object { kind, address });
            }
            _ => {}
        }
    }

    /// A call of which something was expected is left.
    #[cold]
    pub(super) fn end(&mut self, call: u32) {
        while let Some((_, end)) = self.ends.pop_if(|(of, _)| *of == call) {
            let team = CommunicatorId(0);
            match end {
                End::Acquires(record, kind, lock) => {
                    let event = Event::AcquireLock { kind, lock, order: UNORDERED };
                    self.timeline.ops.push(self.now, call, record, event);
                }
                End::Creates => {
                    let at = self.timeline.calls[call as usize].entered;
                    self.only_record(at, call, Event::ThreadCreate { team, count: UNKNOWN_THREAD });
                }
                End::Joins => {
                    self.only_record(self.now, call, Event::ThreadWait { team, count: UNKNOWN_THREAD })
                }
            }
        }
    }

    /// Makes a record for a call that has none.
    fn only_record(&mut self, at: u64, call: u32, event: Event) {
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
    use crate::patterns::booked;

    /// A call about an object, from one time to another.
    fn call(
        script: &mut Script,
        thread: usize,
        (from, to): (u64, u64),
        name: &str,
        about: &[(ObjectKind, u64)],
    ) {
        script.enter(thread, from, name);
        for &(kind, address) in about {
            script.event(thread, from, EventKind::Attribute, Event::Object { kind, address });
        }
        script.leave(thread, to, name);
    }

    fn lock(script: &mut Script, thread: usize, (asks, gets, gives): (u64, u64, u64), mutex: u64) {
        let about = [(ObjectKind::Lock, mutex)];
        call(script, thread, (asks, gets), "pthread_mutex_lock", &about);
        call(script, thread, (gives, gives + 1), "pthread_mutex_unlock", &about);
    }

    /// Location and ticks of all waits of a metric.
    fn waits(script: &Script, metric: &str) -> Vec<(u32, u64)> {
        booked(script).into_iter().filter(|row| row.0 == metric).map(|row| (row.1, row.3)).collect()
    }

    #[test]
    fn locks_told_by_attributes_are_waited_for() {
        let mut script = Script::threads(4);
        lock(&mut script, 0, (1000, 1001, 1300), 0x7fff_0000_1000);
        lock(&mut script, 1, (1050, 1302, 1600), 0x7fff_0000_1000);
        lock(&mut script, 2, (1100, 1602, 1900), 0x7fff_0000_1000);
        // Another mutex whose address ends alike.
        lock(&mut script, 3, (1200, 1201, 1250), 0x1000);
        assert_eq!(booked(&script).len(), 2);
        assert_eq!(waits(&script, "lock_contention"), [(1, 250), (2, 500)]);
    }

    #[test]
    fn what_attributes_tell_is_not_counted() {
        let mut script = Script::threads(1);
        lock(&mut script, 0, (10, 20, 30), 1);
        script.call(0, 40, 50, "pthread_join");
        let kinds = &script.trace().timelines[0].kinds;
        assert_eq!(kinds.total(), 6);
        assert_eq!(kinds.seen().collect::<Vec<_>>(), [(EventKind::Enter, 3), (EventKind::Leave, 3)]);
    }

    #[test]
    fn a_lock_that_was_tried_for_is_waited_for_as_well() {
        let mut script = Script::threads(2);
        let about = [(ObjectKind::Lock, 5)];
        call(&mut script, 0, (0, 1), "pthread_mutex_trylock", &about);
        call(&mut script, 0, (500, 501), "pthread_mutex_unlock", &about);
        lock(&mut script, 1, (100, 502, 600), 5);
        assert_eq!(waits(&script, "lock_contention"), [(1, 400)]);
    }

    #[test]
    fn a_condition_is_signalled_by_its_own_signals_alone() {
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
            "the mutex is wanted again from the signal on"
        );
    }

    #[test]
    fn the_mutex_of_a_condition_is_free_while_one_waits() {
        let mut script = Script::threads(2);
        let mutex = (ObjectKind::Lock, 1);
        call(&mut script, 0, (0, 1), "pthread_mutex_lock", &[mutex]);
        call(&mut script, 0, (200, 1050), "pthread_cond_wait", &[(ObjectKind::Condition, 2), mutex]);
        lock(&mut script, 1, (100, 205, 300), 1);
        assert_eq!(waits(&script, "lock_contention").first(), Some(&(1, 100)));
    }

    #[test]
    fn barriers_are_told_apart_and_may_be_met_by_some() {
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
    fn threads_are_made_in_turn_and_the_last_to_end_ends_a_join() {
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
        assert_eq!(trace.links.partner(op(0, 0)), None, "nobody made the first");
    }
}
