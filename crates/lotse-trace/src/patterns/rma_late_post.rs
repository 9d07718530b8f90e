//! Late post: an origin waits for its targets to open their windows.

use lotse_model::Rule;
use lotse_model::trace::{EventKind, Ticks};

use super::late_sender::entered;
use super::{HERMANNS_2009, PRIOR, Pattern, Search};
use crate::class::Class;
use crate::matching::rma::EpochCall;
use crate::metric::{Bound, Metric};
use crate::store::{OpRef, Trace};
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern = Pattern {
    rule: &RULE,
    metrics: &[&RMA_LATE_POST],
    search: Search::Records(&[EventKind::RmaGroupSync], search),
};

/// Waiting for targets to open their windows.
pub(super) static RMA_LATE_POST: Metric =
    Metric::wait("rma_late_post", "late post", Class::Rma, Bound::Exact);

static RULE: Rule = Rule {
    id: "rma_late_post",
    version: 1,
    title: "late post: an origin waits because a target opens its window late",
    meaning: "The origin begins its accesses before all its targets have posted. Depending on the library it is held \
              up in MPI_Win_start, in the accesses, or in MPI_Win_complete.",
    computation: "Latest E(MPI_Win_post) of the targets - E(MPI_Win_start), where the start lasts until then; else the \
                  start did not block, and latest E(post) - E(MPI_Win_complete) counts, where the complete lasts \
                  until then. What accesses wait in between is rma_early_transfer. Exact.",
    picture: "target  ─── compute ──────────┤post├──
origin  ── compute ──┤start▒▒▒▒▒▒▒─├┤Put├
                     ↑E        ↑E(post)",
    example: "Start from 0.3 to 0.61 s; two targets post at 0.4 and 0.6 s: the origin waits 0.3 s.",
    advice: "Post as early as the memory can be given away, or give the target less to do before. Where the targets \
             are late by turns, start later and compute meanwhile.",
    thresholds: &[],
    prior: PRIOR,
    references: &[HERMANNS_2009],
};

fn search(scene: &Scene<'_>, op: OpRef, collector: &mut WaitCollector) {
    let trace = scene.trace;
    let (Some(call), Some((posted, post))) = (trace.call_of(op), latest_post(trace, op)) else { return };
    let waits = match EpochCall::from_class(trace.class(call)) {
        Some(EpochCall::Start) => posted <= trace.exit(call),
        Some(EpochCall::Complete) => posted <= trace.exit(call) && !start_blocked(trace, op, posted),
        _ => false,
    };
    if waits {
        collector.add_wait_until(trace, &RMA_LATE_POST, call, posted, Some(post.location));
    }
}

/// Whether the `MPI_Win_start` of a complete lasted until a post.
fn start_blocked(trace: &Trace, complete: OpRef, posted: Ticks) -> bool {
    let start = trace.links.other_half(complete).and_then(|start| trace.call_of(start));
    start.is_some_and(|start| posted <= trace.exit(start))
}

fn latest_post(trace: &Trace, op: OpRef) -> Option<(Ticks, OpRef)> {
    let posts = trace.links.rma.peers(op).iter();
    posts.map(|&post| (entered(trace, post), post)).max_by_key(|&(at, _)| at)
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;
    use crate::patterns::cube_rows;

    #[test]
    fn a_start_waits_for_the_latest_post() {
        let mut script = Script::processes(3);
        script.epoch(0, (300, 610), "MPI_Win_start", &[1, 2]).epoch(
            0,
            (620, 630),
            "MPI_Win_complete",
            &[1, 2],
        );
        script.epoch(1, (400, 401), "MPI_Win_post", &[0]).epoch(1, (640, 641), "MPI_Win_wait", &[0]);
        script.epoch(2, (600, 601), "MPI_Win_post", &[0]).epoch(2, (640, 641), "MPI_Win_wait", &[0]);
        assert_eq!(cube_rows(&script), [("rma_late_post", 0, "MPI_Win_start".to_owned(), 300)]);
    }

    #[test]
    fn where_the_start_does_not_block_the_complete_waits() {
        let mut script = Script::processes(2);
        script.epoch(0, (300, 310), "MPI_Win_start", &[1]).epoch(0, (400, 610), "MPI_Win_complete", &[1]);
        script.epoch(1, (600, 601), "MPI_Win_post", &[0]).epoch(1, (640, 641), "MPI_Win_wait", &[0]);
        assert_eq!(cube_rows(&script), [("rma_late_post", 0, "MPI_Win_complete".to_owned(), 200)]);
    }

    #[test]
    fn epochs_pair_in_their_order() {
        let mut script = Script::processes(2);
        script.epoch(0, (100, 110), "MPI_Win_start", &[1]).epoch(0, (120, 130), "MPI_Win_complete", &[1]);
        script.epoch(0, (200, 260), "MPI_Win_start", &[1]).epoch(0, (270, 280), "MPI_Win_complete", &[1]);
        script.epoch(1, (50, 51), "MPI_Win_post", &[0]).epoch(1, (140, 141), "MPI_Win_wait", &[0]);
        script.epoch(1, (250, 251), "MPI_Win_post", &[0]).epoch(1, (290, 291), "MPI_Win_wait", &[0]);
        assert_eq!(cube_rows(&script), [("rma_late_post", 0, "MPI_Win_start".to_owned(), 50)]);
    }
}
