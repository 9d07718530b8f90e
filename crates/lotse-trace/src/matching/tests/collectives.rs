//! Operations of communicators and of windows.

use lotse_model::id::{CommunicatorId, LocationId};
use lotse_model::trace::{CollectiveOp, Communicator, Event, EventKind};

use super::op;
use crate::fixture::Script;
use crate::store::OpRef;

fn bcast(script: &mut Script, location: usize, communicator: CommunicatorId, root: Option<u32>) {
    let event = Event::CollectiveEnd { op: CollectiveOp::Bcast, communicator, root, sent: 8, received: 8 };
    script.event(location, 0, EventKind::MpiCollectiveEnd, event);
}

fn members(script: &Script) -> Vec<(Vec<OpRef>, bool)> {
    let collectives = script.trace().links.collectives;
    collectives.into_iter().map(|collective| (collective.members, collective.complete)).collect()
}

#[test]
fn the_nth_of_a_communicator_belong_together() {
    let mut script = Script::processes(2);
    script.barrier(0, 0, 10).barrier(0, 20, 30);
    script.barrier(1, 25, 26).barrier(1, 27, 30);
    let expected = [(vec![op(0, 1), op(1, 1)], true), (vec![op(0, 3), op(1, 3)], true)];
    assert_eq!(members(&script), expected);
}

#[test]
fn communicators_count_apart_and_roots_are_local() {
    let mut script = Script::processes(3);
    let pair =
        Communicator { members: vec![Some(LocationId(2)), Some(LocationId(0))], ..Communicator::default() };
    script.definitions.communicators.push(pair);
    let (world, pair) = (CommunicatorId(1), CommunicatorId(2));
    bcast(&mut script, 0, pair, Some(0));
    bcast(&mut script, 0, world, Some(0));
    bcast(&mut script, 1, world, Some(0));
    bcast(&mut script, 2, world, Some(0));
    bcast(&mut script, 2, pair, Some(0));
    let collectives = script.trace().links.collectives;
    assert_eq!(collectives[0].members, [op(0, 0), op(2, 1)]);
    assert_eq!(collectives[0].root, Some(LocationId(2)), "rank 0 of the pair");
    assert_eq!(collectives[1].members, [op(0, 1), op(1, 0), op(2, 0)]);
    assert_eq!(collectives[1].root, Some(LocationId(0)));
}

#[test]
fn a_crashed_member_is_missing_and_the_rest_still_matches() {
    let mut script = Script::processes(2);
    script.barrier(0, 0, 10).barrier(0, 20, 30);
    script.barrier(1, 5, 10);
    let expected = [(vec![op(0, 1), op(1, 1)], true), (vec![op(0, 3)], false)];
    assert_eq!(members(&script), expected);
}

#[test]
fn a_communicator_of_self_is_complete_with_one_member() {
    let mut script = Script::processes(2);
    script.definitions.communicators.push(Communicator { of_self: true, ..Communicator::default() });
    bcast(&mut script, 0, CommunicatorId(2), None);
    bcast(&mut script, 1, CommunicatorId(2), None);
    assert_eq!(members(&script), [(vec![op(0, 0)], true), (vec![op(1, 0)], true)]);
}

#[test]
fn fences_count_apart_from_barriers_of_their_communicator() {
    let mut script = Script::processes(2);
    script.fence(0, (0, 10), "MPI_Win_fence").barrier(0, 20, 30);
    script.barrier(1, 0, 30).fence(1, (40, 50), "MPI_Win_fence");
    let collectives = script.trace().links.collectives;
    let kinds: Vec<_> = collectives.iter().map(|it| (it.one_sided, it.members.len())).collect();
    assert_eq!(kinds, [(true, 2), (false, 2)]);
}
