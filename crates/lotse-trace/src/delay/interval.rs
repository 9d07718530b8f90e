//! Since when two locations went their own ways: their last meeting before a wait.

use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;

use crate::matching::Link;
use crate::store::{CallRef, OpRef, Trace};
use crate::waits::Wait;

/// When each of two locations left their last meeting; their first events where they never met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meeting {
    pub(super) waiting: Moment,
    pub(super) causing: Moment,
}

/// A time, and a step of the location at or before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) at: Ticks,
    pub(super) step: usize,
}

/// The last message, collective or barrier of both before a wait.
pub(super) fn last_meeting(trace: &Trace, wait: &Wait, cause: LocationId) -> Meeting {
    let by_record = by_record(trace, wait, cause);
    let by_barrier = by_barrier(trace, wait, cause);
    let later = match (by_record, by_barrier) {
        (Some(a), Some(b)) => Some(if a.waiting.at >= b.waiting.at { a } else { b }),
        (a, b) => a.or(b),
    };
    let first = |location| Moment { at: trace.timeline(location).first, step: 0 };
    later.unwrap_or_else(|| Meeting { waiting: first(wait.call.location), causing: first(cause) })
}

fn by_record(trace: &Trace, wait: &Wait, cause: LocationId) -> Option<Meeting> {
    let location = wait.call.location;
    let timeline = trace.timeline(location);
    let first_op = timeline.calls[wait.call.call as usize].first_op;
    (0..first_op).rev().find_map(|op| {
        let other = met(trace, OpRef { location, op }, cause)?;
        let meeting = Meeting { waiting: left(trace, OpRef { location, op }), causing: left(trace, other) };
        let before = wait.cause.is_none_or(|cause| meeting.causing.at <= cause.at);
        before.then_some(meeting)
    })
}

/// The other's record of a meeting.
fn met(trace: &Trace, op: OpRef, other: LocationId) -> Option<OpRef> {
    match trace.links.remote(op) {
        Link::Op(partner) => (partner.location == other).then_some(partner),
        Link::Collective(number) => {
            let members = &trace.links.collectives[number as usize].members;
            let at = members.binary_search_by_key(&other, |member| member.location).ok()?;
            Some(members[at])
        }
        Link::None => None,
    }
}

/// When the call of a record was left.
fn left(trace: &Trace, op: OpRef) -> Moment {
    match trace.call_of(op) {
        Some(call) => call_left(trace, call),
        None => {
            let at = trace.op(op).at;
            Moment { at, step: trace.timeline(op.location).step_at(at).unwrap_or(0) }
        }
    }
}

fn call_left(trace: &Trace, call: CallRef) -> Moment {
    let call = &trace.timeline(call.location).calls[call.call as usize];
    Moment { at: call.left, step: call.exit as usize }
}

fn by_barrier(trace: &Trace, wait: &Wait, cause: LocationId) -> Option<Meeting> {
    let of = &trace.links.barrier_of[wait.call.location.index()];
    let before = of.partition_point(|&(call, _)| call < wait.call.call);
    of[..before].iter().rev().find_map(|&(call, barrier)| {
        let members = &trace.links.barriers[barrier as usize];
        let other = members.iter().find(|member| member.location == cause)?;
        let waiting = call_left(trace, CallRef { location: wait.call.location, call });
        Some(Meeting { waiting, causing: call_left(trace, *other) })
    })
}
