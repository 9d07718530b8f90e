//! Barrier completion: time between the first to leave a barrier and the others.

use lotse_model::Rule;
use lotse_model::trace::CollectiveOp;

use super::{COLLECTIVES, GEIMER_2009, PRIOR, Pattern, Search};
use crate::class::Class;
use crate::metric::{Bound, Metric};
use crate::store::OpRef;
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern =
    Pattern { rule: &RULE, metrics: &[&BARRIER_COMPLETION], search: Search::Records(COLLECTIVES, search) };

/// Time in a barrier that another process has already left.
static BARRIER_COMPLETION: Metric =
    Metric::wait("barrier_completion", "barrier completion", Class::Collective, Bound::Exact);

static RULE: Rule = Rule {
    id: "barrier_completion",
    version: 1,
    title: "barrier completion: processes leave a barrier later than the first",
    meaning: "All have come and one has already left, but others are still inside: the cost of notifying all, or \
              processes that did not run when they could.",
    computation: "X - max(min X_i, max E_i) over all members i of the barrier, never more than the call. Exact.",
    picture: "rank 0  ──┤Barrier───├─────────
rank 1  ──┤Barrier───▒▒▒├──────
rank 2  ──┤Barrier───▒▒▒▒▒├────
                     ↑min X",
    example: "All came by 1.60 s; exits at 1.62, 1.63, 1.64 and 1.65 s: 0, 0.01, 0.02 and 0.03 s.",
    advice: "Short times are the price of a barrier. Long ones hint at a disturbed or over-subscribed machine, or at a \
             slow network: look at which processes leave late, and whether it is always the same.",
    thresholds: &[],
    prior: PRIOR,
    references: &[GEIMER_2009],
};

fn search(scene: &Scene<'_>, op: OpRef, collector: &mut WaitCollector) {
    let barrier = scene.member(op).filter(|member| member.op == CollectiveOp::Barrier);
    if let Some(wait) = barrier.and_then(|member| member.completion(scene.trace, &BARRIER_COMPLETION)) {
        collector.add(scene.trace, wait);
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;
    use crate::patterns::cube_rows;

    #[test]
    fn exits_are_measured_from_the_first_after_the_last_arrival() {
        let mut script = Script::processes(4);
        for (rank, to) in [1620, 1630, 1640, 1650].into_iter().enumerate() {
            script.barrier(rank, 1600, to);
        }
        let row = |(rank, ticks)| ("barrier_completion", rank, "MPI_Barrier".to_owned(), ticks);
        assert_eq!(cube_rows(&script), [(1, 10), (2, 20), (3, 30)].map(row));
    }

    #[test]
    fn a_wrong_clock_does_not_count_before_the_last_arrival() {
        let mut script = Script::processes(2);
        script.barrier(0, 100, 150).barrier(1, 200, 230);
        let expected = [
            ("wait_at_barrier", 0, "MPI_Barrier".to_owned(), 50),
            ("barrier_completion", 1, "MPI_Barrier".to_owned(), 30),
        ];
        assert_eq!(cube_rows(&script), expected);
    }
}
