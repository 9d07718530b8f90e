//! Whoever leaves an operation late is behind from then on: that is a cause of later waits, beside what it computes longer.

use lotse_model::trace::CollectiveOp;
use proptest::prelude::*;

use super::{charged, costs};
use crate::fixture::Script;

/// The waiting that a call path of a rank causes.
fn blamed(script: &Script, path: &str, rank: u32) -> f64 {
    let (trace, delays) = charged(script);
    let rows = costs(&trace, &delays);
    rows.iter().filter(|row| row.0 == path && row.1 == rank).map(|row| row.2 + row.3).sum()
}

/// An operation that rank 1 leaves 100 after rank 0; then rank 1 computes 13, rank 0 only 10, and both meet in the barrier.
fn left_late(meet: impl Fn(&mut Script, usize, (u64, u64))) -> Script {
    let mut script = Script::processes(2);
    for (rank, left, computed) in [(0, 10, 20), (1, 110, 123)] {
        script.enter(rank, 0, "main");
        meet(&mut script, rank, (0, left));
        script.call(rank, left, computed, "work").barrier(rank, computed, 123).leave(rank, 130, "main");
    }
    script
}

#[test]
fn a_late_exit_from_a_collective_is_charged_to_the_collective() {
    for (name, op) in [("MPI_Barrier", CollectiveOp::Barrier), ("MPI_Allreduce", CollectiveOp::Allreduce)] {
        let script = left_late(|script, rank, span| {
            script.collective(rank, span, name, op, None);
        });
        assert_eq!(blamed(&script, "main/work", 1), 3.0, "{name}");
        assert_eq!(blamed(&script, &format!("main/{name}"), 1), 100.0, "{name}");
    }
}

#[test]
fn a_late_exit_from_a_send_is_charged_to_the_send() {
    let script = left_late(|script, rank, (from, to)| match rank {
        0 => {
            script.recv(0, from, to, 1, 0);
        }
        _ => {
            script.send(1, from, to, 0, 0);
        }
    });
    assert_eq!(blamed(&script, "main/work", 1), 3.0);
    assert_eq!(blamed(&script, "main/MPI_Send", 1), 100.0);
}

/// The message was taken by 10, but the sender, who waits later, left its call at 110: its stay is part of the comparison.
#[test]
fn a_late_exit_of_who_waits_is_no_work_of_the_other() {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").send(0, 0, 110, 1, 0).barrier(0, 110, 143).leave(0, 150, "main");
    script.enter(1, 0, "main").recv(1, 0, 10, 0, 0).call(1, 10, 113, "work");
    script.send(1, 113, 143, 0, 9).barrier(1, 143, 143).leave(1, 150, "main");
    // Rank 1 sends for 30, rank 0 for 100 since 10: only the work of rank 1 is more than that of rank 0.
    let shares = ["main/work", "main/MPI_Send"].map(|path| blamed(&script, path, 1));
    assert!((shares[0] - 33.0).abs() < 1e-9 && shares[1] < 1e-9, "{shares:?}");
}

/// Rank 2 leaves the barrier at 10, before the others come. They are compared since rank 0 came as well, at 90: that rank 1
/// had waited for it is no reason for the wait of rank 0.
#[test]
fn a_third_member_that_leaves_early_does_not_move_the_begin_of_a_pair() {
    let mut script = Script::processes(3);
    for (rank, (came, left), computed) in [(0, (90, 100), 110), (1, (50, 100), 151), (2, (0, 10), 150)] {
        script.enter(rank, 0, "main").call(rank, 0, came, "early").barrier(rank, came, left);
        script.call(rank, left, computed, "work").barrier(rank, computed, 152).leave(rank, 160, "main");
    }
    assert!((blamed(&script, "main/work", 1) - 41.0).abs() < 1e-9);
}

/// Rank 1 has sent by 10; rank 0 receives at 100. Since 10 both do the same work of 100, then rank 1 solves for 40.
#[test]
fn a_late_taker_is_compared_since_the_giver_left() {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").call(0, 0, 100, "work").recv(0, 100, 101, 1, 0);
    script.call(0, 101, 111, "work").barrier(0, 111, 151).leave(0, 160, "main");
    script.enter(1, 0, "main").send(1, 0, 10, 0, 0).call(1, 10, 110, "work").call(1, 110, 150, "solve");
    script.barrier(1, 150, 151).leave(1, 160, "main");
    let shares = ["main/work", "main/solve"].map(|path| blamed(&script, path, 1));
    assert!(shares[0] < 1e-9 && (shares[1] - 39.0).abs() < 1e-9, "{shares:?}");
}

/// Four processes leave one after the other: all are compared from the first exit on.
#[test]
fn many_that_leave_at_different_times_are_charged_no_more_than_they_are_behind() {
    let mut script = Script::processes(4);
    for (rank, left, computed) in [(0, 30, 40), (1, 110, 123), (2, 10, 60), (3, 80, 100)] {
        script.enter(rank, 0, "main").barrier(rank, 0, left);
        script.call(rank, left, computed, "work").barrier(rank, computed, 123).leave(rank, 130, "main");
    }
    // Rank 1 left 80, 100 and 30 after the others that wait, and worked 3 longer than rank 0 only.
    assert!((blamed(&script, "main/work", 1) - 3.0).abs() < 1e-9);
    assert!((blamed(&script, "main/MPI_Barrier", 1) - (80.0 + 63.0 + 23.0)).abs() < 1e-9);
}

proptest! {
    /// However late some leave a barrier: nobody is charged for more than it worked longer than those that wait for it.
    #[test]
    fn no_work_is_charged_for_more_than_its_excess(
        rounds in proptest::collection::vec([(0..100_u64, 1..100_u64), (0..100, 1..100), (0..100, 1..100)], 1..6),
    ) {
        let mut script = Script::processes(3);
        for rank in 0..3 {
            script.enter(rank, 0, "main");
        }
        let (mut met, mut came, mut excess) = (10, [0; 3], 0);
        for round in &rounds {
            for (rank, (late, work)) in round.iter().enumerate() {
                let left = met + late;
                script.barrier(rank, came[rank], left).call(rank, left, left + work, "work");
                came[rank] = left + work;
            }
            met = came.into_iter().max().unwrap();
            let more_than = |last: usize| {
                round.iter().map(|(_, work)| round[last].1.saturating_sub(*work)).sum::<u64>()
            };
            excess += (0..3).filter(|&rank| came[rank] == met).map(more_than).max().unwrap();
        }
        for (rank, from) in came.into_iter().enumerate() {
            script.barrier(rank, from, met + 1).leave(rank, met + 1, "main");
        }
        let worked: f64 = (0..3).map(|rank| blamed(&script, "main/work", rank)).sum();
        prop_assert!(worked <= excess as f64 + 1e-6, "{} of {}", worked, excess);
    }
}
