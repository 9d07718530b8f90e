//! Wait at N x N: in an all-to-all operation, early members wait for the last one to arrive.

use lotse_model::Rule;
use lotse_model::trace::CollectiveOp;

use super::{COLLECTIVES, GEIMER_2009, PRIOR, Pattern, Search, WOLF_2003};
use crate::class::Class;
use crate::metric::{Bound, Metric};
use crate::retime::{has_pairwise_lengths, last_before_exit};
use crate::store::{OpRef, Trace};
use crate::waits::{Arrival, Cause, Member, Scene, Wait, WaitCollector};

pub(super) const PATTERN: Pattern =
    Pattern { rule: &RULE, metrics: &[&WAIT_AT_NXN], search: Search::Records(COLLECTIVES, search) };

/// Waiting in an all-to-all operation.
static WAIT_AT_NXN: Metric =
    Metric::wait("wait_at_nxn", "wait at N x N", Class::Collective, Bound::Upper).from_records();

static RULE: Rule = Rule {
    id: "wait_at_nxn",
    version: 1,
    title: "wait at N x N: members of an all-to-all operation wait for the last one to come",
    meaning: "In MPI_Allreduce, MPI_Allgather(v), MPI_Alltoall(v,w) and MPI_Reduce_scatter everybody needs data of \
              everybody: nobody can finish before the last one that sends has come.",
    computation: "min(max E_i, X) - E for members that receive more than 0 bytes, where E_i are the enters of those \
                  that send more than 0 bytes. An upper bound: while waiting, a member may already forward what came.",
    picture: "rank 0  ── compute ──┤Allreduce▒▒▒▒▒▒▒──├──
rank 1  ── compute ──────┤Allreduce▒▒▒──├──
rank 2  ── compute ─────────────┤Allreduce├
                                ↑max E",
    example: "Arrivals at 1.222, 0.729, 1.445 and 1.401 s: waits of 0.223, 0.716, 0 and 0.044 s.",
    advice: "Spread the work before the operation evenly: the delay costs name what makes the last one late. Join \
             several small operations into one, or let one that does not block overlap with computing.",
    thresholds: &[],
    prior: PRIOR,
    references: &[WOLF_2003, GEIMER_2009],
};

fn search(scene: &Scene<'_>, op: OpRef, collector: &mut WaitCollector) {
    let Some(member) = scene.member(op).filter(|member| is_nxn(member.op)) else { return };
    let Some(last) = member.gathered.last_sender.filter(|_| member.received > 0) else { return };
    match last.at > scene.trace.exit(member.call) && has_pairwise_lengths(member.collective) {
        true => collector.add(scene.trace, wait_of_early_exit(scene.trace, &member)),
        false => {
            collector.add_wait_until(scene.trace, &WAIT_AT_NXN, member.call, last.at, Some(last.location))
        }
    }
}

/// The wait of a member that leaves before the last one has arrived: it waited for the last one that had arrived by then.
fn wait_of_early_exit(trace: &Trace, member: &Member<'_>) -> Wait {
    let (begin, end) = (trace.enter(member.call), trace.exit(member.call));
    let earlier = last_before_exit(trace, member.collective, member.call).map(|(came, _)| came);
    let cause = earlier.filter(|came| came.at > begin);
    Wait {
        metric: Some(&WAIT_AT_NXN),
        call: member.call,
        begin,
        end,
        cause: cause.map(|Arrival { location, at }| Cause { location, at }),
        causal: cause.is_some(),
        is_overlapped: false,
    }
}

/// Whether every member receives data from every other.
pub(super) fn is_nxn(op: CollectiveOp) -> bool {
    matches!(
        op,
        CollectiveOp::Allreduce
            | CollectiveOp::Allgather
            | CollectiveOp::Allgatherv
            | CollectiveOp::Alltoall
            | CollectiveOp::Alltoallv
            | CollectiveOp::Alltoallw
            | CollectiveOp::ReduceScatter
            | CollectiveOp::ReduceScatterBlock
    )
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::{CollectiveOp, Event, EventKind};
    use lotse_model::work::Sequential;

    use crate::clock::violations;
    use crate::fixture::Script;
    use crate::patterns::{amounts, cube_rows, search_waits};

    #[test]
    fn the_early_wait_for_the_last() {
        let mut script = Script::processes(4);
        for (rank, from) in [1222, 729, 1445, 1401].into_iter().enumerate() {
            script.collective(rank, (from, 1485), "MPI_Allreduce", CollectiveOp::Allreduce, None);
        }
        let row = |(rank, ticks)| ("wait_at_nxn", rank, "MPI_Allreduce".to_owned(), ticks);
        assert_eq!(cube_rows(&script), [(0, 223), (1, 716), (3, 44)].map(row));
    }

    /// Rank 1 leaves before rank 2 has arrived: it receives nothing from rank 2, and waited for rank 0.
    #[test]
    fn a_member_that_leaves_before_the_last_arrival_waited_for_another() {
        let mut script = Script::processes(3);
        let alltoall = (CollectiveOp::Alltoallw, None);
        for (rank, span) in [(0, (300, 900)), (1, (100, 310)), (2, (880, 910))] {
            script.exchange(rank, span, "MPI_Alltoallw", alltoall, (8, 8));
        }
        let row = |(rank, ticks)| (rank, "MPI_Alltoallw".to_owned(), ticks);
        assert_eq!(amounts(&script, "wait_at_nxn"), [(0, 580), (1, 210)].map(row));
        let cause = search_waits(&script.trace()).by_location[1][0].cause;
        assert_eq!(cause.map(|cause| (cause.location.0, cause.at)), Some((0, 300)));
        assert!(violations(&script.trace(), &Sequential).is_none(), "the clocks are right");
    }

    /// With many members the pairs are not examined: the last to arrive is the cause, as in other all-to-all operations.
    #[test]
    fn among_many_the_last_is_the_cause() {
        let mut script = Script::processes(300);
        let alltoall = (CollectiveOp::Alltoallw, None);
        script.exchange(0, (100, 310), "MPI_Alltoallw", alltoall, (8, 8));
        for rank in 1..300 {
            let came = if rank == 7 { 880 } else { 300 };
            script.exchange(rank, (came, 910), "MPI_Alltoallw", alltoall, (8, 8));
        }
        let cause = search_waits(&script.trace()).by_location[0][0].cause;
        assert_eq!(cause.map(|cause| cause.location.0), Some(7));
    }

    #[test]
    fn only_senders_are_waited_for_and_only_receivers_wait() {
        let mut script = Script::processes(4);
        let alltoall = (CollectiveOp::Alltoallv, None);
        script.exchange(0, (100, 500), "MPI_Alltoallv", alltoall, (8, 8));
        script.exchange(1, (300, 500), "MPI_Alltoallv", alltoall, (8, 8));
        script.exchange(2, (400, 500), "MPI_Alltoallv", alltoall, (0, 8));
        script.exchange(3, (150, 500), "MPI_Alltoallv", alltoall, (8, 0));
        assert_eq!(amounts(&script, "wait_at_nxn"), [(0, "MPI_Alltoallv".to_owned(), 200)]);
    }

    #[test]
    fn computing_after_the_posting_is_not_waiting() {
        let mut script = Script::processes(2);
        script.posted_collective(0, (100, 450, 620), "MPI_Iallreduce", CollectiveOp::Allreduce, None);
        script.posted_collective(1, (600, 610, 620), "MPI_Iallreduce", CollectiveOp::Allreduce, None);
        assert_eq!(amounts(&script, "wait_at_nxn"), [(0, "MPI_Wait".to_owned(), 150)]);
    }

    /// Both operations are completed by one call, which waits until 600 for the first and until 800 for the second.
    #[test]
    fn a_call_that_completes_several_waits_once() {
        let mut script = Script::processes(2);
        for (rank, posts, from) in [(0, [100, 110], 200), (1, [600, 800], 850)] {
            for (request, at) in (1..).zip(posts) {
                let posted = Event::CollectiveRequest { request };
                script.enter(rank, at, "MPI_Iallreduce");
                script.event(rank, at, EventKind::NonBlockingCollectiveRequest, posted);
                script.leave(rank, at, "MPI_Iallreduce");
            }
            script.enter(rank, from, "MPI_Waitall");
            for request in [1, 2] {
                let op = CollectiveOp::Allreduce;
                let (communicator, root) = (crate::fixture::WORLD, None);
                let done =
                    Event::CollectiveComplete { op, communicator, root, sent: 8, received: 8, request };
                script.event(rank, 900, EventKind::NonBlockingCollectiveComplete, done);
            }
            script.leave(rank, 900, "MPI_Waitall");
        }
        assert_eq!(amounts(&script, "wait_at_nxn"), [(0, "MPI_Waitall".to_owned(), 600)]);
    }
}
