//! Locks and tasks as eztrace records them from OMPT, including records that it writes too early or too often.

use lotse_model::id::CommunicatorId;
use lotse_model::trace::{Event, EventKind, LockKind};

use crate::fixture::Script;
use crate::patterns::cube_rows;
use crate::store::Trace;

const ACQUIRE: &str = "OpenMP acquire mutex";
const TASK: &str = "OpenMP task";
const BARRIER: &str = "OpenMP implicit barrier";

/// Requests a lock; `order` is the number of the request.
fn request(script: &mut Script, thread: usize, at: u64, order: u32) {
    let event = Event::AcquireLock { kind: LockKind::OpenMp, lock: 0, order };
    script.enter(thread, at, ACQUIRE).event(thread, at, EventKind::ThreadAcquireLock, event);
}

fn release(script: &mut Script, thread: usize, at: u64, order: u32) {
    let event = Event::ReleaseLock { kind: LockKind::OpenMp, lock: 0, order };
    script.event(thread, at, EventKind::ThreadReleaseLock, event);
}

/// A task switch as eztrace writes it: leaves the region of the old task, enters that of the new.
fn switch(script: &mut Script, thread: usize, at: u64, generation: u32) {
    let event = Event::TaskSwitch { team: CommunicatorId(1), thread: thread as u32, generation };
    script
        .leave(thread, at, TASK)
        .event(thread, at, EventKind::ThreadTaskSwitch, event)
        .enter(thread, at, TASK);
}

/// Path, visits and time of a thread.
fn uses(trace: &Trace, thread: usize) -> Vec<(String, u64, u64)> {
    let rows = trace.uses[thread].iter();
    rows.map(|used| (trace.path_name(used.path), used.visits, used.exclusive)).collect()
}

#[test]
fn a_lock_is_acquired_when_the_call_is_left() {
    let mut script = Script::threads(3);
    for (order, thread, requested) in [(1, 0, 100), (2, 1, 110), (3, 2, 120)] {
        script.enter(thread, 0, "main");
        request(&mut script, thread, requested, order);
    }
    for (thread, acquired, released) in [(0, 101, 200), (1, 202, 300), (2, 302, 400)] {
        script.leave(thread, acquired, ACQUIRE).call(thread, acquired, released, "inside");
        release(&mut script, thread, released, 3);
        script.leave(thread, 500, "main");
    }
    let path = || format!("main/{ACQUIRE}");
    assert_eq!(cube_rows(&script), [("lock_contention", 1, path(), 90), ("lock_contention", 2, path(), 180)]);
}

/// The runtime reports a release so late that the next thread may already hold the lock.
#[test]
fn a_release_may_be_recorded_after_the_next_acquisition() {
    let mut script = Script::threads(2);
    request(&mut script, 0, 100, 1);
    request(&mut script, 1, 110, 2);
    script.leave(0, 101, ACQUIRE).leave(1, 200, ACQUIRE);
    release(&mut script, 0, 203, 2);
    release(&mut script, 1, 300, 2);
    assert_eq!(cube_rows(&script), [("lock_contention", 1, ACQUIRE.to_owned(), 90)]);
}

#[test]
fn a_failed_attempt_to_acquire_a_lock_is_no_wait() {
    let mut script = Script::threads(2);
    script.enter(0, 0, "main").enter(1, 0, "main");
    request(&mut script, 0, 10, 1);
    script.leave(0, 11, ACQUIRE);
    for (order, at) in [(2, 20), (3, 40), (4, 60)] {
        request(&mut script, 1, at, order);
    }
    release(&mut script, 0, 50, 3);
    script.leave(0, 100, "main").leave(1, 61, ACQUIRE);
    release(&mut script, 1, 90, 4);
    script.leave(1, 100, "main");
    assert_eq!(cube_rows(&script), []);
    assert_eq!(uses(&script.trace(), 1), [("main".into(), 1, 99), (format!("main/{ACQUIRE}"), 3, 1)]);
}

/// For a nested lock that is already held only the request is recorded.
#[test]
fn a_nested_lock_is_held_until_its_release() {
    let mut script = Script::threads(2);
    script.enter(0, 0, "main").enter(1, 0, "main");
    request(&mut script, 0, 10, 1);
    script.leave(0, 11, ACQUIRE);
    request(&mut script, 0, 12, 2);
    request(&mut script, 1, 20, 3);
    release(&mut script, 0, 100, 3);
    script.leave(1, 101, ACQUIRE);
    release(&mut script, 1, 150, 3);
    script.leave(0, 200, "main").leave(1, 200, "main");
    let trace = script.trace();
    assert_eq!(uses(&trace, 0), [("main".into(), 1, 199), (format!("main/{ACQUIRE}"), 2, 1)]);
    assert_eq!(cube_rows(&script), [("lock_contention", 1, format!("main/{ACQUIRE}"), 80)]);
}

#[test]
fn between_tasks_a_thread_is_in_its_implicit_task() {
    let mut script = Script::threads(1);
    script.enter(0, 0, BARRIER);
    switch(&mut script, 0, 10, 1);
    script.call(0, 11, 20, "work");
    switch(&mut script, 0, 20, 0);
    switch(&mut script, 0, 50, 2);
    script.call(0, 50, 60, "work");
    switch(&mut script, 0, 60, 0);
    script.leave(0, 100, BARRIER);
    let trace = script.trace();
    let path = |below: &str| format!("{BARRIER}{below}");
    assert_eq!(
        uses(&trace, 0),
        [(path(""), 1, 80), (path("/OpenMP task"), 2, 1), (path("/OpenMP task/work"), 2, 19)]
    );
    assert!(trace.repairs.is_empty(), "{:?}", trace.repairs);
}

#[test]
fn a_suspended_task_keeps_its_stack() {
    let mut script = Script::threads(1);
    script.enter(0, 0, BARRIER);
    switch(&mut script, 0, 10, 1);
    script.enter(0, 10, "outer");
    switch(&mut script, 0, 20, 2);
    script.call(0, 20, 30, "inner");
    switch(&mut script, 0, 30, 1);
    script.leave(0, 40, "outer");
    switch(&mut script, 0, 40, 0);
    script.leave(0, 50, BARRIER);
    let trace = script.trace();
    let path = |below: &str| format!("{BARRIER}{below}");
    assert_eq!(
        uses(&trace, 0),
        [
            (path(""), 1, 20),
            (path("/OpenMP task"), 2, 0),
            (path("/OpenMP task/outer"), 1, 20),
            (path("/OpenMP task/inner"), 1, 10)
        ]
    );
    assert!(trace.repairs.is_empty(), "{:?}", trace.repairs);
}
