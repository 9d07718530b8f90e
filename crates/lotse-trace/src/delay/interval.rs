//! The interval over which a wait is divided: it begins at the last synchronisation point of the waiting and the causing
//! location before the wait.
//!
//! ```text
//! causing   ──barrier──┤ compute ................. ├ send ──
//! waiting   ──barrier──┤ compute .. ├ receive ~~~~~~~~~~ ├──
//!                      ^ the last synchronisation point: from here on both are compared
//! ```
//!
//! An operation in which both took part but left at once is no such point, see [`meeting`].

use lotse_model::id::LocationId;
use lotse_model::trace::{Event, EventKind, Ticks};

use crate::matching::Link;
use crate::patterns::{LOCK_CONTENTION, RMA_LOCK_CONTENTION};
use crate::store::{CallRef, OpRef, Trace};
use crate::waits::Wait;

mod meeting;

use meeting::{FirstExit, Meeting, both_started, starts_mpi};

/// When each of two locations left their last synchronisation point; their first events if they never synchronised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SyncPoint {
    pub(super) waiting: TimelinePoint,
    pub(super) causing: TimelinePoint,
    /// When the waiting location reached the synchronisation point.
    entered: Ticks,
    /// If they never synchronised: how much later the record of the causing process begins than that of the waiting one.
    pub(super) late_start: Ticks,
}

/// A time on a location, and a step of its timeline at or before that time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TimelinePoint {
    pub(super) at: Ticks,
    pub(super) step: usize,
}

/// Maximum number of records and waits searched for a synchronisation point. Without one among them, the locations count
/// as never synchronised.
const FARTHEST: usize = 1 << 16;

/// Of so many operations that are no synchronisation points the farthest counts as one: without this bound, a process that
/// only gives would be compared with its takers since the begin of the run at each of its waits.
const MOST_LEFT_AT_ONCE: usize = 64;

/// Where the last searches ended: the next one is mostly near.
#[derive(Debug)]
pub(super) struct Memory {
    /// By location: the step where the search for a time begins.
    pub(super) steps: Vec<usize>,
    first_exit: FirstExit,
}

impl Memory {
    pub(super) fn new(locations: usize) -> Self {
        Self { steps: vec![0; locations], first_exit: FirstExit::default() }
    }
}

/// The last message, collective, barrier, fork or wait that involves both locations before a wait.
///
/// `waits[number]` is the wait.
pub(super) fn last_sync_point(
    trace: &Trace,
    waits: &[Wait],
    number: usize,
    cause: LocationId,
    memory: &mut Memory,
) -> SyncPoint {
    let wait = &waits[number];
    if let Some(launch) = by_launch(trace, wait, cause) {
        return launch;
    }
    if wait.metric.is_some_and(|metric| *metric == LOCK_CONTENTION || *metric == RMA_LOCK_CONTENTION) {
        return begin_of_wait(trace, wait, cause, &mut memory.steps);
    }
    let known = by_barrier(trace, wait, cause);
    let known = later(by_fork(trace, wait, cause, known), known);
    let found = later(by_record(trace, wait, cause, known, &mut memory.first_exit), known);
    let found =
        found.or_else(|| later(by_wait(trace, waits, number, cause), both_started(trace, wait, cause)));
    let first = |location| TimelinePoint { at: trace.timeline(location).first, step: 0 };
    found.unwrap_or_else(|| {
        let (waiting, causing) = (first(wait.call.location), first(cause));
        SyncPoint { waiting, causing, entered: 0, late_start: late_start(trace, wait.call.location, cause) }
    })
}

/// For a lock, the interval begins with the wait: work of the holder before the wait does not delay the waiting location.
fn begin_of_wait(trace: &Trace, wait: &Wait, cause: LocationId, steps: &mut [usize]) -> SyncPoint {
    let mut begin = |location: LocationId| {
        let step = &mut steps[location.index()];
        *step = trace.timeline(location).step_near(*step, wait.begin).unwrap_or(0);
        TimelinePoint { at: wait.begin, step: *step }
    };
    SyncPoint {
        waiting: begin(wait.call.location),
        causing: begin(cause),
        entered: wait.begin,
        late_start: 0,
    }
}

/// How much later the causing process began than the waiting one; 0 for threads of the same process.
fn late_start(trace: &Trace, waiting: LocationId, causing: LocationId) -> Ticks {
    if trace.location(waiting).process == trace.location(causing).process {
        return 0;
    }
    trace.timeline(causing).first.saturating_sub(trace.timeline(waiting).first)
}

/// The later of two synchronisation points, seen from the waiting location.
fn later(one: Option<SyncPoint>, other: Option<SyncPoint>) -> Option<SyncPoint> {
    match (one, other) {
        (Some(a), Some(b)) => Some(if a.waiting.at >= b.waiting.at { a } else { b }),
        (a, b) => a.or(b),
    }
}

/// The last earlier wait that was ended by the same causing location.
fn by_wait(trace: &Trace, waits: &[Wait], number: usize, cause: LocationId) -> Option<SyncPoint> {
    let before = waits[..number].iter().rev().take(FARTHEST);
    let mut ended = before.filter_map(|wait| Some((wait, wait.cause.filter(|it| it.location == cause)?)));
    let (wait, cause) = ended
        .find(|(wait, _)| trace.exit(wait.call) <= waits[number].begin && !starts_mpi(trace, wait.call))?;
    let timeline = trace.timeline(cause.location);
    let causing = TimelinePoint { at: cause.at, step: timeline.step_at(cause.at).unwrap_or(0) };
    Some(SyncPoint {
        waiting: call_exit(trace, wait.call),
        causing,
        entered: trace.enter(wait.call),
        late_start: 0,
    })
}

/// The last message or collective of both locations, if it is later than the synchronisation point known so far.
fn by_record(
    trace: &Trace,
    wait: &Wait,
    cause: LocationId,
    known: Option<SyncPoint>,
    first_exit: &mut FirstExit,
) -> Option<SyncPoint> {
    let location = wait.call.location;
    let timeline = trace.timeline(location);
    let first_op = timeline.calls[wait.call.call as usize].first_op;
    let is_later = |op: u32| known.is_none_or(|known| timeline.ops.at(op as usize) >= known.entered);
    let ops = (0..first_op).rev().take(FARTHEST);
    let mut left_at_once = 0;
    ops.take_while(|&op| is_later(op)).find_map(|op| {
        let other = counterpart(trace, OpRef { location, op }, cause)?;
        let own = OpRef { location, op };
        let Meeting { waiting, causing, in_step } = meeting::of_records(trace, own, other, first_exit);
        left_at_once += usize::from(!in_step);
        if !in_step && left_at_once < MOST_LEFT_AT_ONCE {
            return None;
        }
        let point = SyncPoint { waiting, causing, entered: waiting.at, late_start: 0 };
        let is_before = wait.cause.is_none_or(|cause| point.causing.at <= cause.at);
        is_before.then_some(point)
    })
}

/// The last fork of a team with both threads, if it is later than the synchronisation point known so far. Between teams
/// a worker has no work, so nothing it did before the fork counts.
fn by_fork(trace: &Trace, wait: &Wait, cause: LocationId, known: Option<SyncPoint>) -> Option<SyncPoint> {
    let location = wait.call.location;
    let timeline = trace.timeline(location);
    if !timeline.kinds.has(EventKind::ThreadTeamBegin) {
        return None;
    }
    let first_op = timeline.calls[wait.call.call as usize].first_op;
    let is_later = |op: u32| known.is_none_or(|known| timeline.ops.at(op as usize) >= known.entered);
    let mut ops = (0..first_op).rev().take(FARTHEST).take_while(|&op| is_later(op));
    let begin = ops.find(|&op| matches!(timeline.ops.shape(op as usize), Event::TeamBegin { .. }))?;
    let begin = OpRef { location, op: begin };
    let fork = trace.links.partner(begin).or_else(|| trace.links.other_half(begin))?;
    trace.links.forked_at(fork).filter(|team| team.begins.iter().any(|it| it.location == cause))?;
    let fork_on = |location: LocationId| {
        let timeline = trace.timeline(location);
        let at = trace.op(fork).at.max(timeline.first);
        TimelinePoint { at, step: timeline.step_at(at).unwrap_or(0) }
    };
    let (waiting, causing) = (fork_on(location), fork_on(cause));
    Some(SyncPoint { waiting, causing, entered: waiting.at, late_start: 0 })
}

/// The record of the other location that a record is matched with: the partner of a message or a member of the same
/// collective.
fn counterpart(trace: &Trace, op: OpRef, other: LocationId) -> Option<OpRef> {
    match trace.links.remote(op) {
        Link::Op(partner) => (partner.location == other).then_some(partner),
        Link::Collective(number) => {
            let members = &trace.links.collectives[number as usize].members;
            // Mostly all locations are members, and then the index of the location is that of the member.
            let at_index = members.get(other.index()).filter(|member| member.location == other);
            at_index.copied().or_else(|| {
                let at = members.binary_search_by_key(&other, |member| member.location).ok()?;
                Some(members[at])
            })
        }
        Link::None => None,
    }
}

fn call_exit(trace: &Trace, call: CallRef) -> TimelinePoint {
    let call = &trace.timeline(call.location).calls[call.call as usize];
    TimelinePoint { at: call.left, step: call.exit as usize }
}

/// The synchronisation point of a thread and an accelerator stream it waits for: the launch of the first activity of the
/// uninterrupted queue that ran until the end of the wait.
///
/// On the stream the interval begins at the launch or, if later, when the stream became free. If a free stream starts
/// late, it is in no region until it starts.
fn by_launch(trace: &Trace, wait: &Wait, cause: LocationId) -> Option<SyncPoint> {
    let stream = trace.accelerators().stream(cause)?;
    let first = stream.queue_until(wait.end).take(FARTHEST).last()?;
    let launched = first.launch.map_or(wait.begin, |launch| launch.at);
    let free = stream.last_ended(first.begin).map_or(0, |before| before.end);
    let point = |location: LocationId, at: Ticks| {
        let timeline = trace.timeline(location);
        let at = at.max(timeline.first);
        TimelinePoint { at, step: timeline.step_at(at).unwrap_or(0) }
    };
    let waiting = point(wait.call.location, launched.min(wait.begin));
    let causing = point(cause, launched.max(free).min(first.begin));
    Some(SyncPoint { waiting, causing, entered: waiting.at, late_start: 0 })
}

/// The last barrier with both threads, if they are of one process.
fn by_barrier(trace: &Trace, wait: &Wait, cause: LocationId) -> Option<SyncPoint> {
    let process = |location| trace.definitions.process_of(location);
    if process(wait.call.location) != process(cause) {
        return None;
    }
    let barriers = &trace.links.barrier_of[wait.call.location.index()];
    let before = barriers.partition_point(|&(call, _)| call < wait.call.call);
    barriers[..before].iter().rev().take(FARTHEST).find_map(|&(call, barrier)| {
        let members = &trace.links.barriers[barrier as usize];
        let other = members.iter().find(|member| member.location == cause)?;
        let own = CallRef { location: wait.call.location, call };
        let first_exit = trace.exit(own).min(trace.exit(*other));
        let within = |call: CallRef| meeting::within_call(trace, call, first_exit);
        let (waiting, causing) = (within(own), within(*other));
        Some(SyncPoint { waiting, causing, entered: trace.enter(own), late_start: 0 })
    })
}
