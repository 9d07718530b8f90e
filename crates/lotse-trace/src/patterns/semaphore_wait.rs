//! Semaphore wait: a thread waits for a token that another posts.

use lotse_model::Rule;
use lotse_model::trace::{Event, EventKind, ObjectKind};

use super::{PRIOR, Pattern, Search};
use crate::class::Class;
use crate::metric::{Bound, Metric};
use crate::store::OpRef;
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern = Pattern {
    rule: &RULE,
    metrics: &[&SEMAPHORE_WAIT],
    search: Search::Records(&[EventKind::Attribute], search),
};

/// Waiting for another thread's post.
static SEMAPHORE_WAIT: Metric =
    Metric::wait("semaphore_wait", "wait for a semaphore", Class::Lock, Bound::Exact).from_records();

static RULE: Rule = Rule {
    id: "semaphore_wait",
    version: 1,
    title: "wait for a semaphore: another thread has to post it",
    meaning: "The semaphore had no token left when the thread asked for one. Where threads hand work to each other \
              by semaphores, the one that posts is too slow for the one that waits.",
    computation: "min(E(post), X(wait)) - E(wait), where that is more than 0. Semaphores count: the n-th wait to \
                  succeed takes the token of the (n - initial)-th post, in the order of time; the initial value is \
                  the smallest that lets all waits end when they did. Exact.",
    picture: "producer  ─── produce ─────────────┤post├──
consumer  ──┤wait▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒──├── consume ──
            ↑E                     ↑E(post)",
    example: "sem_wait from 0.2 to 1.01 s, the post whose token it takes is entered at 1.0 s: 0.8 s of waiting.",
    advice: "Make what the posting thread does before shorter, or let several threads do it; post as soon as there is \
             something to take, and hand over several things at a time where posts are very frequent.",
    thresholds: &[],
    prior: PRIOR,
    references: &["IEEE Std 1003.1: sem_wait, sem_post"],
};

fn search(scene: &Scene<'_>, op: OpRef, collector: &mut WaitCollector) {
    let trace = scene.trace;
    if !matches!(trace.shape(op), Event::Object { kind: ObjectKind::Semaphore, .. }) {
        return;
    }
    let (Some(call), Some(post)) = (trace.call_of(op), trace.links.partner(op)) else { return };
    collector.add_wait_until(trace, &SEMAPHORE_WAIT, call, trace.op(post).at, Some(post.location));
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::ObjectKind;

    use crate::fixture::Script;
    use crate::patterns::cube_rows;

    fn call(script: &mut Script, thread: usize, span: (u64, u64), name: &str) {
        script.call_about(thread, span, name, (ObjectKind::Semaphore, 0x10));
    }

    /// Location and ticks of all waits.
    fn waits(script: &Script) -> Vec<(u32, u64)> {
        let rows = cube_rows(script).into_iter().filter(|row| row.0 == "semaphore_wait");
        rows.map(|row| (row.1, row.3)).collect()
    }

    #[test]
    fn the_consumer_waits_for_each_post() {
        let mut script = Script::threads(2);
        for (post, wait) in [(1000, 200), (2000, 1500), (2100, 2500)] {
            call(&mut script, 0, (post, post + 5), "sem_post");
            call(&mut script, 1, (wait, (post + 10).max(wait + 1)), "sem_wait");
        }
        // From 200 to 1000 and from 1500 to 2000; the third token was there already.
        assert_eq!(waits(&script), [(1, 1300)]);
    }

    /// Two tokens are there from the beginning, so that the third wait takes the first post.
    #[test]
    fn initial_tokens_are_taken_first() {
        let mut script = Script::threads(2);
        call(&mut script, 1, (10, 11), "sem_wait");
        call(&mut script, 1, (20, 21), "sem_wait");
        call(&mut script, 0, (500, 505), "sem_post");
        call(&mut script, 0, (900, 905), "sem_post");
        call(&mut script, 1, (100, 510), "sem_wait");
        call(&mut script, 1, (600, 910), "sem_wait");
        assert_eq!(waits(&script), [(1, 400 + 300)]);
    }

    #[test]
    fn threads_that_wait_together_are_released_one_by_one() {
        let mut script = Script::threads(3);
        call(&mut script, 0, (400, 401), "sem_post");
        call(&mut script, 0, (700, 701), "sem_post");
        call(&mut script, 1, (100, 705), "sem_wait");
        call(&mut script, 2, (200, 405), "sem_wait");
        assert_eq!(waits(&script), [(1, 600), (2, 200)]);
    }

    #[test]
    fn a_wait_that_ran_into_its_time_limit_takes_no_token() {
        let mut script = Script::threads(2);
        call(&mut script, 1, (0, 100), "sem_timedwait");
        call(&mut script, 1, (200, 510), "sem_wait");
        call(&mut script, 0, (500, 505), "sem_post");
        assert_eq!(waits(&script), [(1, 300)]);
    }
}
