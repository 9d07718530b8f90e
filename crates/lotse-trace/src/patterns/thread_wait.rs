//! Waiting for the end of a thread.

use lotse_model::Rule;
use lotse_model::trace::{Event, EventKind};

use super::{PRIOR, Pattern, Search};
use crate::class::Class;
use crate::metric::{Bound, Metric};
use crate::store::OpRef;
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern = Pattern {
    rule: &RULE,
    metrics: &[&THREAD_JOIN_WAIT],
    search: Search::Records(&[EventKind::ThreadWait, EventKind::Attribute], search),
};

/// Waiting for the end of a thread.
pub(super) static THREAD_JOIN_WAIT: Metric =
    Metric::wait("thread_join_wait", "wait for a thread to end", Class::Threading, Bound::Exact)
        .from_records();

static RULE: Rule = Rule {
    id: "thread_join_wait",
    version: 1,
    title: "wait for a thread to end: a thread waits for another to end",
    meaning: "The thread asks for the end of another that still runs. While it waits it does nothing, and the run \
              goes on only as fast as the thread that is waited for.",
    computation: "min(end of the thread, X(join)) - E(join), where that is more than 0. Exact. Where the trace does \
                  not say which thread is joined, it is the last of the process to end during the call.",
    picture: "thread    ──── work ─────────────────┤ end
creator   ── work ──┤join▒▒▒▒▒▒▒▒▒▒▒▒▒─├──
                    ↑E                 ↑end of the thread",
    example: "pthread_join from 0.4 to 1.01 s, the thread ends at 1.0 s: 0.6 s of waiting.",
    advice: "Let the creator take a share of the work instead of waiting, and share the work evenly, for the join \
             waits for the slowest.",
    thresholds: &[],
    prior: PRIOR,
    references: &["IEEE Std 1003.1: pthread_join"],
};

fn search(scene: &Scene<'_>, op: OpRef, collector: &mut WaitCollector) {
    let trace = scene.trace;
    if !matches!(trace.shape(op), Event::ThreadWait { .. }) {
        return;
    }
    let (Some(call), Some(end)) = (trace.call_of(op), trace.links.partner(op)) else { return };
    collector.add_wait_until(trace, &THREAD_JOIN_WAIT, call, trace.op(end).at, Some(end.location));
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::{Event, EventKind};

    use crate::fixture::{Script, WORLD};
    use crate::patterns::cube_rows;

    #[test]
    fn a_join_waits_until_the_thread_ends() {
        let mut script = Script::threads(3);
        for (thread, ends, joins) in [(1, 1000, (400, 1010)), (2, 900, (1100, 1110))] {
            let count = thread as u64;
            let end = Event::ThreadEnd { team: WORLD, count };
            script.call(thread, 0, ends, "work").event(thread, ends, EventKind::ThreadEnd, end);
            let wait = (EventKind::ThreadWait, Event::ThreadWait { team: WORLD, count });
            script.with_record(0, joins, "pthread_join", joins.1, wait);
        }
        assert_eq!(cube_rows(&script), [("thread_join_wait", 0, "pthread_join".to_owned(), 600)]);
    }
}
