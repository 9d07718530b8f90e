//! Wait at a barrier of a threading library: all threads wait for the last one to arrive.

use lotse_model::Rule;

use super::omp_wait_at_barrier::add_barrier_wait;
use super::{PRIOR, Pattern, Search};
use crate::class::{Class, RegionClass};
use crate::metric::{Bound, Metric};
use crate::store::CallRef;
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern =
    Pattern { rule: &RULE, metrics: &[&THREAD_BARRIER_WAIT], search: Search::Calls(is_barrier, search) };

/// Waiting at a barrier that is not OpenMP's.
static THREAD_BARRIER_WAIT: Metric =
    Metric::wait("thread_barrier_wait", "wait at a barrier of threads", Class::ThreadBarrier, Bound::Exact)
        .from_records();

static RULE: Rule = Rule {
    id: "thread_barrier_wait",
    version: 1,
    title: "wait at a barrier of threads: the last of them is late",
    meaning: "Threads came to a barrier at different times, and none goes on before the last is there: their shares of \
              the work are unequal.",
    computation: "max over the threads of E - E(barrier), within the same round of the barrier. Nobody leaves a round \
                  before the last has entered it; where the trace names the barrier, rounds of different barriers \
                  are told apart. Exact.",
    picture: "thread 1  ── work ──┤barrier_wait▒▒▒▒▒▒▒▒▒├──
thread 2  ── work ───────────┤barrier_wait▒├──
thread 3  ── work ────────────────────────┤├──
                    ↑E                     ↑last E",
    example: "Three threads come at 0.5, 0.8 and 1.0 s: the first waits 0.5 s, the second 0.2 s, the third not.",
    advice: "Share the work more evenly, let threads take small pieces of it from a common queue, or replace the \
             barrier by something that only ties those together that need each other.",
    thresholds: &[],
    prior: PRIOR,
    references: &["IEEE Std 1003.1: pthread_barrier_wait"],
};

fn is_barrier(class: &RegionClass) -> bool {
    class.class == Class::ThreadBarrier
}

fn search(scene: &Scene<'_>, call: CallRef, collector: &mut WaitCollector) {
    add_barrier_wait(scene.trace, &THREAD_BARRIER_WAIT, call, collector);
}

#[cfg(test)]
mod tests {
    use lotse_model::rule::Thresholds;
    use lotse_model::trace::ObjectKind;
    use lotse_model::work::Sequential;

    use crate::fixture::Script;
    use crate::patterns::cube_rows;
    use crate::tree::TimeTree;

    #[test]
    fn it_is_no_barrier_of_openmp() {
        let mut script = Script::threads(3);
        for (thread, came) in [(0, 500), (1, 800), (2, 1000)] {
            script.call(thread, 0, came, "work");
            script.call_about(thread, (came, 1010), "pthread_barrier_wait", (ObjectKind::Barrier, 7));
        }
        let path = "pthread_barrier_wait".to_owned();
        let metric = "thread_barrier_wait";
        assert_eq!(cube_rows(&script), [(metric, 0, path.clone(), 500), (metric, 1, path, 200)]);
        let trace = script.trace();
        let waits = crate::waits::search(&trace, &Thresholds::default(), &Sequential);
        let tree = TimeTree::new(&trace, &waits);
        let sum = |id: &str| tree.inclusive(tree.find(id).unwrap()).into_iter().sum::<u64>();
        assert_eq!((sum("openmp"), sum("thread_barrier")), (0, 510 + 210 + 10));
    }
}
