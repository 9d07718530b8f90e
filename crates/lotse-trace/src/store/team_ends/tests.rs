//! Parallel regions as eztrace records them with gcc's runtime.

use crate::fixture::Script;
use crate::patterns::cube_rows;
use crate::store::{CallRef, Trace};

const WAIT: &str = "omp_wait_at_implicit_barrier";
const AT_END: &str = "Working/(end of parallel region)";

/// A thread's part of a team: one call of `work`.
fn part(script: &mut Script, thread: usize, (from, to): (u64, u64), team: u32) {
    script.team_begin(thread, from, team).enter(thread, from, "OpenMP Parallel");
    script.call(thread, from, to, "work").team_end(thread, to, team).leave(thread, to, "OpenMP Parallel");
}

/// The parts of three threads end at 130, 180 and 150, and are joined at 185; then serial code follows until 300.
fn uneven() -> Script {
    let mut script = Script::threads(3);
    for thread in 0..3 {
        script.enter(thread, 0, "Working");
    }
    script.fork(0, 100, 3);
    for (thread, to) in [130, 180, 150].into_iter().enumerate() {
        part(&mut script, thread, (110, to), 1);
    }
    script.join(0, 185).call(0, 185, 300, "serial");
    for thread in 0..3 {
        script.leave(thread, 300, "Working");
    }
    script
}

/// By thread: when its waits at the ends of teams begin and end.
fn waits(trace: &Trace) -> Vec<Vec<(u64, u64)>> {
    let waits_of_thread = |location| {
        let calls =
            (0..trace.timeline(location).calls.len() as u32).map(move |call| CallRef { location, call });
        let ends = calls.filter(|&call| trace.is_team_end(call));
        ends.map(|call| (trace.enter(call), trace.exit(call))).collect()
    };
    trace.locations().map(waits_of_thread).collect()
}

#[test]
fn workers_wait_for_the_last_and_the_master_for_the_join() {
    let script = uneven();
    let trace = script.trace();
    assert_eq!(waits(&trace), [[(130, 185)], [(180, 180)], [(150, 180)]]);
    let row = |thread, ticks| (WAIT, thread, AT_END.to_owned(), ticks);
    let found: Vec<_> = cube_rows(&script).into_iter().filter(|row| row.0 == WAIT).collect();
    assert_eq!(found, [row(0, 50), row(2, 30)]);
    for (location, used) in trace.locations().zip(&trace.uses) {
        let timeline = trace.timeline(location);
        let sum: u64 = used.iter().map(|used| used.exclusive).sum();
        assert_eq!(sum, timeline.last - timeline.first);
        assert!(timeline.at.is_sorted());
    }
}

/// Two tasks run at the end of the region, one on each thread. After the join a worker executes a loop whose fork was not
/// recorded.
#[test]
fn tasks_interrupt_the_wait() {
    let mut script = Script::threads(2);
    for thread in 0..2 {
        script.enter(thread, 0, "Working");
    }
    script.fork(0, 100, 2);
    (0..2).for_each(|thread| part(&mut script, thread, (110, 120), 1));
    script.call(0, 125, 140, "task").join(0, 175).call(0, 180, 190, "loop").leave(0, 300, "Working");
    script.call(1, 122, 170, "task").call(1, 180, 200, "loop").leave(1, 300, "Working");
    let trace = script.trace();
    let expected = [vec![(120, 125), (140, 175)], vec![(120, 122), (170, 170), (200, 200)]];
    assert_eq!(waits(&trace), expected);
    let found: Vec<_> = cube_rows(&script).into_iter().filter(|row| row.0 == WAIT).collect();
    assert_eq!(found, [(WAIT, 0, AT_END.to_owned(), 30)]);
}

#[test]
fn recorded_barriers_need_no_inserted_waits() {
    let mut script = Script::threads(1);
    script.enter(0, 0, "Working").team_begin(0, 10, 1).enter(0, 10, "OpenMP parallel");
    script.call(0, 20, 30, "OpenMP implicit barrier").team_end(0, 31, 1).leave(0, 32, "OpenMP parallel");
    script.leave(0, 90, "Working");
    assert_eq!(waits(&script.trace()), [[]; 1]);
    // Without a join no thread is known to wait.
    let mut script = Script::threads(1);
    script.enter(0, 0, "Working");
    part(&mut script, 0, (10, 30), 1);
    script.leave(0, 90, "Working");
    assert_eq!(waits(&script.trace()), [[(30, 30)]]);
}

/// Other recorders begin the team inside the parallel region, and not around it.
#[test]
fn the_parallel_region_may_be_around_the_team() {
    let mut script = Script::threads(2);
    script.fork(0, 0, 2);
    for (thread, to) in [(0, 30), (1, 80)] {
        script.enter(thread, 1, "!$omp parallel").team_begin(thread, 2, 1).team_end(thread, to, 1);
        script.leave(thread, to + 2, "!$omp parallel");
    }
    script.join(0, 90);
    assert_eq!(waits(&script.trace()), [[(30, 32), (32, 90)], [(80, 82), (82, 82)]]);
}
