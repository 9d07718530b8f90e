//! Teams, barriers, locks, creation and end of threads.

use lotse_model::id::CommunicatorId;
use lotse_model::trace::{Event, EventKind, LockKind, Paradigm, RegionRole};

use super::op;
use crate::fixture::{Script, WORLD};

const BARRIER: &str = "!$omp barrier";

/// For each barrier, when its threads entered it.
fn barriers(script: &Script) -> Vec<Vec<u64>> {
    let trace = script.trace();
    trace.links.barriers.iter().map(|calls| calls.iter().map(|&call| trace.enter(call)).collect()).collect()
}

fn with_barriers(mut script: Script, add_events: impl Fn(&mut Script)) -> Script {
    script.define(BARRIER, RegionRole::Barrier, Paradigm::OpenMp);
    add_events(&mut script);
    script
}

#[test]
fn a_team_begins_after_its_masters_fork() {
    let mut script = Script::threads(3);
    script.fork(0, 10, 2).team_begin(0, 11, 1).team_end(0, 20, 1).join(0, 21);
    script.fork(0, 30, 2).team_begin(0, 31, 1).team_end(0, 40, 1).join(0, 41);
    script.team_begin(1, 12, 1).team_end(1, 20, 1).team_begin(1, 32, 1).team_end(1, 40, 1);
    let links = script.trace().links;
    assert_eq!(links.partner(op(1, 0)), Some(op(0, 0)));
    assert_eq!(links.partner(op(1, 2)), Some(op(0, 4)));
    assert_eq!(links.other_half(op(0, 5)), Some(op(0, 4)), "the master's own part");
    let forks: Vec<_> = links.forked_by(op(0, 0).location).map(|team| team.fork).collect();
    assert_eq!(forks, [Some(op(0, 0)), Some(op(0, 4))]);
    assert_eq!(links.teams[0].ends, [op(0, 2), op(1, 1)]);
}

#[test]
fn a_thread_that_is_left_out_of_an_instance_matches_the_next() {
    let mut script = Script::threads(2);
    for start in [0, 100, 200] {
        script.fork(0, start, 2).team_begin(0, start + 1, 1).team_end(0, start + 90, 1).join(0, start + 91);
    }
    for start in [0, 200] {
        script.team_begin(1, start + 2, 1).team_end(1, start + 90, 1);
    }
    let links = script.trace().links;
    assert_eq!(links.partner(op(1, 2)), Some(op(0, 8)), "the third instance and not the second");
    assert_eq!(links.teams.iter().map(|team| team.begins.len()).collect::<Vec<_>>(), [2, 1, 2]);
}

#[test]
fn barriers_count_within_a_team_instance() {
    let script = with_barriers(Script::threads(2), |script| {
        script.team_begin(0, 0, 1).call(0, 10, 20, BARRIER).team_end(0, 30, 1);
        script.team_begin(0, 40, 1).call(0, 50, 60, BARRIER).team_end(0, 70, 1);
        // A barrier of this thread's first instance is missing.
        script.team_begin(1, 0, 1).team_end(1, 30, 1);
        script.team_begin(1, 40, 1).call(1, 55, 60, BARRIER).team_end(1, 70, 1);
    });
    assert_eq!(barriers(&script), [vec![10], vec![50, 55]]);
}

#[test]
fn barriers_of_nested_teams_are_separate() {
    let script = with_barriers(Script::threads(2), |script| {
        script.team_begin(0, 0, 1).team_begin(0, 10, 2).call(0, 20, 25, BARRIER).team_end(0, 30, 2);
        script.call(0, 40, 50, BARRIER).team_end(0, 60, 1);
        script.team_begin(1, 0, 1).call(1, 45, 50, BARRIER).team_end(1, 60, 1);
    });
    assert_eq!(barriers(&script), [vec![20], vec![40, 45]]);
}

#[test]
fn without_teams_all_threads_of_a_process_share_a_barrier() {
    let script = with_barriers(Script::hybrid(&[2, 1]), |script| {
        script.call(0, 10, 30, BARRIER).call(1, 20, 30, BARRIER).call(2, 15, 16, BARRIER);
    });
    assert_eq!(barriers(&script), [vec![10, 20], vec![15]]);
}

fn acquire(kind: LockKind, order: u32) -> (EventKind, Event) {
    (EventKind::ThreadAcquireLock, Event::AcquireLock { kind, lock: 1, order })
}

fn release(kind: LockKind, order: u32) -> (EventKind, Event) {
    (EventKind::ThreadReleaseLock, Event::ReleaseLock { kind, lock: 1, order })
}

#[test]
fn an_acquisition_points_to_the_release_of_the_previous_holder() {
    let mut script = Script::hybrid(&[2, 1]);
    let records = [
        (0, 0, acquire(LockKind::Mutex, 1)),
        (0, 10, release(LockKind::Mutex, 1)),
        (1, 11, acquire(LockKind::Mutex, 2)),
        (1, 20, release(LockKind::Mutex, 2)),
        (0, 21, acquire(LockKind::Mutex, 4)),
        (1, 25, acquire(LockKind::OpenMp, 3)),
        (2, 30, acquire(LockKind::Mutex, 3)),
    ];
    for (location, at, (kind, event)) in records {
        script.event(location, at, kind, event);
    }
    let links = script.trace().links;
    assert_eq!(links.partner(op(1, 0)), Some(op(0, 1)));
    assert_eq!(links.partner(op(0, 0)), None, "the first");
    assert_eq!(links.partner(op(0, 2)), None, "the holding before was not recorded");
    assert_eq!(links.partner(op(1, 2)), None, "another kind of lock with the same number");
    assert_eq!(links.partner(op(2, 0)), None, "another process's lock with the same number");
}

#[test]
fn a_thread_points_to_its_creation_and_a_wait_to_the_end_of_its_thread() {
    let mut script = Script::hybrid(&[3, 1]);
    for count in [1, 2] {
        let create = Event::ThreadCreate { team: WORLD, count };
        script.event(0, count, EventKind::ThreadCreate, create);
    }
    for (location, count) in [(2, 1), (1, 2), (3, 1)] {
        script.event(location, 10, EventKind::ThreadBegin, Event::ThreadBegin { team: WORLD, count });
        script.event(location, 20, EventKind::ThreadEnd, Event::ThreadEnd { team: WORLD, count });
    }
    for count in [2, 1, 7] {
        script.event(0, 30, EventKind::ThreadWait, Event::ThreadWait { team: CommunicatorId(1), count });
    }
    let links = script.trace().links;
    assert_eq!(links.partner(op(2, 0)), Some(op(0, 0)));
    assert_eq!(links.partner(op(1, 0)), Some(op(0, 1)));
    assert_eq!(links.partner(op(3, 0)), None, "no creation in its process");
    assert_eq!(links.partner(op(0, 2)), Some(op(1, 1)));
    assert_eq!(links.partner(op(0, 3)), Some(op(2, 1)));
    assert_eq!(links.partner(op(0, 4)), None, "no such thread");
}
