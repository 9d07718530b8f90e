//! Operations in which a process gives and leaves at once are no synchronisation points: what the taker does until it comes
//! is why the giver waits for it afterwards.

use lotse_model::trace::CollectiveOp;

use super::{charged, costs};
use crate::fixture::Script;

/// The share of the waiting that a call path of a rank causes.
fn share(script: &Script, path: &str, rank: u32) -> f64 {
    let (trace, delays) = charged(script);
    let rows = costs(&trace, &delays);
    let cost = |row: &(String, u32, f64, f64)| row.2 + row.3;
    let all: f64 = rows.iter().map(cost).sum::<f64>() + delays.uncharged;
    rows.iter().filter(|row| row.0 == path && row.1 == rank).map(cost).sum::<f64>() / all
}

/// The root works for 25, the others for 5. They give to the root and leave, then they wait for it.
fn gives_then_waits(gives: (&str, CollectiveOp), takes: (&str, CollectiveOp)) -> Script {
    let mut script = Script::processes(3);
    for rank in 0..3 {
        script.enter(rank, 0, "main").barrier(rank, 0, 10);
        for begin in (0..5).map(|round| 10 + round * 30) {
            let (work, came, left) = match rank {
                0 => ("slow", begin + 25, begin + 26),
                _ => ("work", begin + 5, begin + 6),
            };
            script.call(rank, begin, came, work).collective(rank, (came, left), gives.0, gives.1, Some(0));
            script.collective(rank, (left, begin + 30), takes.0, takes.1, Some(0));
        }
        script.leave(rank, 160, "main");
    }
    script
}

#[test]
fn a_leaf_of_a_reduction_is_not_in_step_with_its_root() {
    for (gives, takes) in [
        (("MPI_Reduce", CollectiveOp::Reduce), ("MPI_Bcast", CollectiveOp::Bcast)),
        (("MPI_Gather", CollectiveOp::Gather), ("MPI_Scatter", CollectiveOp::Scatter)),
        (("MPI_Reduce", CollectiveOp::Reduce), ("MPI_Barrier", CollectiveOp::Barrier)),
    ] {
        let share = share(&gives_then_waits(gives, takes), "main/slow", 0);
        assert!(share > 0.9, "{} and {}: {share}", gives.0, takes.0);
    }
}

#[test]
fn the_sender_of_a_buffered_message_is_not_in_step_with_its_receiver() {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").enter(1, 0, "main");
    for begin in (0..5).map(|round| round * 30) {
        script.call(0, begin, begin + 25, "slow").recv(0, begin + 25, begin + 26, 1, 0);
        script.send(0, begin + 28, begin + 29, 1, 1);
        script.call(1, begin, begin + 5, "work").send(1, begin + 5, begin + 6, 0, 0);
        script.recv(1, begin + 6, begin + 30, 0, 1);
    }
    script.leave(0, 150, "main").leave(1, 150, "main");
    assert!(share(&script, "main/slow", 0) > 0.85);
}

/// Rank 1 works longer than the others; rank 0 does not wait for it in the scans, but at the barrier for rank 2, which did.
#[test]
fn a_lower_rank_of_a_scan_is_not_in_step_with_higher_ones() {
    let mut script = Script::processes(3);
    for rank in 0..3 {
        script.enter(rank, 0, "main").barrier(rank, 0, 10);
        for round in 0..5 {
            let (began, works) = match rank {
                0 => (10 + round * 5, 5),
                1 => (10 + round * 25, 25),
                _ => (10 + round * 25, 5),
            };
            let left = if rank == 0 { began + 5 } else { began + 25 };
            let name = if rank == 1 { "slow" } else { "work" };
            script.call(rank, began, began + works, name);
            let span = (began + works, left);
            script.collective(rank, span, "MPI_Scan", CollectiveOp::Scan, None);
        }
        let came = [35, 135, 136][rank];
        script.barrier(rank, came, 137).leave(rank, 140, "main");
    }
    assert!(share(&script, "main/slow", 1) > 0.95);
}

/// Rank 2 works for 100, rank 1 for 5. Both give to rank 0; then rank 1 waits for rank 2.
#[test]
fn two_leaves_of_a_reduction_are_not_in_step() {
    let mut script = Script::processes(3);
    for (rank, worked, reduced) in [(0, 5, 102), (1, 5, 6), (2, 100, 102)] {
        script.enter(rank, 0, "main").call(rank, 0, worked, if rank == 2 { "slow" } else { "work" });
        script.collective(rank, (worked, reduced), "MPI_Reduce", CollectiveOp::Reduce, Some(0));
        script.barrier(rank, reduced, 103).leave(rank, 104, "main");
    }
    assert!(share(&script, "main/slow", 2) > 0.95);
}

/// Rank 1 starts 50 late; all leave `MPI_Init` at 60. Then it works 40 longer than the others before a barrier.
#[test]
fn processes_that_started_mpi_together_are_in_step() {
    let mut script = Script::processes(3);
    for rank in 0..3 {
        let (begin, worked) = if rank == 1 { (50, 105) } else { (rank as u64, 65) };
        script.call(rank, begin, 60, "MPI_Init").enter(rank, 60, "main");
        script.call(rank, 60, worked, "work").barrier(rank, worked, 106).leave(rank, 106, "main");
    }
    let (trace, delays) = charged(&script);
    let rows = costs(&trace, &delays);
    let of = |path: &str| rows.iter().filter(|row| row.0 == path).map(|row| row.2 + row.3).sum::<f64>();
    // Two wait 40 at the barrier. In MPI_Init they wait 50 and 48.
    assert_eq!((of("main/work"), of("(start-up)")), (80.0, 98.0), "{rows:?}");
}
