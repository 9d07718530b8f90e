//! Condition wait: a thread sleeps on a condition until another signals it.

use lotse_model::Rule;

use super::{PRIOR, Pattern, Search};
use crate::class::{Class, RegionClass};
use crate::metric::{Bound, Metric};
use crate::store::CallRef;
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern =
    Pattern { rule: &RULE, metrics: &[&CONDITION_WAIT], search: Search::Calls(is_condition_wait, search) };

/// Waiting for another thread's signal.
pub(super) static CONDITION_WAIT: Metric =
    Metric::wait("condition_wait", "wait for a condition", Class::Lock, Bound::Upper);

static RULE: Rule = Rule {
    id: "condition_wait",
    version: 1,
    title: "wait for a condition: a thread waits for a condition that another signals",
    meaning: "The thread sleeps in pthread_cond_wait until another thread of the process signals or broadcasts. In a \
              pool of workers this is where they wait for something to do.",
    computation: "E(signal) - E(cond_wait), where the signal is the last pthread_cond_signal or _broadcast that \
                  another thread of the process enters before X(cond_wait), for the same condition where the trace \
                  says which one a call is about. It may have woken another thread: an upper bound. Taking the \
                  mutex again after the signal counts as lock_contention.",
    picture: "signaller ─── compute ───────────┤signal├──
waiter    ──┤cond_wait▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒────├──
            ↑E                     ↑E(signal)",
    example: "cond_wait from 0.2 to 1.05 s, cond_signal entered at 1.0 s: the thread waits 0.8 s.",
    advice: "See what the signalling thread does before: the work it hands out comes too late or too rarely. Hand out \
             larger pieces earlier, or let fewer threads wait.",
    thresholds: &[],
    prior: PRIOR,
    references: &["IEEE Std 1003.1: pthread_cond_wait, pthread_cond_signal"],
};

/// Whether the call waits on a condition: `pthread_cond_wait`, `_timedwait`, `_clockwait`.
pub(crate) fn is_condition_wait(class: &RegionClass) -> bool {
    class.name.starts_with("pthread_cond_") && class.name.ends_with("wait")
}

fn search(scene: &Scene<'_>, call: CallRef, collector: &mut WaitCollector) {
    if let Some((at, location)) = scene.signals.signal_that_ended(scene.trace, call) {
        collector.add_wait_until(scene.trace, &CONDITION_WAIT, call, at, Some(location));
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;
    use crate::patterns::cube_rows;

    #[test]
    fn the_waiter_waits_until_the_last_signal_before_it_wakes() {
        let mut script = Script::threads(3);
        script.call(0, 200, 1050, "pthread_cond_wait");
        script.call(1, 150, 160, "pthread_cond_signal").call(1, 700, 710, "pthread_cond_signal");
        script.call(2, 1000, 1010, "pthread_cond_broadcast").call(2, 1100, 1110, "pthread_cond_signal");
        assert_eq!(cube_rows(&script), [("condition_wait", 0, "pthread_cond_wait".to_owned(), 800)]);
    }

    #[test]
    fn a_wait_without_a_signal_ran_into_its_time_limit() {
        let mut script = Script::threads(2);
        script.call(0, 200, 1050, "pthread_cond_timedwait").call(0, 1100, 1110, "pthread_cond_signal");
        script.call(1, 100, 110, "pthread_cond_signal");
        assert_eq!(cube_rows(&script), []);
    }

    #[test]
    fn other_processes_do_not_signal() {
        let mut script = Script::processes(2);
        script.call(0, 200, 1050, "pthread_cond_wait");
        script.call(1, 1000, 1010, "pthread_cond_signal");
        assert_eq!(cube_rows(&script), []);
    }
}
