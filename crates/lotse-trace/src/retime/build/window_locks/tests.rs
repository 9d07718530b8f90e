//! Simulations with window locks; the expected lengths are calculated by hand.

use lotse_model::rule::Thresholds;
use lotse_model::work::Sequential;

use crate::fixture::Script;
use crate::retime::{Change, Factor, Graph, recorded_under_change};
use crate::store::Trace;
use crate::waits::search;

/// An origin, and when it begins to compute, and requests, acquires and releases the lock.
type Step = (usize, u64, u64, u64, u64);

fn script(processes: u32, exclusive: impl Fn(usize) -> bool, steps: &[Step]) -> Script {
    let mut script = Script::processes(processes);
    for &(rank, from, requested, acquired, released) in steps {
        script.call(rank, from, requested, "compute").lock(rank, (requested, acquired), 0, exclusive(rank));
        script.call(rank, acquired, released, "serve").unlock(rank, (released, released), 0);
    }
    script
}

/// Three origins request the lock one after the other and hold it for 100 each.
fn three(exclusive: impl Fn(usize) -> bool) -> Script {
    let steps = [(0, 0, 10, 10, 110), (2, 0, 30, 110, 210), (1, 0, 50, 210, 310)];
    script(3, exclusive, &steps)
}

fn lengths(script: &Script, change: impl Fn(&Trace, &Graph) -> Change) -> (u64, u64) {
    let trace = script.trace();
    let waits = search(&trace, &Thresholds::default(), &Sequential);
    let graph = Graph::new(&trace, &waits);
    let change = change(&trace, &graph);
    let outcomes = graph.run(&trace, &[Change::none(), change]);
    (outcomes[0].length, outcomes[1].length)
}

fn scaled(script: &Script, path: &str, factor: f64) -> (u64, u64) {
    lengths(script, |trace, _| Change::scaled(trace.paths_named(path), Factor::try_from(factor).unwrap()))
}

#[test]
fn the_lock_is_granted_in_the_order_of_requests() {
    assert_eq!(scaled(&three(|_| true), "compute", 1.0), (310, 310));
    // All request the lock at their own time, 10, 30 and 50, without a wait.
    assert_eq!(scaled(&three(|_| true), "serve", 0.0), (310, 50));
    assert_eq!(scaled(&three(|_| true), "serve", 0.5), (310, 10 + 3 * 50));
}

#[test]
fn the_recorded_order_is_not_kept() {
    // Rank 0 was first. Four times as slow, it requests the lock at 400, long after rank 1 has released it.
    let script = script(2, |_| true, &[(0, 0, 100, 100, 200), (1, 0, 150, 200, 300)]);
    let (before, after) = lengths(&script, |trace, _| {
        let mut change = Change::scaled(trace.paths_named("compute"), Factor::try_from(4.0).unwrap());
        change.scaled.iter_mut().for_each(|it| it.location = trace.locations().next());
        change
    });
    assert_eq!((before, after), (300, 500));
}

#[test]
fn readers_wait_for_a_writer_only() {
    let steps = [(0, 0, 10, 10, 110), (1, 0, 30, 110, 210), (2, 0, 50, 110, 210)];
    let shared = script(3, |rank| rank == 0, &steps);
    assert_eq!(scaled(&shared, "serve", 0.5), (210, 10 + 50 + 50));
    assert_eq!(scaled(&shared, "serve", 0.0), (210, 50));
}

#[test]
fn work_can_be_done_outside_the_lock() {
    let outside = |trace: &Trace, graph: &Graph| {
        let change = graph.outside_lock(trace, &trace.paths_named("serve"));
        assert_eq!(change.inserted.len(), 3);
        change
    };
    // Each computes, serves and holds the lock for no time: 50 + 100 for the last.
    assert_eq!(lengths(&three(|_| true), outside), (310, 150));
}

#[test]
fn locks_that_overlap_keep_the_recorded_order() {
    // The library returns from the request at once and waits in MPI_Win_unlock.
    let mut lazy = Script::processes(2);
    lazy.lock(0, (0, 1), 1, true).call(0, 1, 100, "serve").unlock(0, (100, 101), 1);
    lazy.lock(1, (0, 2), 1, true).call(1, 2, 90, "serve").unlock(1, (90, 150), 1);
    assert_eq!(scaled(&lazy, "serve", 1.0), (150, 150));
    let trace = lazy.trace();
    let waits = search(&trace, &Thresholds::default(), &Sequential);
    let graph = Graph::new(&trace, &waits);
    assert!(graph.outside_lock(&trace, &trace.paths_named("serve")).inserted.is_empty());
}

#[test]
fn random_overtaking_is_not_repeated() {
    // Rank 0 requests the lock at 10 and gets it after rank 2, which requested it at 90 and works for 100 after its release.
    let steps = [(1, 0, 5, 5, 105), (2, 0, 90, 105, 205), (0, 0, 10, 205, 305)];
    let mut unlucky = script(3, |_| true, &steps);
    unlucky.call(2, 205, 305, "after");
    // In the order of requests rank 2 holds the lock from 205 to 305; gains are counted from there.
    assert_eq!(scaled(&unlucky, "after", 0.5), (405, 355));
    assert_eq!(recorded_under_change(&unlucky.trace(), 405, 355), 305 - 50);
}
