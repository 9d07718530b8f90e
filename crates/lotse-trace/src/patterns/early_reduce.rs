//! Early reduce: the root of a gathering operation waits for the others.

use lotse_model::Rule;
use lotse_model::trace::CollectiveOp;

use super::{COLLECTIVES, GEIMER_2009, PRIOR, Pattern, Search, WOLF_2003};
use crate::class::Class;
use crate::metric::{Bound, Metric};
use crate::store::OpRef;
use crate::waits::{Arrival, Cause, Member, Scene, Wait, WaitCollector};

pub(super) const PATTERN: Pattern = Pattern {
    rule: &RULE,
    metrics: &[&EARLY_REDUCE, &REDUCE_LAST_SENDER],
    search: Search::Records(COLLECTIVES, search),
};

/// A root waits before any member has sent.
static EARLY_REDUCE: Metric =
    Metric::wait("early_reduce", "early reduce", Class::Collective, Bound::Lower).from_records();

/// A root waits after the first member has sent, for the others.
static REDUCE_LAST_SENDER: Metric =
    Metric::wait("reduce_last_sender", "wait for last sender", Class::Collective, Bound::Upper)
        .from_records();

static RULE: Rule = Rule {
    id: "early_reduce",
    version: 2,
    title: "early reduce: the root of a reduction comes before all who send",
    meaning: "In MPI_Reduce, MPI_Gather and MPI_Gatherv the root gets data from all others. Until the first of them \
              comes it can do nothing at all; how long it then waits for the rest depends on the algorithm.",
    computation: "min(min E_i, X) - E of the root's call, where E_i are the enters of the other members that send \
                  more than 0 bytes. A lower bound: the root may also wait for the later ones. From then on to \
                  min(max E_i, X) it counts as reduce_last_sender, an upper bound: the root may work on what it \
                  has got meanwhile. The critical path leads to the last of them.",
    picture: "root    ──┤Reduce▒▒▒▒▒▒▒▒▒────────────├──
rank 1  ── compute ──────┤Reduce──├────────
rank 2  ── compute ────────────┤Reduce──├──
           ↑E            ↑min E_i",
    example: "The root enters at 0.328 s, the others at 1.289, 0.528 and 1.336 s: the root waits at least 0.2 s, and \
              at most 0.808 s more for the last.",
    advice: "Let the root come later, with more of the work, or take it out of the middle of a phase: a reduction that \
             does not block (MPI_Ireduce) lets it compute meanwhile.",
    thresholds: &[],
    prior: PRIOR,
    references: &[WOLF_2003, GEIMER_2009],
};

fn search(scene: &Scene<'_>, op: OpRef, collector: &mut WaitCollector) {
    let Some(member) = scene.member(op).filter(waits) else { return };
    let (trace, call) = (scene.trace, member.call);
    let mut wait = |metric, begin, until: Arrival| {
        let end = until.at.min(trace.exit(call));
        let cause = Some(Cause { location: until.location, at: end });
        let metric = Some(metric);
        collector.add(trace, Wait { metric, call, begin, end, cause, causal: false, is_overlapped: false });
    };
    if let Some(first) = member.gathered.first_sender {
        wait(&EARLY_REDUCE, trace.enter(call), first);
        if let Some(last) = member.gathered.last_other {
            wait(&REDUCE_LAST_SENDER, first.at.max(trace.enter(call)), last);
        }
    }
    if let Some(last) = member.gathered.last_other {
        collector.add_dependency(trace, call, last.at, last.location);
    }
}

fn waits(member: &Member<'_>) -> bool {
    member.is_root && matches!(member.op, CollectiveOp::Reduce | CollectiveOp::Gather | CollectiveOp::Gatherv)
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::CollectiveOp;

    use crate::fixture::Script;
    use crate::patterns::cube_rows;

    #[test]
    fn the_root_waits_at_least_for_the_first() {
        let mut script = Script::processes(4);
        for (rank, from) in [1289, 328, 528, 1336].into_iter().enumerate() {
            script.collective(rank, (from, 1400), "MPI_Reduce", CollectiveOp::Reduce, Some(1));
        }
        let row = |metric, ticks| (metric, 1, "MPI_Reduce".to_owned(), ticks);
        assert_eq!(cube_rows(&script), [row("early_reduce", 200), row("reduce_last_sender", 808)]);
    }

    #[test]
    fn who_sends_nothing_is_not_waited_for() {
        let mut script = Script::processes(3);
        let gather = (CollectiveOp::Gatherv, Some(0));
        script.exchange(0, (100, 500), "MPI_Gatherv", gather, (8, 24));
        script.exchange(1, (200, 500), "MPI_Gatherv", gather, (0, 0));
        script.exchange(2, (350, 500), "MPI_Gatherv", gather, (8, 0));
        assert_eq!(cube_rows(&script), [("early_reduce", 0, "MPI_Gatherv".to_owned(), 250)]);
    }

    #[test]
    fn the_critical_path_is_led_to_the_last() {
        let mut script = Script::processes(3);
        for (rank, from) in [100, 300, 450].into_iter().enumerate() {
            script.collective(rank, (from, 500), "MPI_Reduce", CollectiveOp::Reduce, Some(0));
        }
        let waits = crate::patterns::search_waits(&script.trace());
        let causal: Vec<_> = waits.by_location[0].iter().filter(|wait| wait.causal).collect();
        assert_eq!(causal.len(), 1);
        assert_eq!((causal[0].metric, causal[0].end), (None, 450));
        assert_eq!(causal[0].cause.map(|cause| cause.location.0), Some(2));
    }
}
