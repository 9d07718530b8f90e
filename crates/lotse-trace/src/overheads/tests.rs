//! Pairs of runs whose overheads were computed by hand.

use lotse_model::rule::Thresholds;
use lotse_model::work::Sequential;

use super::{Classes, Overheads, RegionOverhead, WHOLE_RUN, overheads};
use crate::fixture::Script;

/// One process: set up for 100 ms, solve for 800, write for 100.
fn sequential() -> Script {
    let mut script = Script::processes(1);
    script.enter(0, 0, "main").call(0, 0, 100, "setup").call(0, 100, 900, "solve");
    script.call(0, 900, 1000, "write").leave(0, 1000, "main");
    script
}

fn compare(parallel: &Script) -> Overheads {
    let trace = parallel.trace();
    let waits = crate::waits::search(&trace, &Thresholds::default(), &Sequential);
    overheads(&sequential().trace(), &trace, &waits)
}

fn region<'a>(overheads: &'a Overheads, name: &str) -> &'a RegionOverhead {
    overheads.regions.iter().find(|it| it.region == name).expect("a region of both")
}

#[track_caller]
fn near(have: f64, want: f64) {
    assert!((have - want).abs() < 1e-12, "{have} instead of {want}");
}

#[track_caller]
fn check(found: &RegionOverhead, overhead: f64, want: Classes, unidentified: f64) {
    near(found.overhead, overhead);
    let list = |it: &Classes| {
        [
            it.data_movement,
            it.synchronisation,
            it.control_of_parallelism,
            it.additional_computation,
            it.unparallelised,
            it.replicated,
            it.partly_parallelised,
        ]
    };
    for (have, want) in list(&found.classes).into_iter().zip(list(&want)) {
        assert!((have - want).abs() < 1e-12, "{:?} instead of {want:?}", found.classes);
    }
    near(found.unidentified, unidentified);
    near(found.identified + found.unidentified, found.overhead);
}

/// Two processes. Both set up for 100 ms; solve shares 800 ms with 20 ms more on each, and an exchange of 30 ms;
/// rank 0 alone writes for 100 ms while rank 1 is in a barrier.
fn parallel() -> Script {
    let mut script = Script::processes(2);
    for rank in 0..2 {
        script.enter(rank, 0, "main").call(rank, 0, 100, "setup").enter(rank, 100, "solve");
        script.call(rank, 520, 550, "MPI_Alltoall").leave(rank, 550, "solve");
    }
    script.call(0, 550, 650, "write").call(0, 650, 650, "MPI_Barrier").leave(0, 650, "main");
    script.call(1, 550, 650, "MPI_Barrier").leave(1, 650, "main");
    script
}

#[test]
fn work_that_all_do_is_replicated() {
    let found = compare(&parallel());
    assert_eq!(found.locations, 2);
    check(region(&found, "setup"), 0.05, Classes { replicated: 0.05, ..Classes::default() }, 0.0);
}

#[test]
fn more_computing_and_moving_data() {
    let found = compare(&parallel());
    let want = Classes { data_movement: 0.03, additional_computation: 0.02, ..Classes::default() };
    let solve = region(&found, "solve");
    check(solve, 0.05, want, 0.0);
    near(solve.speedup.unwrap(), 0.8 / 0.45);
    assert_eq!((solve.sequential_visits, solve.parallel_visits), (1, 2));
}

#[test]
fn what_one_does_alone_is_not_parallelised() {
    let found = compare(&parallel());
    check(region(&found, "write"), 0.05, Classes { unparallelised: 0.05, ..Classes::default() }, 0.0);
}

/// In total: T_p 650, T_s / p 500. Computing 620 + 520 = 1140, 140 in excess; all compute, so the wait of 100 in the
/// barrier is synchronisation.
#[test]
fn the_whole_run_comes_first() {
    let found = compare(&parallel());
    assert_eq!(found.regions[0].region, WHOLE_RUN);
    let want = Classes {
        data_movement: 0.03,
        synchronisation: 0.05,
        additional_computation: 0.07,
        ..Classes::default()
    };
    check(&found.regions[0], 0.15, want, 0.0);
    check(region(&found, "main"), 0.15, want, 0.0);
}

/// One of four solves for 800 ms inside `solve`, the others wait there in a barrier: not synchronisation but loss.
#[test]
fn waiting_for_the_only_computing_location_is_loss() {
    let mut script = Script::processes(4);
    for rank in 0..4 {
        let arrives = if rank == 0 { 800 } else { 0 };
        script.enter(rank, 0, "main").enter(rank, 0, "solve");
        script.barrier(rank, arrives, 820).leave(rank, 820, "solve").leave(rank, 820, "main");
    }
    let found = compare(&script);
    let want = Classes { synchronisation: 0.02, unparallelised: 0.6, ..Classes::default() };
    check(region(&found, "solve"), 0.62, want, 0.0);
    assert_eq!(found.only_sequential, ["setup", "write"]);
}

#[test]
fn init_is_control_and_faster_computing_is_left_unidentified() {
    let mut script = Script::processes(2);
    for rank in 0..2 {
        script.enter(rank, 0, "main").call(rank, 0, 40, "MPI_Init").call(rank, 40, 340, "solve");
        script.call(rank, 340, 350, "gather_all").leave(rank, 350, "main");
    }
    let found = compare(&script);
    check(region(&found, "solve"), -0.1, Classes::default(), -0.1);
    let want = Classes { control_of_parallelism: 0.04, ..Classes::default() };
    check(region(&found, "main"), -0.15, want, -0.19);
    assert_eq!(found.only_parallel, ["gather_all"]);
}

#[test]
fn clocks_of_different_steps_are_compared_in_seconds() {
    let mut script = sequential();
    script.definitions.clock.resolution = 500;
    let parallel = sequential().trace();
    let found = overheads(&script.trace(), &parallel, &crate::waits::Waits::default());
    near(region(&found, "main").sequential, 2.0);
    near(region(&found, "main").overhead, -1.0);
}
