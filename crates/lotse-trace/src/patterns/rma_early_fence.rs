//! Early fence: all members have arrived, but accesses to the member's memory are not complete.

use lotse_model::Rule;
use lotse_model::trace::EventKind;

use super::{HERMANNS_2009, PRIOR, Pattern, Search};
use crate::class::Class;
use crate::matching::Link;
use crate::matching::rma::operation_end;
use crate::metric::{Bound, Metric};
use crate::store::OpRef;
use crate::waits::{Cause, Scene, Wait, WaitCollector};

pub(super) const PATTERN: Pattern = Pattern {
    rule: &RULE,
    metrics: &[&RMA_EARLY_FENCE],
    search: Search::Records(&[EventKind::RmaCollectiveEnd], search),
};

/// Waiting in a fence for accesses of others to the own memory.
pub(super) static RMA_EARLY_FENCE: Metric =
    Metric::wait("rma_early_fence", "early fence", Class::Rma, Bound::Upper);

static RULE: Rule = Rule {
    id: "rma_early_fence",
    version: 1,
    title: "early fence: a fence waits for accesses of others to end",
    meaning: "A fence is not over at a target before the accesses of all origins to its memory are. Their data was \
              still on its way when everybody had come.",
    computation: "From the last arrival at the fence to the end of the last access by another process to the \
                  member's memory since the fence before: its completion record, or where none is written the exit \
                  of its call. Not more than the fence. An upper bound, for completions are noticed late.",
    picture: "origin  ─┤Put├─┤fence····put······├──
target  ───┤fence     ▒▒▒▒▒▒▒▒▒─├──
                      ↑last E  ↑put is over",
    example: "The last rank comes at 1.5 s, a put to rank 0 is over at 1.7 s, rank 0 leaves at 1.71 s: 0.2 s.",
    advice: "Issue accesses earlier, so that they travel while the origin computes, or send less: pack small accesses \
             together.",
    thresholds: &[],
    prior: PRIOR,
    references: &[HERMANNS_2009],
};

fn search(scene: &Scene<'_>, op: OpRef, collector: &mut WaitCollector) {
    let trace = scene.trace;
    let (Some(call), Link::Collective(number)) = (trace.call_of(op), trace.links.remote(op)) else { return };
    let process = trace.location(op.location).process;
    let (Some(last), Some(access)) =
        (scene.gathered[number as usize].last, trace.links.rma.pending(number, process))
    else {
        return;
    };
    let begin = last.at.max(trace.enter(call));
    let end = operation_end(trace, &trace.links, access).min(trace.exit(call));
    // The origin is in the same fence: the reason for its delay lies before the last arrival.
    let cause = Some(Cause { location: access.location, at: end });
    collector.add(
        trace,
        Wait { metric: Some(&RMA_EARLY_FENCE), call, begin, end, cause, causal: false, is_overlapped: false },
    );
}

#[cfg(test)]
mod tests {
    use lotse_model::id::WindowId;
    use lotse_model::trace::{Event, EventKind};

    use crate::fixture::Script;
    use crate::patterns::cube_rows;

    #[test]
    fn the_target_waits_until_the_access_is_over() {
        let mut script = Script::processes(2);
        script.fence(0, (1000, 1710), "MPI_Win_fence");
        script.put(1, (1400, 1410), 0).enter(1, 1500, "MPI_Win_fence");
        let complete = Event::RmaComplete { window: WindowId(1), matching: 1400, remotely: false };
        script.event(1, 1700, EventKind::RmaOpCompleteNonBlocking, complete);
        let (window, op) = (WindowId(1), lotse_model::trace::CollectiveOp::Barrier);
        let end = Event::RmaCollectiveEnd { op, window, root: None, sent: 0, received: 0 };
        script.event(1, 1705, EventKind::RmaCollectiveEnd, end).leave(1, 1710, "MPI_Win_fence");
        let fence = || "MPI_Win_fence".to_owned();
        assert_eq!(
            cube_rows(&script),
            [("rma_wait_at_fence", 0, fence(), 500), ("rma_early_fence", 0, fence(), 200)]
        );
    }

    #[test]
    fn accesses_that_were_over_before_the_fence_cost_nothing() {
        let mut script = Script::processes(2);
        script.fence(0, (1000, 1510), "MPI_Win_fence");
        script.put(1, (1400, 1410), 0).fence(1, (1500, 1510), "MPI_Win_fence");
        assert_eq!(cube_rows(&script), [("rma_wait_at_fence", 0, "MPI_Win_fence".to_owned(), 500)]);
    }
}
