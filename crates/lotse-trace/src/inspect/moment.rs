//! What a location does at a time: the open calls, the events before and after it, and what it waits for.

use lotse_model::id::{LocationId, PathId, RegionId};
use lotse_model::progress::Checked as _;
use lotse_model::trace::{Event, Ticks};

use crate::chart::ChartIndex;
use crate::store::{Op, OpRef, Paths, Timeline, Trace};
use crate::waits::{Wait, Waits};

/// A location at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// The open calls, the outermost first; empty outside all regions.
    pub stack: Vec<OpenCall>,
    /// The last enter or leave at or before this time.
    pub before: Option<StepEvent>,
    /// The first enter or leave after it.
    pub after: Option<StepEvent>,
    /// The last message that was sent or received at or before this time, and the first after it.
    pub messages: Vec<MessageEvent>,
    /// The waits at this time, the longest first.
    pub waits: Vec<Wait>,
}

/// A call that is open at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenCall {
    pub path: PathId,
    pub entered: Ticks,
    /// When it is left; `None` if the records of the location end before.
    pub left: Option<Ticks>,
}

/// An enter or a leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepEvent {
    pub at: Ticks,
    pub region: RegionId,
    pub is_enter: bool,
}

/// A send or a receive, with its other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageEvent {
    pub at: Ticks,
    pub is_send: bool,
    /// Bytes.
    pub length: u64,
    /// The location and the time of the other end; `None` if it is not recorded.
    pub partner: Option<(LocationId, Ticks)>,
}

/// What a location does at a time.
pub fn moment(
    (trace, waits): (&Trace, &Waits),
    index: &ChartIndex,
    location: LocationId,
    at: Ticks,
) -> Moment {
    let timeline = trace.timeline(location);
    let step = timeline.step_at(at);
    let next = step.map_or(0, |step| step + 1);
    let is_over = at > timeline.last;
    let stack = step.filter(|_| !is_over).map(|step| stack(trace, index, location, step));
    let mut now: Vec<Wait> = waits.by_location[location.index()]
        .iter()
        .checked()
        .filter(|wait| wait.metric.is_some() && wait.begin <= at && at < wait.end)
        .copied()
        .collect();
    now.sort_by_key(|wait| std::cmp::Reverse(wait.ticks()));
    Moment {
        stack: stack.unwrap_or_else(Vec::new),
        before: step.and_then(|step| step_event(trace, timeline, step)),
        after: step_event(trace, timeline, next),
        messages: messages_around(trace, location, at),
        waits: now,
    }
}

/// The calls that are open during a step. A call is open as long as the location is as deep as it: every enter and every
/// leave is a step, so that another call at the same depth comes after a step that is less deep.
fn stack(trace: &Trace, index: &ChartIndex, location: LocationId, step: usize) -> Vec<OpenCall> {
    let (timeline, paths) = (trace.timeline(location), &trace.paths);
    let mut calls = Vec::new();
    let (mut path, mut first, mut end) = (timeline.path[step], step, step);
    while path != Paths::ROOT {
        let depth = paths.depth(path);
        first = index.first_step_as_deep(trace, location, first, depth);
        end = index.first_step_less_deep(trace, location, end, depth);
        let left = timeline.at.get(end).copied();
        calls.push(OpenCall { path, entered: timeline.at[first], left });
        path = paths.parent(path);
    }
    calls.reverse();
    calls
}

/// The event of a step: the region that is entered, or the one that is left.
fn step_event(trace: &Trace, timeline: &Timeline, step: usize) -> Option<StepEvent> {
    let paths = &trace.paths;
    let (&at, &path) = (timeline.at.get(step)?, timeline.path.get(step)?);
    let before = step.checked_sub(1).map_or(Paths::ROOT, |before| timeline.path[before]);
    let is_enter = paths.depth(path) > paths.depth(before);
    let changed = if is_enter { path } else { before };
    (changed != Paths::ROOT).then(|| StepEvent { at, region: paths.region(changed), is_enter })
}

/// The last message at or before a time and the first after it.
fn messages_around(trace: &Trace, location: LocationId, at: Ticks) -> Vec<MessageEvent> {
    let ops = &trace.timeline(location).ops;
    let after = ops.before(at.saturating_add(1));
    let event = |number: usize| message_event(trace, OpRef { location, op: number as u32 }, ops.get(number));
    let last = (0..after).rev().checked().find_map(event);
    last.into_iter().chain((after..ops.len()).checked().find_map(event)).collect()
}

fn message_event(trace: &Trace, place: OpRef, op: Op<'_>) -> Option<MessageEvent> {
    let (is_send, length) = match op.event() {
        Event::MpiSend { length, .. } | Event::MpiIsend { length, .. } => (true, length),
        Event::MpiRecv { length, .. } | Event::MpiIrecv { length, .. } => (false, length),
        _ => return None,
    };
    let partner = trace.links.partner(place).map(|other| (other.location, trace.op(other).at));
    Some(MessageEvent { at: op.at, is_send, length, partner })
}
