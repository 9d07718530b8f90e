//! The messages of a chart: one stands for all that would be drawn over each other.

use std::ops::Range;

use lotse_model::Workers;
use lotse_model::id::LocationId;
use lotse_model::progress::Checked as _;
use lotse_model::trace::{Event, Ticks};
use lotse_model::work;

use super::columns::Columns;
use super::index::ChartIndex;
use super::lanes::Lane;
use super::{ChartMessage, MOST_MESSAGES};
use crate::store::{OpRef, Trace};

/// Messages per block.
const BLOCK: usize = 64;

/// The messages that a location sends, in the order of sending.
#[derive(Debug, Default)]
pub(super) struct SentMessages {
    all: Vec<SentMessage>,
    /// By block: when the last of its messages is received. Blocks before the window are skipped by it.
    latest: Vec<Ticks>,
}

/// A message with its receive.
#[derive(Debug, Clone, Copy)]
struct SentMessage {
    sent: Ticks,
    received: Ticks,
    to: LocationId,
    /// The number of the send among the records of its location.
    op: u32,
}

impl SentMessages {
    /// The messages of a location to others that are shown.
    pub(super) fn new(trace: &Trace, location: LocationId, is_shown: &[bool]) -> Self {
        let ops = trace.timeline(location).ops.iter().zip(0..);
        let sends =
            ops.filter(|(op, _)| matches!(op.shape(), Event::MpiSend { .. } | Event::MpiIsend { .. }));
        let messages = sends.filter_map(|(op, number)| {
            let receive = trace.links.partner(OpRef { location, op: number })?;
            let (received, to) = (trace.op(receive).at, receive.location);
            let message = SentMessage { sent: op.at, received, to, op: number };
            is_shown[receive.location.index()].then_some(message)
        });
        let mut all: Vec<SentMessage> = messages.collect();
        all.shrink_to_fit();
        let last = |block: &[SentMessage]| block.iter().map(|it| it.received).max().unwrap_or(0);
        let latest = all.chunks(BLOCK).map(last).collect();
        Self { all, latest }
    }

    /// The messages that are sent before the end of an interval and received at or after its begin.
    fn within(&self, columns: &Columns) -> impl Iterator<Item = &SentMessage> {
        let (begin, end) = (columns.begin(), columns.end());
        let blocks = self.all.chunks(BLOCK).zip(&self.latest).filter(move |(_, latest)| **latest >= begin);
        let sent = blocks.flat_map(|(block, _)| block).take_while(move |it| it.sent < end);
        sent.filter(move |it| it.received >= begin)
    }
}

/// What messages drawn over each other share: lane of the sender and receiver, column of the send and receive.
type LineEnds = (u32, u32, u32, u32);

/// A line: its ends, the times of its first message, how many it stands for, the send of the first.
type Line = (LineEnds, (Ticks, Ticks, u64, OpRef));

/// The lanes of a chart: all of them, which of them are drawn, and the lane of each location.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) lanes: &'a [Lane],
    pub(super) drawn: &'a Range<usize>,
    pub(super) of_location: &'a [Option<u32>],
}

/// The messages to draw, and the number of all messages in this time that are sent or received by a drawn lane.
pub(super) fn messages(
    trace: &Trace,
    index: &ChartIndex,
    columns: &Columns,
    rows: Rows<'_>,
    workers: &dyn Workers,
) -> (Vec<ChartMessage>, u64) {
    let of_lanes = work::map(workers, rows.lanes.len(), |lane| {
        let mut lines = lines_from(index, columns, rows, lane);
        let count: u64 = lines.iter().map(|(_, line)| line.2).sum();
        keep_longest(&mut lines);
        (lines, count)
    });
    let count = of_lanes.iter().map(|(_, count)| count).sum();
    let mut all: Vec<Line> = of_lanes.into_iter().flat_map(|(lines, _)| lines).collect();
    keep_longest(&mut all);
    all.sort_unstable_by_key(rank);
    let origin = trace.first_tick();
    let answer = |((from_lane, to_lane, ..), (sent, received, count, send)): Line| {
        let seconds = |at: Ticks| trace.seconds(at - origin);
        ChartMessage { from_lane, to_lane, sent: seconds(sent), received: seconds(received), count, send }
    };
    (all.into_iter().map(answer).collect(), count)
}

/// The order in which lines are drawn as far as there is room: those that took longest first.
fn rank((ends, (sent, received, ..)): &Line) -> (std::cmp::Reverse<Ticks>, LineEnds) {
    (std::cmp::Reverse(received.saturating_sub(*sent)), *ends)
}

fn keep_longest(lines: &mut Vec<Line>) {
    if lines.len() > MOST_MESSAGES {
        lines.select_nth_unstable_by_key(MOST_MESSAGES, rank);
        lines.truncate(MOST_MESSAGES);
    }
}

/// The lines of the messages that a lane sends.
fn lines_from(index: &ChartIndex, columns: &Columns, rows: Rows<'_>, lane: usize) -> Vec<Line> {
    let is_drawn = rows.drawn.contains(&lane);
    let mut lines: Vec<Line> = Vec::new();
    for location in &rows.lanes[lane].locations {
        let mut cursor = columns.cursor();
        // Lines from the present column are the last ones of `lines`.
        let mut first = lines.len();
        let mut column = 0;
        for message in index.of_location[location.index()].sent.within(columns).checked() {
            let Some(to) = rows.of_location[message.to.index()] else { continue };
            if !is_drawn && !rows.drawn.contains(&(to as usize)) {
                continue;
            }
            let sent = cursor.advance_to(message.sent);
            if sent != column {
                (first, column) = (lines.len(), sent);
            }
            let ends = (lane as u32, to, sent, cursor.column_near(message.received));
            match lines[first..].iter_mut().find(|line| line.0 == ends) {
                Some(line) => line.1.2 += 1,
                None => {
                    let send = OpRef { location: *location, op: message.op };
                    lines.push((ends, (message.sent, message.received, 1, send)));
                }
            }
        }
    }
    if rows.lanes[lane].locations.len() > 1 {
        join_equal(&mut lines);
    }
    lines
}

/// Joins the lines with the same ends, which different locations of a lane have.
fn join_equal(lines: &mut Vec<Line>) {
    // The sort is stable: of equal lines of several locations, that of the first location comes first.
    lines.sort_by_key(|line| line.0);
    lines.dedup_by(|next, known| {
        let is_same = next.0 == known.0;
        if is_same {
            known.1.2 += next.1.2;
        }
        is_same
    });
}
