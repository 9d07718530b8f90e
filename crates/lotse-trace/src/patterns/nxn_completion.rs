//! N x N completion: time between the first exit from an all-to-all operation and the others.

use lotse_model::Rule;

use super::wait_at_nxn::is_nxn;
use super::{COLLECTIVES, GEIMER_2009, PRIOR, Pattern, Search};
use crate::class::Class;
use crate::metric::{Bound, Metric};
use crate::store::OpRef;
use crate::waits::{Member, Scene, WaitCollector};

pub(super) const PATTERN: Pattern =
    Pattern { rule: &RULE, metrics: &[&NXN_COMPLETION], search: Search::Records(COLLECTIVES, search) };

/// Time in an all-to-all operation that another process has already left.
static NXN_COMPLETION: Metric =
    Metric::wait("nxn_completion", "N x N completion", Class::Collective, Bound::Exact);

static RULE: Rule = Rule {
    id: "nxn_completion",
    version: 1,
    title: "N x N completion: processes leave an all-to-all operation later than the first",
    meaning: "All have come and one has all it needs, but others are still inside: the cost of moving the data, or \
              processes that did not run when they could.",
    computation: "X - max(min X_i, max E_i) over all members i, for members that send and receive more than 0 bytes, \
                  never more than the call. Exact.",
    picture: "rank 0  ──┤Allreduce─▒▒▒▒▒├────
rank 1  ──┤Allreduce─▒▒▒├──────
rank 2  ──┤Allreduce─├─────────
                     ↑min X",
    example: "All came by 1.445 s; exits at 1.485, 1.480, 1.475 and 1.470 s: 0.015, 0.010, 0.005 and 0 s.",
    advice: "Look whether the same processes always leave late: their network or their share of data differs. Long \
             times everywhere hint at an over-subscribed machine or an algorithm that does not fit the message size.",
    thresholds: &[],
    prior: PRIOR,
    references: &[GEIMER_2009],
};

fn search(scene: &Scene<'_>, op: OpRef, collector: &mut WaitCollector) {
    let exchange = scene.member(op).filter(takes_part);
    if let Some(wait) = exchange.and_then(|member| member.completion(scene.trace, &NXN_COMPLETION)) {
        collector.add(scene.trace, wait);
    }
}

fn takes_part(member: &Member<'_>) -> bool {
    is_nxn(member.op) && member.sent > 0 && member.received > 0
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::CollectiveOp;

    use crate::fixture::Script;
    use crate::patterns::{amounts, cube_rows};

    #[test]
    fn exits_are_measured_from_the_first() {
        let mut script = Script::processes(4);
        for (rank, to) in [1485, 1480, 1475, 1470].into_iter().enumerate() {
            script.collective(rank, (1445, to), "MPI_Allreduce", CollectiveOp::Allreduce, None);
        }
        let row = |(rank, ticks)| ("nxn_completion", rank, "MPI_Allreduce".to_owned(), ticks);
        assert_eq!(cube_rows(&script), [(0, 15), (1, 10), (2, 5)].map(row));
    }

    #[test]
    fn members_that_only_send_or_only_receive_are_left_out() {
        let mut script = Script::processes(3);
        let alltoall = (CollectiveOp::Alltoallv, None);
        script.exchange(0, (100, 200), "MPI_Alltoallv", alltoall, (8, 0));
        script.exchange(1, (100, 230), "MPI_Alltoallv", alltoall, (0, 8));
        script.exchange(2, (100, 220), "MPI_Alltoallv", alltoall, (8, 8));
        assert_eq!(amounts(&script, "nxn_completion"), [(2, "MPI_Alltoallv".to_owned(), 20)]);
    }
}
