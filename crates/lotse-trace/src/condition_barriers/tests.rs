//! Barriers built from a condition variable, and calls that look similar but are not barriers.

use lotse_model::rule::Thresholds;
use lotse_model::trace::{Event, EventKind, ObjectKind};
use lotse_model::work::Sequential;

use super::ConditionBarriers;
use crate::fixture::Script;
use crate::retime::{Change, Factor, Graph};

const MUTEX: (ObjectKind, u64) = (ObjectKind::Lock, 1);
const CONDITION: (ObjectKind, u64) = (ObjectKind::Condition, 2);

fn call(script: &mut Script, thread: usize, span: (u64, u64), name: &str, about: &[(ObjectKind, u64)]) {
    script.enter(thread, span.0, name);
    for &(kind, address) in about {
        script.event(thread, span.0, EventKind::Attribute, Event::Object { kind, address });
    }
    script.leave(thread, span.1, name);
}

/// Thread `last` arrives at `came` and broadcasts; the others arrive at the given times and wait.
fn round(script: &mut Script, others: &[(usize, u64)], (last, came): (usize, u64)) {
    for (&(thread, at), left) in others.iter().zip(came + 12..) {
        call(script, thread, (at, at + 1), "pthread_mutex_lock", &[MUTEX]);
        call(script, thread, (at + 1, left), "pthread_cond_wait", &[CONDITION, MUTEX]);
        call(script, thread, (left, left + 1), "pthread_mutex_unlock", &[MUTEX]);
    }
    call(script, last, (came, came + 1), "pthread_mutex_lock", &[MUTEX]);
    call(script, last, (came + 1, came + 2), "pthread_cond_broadcast", &[CONDITION]);
    call(script, last, (came + 2, came + 3), "pthread_mutex_unlock", &[MUTEX]);
}

/// Work of each thread up to its barrier.
fn work(script: &mut Script, begin: u64, ends: &[u64]) {
    ends.iter().enumerate().for_each(|(thread, &end)| {
        script.call(thread, begin, end, "work");
    });
}

/// Two rounds of three threads. The third arrives last in the first round, `last` in the second.
fn two_rounds(last: usize) -> Script {
    let mut script = Script::threads(3);
    work(&mut script, 0, &[100, 200, 500]);
    round(&mut script, &[(0, 100), (1, 200)], (2, 500));
    let mut ends = [700, 800, 900];
    ends.swap(2, last);
    work(&mut script, 520, &ends);
    let others: Vec<(usize, u64)> = (0..3).filter(|&it| it != last).map(|it| (it, ends[it])).collect();
    round(&mut script, &others, (last, 900));
    script
}

#[test]
fn rounds_of_the_same_threads_are_a_barrier() {
    for (last, certain) in [(2, false), (0, true)] {
        let found = ConditionBarriers::new(&two_rounds(last).trace());
        let [barrier] = &found.barriers[..] else { panic!("{found:?}") };
        assert_eq!((barrier.rounds.len(), barrier.members.len(), barrier.is_certain()), (2, 3, certain));
        assert_eq!(found.other_broadcasts, 0);
    }
}

fn count(script: &Script) -> (usize, usize, u64) {
    let found = ConditionBarriers::new(&script.trace());
    (found.barriers.len(), found.other_broadcasts, found.other_waits)
}

#[test]
fn one_round_may_be_a_signal_to_begin() {
    let mut script = Script::threads(3);
    round(&mut script, &[(0, 100), (1, 200)], (2, 500));
    assert_eq!(count(&script), (0, 1, 400 + 300));
}

#[test]
fn threads_that_differ_from_round_to_round_are_no_barrier() {
    let mut script = Script::threads(3);
    round(&mut script, &[(0, 100), (1, 200)], (2, 500));
    round(&mut script, &[(0, 600)], (2, 900));
    assert_eq!((count(&script).0, count(&script).1), (0, 2));
}

#[test]
fn a_signal_wakes_one_and_is_no_barrier() {
    let mut script = two_rounds(0);
    call(&mut script, 0, (1000, 1001), "pthread_cond_signal", &[CONDITION]);
    assert_eq!((count(&script).0, count(&script).1), (0, 2));
}

/// The length of the run when the work of the third thread takes no time.
fn without_the_third(script: &Script, graph: fn(&crate::store::Trace, &crate::waits::Waits) -> Graph) -> u64 {
    let trace = script.trace();
    let waits = crate::waits::search(&trace, &Thresholds::default(), &Sequential);
    let mut change = Change::scaled(trace.paths_named("work"), Factor::ZERO);
    change.scaled.iter_mut().for_each(|it| it.location = Some(lotse_model::id::LocationId(2)));
    let outcomes = graph(&trace, &waits).run(&trace, &[Change::none(), change]);
    assert_eq!((outcomes[0].length, outcomes[0].cut, outcomes[1].cut), (trace.runtime(), 0, 0));
    outcomes[1].length
}

/// Without its work the third thread arrives first, and all wait for the second.
///
/// First round: the second waits from 201 on, which releases the first: it acquires the mutex at 202, releases it until
/// 203 and works from 210 to 590, because 7 ticks passed before its work and 380 in it. It locks, broadcasts at 591 and
/// unlocks at 592; 10 ticks later the second holds the mutex until 603, then the third until 604. If the first did not wait
/// for the second in the first round, everything would be 100 earlier.
#[test]
fn the_last_thread_to_arrive_after_a_change_releases_the_others() {
    assert_eq!(without_the_third(&two_rounds(0), Graph::new), 604);
    assert_eq!(without_the_third(&two_rounds(0), Graph::with_kept_broadcasts), 504);
}
