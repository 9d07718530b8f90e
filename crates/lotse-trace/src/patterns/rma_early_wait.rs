//! Early wait: a target waits for its origins to complete.

use lotse_model::Rule;
use lotse_model::trace::{EventKind, Ticks};

use super::{HERMANNS_2009, PRIOR, Pattern, Search};
use crate::class::Class;
use crate::matching::rma::EpochCall;
use crate::metric::{Bound, Metric};
use crate::store::{CallRef, OpRef, Trace};
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern = Pattern {
    rule: &RULE,
    metrics: &[&RMA_EARLY_WAIT],
    search: Search::Records(&[EventKind::RmaGroupSync], search),
};

/// Waiting for origins to complete.
pub(super) static RMA_EARLY_WAIT: Metric =
    Metric::wait("rma_early_wait", "early wait", Class::Rma, Bound::Exact);

static RULE: Rule = Rule {
    id: "rma_early_wait",
    version: 1,
    title: "early wait: a target waits because its origins complete later",
    meaning: "The target wants its memory back while origins still access it, or have not completed their epoch.",
    computation: "Latest X(MPI_Win_complete) of the origins - E(MPI_Win_wait), not more than the wait. Exact.",
    picture: "origin  ─┤Put├── compute ──┤complete├──
target  ── compute ──┤wait▒▒▒▒▒▒▒▒▒▒─├──
                     ↑E             ↑X(complete)",
    example: "Wait from 0.5 to 0.91 s; two origins complete at 0.6 and 0.9 s: the target waits 0.4 s.",
    advice: "See rma_late_complete first: that part goes away by completing sooner. For the rest, give the target \
             something to do that does not need the memory.",
    thresholds: &[],
    prior: PRIOR,
    references: &[HERMANNS_2009],
};

fn search(scene: &Scene<'_>, op: OpRef, collector: &mut WaitCollector) {
    if let Some((call, until, complete)) = latest_complete(scene.trace, op) {
        collector.add_wait_until(scene.trace, &RMA_EARLY_WAIT, call, until, Some(complete.location));
    }
}

/// For the record of an `MPI_Win_wait`: its call, when the last of its origins had completed, and that origin's record.
pub(super) fn latest_complete(trace: &Trace, op: OpRef) -> Option<(CallRef, Ticks, OpRef)> {
    let call = trace
        .call_of(op)
        .filter(|&call| EpochCall::from_class(trace.class(call)) == Some(EpochCall::Wait))?;
    let completes = trace.links.rma.peers(op).iter();
    let (until, complete) =
        completes.map(|&complete| (left(trace, complete), complete)).max_by_key(|&(at, _)| at)?;
    Some((call, until, complete))
}

/// When the call of a record was left.
pub(super) fn left(trace: &Trace, op: OpRef) -> Ticks {
    trace.call_of(op).map_or(trace.op(op).at, |call| trace.exit(call))
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;
    use crate::patterns::amounts;

    #[test]
    fn the_target_waits_for_the_last_complete() {
        let mut script = Script::processes(3);
        script.epoch(0, (10, 20), "MPI_Win_post", &[1, 2]).epoch(0, (500, 910), "MPI_Win_wait", &[1, 2]);
        for (rank, completed) in [(1, 600), (2, 900)] {
            script.epoch(rank, (100, 101), "MPI_Win_start", &[0]);
            script.epoch(rank, (completed - 10, completed), "MPI_Win_complete", &[0]);
        }
        assert_eq!(amounts(&script, "rma_early_wait"), [(0, "MPI_Win_wait".to_owned(), 400)]);
    }
}
