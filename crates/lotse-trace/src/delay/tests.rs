//! Delay costs of small traces, calculated by hand.

use lotse_model::rule::Thresholds;
use lotse_model::trace::{CollectiveOp, Event, EventKind, LockKind};
use lotse_model::work::Sequential;

use super::{Delays, delays};
use crate::fixture::Script;
use crate::store::Trace;

mod late_exit;
mod one_way;

fn charged(script: &Script) -> (Trace, Delays) {
    let trace = script.trace();
    let waits = crate::waits::search(&trace, &Thresholds::default(), &Sequential);
    let delays = delays(&trace, &waits, &Sequential);
    (trace, delays)
}

fn costs(trace: &Trace, delays: &Delays) -> Vec<(String, u32, f64, f64)> {
    let mut rows: Vec<_> = delays
        .costs
        .iter()
        .map(|cost| (trace.path_name(cost.path), cost.location.0, cost.short, cost.long))
        .collect();
    rows.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    rows
}

/// Rank 0 computes 500 too long; rank 1 waits for it, computes 200 more than rank 2 and sends to it.
fn chain() -> Script {
    let mut script = Script::processes(3);
    script.enter(0, 0, "main").call(0, 0, 1000, "compute").send(0, 1000, 1000, 1, 0).leave(0, 1000, "main");
    script.enter(1, 0, "main").call(1, 0, 500, "compute").recv(1, 500, 1000, 0, 0);
    script.call(1, 1000, 1200, "compute").send(1, 1200, 1200, 2, 0).leave(1, 1200, "main");
    script.enter(2, 0, "main").call(2, 0, 500, "compute").recv(2, 500, 1200, 1, 0).leave(2, 1200, "main");
    script
}

#[test]
fn what_is_passed_on_becomes_long_term_cost() {
    let (trace, delays) = charged(&chain());
    assert_eq!(
        costs(&trace, &delays),
        [("main/compute".to_owned(), 0, 500.0, 500.0), ("main/compute".to_owned(), 1, 200.0, 0.0)]
    );
    let propagation = |location: usize| {
        let row = delays.propagation[location];
        (row.direct, row.indirect, row.propagating, row.terminal)
    };
    assert_eq!(propagation(1), (500.0, 0.0, 500.0, 0.0));
    assert_eq!(propagation(2), (200.0, 500.0, 0.0, 700.0));
    assert_eq!(delays.uncharged, 0.0);
}

#[test]
fn only_work_since_the_last_synchronisation_counts() {
    let mut script = Script::processes(2);
    for rank in [0, 1] {
        // Rank 0 is late the first time in `early`, the second time in `late`.
        let (early, late) = if rank == 0 { (900, 1700) } else { (400, 1500) };
        script.enter(rank, 0, "main").call(rank, 0, early, "early").barrier(rank, early, 1000);
        script.call(rank, 1000, late, "late").barrier(rank, late, 1700).leave(rank, 1700, "main");
    }
    let (trace, delays) = charged(&script);
    // The waits at both barriers are charged separately.
    let late: f64 = costs(&trace, &delays).iter().filter(|row| row.0 == "main/late").map(|row| row.2).sum();
    let early: f64 = costs(&trace, &delays).iter().filter(|row| row.0 == "main/early").map(|row| row.2).sum();
    assert_eq!((early, late), (500.0, 200.0));
}

#[test]
fn costs_and_what_nobody_is_charged_for_sum_to_the_waits() {
    let (trace, delays) = charged(&chain());
    let waits = crate::waits::search(&trace, &Thresholds::default(), &Sequential);
    let waited: u64 = waits.by_location.iter().flatten().map(|wait| wait.ticks()).sum();
    let short: f64 = delays.costs.iter().map(|cost| cost.short).sum();
    let indirect: f64 = delays.propagation.iter().map(|row| row.indirect).sum();
    assert_eq!(short + indirect + delays.uncharged, waited as f64);
}

/// Rank 2 computes 900 too long. This delays rank 0, the root of the gather, which therefore is the last at the barrier, where
/// rank 1 waits. Rank 1 was in time for the gather, so the root waits for rank 2 only.
#[test]
fn what_a_root_needs_beyond_its_first_sender_is_passed_on() {
    let mut script = Script::processes(3);
    for (rank, computed, gathered, at_barrier) in
        [(0, 100, 1010, 1012), (1, 100, 110, 110), (2, 1000, 1005, 1005)]
    {
        script.enter(rank, 0, "main").call(rank, 0, computed, "compute");
        script.collective(rank, (computed, gathered), "MPI_Gather", CollectiveOp::Gather, Some(0));
        script.barrier(rank, at_barrier, 1020).leave(rank, 1020, "main");
    }
    let (trace, delays) = charged(&script);
    let of_rank_2: f64 =
        costs(&trace, &delays).iter().filter(|row| row.1 == 2).map(|row| row.2 + row.3).sum();
    let all: f64 = delays.costs.iter().map(|cost| cost.short + cost.long).sum();
    // Rank 1 waits 902 and rank 2 waits 7 for rank 0; after rank 1 had left the gather, rank 0 needed rank 2 for 890.
    // The root itself waits 900 for rank 2.
    let expected = (900.0 + 890.0, 900.0 + 909.0, 0.0);
    assert_eq!((of_rank_2, all, delays.uncharged), expected, "{:?}", costs(&trace, &delays));
}

/// Rank 1's record begins 500 later than that of rank 0, which waits for its message: this is charged to start-up and not
/// to the first call of rank 1.
#[test]
fn a_record_that_begins_late_is_start_up() {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").recv(0, 0, 525, 1, 0).leave(0, 600, "main");
    script.enter(1, 500, "main").call(1, 500, 520, "first").send(1, 520, 521, 0, 0).leave(1, 600, "main");
    let (trace, delays) = charged(&script);
    let rows: Vec<(String, u32, f64)> =
        delays.costs.iter().map(|cost| (trace.path_name(cost.path), cost.location.0, cost.short)).collect();
    assert_eq!(rows, [("main/first".to_owned(), 1, 20.0), ("(start-up)".to_owned(), 1, 500.0)]);
}

/// Rank 0 computes 400 too long in the first round. Rank 1 sends to rank 2 and receives from rank 0 in one call, so that
/// rank 2 is delayed only in the second round.
#[test]
fn a_wait_inside_an_exchange_is_passed_on_to_its_cause() {
    let (communicator, tag, length) = (crate::fixture::WORLD, 0, 8);
    let mut script = Script::processes(3);
    script.enter(0, 0, "main").call(0, 0, 500, "compute").send(0, 500, 505, 1, 0).leave(0, 505, "main");
    script.enter(1, 0, "main").call(1, 0, 100, "compute").enter(1, 100, "MPI_Sendrecv");
    let send = Event::MpiSend { receiver: 2, communicator, tag, length };
    let receive = Event::MpiRecv { sender: 0, communicator, tag, length };
    script.event(1, 100, EventKind::MpiSend, send).event(1, 510, EventKind::MpiRecv, receive);
    script.leave(1, 510, "MPI_Sendrecv").call(1, 512, 612, "compute").send(1, 612, 617, 2, 0);
    script.leave(1, 617, "main");
    script.enter(2, 0, "main").call(2, 0, 100, "compute").recv(2, 100, 105, 1, 0);
    script.call(2, 105, 205, "compute").recv(2, 205, 620, 1, 0).leave(2, 620, "main");
    let (trace, delays) = charged(&script);
    let rows = costs(&trace, &delays);
    let of_rank_0: f64 = rows.iter().filter(|row| row.1 == 0).map(|row| row.2 + row.3).sum();
    // Rank 1 waits 400 and rank 2 waits 407; 10 of rank 1's exchange and 2 of its main are its own.
    assert!(of_rank_0 > 400.0 + 390.0, "{rows:?}");
}

/// Three threads request a lock at the same time, and each holds it for 100: the last waits 100 for each of the others,
/// regardless of what they did before.
#[test]
fn a_wait_for_a_lock_is_charged_to_its_holders() {
    let mut script = Script::threads(3);
    for (order, thread) in (1..).zip(0..3) {
        let (kind, lock) = (LockKind::Mutex, 1);
        let (requested, acquired) = (1000, 1000 + 100 * u64::from(order - 1));
        let acquire = (EventKind::ThreadAcquireLock, Event::AcquireLock { kind, lock, order });
        let release = (EventKind::ThreadReleaseLock, Event::ReleaseLock { kind, lock, order });
        script.enter(thread, 0, "main").call(thread, 0, 700 + 100 * u64::from(order), "before");
        script.with_record(thread, (requested, acquired), "pthread_mutex_lock", acquired, acquire);
        script.call(thread, acquired, acquired + 100, "inside");
        script.with_record(
            thread,
            (acquired + 100, acquired + 100),
            "pthread_mutex_unlock",
            acquired + 100,
            release,
        );
        script.leave(thread, 1400, "main");
    }
    let (trace, delays) = charged(&script);
    let rows = costs(&trace, &delays);
    let cost =
        |thread: u32| -> f64 { rows.iter().filter(|row| row.1 == thread).map(|row| row.2 + row.3).sum() };
    // The second waits 100 for the first, the third 100 for each of them.
    assert_eq!((cost(0), cost(1), cost(2)), (200.0, 100.0, 0.0), "{rows:?}");
    assert!(rows.iter().all(|row| row.0 == "main/inside"), "{rows:?}");
}

/// Between the parallel regions the worker has no work while the master computes; then the worker works 60 longer than the
/// master. What it did before the fork is not why the master waits.
#[test]
fn a_worker_without_work_causes_nothing() {
    let mut script = Script::threads(2);
    for thread in [0, 1] {
        script.enter(thread, 0, "Working");
    }
    for (start, late) in [(0, 0), (100, 60)] {
        script.fork(0, start, 2).team_begin(0, start, 1).call(0, start, start + 20, "work");
        script.team_end(0, start + 20, 1).join(0, start + 20 + late);
        script.call(0, start + 20 + late, start + 100, "serial");
        script.team_begin(1, start, 1).call(1, start, start + 20 + late, "work");
        script.team_end(1, start + 20 + late, 1);
    }
    for thread in [0, 1] {
        script.leave(thread, 200, "Working");
    }
    let (trace, delays) = charged(&script);
    let short: Vec<_> =
        costs(&trace, &delays).into_iter().map(|(path, at, short, _)| (path, at, short)).collect();
    assert_eq!(short, [("Working/work".to_owned(), 1, 60.0)]);
}

/// The same code has different call paths on a master and on its workers: `same` takes equally long on both.
#[test]
fn equal_work_is_no_cause_even_if_its_call_paths_differ() {
    let mut script = Script::threads(2);
    script.enter(0, 0, "main").fork(0, 1, 2);
    for (thread, late) in [(0, 20), (1, 80)] {
        script.team_begin(thread, 2, 1).enter(thread, 3, "parallel").call(thread, 3, 50, "same");
        script.call(thread, 50, 50 + late, "work").leave(thread, 50 + late, "parallel");
        script.team_end(thread, 50 + late, 1);
    }
    script.join(0, 130).leave(0, 130, "main");
    let (trace, delays) = charged(&script);
    let costs = costs(&trace, &delays);
    let cost = |path: &str| costs.iter().filter(|row| row.0 == path).map(|row| row.2).sum::<f64>();
    assert_eq!(cost("main/parallel/same"), 0.0, "{costs:?}");
    assert!(cost("main/parallel/work") > 59.0, "{costs:?}");
}

/// Rank 0 sends two messages without blocking, works 100 for each and waits for the first from 200 on; rank 1 works until
/// 600 before it receives it. The receive that ends the wait is not a synchronisation point before the wait.
#[test]
fn a_late_receiver_of_a_message_sent_before_is_charged() {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").isend(0, 0, 1, 0, 1).call(0, 0, 100, "produce");
    script.isend(0, 100, 1, 0, 2).call(0, 100, 200, "produce").enter(0, 200, "MPI_Wait");
    script.event(0, 610, EventKind::MpiIsendComplete, Event::MpiIsendComplete { request: 1 });
    script.leave(0, 610, "MPI_Wait").leave(0, 610, "main");
    script.enter(1, 0, "main").call(1, 0, 600, "consume").recv(1, 600, 620, 0, 0).leave(1, 620, "main");
    let (trace, delays) = charged(&script);
    assert_eq!(costs(&trace, &delays), [("main/consume".to_owned(), 1, 400.0, 0.0)]);
    assert_eq!(delays.uncharged, 0.0);
}
