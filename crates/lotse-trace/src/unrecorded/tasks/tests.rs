//! Tasks that threads wait for, and tasks that no thread waits for.

use lotse_model::id::CommunicatorId;
use lotse_model::trace::{Event, EventKind};

use super::waited;
use crate::fixture::Script;

const BARRIER: &str = "OpenMP implicit barrier";

fn create(script: &mut Script, thread: usize, at: u64, generation: u32) {
    let event = Event::TaskCreate { team: CommunicatorId(1), thread: thread as u32, generation };
    script.event(thread, at, EventKind::ThreadTaskCreate, event);
}

/// A thread runs a task.
fn run(script: &mut Script, thread: usize, (from, to): (u64, u64), generation: u32) {
    let switch =
        |generation| Event::TaskSwitch { team: CommunicatorId(1), thread: thread as u32, generation };
    let kind = EventKind::ThreadTaskSwitch;
    script.event(thread, from, kind, switch(generation)).call(thread, from, to, "work");
    script.event(thread, to, kind, switch(0));
}

/// Thread 0 creates two tasks and runs the first until 110; thread 1 is idle and begins the second at the given time.
fn two_tasks(begins: u64) -> Script {
    let mut script = Script::threads(2);
    script.enter(0, 0, "main").enter(1, 0, "main");
    create(&mut script, 0, 5, 1);
    create(&mut script, 0, 6, 2);
    script.enter(0, 10, BARRIER).enter(1, 0, BARRIER);
    run(&mut script, 0, (10, 110), 1);
    run(&mut script, 1, (begins, begins + 100), 2);
    for thread in 0..2 {
        script.leave(thread, 300, BARRIER).leave(thread, 300, "main");
    }
    script
}

#[test]
fn a_task_that_does_not_begin_while_a_thread_idles_is_not_ready() {
    let waited_for = |begins| {
        let waited = waited(&two_tasks(begins).trace());
        (waited.tasks, waited.for_ready, waited.for_ends)
    };
    assert_eq!(waited_for(112), (2, 112 - 5 + 2, (0, 0)), "thread 1 since it was made, thread 0 since 110");
    assert_eq!(waited_for(7), (2, 2, (0, 0)));
}

#[test]
fn a_thread_that_continues_after_its_last_task_seems_to_wait_for_it() {
    let waited_for = |continues| {
        let mut script = Script::threads(2);
        script.enter(0, 0, "main").enter(1, 0, BARRIER);
        create(&mut script, 0, 5, 1);
        script.call(0, continues, 400, "something").leave(0, 500, "main");
        run(&mut script, 1, (7, 210), 1);
        script.leave(1, 500, BARRIER);
        waited(&script.trace()).for_ends
    };
    assert_eq!(waited_for(212), (1, 207));
    assert_eq!(waited_for(300), (0, 0), "long after it");
    assert_eq!(waited_for(200), (0, 0), "before its end");
    assert_eq!(waited_for(6), (0, 0), "in another call meanwhile");
}

/// Thread 0 creates two tasks and runs the second outside of the barrier, which means that it waits for both.
#[test]
fn a_thread_that_runs_a_task_outside_of_barriers_seems_to_wait_for_the_others() {
    let waited_for = |first_ends| {
        let mut script = Script::threads(2);
        script.enter(0, 0, "main").enter(1, 0, BARRIER);
        create(&mut script, 0, 5, 1);
        create(&mut script, 0, 6, 2);
        run(&mut script, 1, (6, first_ends), 1);
        run(&mut script, 0, (20, 100), 2);
        script.call(0, 101, 200, "something").leave(0, 500, "main").leave(1, 500, BARRIER);
        waited(&script.trace()).for_ends
    };
    assert_eq!(waited_for(90), (1, 80));
    assert_eq!(waited_for(15), (0, 0), "the other has ended");
}

/// Each thread has a task number 1.
#[test]
fn numbers_may_be_those_of_a_thread() {
    let mut script = Script::threads(2);
    for (thread, created, begins) in [(0, 10, 20), (1, 200, 240)] {
        script.enter(thread, 0, BARRIER);
        create(&mut script, thread, created, 1);
        run(&mut script, thread, (begins, begins + 50), 1);
        script.leave(thread, 400, BARRIER);
    }
    let waited = waited(&script.trace());
    assert_eq!((waited.tasks, waited.for_ready), (2, 10 + 10 + 40 + 40));
}
