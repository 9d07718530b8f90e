//! Small traces whose simulated lengths are calculated by hand.

use lotse_model::rule::Thresholds;
use lotse_model::trace::{Event, EventKind, LockKind};
use lotse_model::work::Sequential;

use super::{Change, Factor, Graph, longest};
use crate::critical::critical_path;
use crate::fixture::{Script, WORLD};
use crate::store::Trace;
use crate::waits::{Wait, Waits};

fn opened(script: &Script) -> (Trace, Waits, Graph) {
    let trace = script.trace();
    let waits = crate::waits::search(&trace, &Thresholds::default(), &Sequential);
    let graph = Graph::new(&trace, &waits);
    (trace, waits, graph)
}

/// Two phases with barriers: (800, 500), then (400, 900).
fn phases() -> Script {
    let mut script = Script::processes(2);
    for (rank, first, second) in [(0, 800, 400), (1, 500, 900)] {
        script.enter(rank, 0, "main").call(rank, 0, first, "a").barrier(rank, first, 800);
        script.call(rank, 800, 800 + second, "b").barrier(rank, 800 + second, 1700).leave(rank, 1700, "main");
    }
    script
}

fn length(script: &Script, change: &Change) -> u64 {
    let (trace, _, graph) = opened(script);
    graph.run(&trace, std::slice::from_ref(change))[0].length
}

fn scaled(script: &Script, path: &str, factor: f64) -> u64 {
    let (trace, _, graph) = opened(script);
    let change = Change::scaled(trace.paths_named(path), Factor::try_from(factor).unwrap());
    graph.run(&trace, &[change])[0].length
}

#[test]
fn without_a_change_nothing_changes() {
    assert_eq!(length(&phases(), &Change::none()), 1700);
}

#[test]
fn a_phase_that_vanishes_leaves_the_other() {
    assert_eq!(scaled(&phases(), "main/a", 0.0), 900);
    assert_eq!(scaled(&phases(), "main/b", 0.0), 800);
    assert_eq!(scaled(&phases(), "main/a", 0.5), 400 + 900);
    assert_eq!(scaled(&phases(), "main/b", 2.0), 800 + 1800);
}

#[test]
fn changes_do_not_disturb_each_other() {
    let (trace, _, graph) = opened(&phases());
    let scaled =
        |name: &str, factor: f64| Change::scaled(trace.paths_named(name), Factor::try_from(factor).unwrap());
    let mut changes = vec![Change::none(), scaled("main/a", 0.0), scaled("main/b", 0.0)];
    changes.extend((0..9).map(|tenth| scaled("main/a", f64::from(tenth) / 10.0)));
    let lengths: Vec<u64> = graph.run(&trace, &changes).iter().map(|it| it.length).collect();
    let separate: Vec<u64> =
        changes.iter().map(|change| graph.run(&trace, std::slice::from_ref(change))[0].length).collect();
    assert_eq!(lengths, separate);
    assert_eq!(lengths[..3], [1700, 900, 800]);
}

/// Rank 0 works 700 and sends, rank 1 works 300, waits, receives until 720 and works 280 more.
fn late_sender() -> Script {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").call(0, 0, 700, "work").send(0, 700, 705, 1, 0).leave(0, 800, "main");
    script.enter(1, 0, "main").call(1, 0, 300, "own").recv(1, 300, 720, 0, 0).call(1, 720, 1000, "rest");
    script.leave(1, 1000, "main");
    script
}

#[test]
fn a_receive_ends_with_its_message_or_its_own_work() {
    assert_eq!(scaled(&late_sender(), "main/work", 0.5), 350 + 20 + 280);
    // Below that the receiver's own work determines the length.
    assert_eq!(scaled(&late_sender(), "main/work", 0.0), 300 + 20 + 280);
    assert_eq!(scaled(&late_sender(), "main/own", 0.0), 1000);
}

#[test]
fn an_ideal_network_takes_no_time() {
    assert_eq!(length(&late_sender(), &Change::ideal_network()), 700 + 280);
}

#[test]
fn messages_can_take_longer_but_not_less_than_nothing() {
    assert_eq!(length(&late_sender(), &Change { latency: 50, ..Change::none() }), 1050);
    assert_eq!(length(&late_sender(), &Change { latency: -5, ..Change::none() }), 995);
    assert_eq!(length(&late_sender(), &Change { latency: -500, ..Change::none() }), 980);
}

/// Rank 0 sends two messages at once; rank 1 waits for the first, works 280 and receives the second in 5.
#[test]
fn a_message_with_slack_delays_nothing_until_the_slack_is_used_up() {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").call(0, 0, 700, "work").send(0, 700, 700, 1, 0).send(0, 700, 700, 1, 0);
    script.leave(0, 700, "main").enter(1, 0, "main").recv(1, 0, 720, 0, 0).call(1, 720, 1000, "rest");
    script.recv(1, 1000, 1005, 0, 0).leave(1, 1005, "main");
    let later = |latency| length(&script, &Change { latency, ..Change::none() });
    // A message takes 20, a receive itself 5. Latency delays the first receive but not the second, which takes 5.
    assert_eq!((later(50), later(400)), (1055, 1405));
    assert_eq!((later(-10), later(-15), later(-500)), (995, 990, 990));
}

#[test]
fn a_huge_latency_does_not_overflow() {
    let longest = length(&late_sender(), &Change { latency: i64::MAX, ..Change::none() });
    assert!(longest > u64::MAX / 5);
}

#[test]
fn a_wait_can_be_removed() {
    let (trace, waits, graph) = opened(&late_sender());
    let mut change = Change::none();
    waits.by_location.iter().flatten().for_each(|wait| change.remove(wait));
    assert_eq!(graph.run(&trace, &[change])[0].length, 800);
}

#[test]
fn the_nearest_rival_is_found_with_the_critical_path_gone() {
    let (trace, waits, graph) = opened(&late_sender());
    let spans = critical_path(&trace, &waits).segments;
    let rival = longest(&graph, &trace, &Change { spans, ..Change::none() });
    // Rank 1's own 300; its transfer and rest are on the critical path. Rank 0 has 100 after its send.
    assert_eq!(rival.length, 300);
    let names: Vec<(String, u64)> =
        rival.rows.iter().map(|row| (trace.path_name(row.path), row.ticks)).collect();
    assert_eq!(names, [("main/own".to_owned(), 300)]);
}

#[test]
fn a_cycle_is_cut_and_counted() {
    // Each receives before it sends. This is only possible with wrong records, but the simulation must still end.
    let mut script = Script::processes(2);
    for rank in [0, 1] {
        let peer = 1 - rank as u32;
        script
            .enter(rank, 0, "main")
            .recv(rank, 10, 20, peer, 0)
            .send(rank, 30, 40, peer, 0)
            .leave(rank, 50, "main");
    }
    let (trace, _, graph) = opened(&script);
    let outcome = &graph.run(&trace, &[Change::none()])[0];
    assert!(outcome.cut > 0);
    assert!(outcome.length >= 50);
}

/// Rank 0 sends a message of a length to rank 1, in a call of this name.
fn send_by(script: &mut Script, (from, to): (u64, u64), name: &str, length: u64) {
    let event = Event::MpiSend { receiver: 1, communicator: WORLD, tag: 0, length };
    script.with_record(0, (from, to), name, from, (EventKind::MpiSend, event));
}

/// The main thread works 500, creates a thread, holds a lock for 300 and waits for the thread, which waits for the lock and
/// then works 693.
fn lock_and_thread() -> Script {
    let mut script = Script::threads(2);
    let (team, count, kind, lock) = (WORLD, 1, LockKind::Mutex, 1);
    let create = (EventKind::ThreadCreate, Event::ThreadCreate { team, count });
    let wait = (EventKind::ThreadWait, Event::ThreadWait { team, count });
    let acquire = |order| (EventKind::ThreadAcquireLock, Event::AcquireLock { kind, lock, order });
    let release = |order| (EventKind::ThreadReleaseLock, Event::ReleaseLock { kind, lock, order });
    script.enter(0, 0, "main").call(0, 0, 500, "work");
    script.with_record(0, (500, 505), "pthread_create", 505, create);
    script.with_record(0, (505, 506), "pthread_mutex_lock", 506, acquire(1)).call(0, 506, 806, "held");
    script.with_record(0, (806, 806), "pthread_mutex_unlock", 806, release(1));
    script.with_record(0, (806, 1502), "pthread_join", 1502, wait).leave(0, 1502, "main");
    script.event(1, 510, EventKind::ThreadBegin, Event::ThreadBegin { team, count });
    script.with_record(1, (510, 807), "pthread_mutex_lock", 807, acquire(2));
    script.with_record(1, (807, 807), "pthread_mutex_unlock", 807, release(2)).call(1, 807, 1500, "part");
    script.event(1, 1500, EventKind::ThreadEnd, Event::ThreadEnd { team, count });
    script
}

#[test]
fn a_thread_begins_earlier_if_it_is_created_earlier() {
    assert_eq!(scaled(&lock_and_thread(), "main/work", 0.0), 1002);
}

#[test]
fn a_thread_whose_first_wait_is_removed_still_has_to_be_created() {
    let (trace, waits, graph) = opened(&lock_and_thread());
    let contention = |wait: &&Wait| wait.metric.is_some_and(|metric| metric.id == "lock_contention");
    let mut change = Change::none();
    waits.by_location[1].iter().filter(contention).for_each(|wait| change.remove(wait));
    let outcome = &graph.run(&trace, &[change])[0];
    assert_eq!(outcome.length, 510 + 1 + 693 + 2);
}

#[test]
fn a_receive_that_took_no_time_still_delays_what_follows() {
    let mut script = Script::processes(3);
    script.enter(0, 0, "main").call(0, 0, 700, "work").send(0, 700, 705, 1, 0).leave(0, 705, "main");
    script.enter(1, 0, "main").call(1, 0, 700, "own").recv(1, 700, 700, 0, 0).send(1, 700, 705, 2, 0);
    script.leave(1, 705, "main");
    script.enter(2, 0, "main").recv(2, 0, 705, 1, 0).call(2, 705, 1000, "rest").leave(2, 1000, "main");
    assert_eq!(scaled(&script, "main/own", 0.0), 1000);
}

#[test]
fn a_buffered_send_that_overlaps_its_receive_still_does_not_wait_for_it() {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").send(0, 0, 5, 1, 0).call(0, 5, 700, "work").send(0, 700, 705, 1, 0);
    script.call(0, 705, 2000, "after").leave(0, 2000, "main");
    script.enter(1, 0, "main").call(1, 0, 100, "own").recv(1, 100, 105, 0, 0).call(1, 105, 703, "more");
    script.recv(1, 703, 710, 0, 0).leave(1, 710, "main");
    assert_eq!(scaled(&script, "main/more", 2.0), 2000);
}

#[test]
fn a_synchronous_send_that_becomes_early_waits_for_its_receive() {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").call(0, 0, 700, "work");
    send_by(&mut script, (700, 705), "MPI_Ssend", 8);
    script.call(0, 705, 1000, "after").leave(0, 1000, "main");
    script.enter(1, 0, "main").call(1, 0, 500, "own").recv(1, 500, 710, 0, 0).leave(1, 710, "main");
    assert_eq!(scaled(&script, "main/work", 0.0), 500 + 5 + 295);
}

#[test]
fn one_long_send_that_waited_is_evidence_for_all() {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main");
    send_by(&mut script, (0, 102), "MPI_Send", 1 << 20);
    script.call(0, 102, 700, "work");
    send_by(&mut script, (700, 705), "MPI_Send", 1 << 20);
    script.call(0, 705, 1000, "after").leave(0, 1000, "main");
    script.enter(1, 0, "main").call(1, 0, 100, "own").recv(1, 100, 110, 0, 0).call(1, 110, 600, "more");
    script.recv(1, 600, 710, 0, 0).leave(1, 710, "main");
    assert_eq!(scaled(&script, "main/work", 0.0), 600 + 5 + 295);
}

#[test]
fn the_longest_path_has_the_times_after_the_change() {
    let (trace, _, graph) = opened(&phases());
    let bound =
        longest(&graph, &trace, &Change::scaled(trace.paths_named("main/b"), Factor::try_from(0.5).unwrap()));
    let rows: Vec<(String, u32, u64)> =
        bound.rows.iter().map(|row| (trace.path_name(row.path), row.location.0, row.ticks)).collect();
    assert_eq!(rows, [("main/a".to_owned(), 0, 800), ("main/b".to_owned(), 1, 450)]);
    assert_eq!(bound.length, 1250);
}

/// Each thread is created by the other: tracing back the longest path must still end.
#[test]
fn threads_that_create_each_other_do_not_cause_an_endless_loop() {
    let mut script = Script::threads(2);
    let begin = |count| Event::ThreadBegin { team: WORLD, count };
    let create = |count| Event::ThreadCreate { team: WORLD, count };
    script.enter(0, 10, "main").event(0, 100, EventKind::ThreadBegin, begin(1));
    script.event(0, 110, EventKind::ThreadCreate, create(2)).leave(0, 120, "main");
    script.event(1, 40, EventKind::ThreadBegin, begin(2)).event(1, 50, EventKind::ThreadCreate, create(1));
    script.call(1, 60, 70, "work");
    let (trace, _, graph) = opened(&script);
    let bound = longest(&graph, &trace, &Change::none());
    assert_eq!(bound.length, graph.run(&trace, &[Change::none()])[0].length);
}

/// The example of the module description and of the book, with a hundred ticks per unit.
#[test]
fn the_worked_example_has_the_documented_result() {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").call(0, 0, 600, "work").send(0, 600, 700, 1, 0).leave(0, 700, "main");
    script.enter(1, 0, "main").call(1, 0, 200, "own").recv(1, 200, 700, 0, 0);
    script.call(1, 700, 1000, "rest").leave(1, 1000, "main");
    let lengths = [1.0, 1.0 / 3.0, 0.0].map(|factor| scaled(&script, "main/work", factor));
    assert_eq!(lengths, [1000, 600, 600]);
}

/// Two threads take a lock in turn, so often that simulations of several changes are interleaved.
#[test]
fn interleaved_simulations_equal_separate_ones() {
    let mut script = Script::threads(2);
    for thread in 0..2 {
        script.enter(thread, 0, "main");
        for round in 0..super::simulation::SLICE as u64 {
            let (begin, order) = (40 * round, 2 * round as u32 + u32::from(thread == 1) + 1);
            let (requested, acquired, released) = if thread == 0 {
                (begin, begin + 1, begin + 15)
            } else {
                (begin + 5, begin + 16, begin + 30)
            };
            let (kind, lock) = (LockKind::Mutex, 1);
            let acquire = (EventKind::ThreadAcquireLock, Event::AcquireLock { kind, lock, order });
            let release = (EventKind::ThreadReleaseLock, Event::ReleaseLock { kind, lock, order });
            script.with_record(thread, (requested, acquired), "pthread_mutex_lock", acquired, acquire);
            script.call(thread, acquired, released, "work");
            script.with_record(thread, (released, released), "pthread_mutex_unlock", released, release);
        }
        script.leave(thread, 40 * super::simulation::SLICE as u64, "main");
    }
    let (trace, _, graph) = opened(&script);
    let paths = trace.paths_named("work");
    let factors = [1.0, 0.5, 0.0].map(|factor| Factor::try_from(factor).unwrap());
    let changes = factors.map(|factor| Change::scaled(paths.clone(), factor));
    let separate = changes.each_ref().map(|change| graph.run(&trace, std::slice::from_ref(change))[0].length);
    let together: Vec<u64> = graph.run(&trace, &changes).iter().map(|outcome| outcome.length).collect();
    assert_eq!(together, separate);
    assert_eq!(separate[0], 40 * super::simulation::SLICE as u64, "the recorded execution");
    assert!(separate[0] > separate[1] && separate[1] > separate[2], "{separate:?}");
}
