//! Epochs, fences and locks of windows, in small hand-made traces.

use lotse_model::id::{LocationId, ProcessId, WindowId};
use lotse_model::trace::{Event, EventKind};

use super::{RmaLinks, operation_end};
use crate::fixture::Script;
use crate::store::OpRef;

fn op(location: u32, op: u32) -> OpRef {
    OpRef { location: LocationId(location), op }
}

fn peers(links: &RmaLinks, location: u32, number: u32) -> Vec<OpRef> {
    links.peers(op(location, number)).to_vec()
}

#[test]
fn epochs_match_in_their_order_between_two_processes() {
    let mut script = Script::processes(3);
    // Rank 0 opens its window to 1, then to both; rank 2's first epoch belongs to the second post.
    script.epoch(0, (0, 1), "MPI_Win_post", &[1]).epoch(0, (90, 95), "MPI_Win_wait", &[1]);
    script.epoch(0, (100, 101), "MPI_Win_post", &[1, 2]).epoch(0, (190, 195), "MPI_Win_wait", &[1, 2]);
    script.epoch(1, (10, 11), "MPI_Win_start", &[0]).epoch(1, (80, 81), "MPI_Win_complete", &[0]);
    script.epoch(1, (110, 111), "MPI_Win_start", &[0]).epoch(1, (180, 181), "MPI_Win_complete", &[0]);
    script.epoch(2, (10, 111), "MPI_Win_start", &[0]).epoch(2, (185, 186), "MPI_Win_complete", &[0]);
    let links = script.trace().links.rma;
    assert_eq!(peers(&links, 1, 0), [op(0, 0)], "the first start needs the first post");
    assert_eq!(peers(&links, 1, 3), [op(0, 2)], "so does its complete");
    assert_eq!(peers(&links, 2, 0), [op(0, 2)], "a post that does not name a rank is not for it");
    assert_eq!(peers(&links, 0, 1), [op(1, 1)], "a wait needs the completes");
    assert_eq!(peers(&links, 0, 3), [op(1, 3), op(2, 1)]);
    assert_eq!(peers(&links, 0, 0), [], "a post needs nobody");
}

#[test]
fn an_access_points_to_the_post_that_allows_it() {
    let mut script = Script::processes(2);
    script.epoch(0, (0, 1), "MPI_Win_post", &[1]).epoch(0, (90, 95), "MPI_Win_wait", &[1]);
    script.epoch(1, (10, 11), "MPI_Win_start", &[0]).put(1, (20, 30), 0).put(1, (40, 50), 0);
    script.epoch(1, (80, 81), "MPI_Win_complete", &[0]).put(1, (100, 110), 0);
    let trace = script.trace();
    assert_eq!(trace.links.partner(op(1, 1)), Some(op(0, 0)));
    assert_eq!(trace.links.rma.last_access(op(1, 3), ProcessId(0)), Some(op(1, 2)));
    assert_eq!(trace.links.other_half(op(1, 3)), Some(op(1, 0)), "a complete knows its start");
    assert_eq!(trace.links.partner(op(1, 4)), None, "outside the epoch");
}

#[test]
fn a_fence_ends_the_accesses_since_the_fence_before() {
    let mut script = Script::processes(2);
    script.fence(0, (0, 10), "MPI_Win_fence").fence(0, (100, 110), "MPI_Win_fence");
    script.fence(0, (200, 210), "MPI_Win_fence");
    script.fence(1, (0, 10), "MPI_Win_fence").put(1, (20, 30), 0).put(1, (40, 50), 0);
    let complete = |matching| Event::RmaComplete { window: WindowId(1), matching, remotely: true };
    script.event(1, 60, EventKind::RmaOpCompleteRemote, complete(40));
    script.event(1, 70, EventKind::RmaOpCompleteRemote, complete(20));
    script.fence(1, (100, 110), "MPI_Win_fence").fence(1, (200, 210), "MPI_Win_fence");
    let trace = script.trace();
    let rma = &trace.links.rma;
    assert_eq!(rma.pending(0, ProcessId(0)), None);
    assert_eq!(rma.pending(1, ProcessId(0)), Some(op(1, 1)), "the first put is over last");
    assert_eq!(rma.pending(1, ProcessId(1)), None, "nobody accessed rank 1");
    assert_eq!(rma.pending(2, ProcessId(0)), None);
    assert_eq!(operation_end(&trace, &trace.links, op(1, 1)), 70);
}

#[test]
fn locks_are_handed_over_and_accesses_under_them_are_passive() {
    let mut script = Script::processes(4);
    script.lock(1, (0, 10), 0, false).put(1, (11, 12), 0).put(1, (13, 14), 2).unlock(1, (90, 100), 0);
    script.lock(2, (0, 20), 0, false).unlock(2, (110, 120), 0);
    script.lock(3, (5, 125), 0, true).unlock(3, (140, 150), 0).lock(3, (151, 152), 0, true);
    let trace = script.trace();
    assert_eq!(trace.links.partner(op(2, 0)), None, "shared locks do not wait for each other");
    assert_eq!(trace.links.partner(op(3, 0)), Some(op(2, 1)), "an exclusive one waits for the last");
    assert_eq!(trace.links.partner(op(3, 2)), None, "a process does not wait for itself");
    assert!(trace.links.rma.is_passive(op(1, 1)));
    assert!(!trace.links.rma.is_passive(op(1, 2)), "another target");
}

#[test]
fn unmatched_records_are_left_alone() {
    let mut script = Script::processes(2);
    script.epoch(0, (0, 10), "MPI_Win_complete", &[1]).epoch(0, (20, 30), "MPI_Win_start", &[1]);
    script.epoch(0, (40, 50), "MPI_Something", &[1]).put(0, (60, 70), 9).unlock(0, (80, 90), 1);
    let trace = script.trace();
    assert_eq!(peers(&trace.links.rma, 0, 0), []);
    assert_eq!(trace.links.partner(op(0, 3)), None, "there is no rank 9");
}

#[test]
fn one_thread_ends_the_epoch_that_another_began() {
    let mut script = Script::hybrid(&[1, 2]);
    script.epoch(0, (0, 1), "MPI_Win_post", &[1]).epoch(0, (90, 95), "MPI_Win_wait", &[1]);
    script.epoch(1, (10, 11), "MPI_Win_start", &[0]).put(2, (20, 30), 0);
    script.epoch(2, (80, 81), "MPI_Win_complete", &[0]);
    let trace = script.trace();
    assert_eq!(trace.links.partner(op(2, 0)), Some(op(0, 0)), "an access of the other thread");
    assert_eq!(trace.links.other_half(op(2, 1)), Some(op(1, 0)));
    assert_eq!(peers(&trace.links.rma, 0, 1), [op(2, 1)]);
}

#[test]
fn one_thread_fences_and_unlocks_for_another() {
    let mut script = Script::hybrid(&[1, 2]);
    script.fence(0, (40, 50), "MPI_Win_fence");
    script.put(1, (10, 20), 0).fence(2, (40, 50), "MPI_Win_fence");
    script.lock(1, (60, 61), 0, true).put(2, (65, 66), 0).unlock(2, (70, 80), 0);
    script.lock(0, (62, 81), 0, true);
    let trace = script.trace();
    assert_eq!(trace.links.rma.pending(0, ProcessId(0)), Some(op(1, 0)));
    assert!(trace.links.rma.is_passive(op(2, 1)));
    assert_eq!(trace.links.partner(op(0, 1)), Some(op(2, 2)));
}
