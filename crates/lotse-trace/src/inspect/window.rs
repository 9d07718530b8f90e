//! What a window of the run has, as rows: the intervals of the critical path, the waits, and which end of a message was late.

use lotse_model::id::{LocationId, RegionId};
use lotse_model::progress::Checked as _;
use lotse_model::trace::Ticks;

use crate::critical::{CriticalPath, Segment};
use crate::patterns::{entered, posting};
use crate::store::{OpRef, Paths, Trace};
use crate::waits::{Wait, Waits};

/// More intervals of the critical path than this are not compared with each other.
const MOST_COMPARED: usize = 1_000_000;

/// Some rows of a window, in the order of time.
#[derive(Debug, Clone, PartialEq)]
pub struct SomeRows<T> {
    pub rows: Vec<T>,
    /// How many there are in the window; at most so many if the rows are not the longest.
    pub count: usize,
    /// Whether the rows are the longest of all; if not, they are the first.
    pub are_longest: bool,
}

/// Time of the critical path in one region on one location, without the calls inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathInterval {
    pub location: LocationId,
    /// `None` outside all regions.
    pub region: Option<RegionId>,
    pub from: Ticks,
    pub to: Ticks,
}

/// The intervals of the critical path from one time to another, clipped to it: the `most` longest. Where there are too many to
/// compare, the `most` first.
pub fn path_intervals(
    trace: &Trace,
    path: &CriticalPath,
    (from, to): (Ticks, Ticks),
    most: usize,
) -> SomeRows<PathInterval> {
    // The path was followed backwards: the last segment is the first in time.
    let until = path.segments.partition_point(|segment| segment.to > from);
    let inside = path.segments[..until].iter().rev().take_while(|segment| segment.from < to);
    let clipped = inside.map(|it| Segment { from: it.from.max(from), to: it.to.min(to), ..*it });
    let segments: Vec<Segment> = clipped.filter(|it| it.from < it.to).collect();
    let steps: usize = segments.iter().map(|segment| steps_of(trace, segment).len() + 1).sum();
    // Calls that are entered or left at the same time have no interval between them.
    let all = segments.iter().flat_map(|it| intervals(trace, it)).filter(|it| it.from < it.to).checked();
    if steps > MOST_COMPARED {
        return SomeRows { rows: all.take(most).collect(), count: steps, are_longest: false };
    }
    let all: Vec<PathInterval> = all.collect();
    let count = all.len();
    let rows = longest(all, most, |it| it.to - it.from, |it| it.from);
    SomeRows { rows, count, are_longest: true }
}

/// The steps of a location that a segment touches.
fn steps_of(trace: &Trace, segment: &Segment) -> std::ops::Range<usize> {
    let at = &trace.timeline(segment.location).at;
    at.partition_point(|at| *at <= segment.from)..at.partition_point(|at| *at < segment.to)
}

/// A segment, divided where calls are entered and left.
fn intervals<'t>(trace: &'t Trace, segment: &Segment) -> impl Iterator<Item = PathInterval> + use<'t> {
    let Segment { location, from, to } = *segment;
    let timeline = trace.timeline(location);
    let steps = steps_of(trace, segment);
    let (first, end) = (steps.start, steps.end);
    (first..=end).map(move |next| {
        let path = next.checked_sub(1).map_or(Paths::ROOT, |step| timeline.path[step]);
        let begin = if next == first { from } else { timeline.at[next - 1] };
        let until = if next == end { to } else { timeline.at[next] };
        let region = (path != Paths::ROOT).then(|| trace.paths.region(path));
        PathInterval { location, region, from: begin, to: until }
    })
}

/// The waits of locations that overlap the time from one time to another, the `most` longest. As for [`super::find_wait`],
/// a wait that overlaps a longer one of the same call does not count.
pub fn waits_within(
    waits: &Waits,
    locations: &[LocationId],
    (from, to): (Ticks, Ticks),
    most: usize,
) -> SomeRows<Wait> {
    let of_location = |location: &LocationId| {
        let waits = &waits.by_location[location.index()];
        // Waits are in the order of their ends.
        waits[waits.partition_point(|wait| wait.end <= from)..].iter()
    };
    let is_listed = |wait: &&Wait| wait.metric.is_some() && !wait.is_overlapped && wait.begin < to;
    let all: Vec<Wait> =
        locations.iter().flat_map(of_location).checked().filter(is_listed).copied().collect();
    let count = all.len();
    let rows = longest(all, most, Wait::ticks, |wait| wait.begin);
    SomeRows { rows, count, are_longest: true }
}

/// The longest rows, in the order of time; of equals the first.
fn longest<T>(
    mut rows: Vec<T>,
    most: usize,
    length: impl Fn(&T) -> Ticks,
    begin: impl Fn(&T) -> Ticks,
) -> Vec<T> {
    rows.sort_by_key(|row| (std::cmp::Reverse(length(row)), begin(row)));
    rows.truncate(most);
    rows.sort_by_key(begin);
    rows
}

/// The wait of one end of a message for the other: of the receiver for a late sender, or of the sender for a late receiver.
/// `None` if neither waited for this message, or if it is not known.
pub fn wait_for_message(trace: &Trace, waits: &Waits, send: OpRef) -> Option<Wait> {
    let receive = trace.links.partner(send)?;
    let late_sender = trace.call_of(receive).and_then(|call| {
        let until = entered(trace, send).min(trace.exit(call));
        let at = |wait: &&Wait| wait.call == call;
        wait_until(waits, ("late_sender", receive.location), (until, send.location)).find(at)
    });
    let late_receiver = || {
        let posted = entered(trace, posting(trace, send)?);
        wait_until(waits, ("late_receiver", send.location), (posted, receive.location)).next()
    };
    late_sender.or_else(late_receiver).copied()
}

/// The waits of a metric and location that end at a time because of another location.
fn wait_until<'w>(
    waits: &'w Waits,
    (metric, location): (&'static str, LocationId),
    (end, cause): (Ticks, LocationId),
) -> impl Iterator<Item = &'w Wait> {
    let waits = &waits.by_location[location.index()];
    let first = waits.partition_point(|wait| wait.end < end);
    let until = waits[first..].iter().take_while(move |wait| wait.end == end);
    until.filter(move |wait| {
        wait.metric.is_some_and(|it| it.id == metric) && wait.cause.is_some_and(|it| it.location == cause)
    })
}
