//! Merges the spans and the point events of a thread to one list of events, with nested calls.
//!
//! A point event at the time at which a call begins is placed inside that call. Otherwise it is placed inside the calls
//! that end at its time. The receive of a message and the end of a collective operation are placed inside an MPI call
//! that ends at their time, even if another call begins then:
//!
//! ```text
//! spans      MPI_Recv ──┤├── compute        point event at the boundary
//! receive    enter MPI_Recv, receive, leave MPI_Recv, enter compute
//! other      enter MPI_Recv, leave MPI_Recv, enter compute, other
//! ```

use lotse_model::id::{LocationId, RegionId};
use lotse_model::trace::{Event, EventKind, Paradigm, Region, Ticks};

use crate::diagnostics::Diagnostics;
use crate::spans::ClosedSpan;

/// An event with its time and kind.
pub(super) type TimedEvent = (Ticks, EventKind, Event);

/// An event without a duration.
#[derive(Debug, Clone, Copy)]
pub(super) struct PointEvent {
    pub(super) at: i64,
    pub(super) kind: EventKind,
    pub(super) event: Event,
}

impl PointEvent {
    /// An event that is only counted.
    pub(super) fn other(at: i64) -> Self {
        Self { at, kind: EventKind::Unknown, event: Event::Other }
    }
}

/// Sorts events by location.
pub(super) fn points_by_location(
    all: Vec<(LocationId, PointEvent)>,
    locations: usize,
) -> Vec<Vec<PointEvent>> {
    let mut points = vec![Vec::new(); locations];
    all.into_iter().for_each(|(location, point)| points[location.index()].push(point));
    points
}

/// All events in the order of time, with `shift` added to their times.
pub(super) fn timed_events(
    spans: Vec<ClosedSpan<RegionId>>,
    mut points: Vec<PointEvent>,
    shift: u64,
    regions: &[Region],
    (diagnostics, path): (&mut Diagnostics, &str),
) -> Vec<TimedEvent> {
    points.sort_by_key(|point| point.at);
    let ticks = |at: i64| at.saturating_add_unsigned(shift).max(0).unsigned_abs();
    let points: Vec<TimedEvent> = points.iter().map(|it| (ticks(it.at), it.kind, it.event)).collect();
    let mut calls = CallNesting { events: Vec::with_capacity(spans.len() * 2), open: Vec::new() };
    for span in spans {
        let (start, end) = (ticks(span.start), ticks(span.end));
        calls.add_call(start, end, span.what, diagnostics, path);
    }
    calls.close_until(Ticks::MAX);
    merge(&calls.events, &points, regions)
}

/// Converts spans, sorted by begin, to enters and leaves that are properly nested.
struct CallNesting {
    events: Vec<TimedEvent>,
    /// End time and region of the open calls, the innermost last.
    open: Vec<(Ticks, RegionId)>,
}

impl CallNesting {
    /// Adds a call; its end is cut to that of the call around it.
    fn add_call(
        &mut self,
        start: Ticks,
        end: Ticks,
        region: RegionId,
        diagnostics: &mut Diagnostics,
        path: &str,
    ) {
        self.close_until(start);
        let mut end = end.max(start);
        if let Some(&(outer, _)) = self.open.last().filter(|(outer, _)| *outer < end) {
            let message =
                "spans overlap and none contains the other; the later one was cut where the earlier one ends";
            diagnostics.note_kind(message, || path.to_owned());
            end = outer;
        }
        self.events.push((start, EventKind::Enter, Event::Enter { region }));
        self.open.push((end, region));
    }

    /// Leaves the calls that end at or before a time.
    fn close_until(&mut self, time: Ticks) {
        while let Some((end, region)) = self.open.pop_if(|(end, _)| *end <= time) {
            self.events.push((end, EventKind::Leave, Event::Leave { region }));
        }
    }
}

/// Whether an event ends the wait of an MPI call.
fn ends_wait(event: &Event) -> bool {
    let is_collective = matches!(event, Event::CollectiveEnd { .. } | Event::CollectiveComplete { .. });
    is_collective || matches!(event, Event::MpiRecv { .. })
}

/// Inserts the point events into the enters and leaves. For each time: events that end a wait before the leaves, if the
/// first of these leaves an MPI call; all others after the last enter, or before the leaves if there is no enter.
fn merge(mut events: &[TimedEvent], points: &[TimedEvent], regions: &[Region]) -> Vec<TimedEvent> {
    let is_mpi =
        |region: &RegionId| regions.get(region.index()).is_some_and(|it| it.paradigm == Paradigm::Mpi);
    let mut all = Vec::with_capacity(events.len() + points.len());
    for simultaneous in points.chunk_by(|left, right| left.0 == right.0) {
        let at = simultaneous[0].0;
        let before = events.partition_point(|event| event.0 < at);
        let same = events[before..].partition_point(|event| event.0 == at);
        let now = &events[before..before + same];
        // An event that ends a wait belongs to the MPI call that ends, not to a call that begins at the same time.
        let mpi_call_ends =
            now.first().is_some_and(|it| matches!(&it.2, Event::Leave { region } if is_mpi(region)));
        let is_inside_mpi_call = |it: &TimedEvent| mpi_call_ends && ends_wait(&it.2);
        let entered =
            now.iter().rposition(|it| matches!(it.2, Event::Enter { .. })).map_or(0, |last| last + 1);
        let (earlier, rest) = events.split_at(before + entered);
        all.extend_from_slice(&earlier[..before]);
        all.extend(simultaneous.iter().copied().filter(is_inside_mpi_call));
        all.extend_from_slice(&earlier[before..]);
        all.extend(simultaneous.iter().copied().filter(|it| !is_inside_mpi_call(it)));
        events = rest;
    }
    all.extend_from_slice(events);
    all
}
