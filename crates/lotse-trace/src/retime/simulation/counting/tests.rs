//! Simulations with semaphores and reader-writer locks; the expected lengths are calculated by hand.

use lotse_model::rule::Thresholds;
use lotse_model::trace::ObjectKind;
use lotse_model::work::Sequential;

use crate::fixture::Script;
use crate::retime::{Change, Factor, Graph};
use crate::waits::search;

/// The simulated lengths without a change, and with call paths scaled.
fn lengths(script: &Script, scaled: &[(&str, f64)]) -> [u64; 2] {
    let trace = script.trace();
    let waits = search(&trace, &Thresholds::default(), &Sequential);
    let mut change = Change::default();
    for &(name, factor) in scaled {
        let paths = trace.paths_named(name);
        assert!(!paths.is_empty(), "{name}");
        change.scaled.extend(Change::scaled(paths, Factor::try_from(factor).unwrap()).scaled);
    }
    let outcomes = Graph::new(&trace, &waits).run(&trace, &[Change::none(), change]);
    assert!(outcomes.iter().all(|outcome| outcome.cut == 0));
    [outcomes[0].length, outcomes[1].length]
}

fn semaphore(script: &mut Script, thread: usize, span: (u64, u64), name: &str) {
    script.call_about(thread, span, name, (ObjectKind::Semaphore, 1));
}

/// Ten rounds of 100 to produce and 30 to consume; a post is noticed after 2.
fn pipeline() -> Script {
    let mut script = Script::threads(2);
    script.enter(0, 0, "main").enter(1, 0, "main");
    let mut free = 0;
    for round in 1..=10 {
        let posted = round * 100;
        script.call(0, posted - 100, posted, "produce");
        semaphore(&mut script, 0, (posted, posted), "sem_post");
        semaphore(&mut script, 1, (free, posted + 2), "sem_wait");
        script.call(1, posted + 2, posted + 32, "consume");
        free = posted + 32;
    }
    script.leave(0, 1000, "main").leave(1, 1032, "main");
    script
}

#[test]
fn a_consumer_goes_as_fast_as_its_producer() {
    // Half as long: the last post at 500, then 2 and 30.
    assert_eq!(lengths(&pipeline(), &[("produce", 0.5)]), [1032, 532]);
    // The producer no longer limits: ten times 30 remain. Each wait takes as long as a free acquisition. The trace has
    // none, so the time of a hand-over is used.
    let [_, fast] = lengths(&pipeline(), &[("produce", 0.1)]);
    assert!((310..=332).contains(&fast), "{fast}");
    assert_eq!(lengths(&pipeline(), &[("consume", 0.0)]), [1032, 1002]);
}

/// Two producers post after 300 and 500; the consumer works 100 after each.
#[test]
fn tokens_come_in_the_order_of_the_simulation() {
    let mut script = Script::threads(3);
    for (thread, posted, name) in [(0, 300, "slow"), (1, 500, "slower")] {
        script.call(thread, 0, posted, name);
        semaphore(&mut script, thread, (posted, posted), "sem_post");
    }
    semaphore(&mut script, 2, (0, 300), "sem_wait");
    script.call(2, 300, 400, "consume");
    semaphore(&mut script, 2, (400, 500), "sem_wait");
    script.call(2, 500, 600, "consume");
    // The second producer posts first: 50, 150, then the token of the first at 300, 400.
    assert_eq!(lengths(&script, &[("slower", 0.1)]), [600, 400]);
}

fn hold(script: &mut Script, thread: usize, name: &str, (requested, acquired, released): (u64, u64, u64)) {
    let about = (ObjectKind::RwLock, 1);
    script.call_about(thread, (requested, acquired), name, about).call(thread, acquired, released, "inside");
    script.call_about(thread, (released, released), "pthread_rwlock_unlock", about);
}

/// Readers hold the lock from 0 to 100 and from 50 to 150. A writer requests it at 30 and writes from 150 to 200. Another
/// reader requests it at 160 and reads from 200 to 260.
fn readers_and_a_writer() -> Script {
    let mut script = Script::threads(4);
    hold(&mut script, 0, "pthread_rwlock_rdlock", (0, 0, 100));
    script.call(1, 0, 50, "before");
    hold(&mut script, 1, "pthread_rwlock_rdlock", (50, 50, 150));
    script.call(2, 0, 30, "before");
    hold(&mut script, 2, "pthread_rwlock_wrlock", (30, 150, 200));
    script.call(3, 0, 160, "late");
    hold(&mut script, 3, "pthread_rwlock_rdlock", (160, 200, 260));
    script
}

#[test]
fn a_writer_waits_for_readers_and_readers_overtake_it_as_before() {
    let script = readers_and_a_writer();
    // Twice as long inside: readers until 200 and 250, the writer until 350. The late reader arrives at 160, when
    // readers have the lock, and overtakes the writer: until 280; so the writer writes from 280 to 380.
    assert_eq!(lengths(&script, &[("inside", 2.0)]), [260, 380]);
    // No holding takes any time: the late reader ends when it arrives.
    assert_eq!(lengths(&script, &[("inside", 0.0)]), [260, 160]);
}

#[test]
fn readers_that_did_not_overtake_queue_behind_a_writer() {
    let mut script = Script::threads(3);
    hold(&mut script, 0, "pthread_rwlock_rdlock", (0, 0, 100));
    script.call(1, 0, 30, "before");
    hold(&mut script, 1, "pthread_rwlock_wrlock", (30, 100, 200));
    script.call(2, 0, 50, "before");
    hold(&mut script, 2, "pthread_rwlock_rdlock", (50, 200, 300));
    // The writer requests the lock at 60 and the reader at 100, while the first reads until 100: 100, 200, 300.
    assert_eq!(lengths(&script, &[("before", 2.0)]), [300, 300]);
    assert_eq!(lengths(&script, &[("inside", 0.5)]), [300, 150]);
}
