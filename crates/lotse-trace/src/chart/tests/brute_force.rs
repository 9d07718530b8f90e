//! Charts computed from every event of the trace, without an index: what charts are compared with.

use std::collections::BTreeMap;

use lotse_model::id::{LocationId, RegionId};
use lotse_model::trace::{Event, Ticks};

use super::super::columns::{Columns, equal_neighbours};
use super::super::lanes::Lane;
use super::super::{ChartMessage, ChartPiece, MOST_MESSAGES};
use crate::critical::CriticalPath;
use crate::store::{OpRef, Paths, Trace};
use crate::waits::Waits;

/// The cells of a lane: by column the region with most time, and whether it waits; time that the filter hides.
pub(super) fn cells(
    (trace, drawn): (&Trace, &[Option<RegionId>]),
    waits: &Waits,
    columns: &Columns,
    lane: &Lane,
) -> (Vec<Option<RegionId>>, Vec<bool>, Ticks) {
    let count = columns.count() as usize;
    let mut sums: Vec<BTreeMap<RegionId, Ticks>> = vec![BTreeMap::new(); count];
    let mut waited: Vec<Ticks> = vec![0; count];
    let mut hidden = 0;
    for &location in &lane.locations {
        let timeline = trace.timeline(location);
        for (step, (&from, &path)) in timeline.at.iter().zip(&timeline.path).enumerate() {
            let to = timeline.at.get(step + 1).copied().unwrap_or(timeline.last);
            let shown = drawn[path.index()].filter(|_| path != Paths::ROOT);
            let is_hidden = path != Paths::ROOT && shown != Some(trace.paths.region(path));
            columns.cover(from, to, |column, ticks| {
                hidden += if is_hidden { ticks } else { 0 };
                shown.into_iter().for_each(|region| {
                    *sums[column as usize].entry(region).or_insert(0) += ticks;
                });
            });
        }
        add_waits(waits, columns, location, &mut waited);
    }
    let size = |column: u32| {
        (columns.begin_of(column + 1) - columns.begin_of(column)) * lane.locations.len() as Ticks
    };
    let regions = sums.iter().zip(0..).map(|(sums, column)| {
        let inside: Ticks = sums.values().sum();
        let most = sums.iter().max_by_key(|(region, ticks)| (**ticks, std::cmp::Reverse(**region)))?;
        (*most.1 >= size(column).saturating_sub(inside)).then_some(*most.0)
    });
    let waits = waited.iter().zip(0..).map(|(&ticks, column)| 2 * ticks >= size(column).max(1));
    (regions.collect(), waits.collect(), hidden)
}

/// Adds the time in which a location waits; overlapping waits count once.
fn add_waits(waits: &Waits, columns: &Columns, location: LocationId, waited: &mut [Ticks]) {
    let mut spans: Vec<(Ticks, Ticks)> = waits.by_location[location.index()]
        .iter()
        .filter(|wait| wait.metric.is_some() && wait.end > columns.begin() && wait.begin < columns.end())
        .map(|wait| (wait.begin, wait.end))
        .collect();
    spans.sort_unstable();
    let mut until = 0;
    for (begin, end) in spans {
        columns.cover(begin.max(until), end, |column, ticks| waited[column as usize] += ticks);
        until = until.max(end);
    }
}

/// What messages drawn over each other share: lane of the sender and receiver, column of the send and receive.
type LineEnds = (u32, u32, u32, u32);

/// A line: its ends, the times of its first message, how many it stands for, the send of the first.
type Line = (LineEnds, (Ticks, Ticks, u64, OpRef));

/// The messages to draw, and the number of all messages in this time. `rows` has the lane of each location.
pub(super) fn messages(trace: &Trace, columns: &Columns, rows: &[Option<u32>]) -> (Vec<ChartMessage>, u64) {
    let mut lines: BTreeMap<LineEnds, (Ticks, Ticks, u64, OpRef)> = BTreeMap::new();
    let mut count = 0;
    for location in trace.locations() {
        // Messages that were sent after the end are in no picture; those sent before the begin may arrive in it.
        for (sent, received, receiver, send) in sends(trace, location).take_while(|it| it.0 < columns.end()) {
            let (Some(from), Some(to)) = (rows[location.index()], rows[receiver.index()]) else { continue };
            if received < columns.begin() {
                continue;
            }
            count += 1;
            let ends = (from, to, columns.column_at(sent), columns.column_at(received));
            lines.entry(ends).or_insert((sent, received, 0, send)).2 += 1;
        }
    }
    let mut all: Vec<Line> = lines.into_iter().collect();
    all.sort_by_key(|(ends, (sent, received, ..))| {
        (std::cmp::Reverse(received.saturating_sub(*sent)), *ends)
    });
    all.truncate(MOST_MESSAGES);
    let origin = trace.first_tick();
    let answer = |((from_lane, to_lane, ..), (sent, received, count, send)): Line| {
        let seconds = |at: Ticks| trace.seconds(at - origin);
        ChartMessage { from_lane, to_lane, sent: seconds(sent), received: seconds(received), count, send }
    };
    (all.into_iter().map(answer).collect(), count)
}

/// The received messages of a sender: time of sending, time of receiving, receiver, send.
fn sends(
    trace: &Trace,
    location: LocationId,
) -> impl Iterator<Item = (Ticks, Ticks, LocationId, OpRef)> + '_ {
    let ops = trace.timeline(location).ops.iter().zip(0..);
    ops.filter(|(op, _)| matches!(op.shape(), Event::MpiSend { .. } | Event::MpiIsend { .. })).filter_map(
        move |(op, number)| {
            let send = OpRef { location, op: number };
            let receive = trace.links.partner(send)?;
            Some((op.at, trace.op(receive).at, receive.location, send))
        },
    )
}

/// The lanes of the critical path, by columns. `rows` has the lane of each location.
pub(super) fn pieces(path: &CriticalPath, columns: &Columns, rows: &[Option<u32>]) -> Vec<ChartPiece> {
    let mut sums: Vec<BTreeMap<u32, Ticks>> = vec![BTreeMap::new(); columns.count() as usize];
    for segment in &path.segments {
        let Some(lane) = rows[segment.location.index()] else { continue };
        columns.cover(segment.from, segment.to, |column, ticks| {
            *sums[column as usize].entry(lane).or_insert(0) += ticks;
        });
    }
    let most = |lanes: &BTreeMap<u32, Ticks>| {
        let most = lanes.iter().max_by_key(|(lane, ticks)| (**ticks, std::cmp::Reverse(**lane)));
        most.map(|(lane, _)| *lane)
    };
    let cells: Vec<Option<u32>> = sums.iter().map(most).collect();
    equal_neighbours(&cells)
        .filter_map(|(from, to, lane)| lane.map(|lane| ChartPiece { lane, from, to }))
        .collect()
}
