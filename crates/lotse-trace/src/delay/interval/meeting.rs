//! Whether an operation in which two locations took part is a synchronisation point of both, and from when on.
//!
//! Who gives data and leaves is not in step with the taker, who may come much later: what the taker does until then is why
//! the giver waits for it afterwards.
//!
//! ```text
//! root    ├ compute ..................... ├Reduce┤Bcast├
//! leaf    ├ compute ├Reduce┤Bcast~~~~~~~~~~~~~~~~~~~~~~├    the Reduce is no synchronisation point of these two
//! ```
//!
//! If both were in the operation at the same time, they were in step at that time, whatever the flow of data.

use lotse_model::id::LocationId;
use lotse_model::trace::{Event, Ticks};

use super::{SyncPoint, TimelinePoint, call_exit};
use crate::class::Class;
use crate::matching::{Collective, Link};
use crate::retime::CollectiveShape;
use crate::store::{CallRef, OpRef, Trace};
use crate::waits::Wait;

/// How data flows between the waiting and the causing location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DataFlow {
    /// Each depends on the other.
    Both,
    /// The waiting location receives from the other.
    Taken,
    /// The waiting location only gives to the other.
    Given,
    /// None of them depends on the other, as two senders of a reduction.
    Apart,
}

impl DataFlow {
    fn between(trace: &Trace, own: OpRef, other: OpRef) -> Self {
        if let Link::Collective(number) = trace.links.remote(own) {
            return Self::in_collective(trace, &trace.links.collectives[number as usize], own, other);
        }
        match trace.shape(own) {
            Event::MpiSend { .. } | Event::MpiIsend { .. } => Self::Given,
            _ => Self::Taken,
        }
    }

    fn in_collective(trace: &Trace, collective: &Collective, own: OpRef, other: OpRef) -> Self {
        let is_root = |op: OpRef| collective.root == Some(op.location);
        match CollectiveShape::from_op(collective.op) {
            CollectiveShape::AllToAll => Self::Both,
            CollectiveShape::AllToOne if is_root(own) => Self::Taken,
            CollectiveShape::AllToOne if is_root(other) => Self::Given,
            CollectiveShape::OneToAll if is_root(own) => Self::Given,
            CollectiveShape::OneToAll if is_root(other) => Self::Taken,
            CollectiveShape::AllToOne | CollectiveShape::OneToAll => Self::Apart,
            CollectiveShape::Prefix => {
                match rank_in(trace, collective, own) < rank_in(trace, collective, other) {
                    true => Self::Given,
                    false => Self::Taken,
                }
            }
        }
    }
}

/// The rank of a member, and its location to order those whose rank is unknown.
fn rank_in(trace: &Trace, collective: &Collective, member: OpRef) -> (usize, LocationId) {
    let definitions = &trace.definitions;
    let members = &definitions.communicators[collective.communicator.index()].members;
    let process = definitions.process_of(member.location);
    let is_member = |it: &Option<LocationId>| {
        it.is_some_and(|it| it == member.location || definitions.process_of(it) == process)
    };
    // Mostly ranks are in the order of locations. Without that, a search would be linear for each wait in a scan.
    let place = collective.members.binary_search_by_key(&member.location, |it| it.location).ok();
    let place = place.filter(|&at| members.get(at).is_some_and(is_member));
    let rank = place.or_else(|| members.iter().position(is_member));
    (rank.unwrap_or(members.len()), member.location)
}

/// An operation in which both locations took part.
pub(super) struct Meeting {
    pub(super) waiting: TimelinePoint,
    pub(super) causing: TimelinePoint,
    /// Whether it is a synchronisation point: from these points on both are compared.
    pub(super) in_step: bool,
}

/// The meeting of the waiting and the causing location at matched records.
pub(super) fn of_records(trace: &Trace, own: OpRef, other: OpRef) -> Meeting {
    let (left, other_left) = (record_exit(trace, own), record_exit(trace, other));
    let meeting = |waiting, causing, in_step| Meeting { waiting, causing, in_step };
    match DataFlow::between(trace, own, other) {
        DataFlow::Taken if is_send_of_combined_call(trace, other) => {
            meeting(left, free_within_call(trace, other, left.at), true)
        }
        DataFlow::Both | DataFlow::Taken => meeting(left, other_left, true),
        DataFlow::Given => {
            let is_taken = record_enter(trace, other) <= left.at;
            meeting(left, free_within_call(trace, other, left.at), is_taken)
        }
        DataFlow::Apart => {
            let first_exit = left.at.min(other_left.at);
            let is_together = record_enter(trace, own).max(record_enter(trace, other)) <= first_exit;
            let within = |op: OpRef| free_within_call(trace, op, first_exit);
            meeting(within(own), within(other), is_together)
        }
    }
}

/// The synchronisation point of two processes that started MPI together before a wait: many recorders write no record of that.
pub(super) fn both_started(trace: &Trace, wait: &Wait, causing: LocationId) -> Option<SyncPoint> {
    let waiting = wait.call.location;
    if trace.location(waiting).process == trace.location(causing).process {
        return None;
    }
    let (own, other) = (start_of_mpi(trace, waiting)?, start_of_mpi(trace, causing)?);
    let first_exit = trace.exit(own).min(trace.exit(other));
    if trace.exit(own) > wait.begin || trace.enter(own).max(trace.enter(other)) > first_exit {
        return None;
    }
    let within = |call: CallRef| {
        let step = trace.timeline(call.location).calls[call.call as usize].enter as usize;
        TimelinePoint { at: first_exit, step }
    };
    Some(SyncPoint { waiting: within(own), causing: within(other), entered: first_exit, late_start: 0 })
}

/// Maximum number of calls searched for that which starts MPI.
const FIRST_CALLS: usize = 1 << 10;

fn start_of_mpi(trace: &Trace, location: LocationId) -> Option<CallRef> {
    let calls = 0..trace.timeline(location).calls.len().min(FIRST_CALLS) as u32;
    calls.map(|call| CallRef { location, call }).find(|&call| starts_mpi(trace, call))
}

/// Whether a call starts MPI.
pub(super) fn starts_mpi(trace: &Trace, call: CallRef) -> bool {
    let class = trace.class(call);
    class.class == Class::InitFinalize && class.name != "mpi_finalize"
}

/// Whether a message was sent by a call that does more than send, such as MPI_Sendrecv: such a call may be delayed
/// by something other than the receiver.
fn is_send_of_combined_call(trace: &Trace, op: OpRef) -> bool {
    let sends = matches!(trace.shape(op), Event::MpiSend { .. } | Event::MpiIsend { .. });
    let several = |call: CallRef| trace.timeline(call.location).ops_of(call.call).nth(1).is_some();
    sends && trace.call_of(op).is_some_and(several)
}

/// The time within the call of `other` at which its partner had left (`partner_exit`). If `other` stays in the call for
/// longer, its partner is not the reason.
fn free_within_call(trace: &Trace, other: OpRef, partner_exit: Ticks) -> TimelinePoint {
    let Some(call) = trace.call_of(other) else { return record_exit(trace, other) };
    let call = &trace.timeline(call.location).calls[call.call as usize];
    let at = partner_exit.clamp(call.entered, call.left.max(call.entered));
    TimelinePoint { at, step: call.enter as usize }
}

/// When the call of a record was entered; the time of the record if it is in no call.
fn record_enter(trace: &Trace, op: OpRef) -> Ticks {
    trace.call_of(op).map_or_else(|| trace.op(op).at, |call| trace.enter(call))
}

/// When the call of a record was left; the time of the record if it is in no call.
fn record_exit(trace: &Trace, op: OpRef) -> TimelinePoint {
    match trace.call_of(op) {
        Some(call) => call_exit(trace, call),
        None => {
            let at = trace.op(op).at;
            TimelinePoint { at, step: trace.timeline(op.location).step_at(at).unwrap_or(0) }
        }
    }
}
