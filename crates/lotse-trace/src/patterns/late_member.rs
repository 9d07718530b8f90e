//! Late member: a member of a collective with a root waits for one that is not the root.

use lotse_model::Rule;

use super::{COLLECTIVES, PRIOR, Pattern, Search};
use crate::class::Class;
use crate::metric::{Bound, Metric};
use crate::store::OpRef;
use crate::waits::{Cause, Scene, Wait, WaitCollector};

pub(super) const PATTERN: Pattern =
    Pattern { rule: &RULE, metrics: &[&LATE_MEMBER], search: Search::Records(COLLECTIVES, search) };

/// A member waits for another, because the library passes data on along a tree.
static LATE_MEMBER: Metric = Metric::wait("late_member", "late member", Class::Collective, Bound::Upper);

static RULE: Rule = Rule {
    id: "late_member",
    version: 2,
    title: "late member: a member of a collective waits for another that passes data on",
    meaning: "In MPI_Reduce, MPI_Gather, MPI_Bcast and MPI_Scatter only the root's part is demanded by the operation's \
              meaning. But libraries pass data on along a tree: a rank in its middle waits for the ranks below it, and \
              in a broadcast also for the one above it. The cause lies in what the late rank does before.",
    computation: "E_j - E_i, where i is the waiting member and j the last to come before i leaves; in a broadcast \
                  counted from the root's enter, if that is later. Only if i leaves within that time after j came, and in \
                  the whole run (the same operation, communicator and root) hardly ever left before j came: it \
                  waited at least three times, and four times for each that it left before. Where the call is made once \
                  or twice: if i leaves within an eighth of its wait after j came, and another member was inside for \
                  at most a sixteenth of it. An upper bound: the tree is learned from the times.",
    picture: "rank 1  ──┤Reduce▒▒▒▒▒▒▒▒▒▒▒▒▒───├──────
rank 3  ── compute ───────────┤Reduce├──
           ↑E_i               ↑E_j  ↑X_i",
    example: "Reduce to rank 0: rank 1 is inside from 0.010 to 0.026 s, rank 3 enters at 0.025 s, and so in every step: \
              rank 1 waits 0.015 s for rank 3, whose sum it passes on.",
    advice: "Look for the work that makes the late rank late. A reduction that does not block (MPI_Ireduce) lets the \
             others compute meanwhile.",
    thresholds: &[],
    prior: PRIOR,
    references: &[
        "R. Thakur, R. Rabenseifner, W. Gropp: Optimization of collective communication operations in MPICH, 2005",
    ],
};

fn search(scene: &Scene<'_>, op: OpRef, collector: &mut WaitCollector) {
    let (Some(member), Some(below)) = (scene.member(op), scene.trees.waited(op)) else { return };
    let cause = Some(Cause { location: below.other, at: below.until });
    let (call, begin, end) = (member.call, below.from, below.until);
    let wait =
        Wait { metric: Some(&LATE_MEMBER), call, begin, end, cause, causal: true, is_overlapped: false };
    collector.add(scene.trace, wait);
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::CollectiveOp;

    use crate::fixture::Script;
    use crate::patterns::amounts;

    /// Rank 3 enters each reduction 1000 later than the others; rank 1 leaves soon after rank 3 enters, rank 2 at once.
    fn reductions(leaves_of_rank_1: &[u64]) -> Script {
        let mut script = Script::processes(4);
        for (round, &leaves) in (0..).zip(leaves_of_rank_1) {
            let from = 2000 * round;
            for (rank, (enter, leave)) in [
                (from, from + 1100),
                (from + 10, from + leaves),
                (from + 10, from + 20),
                (from + 1000, from + 1010),
            ]
            .into_iter()
            .enumerate()
            {
                script.collective(rank, (enter, leave), "MPI_Reduce", CollectiveOp::Reduce, Some(0));
            }
        }
        script
    }

    #[test]
    fn a_member_that_passes_data_on_waits_for_those_below() {
        let expected = [(1, "MPI_Reduce".to_owned(), 3 * 990)];
        assert_eq!(amounts(&reductions(&[1050, 1050, 1050]), "late_member"), expected);
    }

    #[test]
    fn a_member_that_often_leaves_earlier_does_not_wait() {
        assert_eq!(amounts(&reductions(&[1050, 30, 30]), "late_member"), []);
    }

    #[test]
    fn a_call_that_lasts_long_after_the_other_came_did_not_wait_for_it() {
        let mut script = Script::processes(3);
        script.collective(0, (0, 5000), "MPI_Reduce", CollectiveOp::Reduce, Some(0));
        script.collective(1, (10, 4000), "MPI_Reduce", CollectiveOp::Reduce, Some(0));
        script.collective(2, (1000, 1010), "MPI_Reduce", CollectiveOp::Reduce, Some(0));
        assert_eq!(amounts(&script, "late_member"), []);
    }

    /// One reduction: rank 1 leaves at `leaves`, soon after rank 2 enters, which itself stays for `inside`.
    fn one_reduction(leaves: u64, inside: u64) -> Script {
        let mut script = Script::processes(3);
        for (rank, span) in [(0, 5000), (10, leaves), (1000, 1000 + inside)].into_iter().enumerate() {
            script.collective(rank, span, "MPI_Reduce", CollectiveOp::Reduce, Some(0));
        }
        script
    }

    #[test]
    fn one_round_is_enough_where_a_short_call_ends_at_once() {
        let expected = [(1, "MPI_Reduce".to_owned(), 990)];
        assert_eq!(amounts(&one_reduction(1050, 20), "late_member"), expected);
        assert_eq!(amounts(&one_reduction(1200, 20), "late_member"), [], "it ends too late");
        assert_eq!(amounts(&one_reduction(1050, 100), "late_member"), [], "the call may last so long");
    }

    #[test]
    fn in_a_broadcast_only_the_time_after_the_root_counts() {
        let mut script = Script::processes(3);
        for from in [0, 2000, 4000] {
            let spans = [(from + 500, from + 510), (from, from + 1030), (from + 1000, from + 1010)];
            for (rank, span) in spans.into_iter().enumerate() {
                script.collective(rank, span, "MPI_Bcast", CollectiveOp::Bcast, Some(0));
            }
        }
        assert_eq!(amounts(&script, "late_member"), [(1, "MPI_Bcast".to_owned(), 1500)]);
        assert_eq!(amounts(&script, "late_broadcast"), [(1, "MPI_Bcast".to_owned(), 1500)]);
    }
}
