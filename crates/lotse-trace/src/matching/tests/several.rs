//! Several threads of a process that communicate.

use lotse_model::id::{CommunicatorId, LocationId};
use lotse_model::rule::Thresholds;
use lotse_model::trace::{CollectiveOp, Communicator, Event, EventKind};
use lotse_model::work::Sequential;

use super::op;
use crate::clock::{Violations, correct, violations};
use crate::fixture::{Script, WORLD};
use crate::patterns::cube_rows;
use crate::phases::{Phase, cut};
use crate::retime::{Change, Factor, Graph};
use crate::store::OpRef;
use crate::waits::search;

/// The length of the execution with a call path scaled.
fn scaled(script: &Script, path: &str, factor: f64) -> u64 {
    let trace = script.trace();
    let waits = search(&trace, &Thresholds::default(), &Sequential);
    let change = Change::scaled(trace.paths_named(path), Factor::try_from(factor).unwrap());
    Graph::new(&trace, &waits).run(&trace, &[change])[0].length
}

fn members(script: &Script) -> Vec<Vec<OpRef>> {
    let collectives = script.trace().links.collectives;
    assert!(collectives.iter().all(|it| it.complete), "{collectives:?}");
    collectives.into_iter().map(|it| it.members).collect()
}

/// Completes a posted receive from rank 0.
fn wait(script: &mut Script, location: usize, (from, to): (u64, u64), request: u64) {
    let event = Event::MpiIrecv { sender: 0, communicator: WORLD, tag: 0, length: 8, request };
    script.with_record(location, (from, to), "MPI_Wait", to, (EventKind::MpiIrecv, event));
}

#[test]
fn threads_take_turns_in_the_collectives_of_their_process() {
    // The second process has its threads the other way round.
    let mut script = Script::hybrid(&[2, 2]);
    script.barrier(0, 10, 50).barrier(1, 60, 90).barrier(0, 100, 110);
    script.barrier(3, 20, 50).barrier(2, 80, 90).barrier(2, 100, 110);
    let expected = [[op(0, 1), op(3, 1)], [op(1, 1), op(2, 1)], [op(0, 3), op(2, 3)]];
    assert_eq!(members(&script), expected);
    let waits = cube_rows(&script).into_iter().filter(|row| row.0 == "wait_at_barrier");
    let waits: Vec<_> = waits.map(|(_, location, _, ticks)| (location, ticks)).collect();
    assert_eq!(waits, [(0, 10), (1, 20)], "attributed to the thread that waits");
}

#[test]
fn at_equal_times_the_order_is_that_of_locations() {
    let mut script = Script::hybrid(&[2, 1]);
    script.barrier(1, 10, 50).barrier(0, 10, 20);
    script.barrier(2, 10, 20).barrier(2, 30, 50);
    assert_eq!(members(&script), [[op(0, 1), op(2, 1)], [op(1, 1), op(2, 3)]]);
}

#[test]
fn communicators_of_threads_count_by_thread() {
    let mut script = Script::hybrid(&[2, 1]);
    script.definitions.communicators[WORLD.index()].members = [0, 1, 2].map(|it| Some(LocationId(it))).into();
    script.barrier(0, 10, 50).barrier(1, 20, 50).barrier(2, 50, 50);
    assert_eq!(members(&script), [[op(0, 1), op(1, 1), op(2, 1)]]);
}

#[test]
fn collectives_on_self_count_over_all_threads_of_a_process() {
    let mut script = Script::hybrid(&[2]);
    script.definitions.communicators.push(Communicator { of_self: true, ..Communicator::default() });
    let communicator = CommunicatorId(2);
    for (location, at) in [(1, 10), (0, 20)] {
        let (op, root) = (CollectiveOp::Barrier, None);
        let event = Event::CollectiveEnd { op, communicator, root, sent: 0, received: 0 };
        script.event(location, at, EventKind::MpiCollectiveEnd, event);
    }
    assert_eq!(members(&script), [[op(1, 0)], [op(0, 0)]]);
}

#[test]
fn the_root_is_the_thread_that_calls_for_it() {
    let mut script = Script::hybrid(&[2, 1]);
    script.collective(1, (50, 60), "MPI_Bcast", CollectiveOp::Bcast, Some(0));
    script.collective(2, (10, 60), "MPI_Bcast", CollectiveOp::Bcast, Some(0));
    assert_eq!(script.trace().links.collectives[0].root, Some(LocationId(1)));
    assert_eq!(cube_rows(&script), [("late_broadcast", 2, "MPI_Bcast".to_owned(), 40)]);
}

#[test]
fn one_thread_posts_a_collective_and_another_waits_for_it() {
    let mut script = Script::hybrid(&[2, 1]);
    let request = Event::CollectiveRequest { request: 7 };
    let post = (EventKind::NonBlockingCollectiveRequest, request);
    script.with_record(1, (30, 32), "MPI_Ibarrier", 31, post);
    let op_kind = CollectiveOp::Barrier;
    let event = Event::CollectiveComplete {
        op: op_kind,
        communicator: WORLD,
        root: None,
        sent: 0,
        received: 0,
        request: 7,
    };
    let complete = (EventKind::NonBlockingCollectiveComplete, event);
    script.with_record(0, (40, 90), "MPI_Wait", 90, complete);
    script.barrier(2, 10, 80);
    let links = script.trace().links;
    assert_eq!(links.other_half(op(0, 0)), Some(op(1, 0)));
    assert_eq!(links.odd_requests, 0);
    assert_eq!(members(&script), [[op(0, 0), op(2, 1)]]);
    let waited = cube_rows(&script).into_iter().filter(|row| row.0 == "wait_at_barrier");
    assert_eq!(waited.map(|row| (row.1, row.3)).collect::<Vec<_>>(), [(2, 20)], "until it is posted");
}

#[test]
fn one_thread_posts_what_another_completes() {
    let mut script = Script::hybrid(&[1, 2]);
    script.send(0, 50, 60, 1, 0);
    script.irecv(1, 10, 4);
    wait(&mut script, 2, (20, 65), 4);
    let trace = script.trace();
    let links = &trace.links;
    assert_eq!(links.other_half(op(2, 0)), Some(op(1, 0)));
    assert_eq!(links.other_half(op(1, 0)), Some(op(2, 0)));
    assert_eq!((links.partner(op(2, 0)), links.odd_requests), (Some(op(0, 0)), 0));
    assert_eq!(cube_rows(&script), [("late_sender", 2, "MPI_Wait".to_owned(), 30)]);
    let phase = cut(&trace, Phase { begin: 5, end: 100 }, &Sequential);
    assert_eq!(phase.links.other_half(op(2, 0)), Some(op(1, 0)), "a phase keeps what it has both ends of");
    let phase = cut(&trace, Phase { begin: 15, end: 100 }, &Sequential);
    assert_eq!(phase.links.other_half(op(2, 0)), None);
}

#[test]
fn a_receive_is_posted_when_its_thread_posts_it() {
    let mut script = Script::hybrid(&[1, 2]);
    script.send(0, 10, 90, 1, 0);
    script.irecv(1, 40, 4);
    wait(&mut script, 2, (60, 90), 4);
    assert_eq!(cube_rows(&script), [("late_receiver", 0, "MPI_Send".to_owned(), 30)]);
}

#[test]
fn receives_posted_at_the_same_time_keep_their_order() {
    let mut script = Script::hybrid(&[1, 2]);
    script.send(0, 0, 1, 1, 0).send(0, 2, 3, 1, 0);
    script.irecv(1, 10, 1).irecv(1, 10, 2);
    wait(&mut script, 2, (20, 30), 2);
    wait(&mut script, 2, (40, 50), 1);
    let links = script.trace().links;
    assert_eq!(links.partner(op(2, 0)), Some(op(0, 1)), "posted second, completed first");
    assert_eq!(links.partner(op(2, 1)), Some(op(0, 0)));
}

#[test]
fn requests_that_are_numbered_per_thread_match_within_the_thread() {
    let mut script = Script::hybrid(&[1, 2]);
    script.irecv(1, 10, 1).irecv(2, 20, 1);
    wait(&mut script, 2, (30, 40), 1);
    wait(&mut script, 1, (50, 60), 1);
    let links = script.trace().links;
    assert_eq!(links.other_half(op(2, 1)), Some(op(2, 0)));
    assert_eq!(links.other_half(op(1, 1)), Some(op(1, 0)));
    assert_eq!(links.odd_requests, 0);
}

#[test]
fn a_request_number_may_be_reused_by_another_thread() {
    let mut script = Script::hybrid(&[1, 2]);
    script.irecv(1, 10, 7);
    wait(&mut script, 2, (10, 20), 7);
    script.irecv(2, 30, 7);
    wait(&mut script, 1, (40, 50), 7);
    let links = script.trace().links;
    let halves = [op(1, 0), op(1, 1)].map(|it| links.other_half(it));
    assert_eq!(halves, [Some(op(2, 0)), Some(op(2, 1))]);
    assert_eq!(links.odd_requests, 0);
}

#[test]
fn unmatched_requests_are_counted_over_threads() {
    let mut script = Script::hybrid(&[1, 2]);
    // A request posted twice, a completion without a posting, and a posting that is never completed.
    script.irecv(1, 10, 7).irecv(1, 20, 7);
    wait(&mut script, 2, (30, 40), 7);
    wait(&mut script, 2, (50, 60), 8);
    script.irecv(2, 70, 9);
    let links = script.trace().links;
    assert_eq!(links.other_half(op(2, 0)), Some(op(1, 1)));
    assert_eq!(links.odd_requests, 3);
}

#[test]
fn a_send_may_be_cancelled_by_another_thread() {
    let mut script = Script::hybrid(&[2, 1]);
    script.isend(0, 10, 1, 0, 5).send(0, 30, 40, 1, 0);
    let cancel = Event::MpiRequestCancelled { request: 5 };
    script.event(1, 20, EventKind::MpiRequestCancelled, cancel);
    script.recv(2, 0, 40, 0, 0);
    let links = script.trace().links;
    assert_eq!(links.partner(op(2, 0)), Some(op(0, 1)));
    assert_eq!((links.messages, links.unmatched_sends), (1, 0));
}

#[test]
fn in_a_scan_the_thread_has_the_rank_of_its_process() {
    let mut script = Script::hybrid(&[2, 2, 2]);
    for (location, from) in [(1, 30), (3, 10), (5, 20)] {
        script.collective(location, (from, 40), "MPI_Scan", CollectiveOp::Scan, None);
    }
    let waits: Vec<_> = cube_rows(&script).into_iter().map(|row| (row.0, row.1, row.3)).collect();
    assert_eq!(waits, [("early_scan", 3, 20), ("early_scan", 5, 10)]);
}

/// Rank 0's second thread works 500 and broadcasts; rank 1 works 100 and waits for it.
#[test]
fn the_thread_that_calls_for_the_root_delays_the_others() {
    let mut script = Script::hybrid(&[2, 1]);
    script.call(1, 0, 500, "prepare");
    script.collective(1, (500, 510), "MPI_Bcast", CollectiveOp::Bcast, Some(0));
    script.call(2, 0, 100, "work");
    script.collective(2, (100, 510), "MPI_Bcast", CollectiveOp::Bcast, Some(0)).call(2, 510, 700, "rest");
    assert_eq!(scaled(&script, "prepare", 0.0), 100 + 10 + 190);
}

/// Rank 0's second thread works 500 and posts a barrier, its first thread waits for it; rank 1 arrives at 100.
#[test]
fn the_thread_that_posts_delays_the_others_and_not_the_one_that_waits() {
    let mut script = Script::hybrid(&[2, 1]);
    let post = (EventKind::NonBlockingCollectiveRequest, Event::CollectiveRequest { request: 7 });
    script.call(1, 0, 500, "prepare").with_record(1, (500, 500), "MPI_Ibarrier", 500, post);
    let (op, root, request) = (CollectiveOp::Barrier, None, 7);
    let event = Event::CollectiveComplete { op, communicator: WORLD, root, sent: 0, received: 0, request };
    let complete = (EventKind::NonBlockingCollectiveComplete, event);
    script.with_record(0, (0, 510), "MPI_Wait", 510, complete);
    script.call(2, 0, 100, "work").barrier(2, 100, 510).call(2, 510, 700, "rest");
    assert_eq!(scaled(&script, "prepare", 0.0), 100 + 10 + 190);
    assert_eq!(scaled(&script, "prepare", 0.5), 250 + 10 + 190);
}

#[test]
fn one_thread_posts_and_another_waits_with_a_wrong_clock() {
    let mut script = Script::hybrid(&[1, 2]);
    script.enter(0, 10_000, "main").enter(1, 15_000, "main").enter(2, 15_000, "main");
    for request in 1..5 {
        let at = 10_000 + 1_000 * request;
        script.barrier(0, at, at + 20);
        let post = (EventKind::NonBlockingCollectiveRequest, Event::CollectiveRequest { request });
        script.with_record(2, (at + 5_000, at + 5_001), "MPI_Ibarrier", at + 5_000, post);
        let (op, communicator, root) = (CollectiveOp::Barrier, WORLD, None);
        let event = Event::CollectiveComplete { op, communicator, root, sent: 0, received: 0, request };
        let complete = (EventKind::NonBlockingCollectiveComplete, event);
        script.with_record(1, (at + 5_002, at + 5_020), "MPI_Wait", at + 5_020, complete);
    }
    script.leave(0, 20_000, "main").leave(1, 25_000, "main").leave(2, 25_000, "main");
    let mut trace = script.trace();
    let correction = correct(&mut trace, &Sequential);
    assert_eq!(correction.before, Violations { messages: 0, collectives: 4 });
    assert_eq!(violations(&trace, &Sequential), Violations::default());
}
