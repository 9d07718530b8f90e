//! Spans and moments of a thread in one order: nested calls with what happened inside them.
//!
//! A moment at which a call begins is inside that call; else it is still inside the calls that end then. Messages arrive
//! and collectives are over in the calls of MPI that end.

use lotse_model::id::{LocationId, RegionId};
use lotse_model::trace::{Event, EventKind, Paradigm, Region, Ticks};

use crate::json::Tally;
use crate::spans::Span;

/// An event as the trace has it.
pub(super) type Listed = (Ticks, EventKind, Event);

/// Something that happens at a moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    pub(super) at: i64,
    pub(super) kind: EventKind,
    pub(super) event: Event,
}

impl Point {
    /// Something that is only counted.
    pub(super) fn other(at: i64) -> Self {
        Self { at, kind: EventKind::Unknown, event: Event::Other }
    }
}

/// Points by where they happen.
pub(super) fn points(all: Vec<(LocationId, Point)>, locations: usize) -> Vec<Vec<Point>> {
    let mut points = vec![Vec::new(); locations];
    all.into_iter().for_each(|(location, point)| points[location.index()].push(point));
    points
}

/// All events in the order of time, `shift` later than they are.
pub(super) fn listed(
    spans: Vec<Span<RegionId>>,
    mut points: Vec<Point>,
    shift: u64,
    regions: &[Region],
    (tally, path): (&mut Tally, &str),
) -> Vec<Listed> {
    points.sort_by_key(|point| point.at);
    let ticks = |at: i64| at.saturating_add_unsigned(shift).max(0).unsigned_abs();
    let points: Vec<Listed> = points.iter().map(|it| (ticks(it.at), it.kind, it.event)).collect();
    let mut calls = Calls { events: Vec::with_capacity(spans.len() * 2), open: Vec::new() };
    for span in spans {
        let (start, end) = (ticks(span.start), ticks(span.end));
        calls.call(start, end, span.what, tally, path);
    }
    calls.close_until(Ticks::MAX);
    merged(&calls.events, &points, regions)
}

struct Calls {
    events: Vec<Listed>,
    /// When the open ones end, the innermost last.
    open: Vec<(Ticks, RegionId)>,
}

impl Calls {
    fn call(&mut self, start: Ticks, end: Ticks, region: RegionId, tally: &mut Tally, path: &str) {
        self.close_until(start);
        let mut end = end.max(start);
        if let Some(&(outer, _)) = self.open.last().filter(|(outer, _)| *outer < end) {
            let message =
                "spans overlap and none contains the other; the later one was cut where the earlier one ends";
            tally.note(message, || path.to_owned());
            end = outer;
        }
        self.events.push((start, EventKind::Enter, Event::Enter { region }));
        self.open.push((end, region));
    }

    fn close_until(&mut self, time: Ticks) {
        while let Some((end, region)) = self.open.pop_if(|(end, _)| *end <= time) {
            self.events.push((end, EventKind::Leave, Event::Leave { region }));
        }
    }
}

/// Whether an event tells that what a call waited for has come.
fn is_arrival(event: &Event) -> bool {
    let over = matches!(event, Event::CollectiveEnd { .. } | Event::CollectiveComplete { .. });
    over || matches!(event, Event::MpiRecv { .. })
}

fn merged(mut events: &[Listed], points: &[Listed], regions: &[Region]) -> Vec<Listed> {
    let is_mpi =
        |region: &RegionId| regions.get(region.index()).is_some_and(|it| it.paradigm == Paradigm::Mpi);
    let mut all = Vec::with_capacity(events.len() + points.len());
    for moment in points.chunk_by(|one, other| one.0 == other.0) {
        let at = moment[0].0;
        let before = events.partition_point(|event| event.0 < at);
        let same = events[before..].partition_point(|event| event.0 == at);
        let now = &events[before..before + same];
        // What arrives when a call of MPI ends and something else begins was awaited by that call.
        let ends = now.first().is_some_and(|it| matches!(&it.2, Event::Leave { region } if is_mpi(region)));
        let arrives = |it: &Listed| ends && is_arrival(&it.2);
        let entered =
            now.iter().rposition(|it| matches!(it.2, Event::Enter { .. })).map_or(0, |last| last + 1);
        let (earlier, rest) = events.split_at(before + entered);
        all.extend_from_slice(&earlier[..before]);
        all.extend(moment.iter().copied().filter(arrives));
        all.extend_from_slice(&earlier[before..]);
        all.extend(moment.iter().copied().filter(|it| !arrives(it)));
        events = rest;
    }
    all.extend_from_slice(events);
    all
}
