//! Wait at fence: the members of a window wait for the last one to arrive.

use lotse_model::Rule;
use lotse_model::trace::{CollectiveOp, Event, EventKind};

use super::{HERMANNS_2009, PRIOR, Pattern, Search};
use crate::class::Class;
use crate::matching::Link;
use crate::metric::{Bound, Metric};
use crate::store::{CallRef, OpRef, Trace};
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern = Pattern {
    rule: &RULE,
    metrics: &[&RMA_WAIT_AT_FENCE, &RMA_WAIT_AT_CREATE, &RMA_WAIT_AT_FREE],
    search: Search::Records(&[EventKind::RmaCollectiveEnd], search),
};

/// Waiting in a fence for the other members.
pub(super) static RMA_WAIT_AT_FENCE: Metric =
    Metric::wait("rma_wait_at_fence", "wait at fence", Class::Rma, Bound::Exact);

/// Waiting for the other members in the creation of a window.
pub(super) static RMA_WAIT_AT_CREATE: Metric =
    Metric::wait("rma_wait_at_create", "wait at window creation", Class::Rma, Bound::Exact);

/// Waiting for the other members in the release of a window.
pub(super) static RMA_WAIT_AT_FREE: Metric =
    Metric::wait("rma_wait_at_free", "wait at window release", Class::Rma, Bound::Exact);

static RULE: Rule = Rule {
    id: "rma_wait_at_fence",
    version: 1,
    title: "wait at fence: processes wait in a fence for the last of them",
    meaning: "A fence ends when all members of the window have come, and so do the making and the freeing of a \
              window. Whoever has less to do before it waits for the last.",
    computation: "max over the members of E - E(fence), within the same operation of the window. Fences, the making \
                  of windows and their freeing have their own metrics. Exact.",
    picture: "rank 0  ── compute ──┤fence▒▒▒▒▒▒▒▒▒──├──
rank 1  ── compute ─────────────────┤fence├──
                     ↑E             ↑last E",
    example: "Ranks come to a fence at 1.0, 1.4 and 1.5 s: they wait 0.5, 0.1 and 0 s.",
    advice: "Share the work between fences more evenly. Where only neighbours exchange data, post, start, complete \
             and wait make only them wait for each other.",
    thresholds: &[],
    prior: PRIOR,
    references: &[HERMANNS_2009],
};

fn search(scene: &Scene<'_>, op: OpRef, collector: &mut WaitCollector) {
    let trace = scene.trace;
    let (Some(call), Link::Collective(number)) = (trace.call_of(op), trace.links.remote(op)) else { return };
    if let Some(last) = scene.gathered[number as usize].last {
        collector.add_wait_until(trace, metric(trace, call, op), call, last.at, Some(last.location));
    }
}

fn metric(trace: &Trace, call: CallRef, op: OpRef) -> &'static Metric {
    let name = trace.class(call).name.as_str();
    let Event::RmaCollectiveEnd { op, .. } = trace.op(op).event() else { return &RMA_WAIT_AT_FENCE };
    match op {
        _ if name == "mpi_win_fence" => &RMA_WAIT_AT_FENCE,
        _ if name == "mpi_win_free" => &RMA_WAIT_AT_FREE,
        _ if name.starts_with("mpi_win_create") || name.starts_with("mpi_win_allocate") => {
            &RMA_WAIT_AT_CREATE
        }
        CollectiveOp::CreateHandle | CollectiveOp::Allocate | CollectiveOp::CreateHandleAndAllocate => {
            &RMA_WAIT_AT_CREATE
        }
        CollectiveOp::DestroyHandle | CollectiveOp::Deallocate | CollectiveOp::DestroyHandleAndDeallocate => {
            &RMA_WAIT_AT_FREE
        }
        _ => &RMA_WAIT_AT_FENCE,
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;
    use crate::patterns::amounts;

    #[test]
    fn all_members_wait_for_the_last_one() {
        let mut script = Script::processes(3);
        for (rank, came) in [(0, 1000), (1, 1400), (2, 1500)] {
            script.fence(rank, (came, 1510), "MPI_Win_fence");
        }
        let fence = || "MPI_Win_fence".to_owned();
        assert_eq!(amounts(&script, "rma_wait_at_fence"), [(0, fence(), 500), (1, fence(), 100)]);
    }

    #[test]
    fn creation_and_release_have_their_own_metrics() {
        let mut script = Script::processes(2);
        script.fence(0, (100, 210), "MPI_Win_create").fence(0, (300, 310), "MPI_Win_free");
        script.fence(1, (200, 210), "MPI_Win_create").fence(1, (270, 310), "MPI_Win_free");
        assert_eq!(amounts(&script, "rma_wait_at_create"), [(0, "MPI_Win_create".to_owned(), 100)]);
        assert_eq!(amounts(&script, "rma_wait_at_free"), [(1, "MPI_Win_free".to_owned(), 30)]);
    }
}
