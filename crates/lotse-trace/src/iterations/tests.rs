//! Generated loops whose repetitions are known.

use lotse_model::work::Sequential;

use super::{IterationKind, iterations};
use crate::fixture::Script;

/// Three ranks, a start-up, twenty time steps of 100 ms of which the 13th takes 250, and an end.
fn loop_of_regions() -> Script {
    let mut script = Script::processes(3);
    for rank in 0..3 {
        let mut at = 300;
        script.enter(rank, 0, "main").call(rank, 0, 300, "setup");
        for step in 0..20 {
            let length = if step == 12 { 250 } else { 100 };
            script.enter(rank, at, "timestep").call(rank, at, at + 40, "force");
            script.barrier(rank, at + 60 + rank as u64, at + length).leave(rank, at + length, "timestep");
            at += length;
        }
        script.call(rank, at, at + 50, "finish").leave(rank, at + 50, "main");
    }
    script
}

#[test]
fn the_body_of_a_loop_and_its_slow_iteration_are_recognised() {
    let found = iterations(&loop_of_regions().trace(), &Sequential).unwrap();
    assert_eq!(
        (found.kind, found.callpaths.as_slice()),
        (IterationKind::Region, ["main/timestep".to_owned()].as_slice())
    );
    assert_eq!((found.count, found.regularity), (20, 1.0));
    assert_eq!((found.iterations[1].begin_tick, found.iterations[1].end_tick), (400, 500));
    assert_eq!(found.slow.iter().map(|it| it.iteration).collect::<Vec<_>>(), [12]);
    assert_eq!((found.slow[0].seconds, found.slow[0].times_median), (0.25, 2.5));
    assert_eq!((found.durations.median, found.durations.most), (0.1, 0.25));
    assert!((found.durations.mean - 2.15 / 20.0).abs() < 1e-12);
    assert!((found.coverage - 2150.0 / 2500.0).abs() < 1e-12);
}

/// Only regions of MPI: each of 15 iterations is send, receive, reduce, with a print in the 8th.
fn loop_of_calls() -> Script {
    let mut script = Script::processes(2);
    for rank in 0..2 {
        script.enter(rank, 0, "main").call(rank, 0, 50, "MPI_Init");
        for iteration in 0..15 {
            let at = 100 + iteration * 100 + if iteration > 7 { 90 } else { 0 };
            let other = 1 - rank as u32;
            script.send(rank, at, at + 5, other, 0).recv(rank, at + 10, at + 20, other, 0);
            script.call(rank, at + 50, at + 60, "MPI_Allreduce");
            if iteration == 7 {
                script.call(rank, at + 70, at + 170, "MPI_File_write");
            }
        }
        script.call(rank, 1700, 1750, "MPI_Finalize").leave(rank, 1750, "main");
    }
    script
}

#[test]
fn without_a_region_the_sequence_of_calls_is_the_loop() {
    let found = iterations(&loop_of_calls().trace(), &Sequential).unwrap();
    let paths = ["main/MPI_Send", "main/MPI_Recv", "main/MPI_Allreduce"];
    assert_eq!(
        (found.kind, found.callpaths.as_slice()),
        (IterationKind::Pattern, paths.map(str::to_owned).as_slice())
    );
    assert_eq!(found.count, 15);
    assert_eq!((found.iterations[0].begin_tick, found.iterations[0].end_tick), (100, 200));
    assert_eq!((found.iterations[14].begin_tick, found.iterations[14].end_tick), (1590, 1650));
    assert_eq!(found.slow.iter().map(|it| it.iteration).collect::<Vec<_>>(), [7]);
    assert_eq!(found.regularity, 1.0);
}

/// The iterations of a loop are preferred to the repetitions of a single call in it.
#[test]
fn the_same_call_many_times_is_part_of_an_iteration() {
    let mut script = Script::processes(1);
    script.enter(0, 0, "main");
    for iteration in 0..6 {
        let at = iteration * 200;
        (0..15).for_each(|send| {
            script.call(0, at + send * 10, at + send * 10 + 5, "MPI_Isend");
        });
        script.call(0, at + 160, at + 190, "MPI_Waitall");
    }
    script.leave(0, 1200, "main");
    let found = iterations(&script.trace(), &Sequential).unwrap();
    assert_eq!((found.count, found.callpaths.len()), (6, 16));
    assert_eq!(found.callpaths[15], "main/MPI_Waitall");
}

#[test]
fn locations_that_visit_differently_often_have_no_region_in_common() {
    let mut script = Script::processes(2);
    for (rank, iterations_count) in [(0, 10), (1, 5)] {
        script.enter(rank, 0, "main");
        for iteration in 0..iterations_count {
            script.call(
                rank,
                iteration * 1000 / iterations_count,
                (iteration + 1) * 1000 / iterations_count,
                "work",
            );
        }
        script.leave(rank, 1000, "main");
    }
    assert_eq!(iterations(&script.trace(), &Sequential), None);
}

#[test]
fn nothing_repeats_in_a_run_without_loops() {
    let mut script = Script::processes(1);
    script.enter(0, 0, "main").call(0, 0, 10, "a").call(0, 20, 30, "MPI_Barrier").leave(0, 100, "main");
    assert_eq!(iterations(&script.trace(), &Sequential), None);
    assert_eq!(iterations(&Script::processes(0).trace(), &Sequential), None);
}

/// Iterations of compute, exchange, compute, exchange, compute; every tenth has a call of `prints` at position `where_to`.
fn interleaved(iterations_count: u64, prints: Option<&str>, where_to: usize) -> Script {
    let mut script = Script::processes(2);
    for rank in 0..2 {
        script.enter(rank, 0, "main").call(rank, 0, 900, "MPI_Init");
        let mut at = 1000;
        for iteration in 0..iterations_count {
            for (place, name) in
                ["compute", "MPI_Sendrecv", "compute", "MPI_Sendrecv", "compute"].into_iter().enumerate()
            {
                if let Some(print) = prints.filter(|_| place == where_to && iteration % 10 == 9) {
                    script.call(rank, at, at + 2, print);
                    at += 2;
                }
                script.call(rank, at, at + 20, name);
                at += 20;
            }
        }
        script.call(rank, at, at + 10, "MPI_Finalize").leave(rank, at + 10, "main");
    }
    script
}

#[test]
fn the_loop_counts_and_not_its_most_frequent_call() {
    for (prints, place) in [(None, 0), (Some("print"), 0), (Some("print"), 2), (Some("MPI_File_write"), 4)] {
        let found = iterations(&interleaved(40, prints, place).trace(), &Sequential).unwrap();
        assert_eq!((found.count, found.callpaths.len()), (40, 5), "{prints:?} {place} {:?}", found.callpaths);
        assert_eq!((found.callpaths[0].as_str(), found.kind), ("main/compute", IterationKind::Pattern));
        assert_eq!((found.processes, found.all_processes), (2, 2));
        // The focus lies between MPI_Init and MPI_Finalize, so the long start does not hide the loop.
        assert_eq!(found.iterations[0].begin_tick, 1000);
    }
}

#[test]
fn inner_and_outer_loops_are_both_reported() {
    let mut script = Script::processes(1);
    script.enter(0, 0, "main");
    let mut at = 0;
    for _ in 0..8 {
        for _ in 0..25 {
            script.call(0, at, at + 10, "compute").call(0, at + 10, at + 20, "MPI_Allreduce");
            at += 20;
        }
        script.call(0, at, at + 5, "check");
        at += 5;
    }
    let found = iterations(&script.leave(0, at, "main").trace(), &Sequential).unwrap();
    assert_eq!((found.count, found.callpaths.len()), (200, 2));
    assert_eq!(found.outer.map(|it| (it.count, it.calls)), Some((8, 51)));
}

#[test]
fn tasks_are_no_iterations() {
    let mut script = Script::threads(1);
    let role = lotse_model::trace::RegionRole::Task;
    script.define("task", role, lotse_model::trace::Paradigm::OpenMp);
    script.enter(0, 0, "main");
    (0..20).for_each(|number| {
        script.call(0, number * 10, number * 10 + 9, "task");
    });
    assert_eq!(iterations(&script.leave(0, 200, "main").trace(), &Sequential), None);
}

/// Rank 1 leaves `MPI_Init` last; rank 0 has begun its first iteration by then.
#[test]
fn an_iteration_that_begins_before_the_last_process_has_started_counts() {
    let mut script = Script::processes(2);
    for (rank, started) in [(0, 100), (1, 130)] {
        script.enter(rank, 0, "main").call(rank, 0, started, "MPI_Init");
        for step in 0..20 {
            let at = started + step * 100;
            script.enter(rank, at, "timestep").call(rank, at, at + 90, "force").leave(
                rank,
                at + 100,
                "timestep",
            );
        }
        script.call(rank, started + 2000, 2200, "MPI_Finalize").leave(rank, 2200, "main");
    }
    let found = iterations(&script.trace(), &Sequential).unwrap();
    assert_eq!((found.count, found.processes, found.all_processes), (20, 2, 2));
}
