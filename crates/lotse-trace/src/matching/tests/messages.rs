//! Sends and receives.

use lotse_model::id::{CommunicatorId, LocationId};
use lotse_model::trace::{Communicator, Event, EventKind};

use super::op;
use crate::fixture::{Script, WORLD};
use crate::matching::Links;

fn send(receiver: u32, communicator: CommunicatorId, tag: u32) -> (EventKind, Event) {
    (EventKind::MpiSend, Event::MpiSend { receiver, communicator, tag, length: 8 })
}

fn recv(sender: u32, communicator: CommunicatorId, tag: u32) -> (EventKind, Event) {
    (EventKind::MpiRecv, Event::MpiRecv { sender, communicator, tag, length: 8 })
}

fn isend(request: u64) -> (EventKind, Event) {
    let event = Event::MpiIsend { receiver: 1, communicator: WORLD, tag: 0, length: 8, request };
    (EventKind::MpiIsend, event)
}

fn post(request: u64) -> (EventKind, Event) {
    (EventKind::MpiIrecvRequest, Event::MpiIrecvRequest { request })
}

fn irecv(request: u64) -> (EventKind, Event) {
    let event = Event::MpiIrecv { sender: 0, communicator: WORLD, tag: 0, length: 8, request };
    (EventKind::MpiIrecv, event)
}

fn cancel(request: u64) -> (EventKind, Event) {
    (EventKind::MpiRequestCancelled, Event::MpiRequestCancelled { request })
}

/// Adds records ten ticks apart.
fn records(script: &mut Script, location: usize, from: u64, records: &[(EventKind, Event)]) {
    for (at, &(kind, event)) in (from..).step_by(10).zip(records) {
        script.event(location, at, kind, event);
    }
}

fn communicator(script: &mut Script, communicator: Communicator) -> CommunicatorId {
    script.definitions.communicators.push(communicator);
    CommunicatorId::from(script.definitions.communicators.len() - 1)
}

fn locations(numbers: &[u32]) -> Vec<Option<LocationId>> {
    numbers.iter().map(|&it| Some(LocationId(it))).collect()
}

fn counts(links: &Links) -> (u64, u64, u64) {
    (links.messages, links.unmatched_sends, links.unmatched_recvs)
}

#[test]
fn ranks_count_within_the_communicator() {
    let mut script = Script::processes(4);
    let pair = Communicator { members: locations(&[3, 1]), ..Communicator::default() };
    let pair = communicator(&mut script, pair);
    records(&mut script, 3, 0, &[send(1, pair, 0), send(1, WORLD, 0)]);
    records(&mut script, 1, 0, &[recv(3, WORLD, 0), recv(0, pair, 0)]);
    let links = script.trace().links;
    assert_eq!(links.partner(op(1, 0)), Some(op(3, 1)));
    assert_eq!(links.partner(op(1, 1)), Some(op(3, 0)));
    assert_eq!(links.partner(op(3, 0)), Some(op(1, 1)), "both ends know each other");
    assert_eq!(counts(&links), (2, 0, 0));
}

#[test]
fn a_process_may_send_to_itself() {
    let mut script = Script::processes(2);
    let alone = communicator(&mut script, Communicator { of_self: true, ..Communicator::default() });
    for rank in 0..2 {
        records(&mut script, rank, 0, &[send(0, alone, 5), recv(0, alone, 5)]);
    }
    let links = script.trace().links;
    assert_eq!(links.partner(op(0, 1)), Some(op(0, 0)));
    assert_eq!(links.partner(op(1, 1)), Some(op(1, 0)));
    assert_eq!(counts(&links), (2, 0, 0));
}

#[test]
fn between_groups_ranks_are_those_of_the_other_group() {
    let mut script = Script::processes(4);
    let between =
        Communicator { members: locations(&[0, 1]), remote: locations(&[2, 3]), ..Communicator::default() };
    let between = communicator(&mut script, between);
    records(&mut script, 0, 0, &[send(1, between, 0), recv(1, between, 1)]);
    records(&mut script, 3, 0, &[recv(0, between, 0), send(0, between, 1)]);
    let links = script.trace().links;
    assert_eq!(links.partner(op(3, 0)), Some(op(0, 0)));
    assert_eq!(links.partner(op(0, 1)), Some(op(3, 1)));
    assert_eq!(counts(&links), (2, 0, 0));
}

#[test]
fn unmatched_messages_are_counted() {
    let mut script = Script::processes(2);
    script.definitions.communicators[WORLD.index()].members.push(None);
    records(&mut script, 0, 0, &[send(1, WORLD, 0), send(1, WORLD, 1), send(2, WORLD, 0), send(9, WORLD, 0)]);
    records(&mut script, 1, 0, &[recv(0, WORLD, 0), recv(0, WORLD, 2), recv(2, WORLD, 0)]);
    let links = script.trace().links;
    assert_eq!(counts(&links), (1, 3, 2));
    assert_eq!(links.partner(op(0, 1)), None, "its tag is never received");
    assert_eq!(links.partner(op(1, 2)), None, "its sender is not traced");
}

#[test]
fn messages_of_a_channel_do_not_overtake_each_other() {
    let mut script = Script::processes(2);
    records(&mut script, 0, 0, &[send(1, WORLD, 7), send(1, WORLD, 3), send(1, WORLD, 7)]);
    records(&mut script, 1, 0, &[recv(0, WORLD, 3), recv(0, WORLD, 7), recv(0, WORLD, 7)]);
    let links = script.trace().links;
    let sends: Vec<_> = (0..3).map(|number| links.partner(op(1, number))).collect();
    assert_eq!(sends, [Some(op(0, 1)), Some(op(0, 0)), Some(op(0, 2))]);
}

#[test]
fn a_cancelled_request_takes_no_message() {
    let mut script = Script::processes(2);
    records(&mut script, 0, 0, &[isend(1), cancel(1), isend(2)]);
    records(&mut script, 1, 0, &[post(1), post(2), cancel(1), irecv(2)]);
    let links = script.trace().links;
    assert_eq!(links.partner(op(1, 3)), Some(op(0, 2)));
    assert_eq!(links.partner(op(0, 0)), None);
    assert_eq!(counts(&links), (1, 0, 0), "a cancelled send is not missing");
}

#[test]
fn the_order_of_posting_counts_and_not_that_of_completion() {
    let mut script = Script::processes(2);
    records(&mut script, 0, 0, &[send(1, WORLD, 0), send(1, WORLD, 0), send(1, WORLD, 0)]);
    records(&mut script, 1, 0, &[post(1), post(2), recv(0, WORLD, 0), irecv(2), irecv(1)]);
    let links = script.trace().links;
    assert_eq!(links.partner(op(1, 4)), Some(op(0, 0)), "posted first");
    assert_eq!(links.partner(op(1, 3)), Some(op(0, 1)), "posted second");
    assert_eq!(links.partner(op(1, 2)), Some(op(0, 2)), "received last, though before both were complete");
}

#[test]
fn messages_of_several_threads_match_in_the_order_of_time() {
    let mut script = Script::hybrid(&[2, 2]);
    records(&mut script, 0, 20, &[send(1, WORLD, 0)]);
    records(&mut script, 1, 10, &[send(1, WORLD, 0)]);
    // The second thread posts at 30 and is done at 90, the first posts at 40 and is done at 50.
    script.with_record(2, (40, 50), "MPI_Recv", 50, recv(0, WORLD, 0));
    script.with_record(3, (30, 90), "MPI_Recv", 90, recv(0, WORLD, 0));
    let links = script.trace().links;
    assert_eq!(links.partner(op(3, 0)), Some(op(1, 0)));
    assert_eq!(links.partner(op(2, 0)), Some(op(0, 0)));
    assert_eq!(counts(&links), (2, 0, 0));
}
