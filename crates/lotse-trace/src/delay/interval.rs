//! Since when two locations went their own ways: their last meeting before a wait.

use lotse_model::id::LocationId;
use lotse_model::trace::{Event, EventKind, Ticks};

use crate::matching::Link;
use crate::patterns::{LOCK_CONTENTION, RMA_LOCK_CONTENTION};
use crate::retime::Shape;
use crate::store::{CallRef, OpRef, Trace};
use crate::waits::Wait;

/// When each of two locations left their last meeting; their first events where they never met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meeting {
    pub(super) waiting: Moment,
    pub(super) causing: Moment,
    /// When the waiting location came to the meeting.
    came: Ticks,
    /// Where they never met: how much later than the waiting one's the record of the causing process begins.
    pub(super) late_start: Ticks,
}

/// A time, and a step of the location at or before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) at: Ticks,
    pub(super) step: usize,
}

/// Records and waits that are looked at for a meeting, at most: who did not meet for so long went their own ways.
const FARTHEST: usize = 1 << 16;

/// The last message, collective, barrier or wait of both before a wait.
///
/// `steps` has a step of each location near which that of the meeting may be.
pub(super) fn last_meeting(
    trace: &Trace,
    waits: &[Wait],
    number: usize,
    cause: LocationId,
    steps: &mut [usize],
) -> Meeting {
    let wait = &waits[number];
    if let Some(meeting) = by_launch(trace, wait, cause) {
        return meeting;
    }
    if wait.metric.is_some_and(|metric| *metric == LOCK_CONTENTION || *metric == RMA_LOCK_CONTENTION) {
        return while_waiting(trace, wait, cause, steps);
    }
    let known = by_barrier(trace, wait, cause);
    let known = later(by_fork(trace, wait, cause, known), known);
    let found = later(by_record(trace, wait, cause, known), known);
    let found = found.or_else(|| by_wait(trace, waits, number, cause));
    let first = |location| Moment { at: trace.timeline(location).first, step: 0 };
    found.unwrap_or_else(|| {
        let (waiting, causing) = (first(wait.call.location), first(cause));
        Meeting { waiting, causing, came: 0, late_start: late_start(trace, wait.call.location, cause) }
    })
}

/// Who waits for a lock does not care what its holder did before.
fn while_waiting(trace: &Trace, wait: &Wait, cause: LocationId, steps: &mut [usize]) -> Meeting {
    let mut moment = |location: LocationId| {
        let step = &mut steps[location.index()];
        *step = trace.timeline(location).step_near(*step, wait.begin).unwrap_or(0);
        Moment { at: wait.begin, step: *step }
    };
    Meeting { waiting: moment(wait.call.location), causing: moment(cause), came: wait.begin, late_start: 0 }
}

/// How much later one process began than another. What a thread of the same process waits for is no start-up.
fn late_start(trace: &Trace, waiting: LocationId, causing: LocationId) -> Ticks {
    if trace.location(waiting).process == trace.location(causing).process {
        return 0;
    }
    trace.timeline(causing).first.saturating_sub(trace.timeline(waiting).first)
}

fn later(one: Option<Meeting>, other: Option<Meeting>) -> Option<Meeting> {
    match (one, other) {
        (Some(a), Some(b)) => Some(if a.waiting.at >= b.waiting.at { a } else { b }),
        (a, b) => a.or(b),
    }
}

/// A wait that the same location ended before.
fn by_wait(trace: &Trace, waits: &[Wait], number: usize, cause: LocationId) -> Option<Meeting> {
    let before = waits[..number].iter().rev().take(FARTHEST);
    let mut ended = before.filter_map(|wait| Some((wait, wait.cause.filter(|it| it.location == cause)?)));
    let (wait, cause) = ended.find(|(wait, _)| trace.exit(wait.call) <= waits[number].begin)?;
    let timeline = trace.timeline(cause.location);
    let causing = Moment { at: cause.at, step: timeline.step_at(cause.at).unwrap_or(0) };
    Some(Meeting {
        waiting: call_left(trace, wait.call),
        causing,
        came: trace.enter(wait.call),
        late_start: 0,
    })
}

/// A record of both, later than a meeting that is known.
fn by_record(trace: &Trace, wait: &Wait, cause: LocationId, known: Option<Meeting>) -> Option<Meeting> {
    let location = wait.call.location;
    let timeline = trace.timeline(location);
    let first_op = timeline.calls[wait.call.call as usize].first_op;
    let is_later = |op: u32| known.is_none_or(|known| timeline.ops.at(op as usize) >= known.came);
    let ops = (0..first_op).rev().take(FARTHEST);
    ops.take_while(|&op| is_later(op)).find_map(|op| {
        let other = met(trace, OpRef { location, op }, cause)?;
        let own = OpRef { location, op };
        if only_gives(trace, own, other) && is_waited_for(trace, wait, other) {
            return None;
        }
        let waiting = left(trace, own);
        let causing = if only_gives(trace, own, other) || gives_among_others(trace, other) {
            left_alone(trace, other, waiting.at)
        } else {
            left(trace, other)
        };
        let meeting = Meeting { waiting, causing, came: waiting.at, late_start: 0 };
        let before = wait.cause.is_none_or(|cause| meeting.causing.at <= cause.at);
        before.then_some(meeting)
    })
}

/// The fork of a team of both, later than a meeting that is known: between teams a worker has nothing to do.
fn by_fork(trace: &Trace, wait: &Wait, cause: LocationId, known: Option<Meeting>) -> Option<Meeting> {
    let location = wait.call.location;
    let timeline = trace.timeline(location);
    if !timeline.kinds.has(EventKind::ThreadTeamBegin) {
        return None;
    }
    let first_op = timeline.calls[wait.call.call as usize].first_op;
    let is_later = |op: u32| known.is_none_or(|known| timeline.ops.at(op as usize) >= known.came);
    let mut ops = (0..first_op).rev().take(FARTHEST).take_while(|&op| is_later(op));
    let begin = ops.find(|&op| matches!(timeline.ops.shape(op as usize), Event::TeamBegin { .. }))?;
    let begin = OpRef { location, op: begin };
    let fork = trace.links.partner(begin).or_else(|| trace.links.other_half(begin))?;
    trace.links.forked_at(fork).filter(|team| team.begins.iter().any(|it| it.location == cause))?;
    let moment = |location: LocationId| {
        let timeline = trace.timeline(location);
        let at = trace.op(fork).at.max(timeline.first);
        Moment { at, step: timeline.step_at(at).unwrap_or(0) }
    };
    let (waiting, causing) = (moment(location), moment(cause));
    Some(Meeting { waiting, causing, came: waiting.at, late_start: 0 })
}

/// The other's record of a meeting.
fn met(trace: &Trace, op: OpRef, other: LocationId) -> Option<OpRef> {
    match trace.links.remote(op) {
        Link::Op(partner) => (partner.location == other).then_some(partner),
        Link::Collective(number) => {
            let members = &trace.links.collectives[number as usize].members;
            // Mostly everybody is a member.
            let own_place = members.get(other.index()).filter(|member| member.location == other);
            own_place.copied().or_else(|| {
                let at = members.binary_search_by_key(&other, |member| member.location).ok()?;
                Some(members[at])
            })
        }
        Link::None => None,
    }
}

/// Whether at a meeting the other needed the one, but not the one the other: a sender and its receiver, those who send
/// in a reduction and its root.
fn only_gives(trace: &Trace, one: OpRef, other: OpRef) -> bool {
    if let Link::Collective(number) = trace.links.remote(one) {
        let collective = &trace.links.collectives[number as usize];
        let is_root = |op: OpRef| collective.root == Some(op.location);
        return match Shape::of(collective.op) {
            Shape::AllToOne => is_root(other),
            Shape::OneToAll => is_root(one),
            Shape::AllToAll | Shape::Prefix => false,
        };
    }
    matches!(trace.shape(one), Event::MpiSend { .. } | Event::MpiIsend { .. })
}

/// Whether the other came to a meeting only when the wait was over: a wait for an earlier send ends when the receive is
/// posted, so this is no meeting before it.
fn is_waited_for(trace: &Trace, wait: &Wait, other: OpRef) -> bool {
    let (Some(cause), Some(call)) = (wait.cause, trace.call_of(other)) else { return false };
    trace.enter(call) >= cause.at && trace.exit(call) > cause.at
}

/// Whether a message was sent by a call that does more, as MPI_Sendrecv: what keeps it there is not the receiver.
fn gives_among_others(trace: &Trace, op: OpRef) -> bool {
    let sends = matches!(trace.shape(op), Event::MpiSend { .. } | Event::MpiIsend { .. });
    let several = |call: CallRef| trace.timeline(call.location).ops_of(call.call).nth(1).is_some();
    sends && trace.call_of(op).is_some_and(several)
}

/// When the one who gave left the other alone in its call: what keeps the other there from then on is no longer the
/// meeting.
fn left_alone(trace: &Trace, other: OpRef, gone: Ticks) -> Moment {
    let Some(call) = trace.call_of(other) else { return left(trace, other) };
    let call = &trace.timeline(call.location).calls[call.call as usize];
    Moment { at: gone.clamp(call.entered, call.left.max(call.entered)), step: call.enter as usize }
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

/// A thread and a stream of an accelerator go their own ways from when the thread has launched the first of the work
/// that ran until the wait was over, each piece queued behind the one before. A stream that does not begin then, though
/// it is free, is in no region until it does.
fn by_launch(trace: &Trace, wait: &Wait, cause: LocationId) -> Option<Meeting> {
    let stream = trace.accelerators().stream(cause)?;
    let first = stream.queue_until(wait.end).take(FARTHEST).last()?;
    let launched = first.launch.map_or(wait.begin, |launch| launch.at);
    let free = stream.last_ended(first.begin).map_or(0, |before| before.end);
    let moment = |location: LocationId, at: Ticks| {
        let timeline = trace.timeline(location);
        let at = at.max(timeline.first);
        Moment { at, step: timeline.step_at(at).unwrap_or(0) }
    };
    let waiting = moment(wait.call.location, launched.min(wait.begin));
    let causing = moment(cause, launched.max(free).min(first.begin));
    Some(Meeting { waiting, causing, came: waiting.at, late_start: 0 })
}

/// A barrier of threads of one process.
fn by_barrier(trace: &Trace, wait: &Wait, cause: LocationId) -> Option<Meeting> {
    let process = |location| trace.definitions.process_of(location);
    if process(wait.call.location) != process(cause) {
        return None;
    }
    let of = &trace.links.barrier_of[wait.call.location.index()];
    let before = of.partition_point(|&(call, _)| call < wait.call.call);
    of[..before].iter().rev().take(FARTHEST).find_map(|&(call, barrier)| {
        let members = &trace.links.barriers[barrier as usize];
        let other = members.iter().find(|member| member.location == cause)?;
        let own = CallRef { location: wait.call.location, call };
        let (waiting, causing) = (call_left(trace, own), call_left(trace, *other));
        Some(Meeting { waiting, causing, came: trace.enter(own), late_start: 0 })
    })
}
