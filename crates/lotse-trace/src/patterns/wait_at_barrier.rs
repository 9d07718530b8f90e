//! Wait at barrier: early processes wait for the last one to arrive.

use lotse_model::Rule;
use lotse_model::trace::CollectiveOp;

use super::{COLLECTIVES, GEIMER_2009, PRIOR, Pattern, Search, WOLF_2003};
use crate::class::Class;
use crate::metric::{Bound, Metric};
use crate::store::OpRef;
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern =
    Pattern { rule: &RULE, metrics: &[&WAIT_AT_BARRIER], search: Search::Records(COLLECTIVES, search) };

/// Waiting at a barrier for the last process to arrive.
static WAIT_AT_BARRIER: Metric =
    Metric::wait("wait_at_barrier", "wait at barrier", Class::Collective, Bound::Exact).from_records();

static RULE: Rule = Rule {
    id: "wait_at_barrier",
    version: 1,
    title: "wait at barrier: processes wait at a barrier for the last one to come",
    meaning: "Nobody leaves a barrier before everybody has come. The time of those who came early is lost to uneven \
              work before the barrier.",
    computation: "min(max E_i, X) - E, where E and X are enter and exit of the member's barrier call and E_i the \
                  enters of all members. A barrier that does not block is entered where it is posted and waited for \
                  in the call that completes it. Exact.",
    picture: "rank 0  ── compute ──┤Barrier▒▒▒▒▒▒▒▒─├──
rank 1  ── compute ──────┤Barrier▒▒▒▒─├──
rank 2  ── compute ───────────┤Barrier├──
                              ↑max E",
    example: "Arrivals at 1.0, 1.3, 0.9 and 1.6 s: the waits are 0.6, 0.3, 0.7 and 0 s.",
    advice: "Spread the work before the barrier evenly: the delay costs name the call paths that make the last one \
             late. Ask whether the barrier is needed: messages often give the order already.",
    thresholds: &[],
    prior: PRIOR,
    references: &[WOLF_2003, GEIMER_2009],
};

fn search(scene: &Scene<'_>, op: OpRef, collector: &mut WaitCollector) {
    let Some(member) = scene.member(op).filter(|member| member.op == CollectiveOp::Barrier) else { return };
    if let Some(last) = member.gathered.last {
        collector.add_wait_until(scene.trace, &WAIT_AT_BARRIER, member.call, last.at, Some(last.location));
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::CollectiveOp;

    use crate::fixture::Script;
    use crate::patterns::{amounts, cube_rows};

    #[test]
    fn the_early_wait_for_the_last() {
        let mut script = Script::processes(4);
        for (rank, from) in [1000, 1300, 900, 1600].into_iter().enumerate() {
            script.barrier(rank, from, 1650);
        }
        let row = |(rank, ticks)| ("wait_at_barrier", rank, "MPI_Barrier".to_owned(), ticks);
        assert_eq!(cube_rows(&script), [(0, 600), (1, 300), (2, 700)].map(row));
    }

    #[test]
    fn a_posted_barrier_is_waited_for_only_in_the_wait() {
        let mut script = Script::processes(2);
        script.posted_collective(0, (100, 400, 620), "MPI_Ibarrier", CollectiveOp::Barrier, None);
        script.posted_collective(1, (600, 650, 660), "MPI_Ibarrier", CollectiveOp::Barrier, None);
        // Computing from 100 to 400 overlapped the barrier; only 400 to 600 was waited.
        assert_eq!(amounts(&script, "wait_at_barrier"), [(0, "MPI_Wait".to_owned(), 200)]);
    }
}
