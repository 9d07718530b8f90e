//! The messages of a chart: of those that would be drawn over each other, one stands for all.

use std::collections::BTreeMap;

use lotse_model::id::LocationId;
use lotse_model::trace::{Event, Ticks};

use super::ChartMessage;
use super::columns::Columns;
use crate::store::{OpRef, Trace};

/// More lines than this hide what they are drawn over; those that took longest are kept.
const MOST_MESSAGES: usize = 1000;

/// Messages between the same lanes, sent in one column and received in one column.
type Place = (u32, u32, u32, u32);

/// The messages to draw, and how many there are in all. `rows` has the lane of each location.
pub(super) fn messages(trace: &Trace, columns: &Columns, rows: &[Option<u32>]) -> (Vec<ChartMessage>, u64) {
    let mut places: BTreeMap<Place, (Ticks, Ticks, u64)> = BTreeMap::new();
    let mut count = 0;
    for location in trace.locations() {
        for (sent, received, receiver) in sends(trace, location) {
            let (Some(from), Some(to)) = (rows[location.index()], rows[receiver.index()]) else { continue };
            if received < columns.begin() || sent >= columns.end() {
                continue;
            }
            count += 1;
            let place = (from, to, columns.at(sent), columns.at(received));
            places.entry(place).or_insert((sent, received, 0)).2 += 1;
        }
    }
    let mut all: Vec<(Place, (Ticks, Ticks, u64))> = places.into_iter().collect();
    all.sort_by_key(|(place, (sent, received, _))| {
        (std::cmp::Reverse(received.saturating_sub(*sent)), *place)
    });
    all.truncate(MOST_MESSAGES);
    let origin = trace.first_tick();
    let answer = |((from_lane, to_lane, ..), (sent, received, count)): (Place, (Ticks, Ticks, u64))| {
        let seconds = |at: Ticks| trace.seconds(at - origin);
        ChartMessage { from_lane, to_lane, sent: seconds(sent), received: seconds(received), count }
    };
    (all.into_iter().map(answer).collect(), count)
}

/// What a location sent and somebody received: when, when, who.
fn sends(trace: &Trace, location: LocationId) -> impl Iterator<Item = (Ticks, Ticks, LocationId)> + '_ {
    let ops = trace.timeline(location).ops.iter().zip(0..);
    ops.filter(|(op, _)| matches!(op.shape(), Event::MpiSend { .. } | Event::MpiIsend { .. })).filter_map(
        move |(op, number)| {
            let receive = trace.links.partner(OpRef { location, op: number })?;
            Some((op.at, trace.op(receive).at, receive.location))
        },
    )
}
