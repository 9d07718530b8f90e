//! Early transfer: an access waits for its target to open the window.

use lotse_model::Rule;
use lotse_model::trace::{Event, EventKind};

use super::late_sender::entered;
use super::{HERMANNS_2009, PRIOR, Pattern, Search};
use crate::class::Class;
use crate::metric::{Bound, Metric};
use crate::store::{OpRef, Trace};
use crate::waits::{Cause, Scene, Wait, WaitCollector};

pub(super) const PATTERN: Pattern = Pattern {
    rule: &RULE,
    metrics: &[&RMA_EARLY_TRANSFER],
    search: Search::Records(&[EventKind::RmaPut, EventKind::RmaGet, EventKind::RmaAtomic], search),
};

/// Accesses that wait for the target to open its window.
pub(super) static RMA_EARLY_TRANSFER: Metric =
    Metric::wait("rma_early_transfer", "early transfer", Class::Rma, Bound::Exact);

static RULE: Rule = Rule {
    id: "rma_early_transfer",
    version: 1,
    title: "early transfer: an access waits because its target has not opened the window",
    meaning: "The start of the epoch went through, but the put, get or accumulate is held up until the target posts.",
    computation: "min(E(MPI_Win_post) of the target, X) - E of the access. Exact.",
    picture: "target  ─── compute ───────────────┤post├──
origin  ─┤start├──┤Put▒▒▒▒▒▒▒▒▒▒▒▒▒▒──├─
                  ↑E                ↑E(post)",
    example: "A put from 0.4 to 0.72 s to a target that posts at 0.7 s waits 0.3 s.",
    advice: "Let the target post earlier, or access the targets first that have posted.",
    thresholds: &[],
    prior: PRIOR,
    references: &[HERMANNS_2009],
};

fn search(scene: &Scene<'_>, op: OpRef, collector: &mut WaitCollector) {
    let trace = scene.trace;
    let Some(call) = trace.call_of(op) else { return };
    if !is_last_access(trace, op) {
        return;
    }
    let accesses = trace.timeline(op.location).ops_of(call.call);
    let posts = accesses.filter(|(_, it)| matches!(it.shape(), Event::RmaOperation { .. }));
    let posts = posts.filter_map(|(number, _)| trace.links.partner(OpRef { op: number, ..op }));
    let Some(post) = posts.max_by_key(|&post| entered(trace, post)) else { return };
    let (begin, exit, posted) = (trace.enter(call), trace.exit(call), entered(trace, post));
    let end = posted.min(exit);
    let cause = Some(Cause { location: post.location, at: end });
    // An access that ended before the post did not end because of it.
    let causal = posted <= exit;
    collector.add(
        trace,
        Wait { metric: Some(&RMA_EARLY_TRANSFER), call, begin, end, cause, causal, is_overlapped: false },
    );
}

/// Whether a record is the last access of its call: all accesses of a call are handled together there.
fn is_last_access(trace: &Trace, op: OpRef) -> bool {
    let ops = &trace.timeline(op.location).ops;
    let call = ops.call(op.op as usize);
    let mut rest = ops.from(op.op as usize + 1).take_while(|next| next.call == call);
    !rest.any(|next| matches!(next.shape(), Event::RmaOperation { .. }))
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;
    use crate::patterns::cube_rows;

    fn with_post_at(posted: u64) -> Script {
        let mut script = Script::processes(2);
        script.epoch(0, (300, 310), "MPI_Win_start", &[1]).put(0, (400, 720), 1);
        script.epoch(0, (730, 740), "MPI_Win_complete", &[1]);
        script.epoch(1, (posted, posted + 1), "MPI_Win_post", &[0]);
        script.epoch(1, (750, 751), "MPI_Win_wait", &[0]);
        script
    }

    #[test]
    fn a_put_waits_until_the_target_posts() {
        assert_eq!(cube_rows(&with_post_at(700)), [("rma_early_transfer", 0, "MPI_Put".to_owned(), 300)]);
    }

    #[test]
    fn an_open_window_costs_nothing() {
        assert_eq!(cube_rows(&with_post_at(200)), []);
    }

    #[test]
    fn it_is_not_longer_than_the_access() {
        let waits = cube_rows(&with_post_at(725));
        assert_eq!(waits, [("rma_early_transfer", 0, "MPI_Put".to_owned(), 320)]);
    }
}
