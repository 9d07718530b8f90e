//! Late complete: the part of an early wait after the last access to the memory.

use lotse_model::Rule;
use lotse_model::trace::EventKind;

use super::rma_early_wait::{RMA_EARLY_WAIT, latest_complete, left};
use super::{HERMANNS_2009, PRIOR, Pattern, Search};
use crate::metric::{Bound, Metric};
use crate::store::OpRef;
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern = Pattern {
    rule: &RULE,
    metrics: &[&RMA_LATE_COMPLETE],
    search: Search::Records(&[EventKind::RmaGroupSync], search),
};

/// Waiting for origins that have made all their accesses.
pub(super) static RMA_LATE_COMPLETE: Metric =
    Metric::part("rma_late_complete", "late complete", &RMA_EARLY_WAIT, Bound::Exact);

static RULE: Rule = Rule {
    id: "rma_late_complete",
    version: 1,
    title: "late complete: a target waits though all accesses are made",
    meaning: "The origins had made their last access to the target's memory, but completed the epoch only later by \
              MPI_Win_complete. This part of rma_early_wait need not be.",
    computation: "From max(X of the last access, E(MPI_Win_wait)) to the latest X(MPI_Win_complete) of the origins, \
                  not more than the wait. Contained in rma_early_wait. Exact.",
    picture: "origin  ──┤Put├── compute ──┤complete├──
target  ─┤wait····▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒─├─
                  ↑X(Put)           ↑X(complete)",
    example: "Wait from 0.5 to 0.91 s, last put over at 0.55 s, complete left at 0.9 s: 0.35 s of the 0.4 s.",
    advice: "Call MPI_Win_complete right after the last access, and compute after it.",
    thresholds: &[],
    prior: PRIOR,
    references: &[HERMANNS_2009],
};

fn search(scene: &Scene<'_>, op: OpRef, collector: &mut WaitCollector) {
    let trace = scene.trace;
    let Some((call, until, _)) = latest_complete(trace, op) else { return };
    let process = trace.location(op.location).process;
    let rma = &trace.links.rma;
    let accesses = rma.peers(op).iter().filter_map(|&complete| rma.last_access(complete, process));
    // Without any access the whole wait was unnecessary.
    let begin = accesses.map(|access| left(trace, access)).max().unwrap_or(0).max(trace.enter(call));
    let span = (begin, until.min(trace.exit(call)));
    collector.add_interval(&RMA_LATE_COMPLETE, op.location, trace.path(call), span);
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;
    use crate::patterns::cube_rows;

    fn with_put(span: (u64, u64)) -> Vec<(&'static str, u64)> {
        let mut script = Script::processes(2);
        script.epoch(0, (10, 20), "MPI_Win_post", &[1]).epoch(0, (500, 910), "MPI_Win_wait", &[1]);
        script.epoch(1, (100, 101), "MPI_Win_start", &[0]).put(1, span, 0);
        script.epoch(1, (890, 900), "MPI_Win_complete", &[0]);
        cube_rows(&script).into_iter().map(|(metric, _, _, ticks)| (metric, ticks)).collect()
    }

    #[test]
    fn what_follows_the_last_access_is_late() {
        assert_eq!(with_put((540, 550)), [("rma_early_wait", 400), ("rma_late_complete", 350)]);
    }

    #[test]
    fn it_is_never_more_than_the_wait() {
        assert_eq!(with_put((200, 210)), [("rma_early_wait", 400), ("rma_late_complete", 400)]);
    }
}
