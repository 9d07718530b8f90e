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
//!
//! Both are compared from the same moment on: when the first of them leaves. Who stays in the call for longer is that much
//! behind, and its stay is part of the comparison. A taker that comes after the giver has left is compared from then on
//! too, although it is not in the call yet.
//!
//! ```text
//! causing   ──Barrier──────────────────┤ compute 13 ├──
//! waiting   ──Barrier─┤ compute 10 ├Barrier~~~~~~~~~├──    the wait of 103: 100 for the late exit, 3 for computing
//!                     ^ from here on both are compared
//! ```

use lotse_model::id::LocationId;
use lotse_model::trace::{Event, Ticks};

use super::{SyncPoint, TimelinePoint, call_exit};
use crate::class::Class;
use crate::matching::{Collective, Link};
use crate::retime::{CollectiveShape, has_pairwise_lengths};
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
    let place = collective.members.binary_search_by_key(&member.location, |it| it.location);
    let place = place.into_iter().find(|&at| members.get(at).is_some_and(is_member));
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

/// The first exit from the collective that was asked for last. Mostly many waits in a row ask for the same one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FirstExit(Option<(u32, Ticks)>);

/// The meeting of the waiting and the causing location at matched records.
pub(super) fn of_records(trace: &Trace, own: OpRef, other: OpRef, known: &mut FirstExit) -> Meeting {
    let first_exit = first_exit(trace, own, other, known);
    let both_entered = || record_enter(trace, own).max(record_enter(trace, other));
    let is_together = || both_entered() <= first_exit;
    let flow = DataFlow::between(trace, own, other);
    let in_step = match flow {
        DataFlow::Both => !is_pairwise(trace, own) || is_together(),
        DataFlow::Taken => true,
        DataFlow::Given => record_enter(trace, other) <= record_exit(trace, own).at,
        DataFlow::Apart => is_together(),
    };
    // A third member that leaves before these two have come does not move their comparison to before they met.
    let from = if flow == DataFlow::Both { first_exit.max(both_entered()) } else { first_exit };
    let causing = free_within_call(trace, other, from);
    let waiting = match flow {
        DataFlow::Taken if from < record_enter(trace, own) => on_timeline(trace, own.location, from),
        _ => free_within_call(trace, own, from),
    };
    Meeting { waiting, causing, in_step }
}

/// When the first of two locations left their operation, or, where each member of a collective depends on each, the first of
/// all: then the interval of the causing location is the same for all that wait for it.
fn first_exit(trace: &Trace, own: OpRef, other: OpRef, known: &mut FirstExit) -> Ticks {
    let of_both = || record_exit(trace, own).at.min(record_exit(trace, other).at);
    let Link::Collective(number) = trace.links.remote(own) else { return of_both() };
    let collective = &trace.links.collectives[number as usize];
    if CollectiveShape::from_op(collective.op) != CollectiveShape::AllToAll
        || has_pairwise_lengths(collective)
    {
        return of_both();
    }
    match known.0.filter(|known| known.0 == number) {
        Some((_, at)) => at,
        None => {
            let exits = collective.members.iter().map(|&op| record_exit(trace, op).at);
            let at = exits.min().unwrap_or_else(of_both);
            known.0 = Some((number, at));
            at
        }
    }
}

/// Whether a record is of a collective that a member may leave before others arrive that send it nothing.
fn is_pairwise(trace: &Trace, record: OpRef) -> bool {
    trace.links.collective(record).is_some_and(has_pairwise_lengths)
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
    let within = |call: CallRef| within_call(trace, call, first_exit);
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

/// The time within the call of a record at which another had left (`first_exit`). If the location stays in the call for
/// longer, the other is not the reason.
fn free_within_call(trace: &Trace, op: OpRef, first_exit: Ticks) -> TimelinePoint {
    match trace.call_of(op) {
        Some(call) => within_call(trace, call, first_exit),
        None => record_exit(trace, op),
    }
}

/// A time, moved into a call.
pub(super) fn within_call(trace: &Trace, call: CallRef, at: Ticks) -> TimelinePoint {
    let call = &trace.timeline(call.location).calls[call.call as usize];
    TimelinePoint { at: at.clamp(call.entered, call.left.max(call.entered)), step: call.enter as usize }
}

/// When the call of a record was entered; the time of the record if it is in no call.
fn record_enter(trace: &Trace, op: OpRef) -> Ticks {
    trace.call_of(op).map_or_else(|| trace.op(op).at, |call| trace.enter(call))
}

/// When the call of a record was left; the time of the record if it is in no call.
fn record_exit(trace: &Trace, op: OpRef) -> TimelinePoint {
    match trace.call_of(op) {
        Some(call) => call_exit(trace, call),
        None => on_timeline(trace, op.location, trace.op(op).at),
    }
}

/// A time on a location, not before its first event.
fn on_timeline(trace: &Trace, location: LocationId, at: Ticks) -> TimelinePoint {
    let timeline = trace.timeline(location);
    let at = at.max(timeline.first);
    TimelinePoint { at, step: timeline.step_at(at).unwrap_or(0) }
}
