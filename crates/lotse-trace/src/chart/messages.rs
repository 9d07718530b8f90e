//! The messages of a chart: one stands for all that would be drawn over each other.

use std::collections::BTreeMap;

use lotse_model::id::LocationId;
use lotse_model::trace::{Event, Ticks};

use super::ChartMessage;
use super::columns::Columns;
use crate::store::{OpRef, Trace};

/// At most this many lines are drawn, because more would hide the chart; the messages that took longest are kept.
const MOST_MESSAGES: usize = 1000;

/// What messages drawn over each other share: lane of the sender and receiver, column of the send and receive.
type LineEnds = (u32, u32, u32, u32);

/// The messages to draw, and the number of all messages in this time. `rows` has the lane of each location.
pub(super) fn messages(trace: &Trace, columns: &Columns, rows: &[Option<u32>]) -> (Vec<ChartMessage>, u64) {
    let mut lines: BTreeMap<LineEnds, (Ticks, Ticks, u64)> = BTreeMap::new();
    let mut count = 0;
    for location in trace.locations() {
        // Messages that were sent after the end are in no picture; those sent before the begin may arrive in it.
        for (sent, received, receiver) in sends(trace, location).take_while(|it| it.0 < columns.end()) {
            let (Some(from), Some(to)) = (rows[location.index()], rows[receiver.index()]) else { continue };
            if received < columns.begin() {
                continue;
            }
            count += 1;
            let ends = (from, to, columns.column_at(sent), columns.column_at(received));
            lines.entry(ends).or_insert((sent, received, 0)).2 += 1;
        }
    }
    let mut all: Vec<(LineEnds, (Ticks, Ticks, u64))> = lines.into_iter().collect();
    all.sort_by_key(|(ends, (sent, received, _))| (std::cmp::Reverse(received.saturating_sub(*sent)), *ends));
    all.truncate(MOST_MESSAGES);
    let origin = trace.first_tick();
    let answer = |((from_lane, to_lane, ..), (sent, received, count)): (LineEnds, (Ticks, Ticks, u64))| {
        let seconds = |at: Ticks| trace.seconds(at - origin);
        ChartMessage { from_lane, to_lane, sent: seconds(sent), received: seconds(received), count }
    };
    (all.into_iter().map(answer).collect(), count)
}

/// The received messages of a sender: time of sending, time of receiving, receiver.
fn sends(trace: &Trace, location: LocationId) -> impl Iterator<Item = (Ticks, Ticks, LocationId)> + '_ {
    let ops = trace.timeline(location).ops.iter().zip(0..);
    ops.filter(|(op, _)| matches!(op.shape(), Event::MpiSend { .. } | Event::MpiIsend { .. })).filter_map(
        move |(op, number)| {
            let receive = trace.links.partner(OpRef { location, op: number })?;
            Some((op.at, trace.op(receive).at, receive.location))
        },
    )
}
