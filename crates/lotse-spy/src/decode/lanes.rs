//! Merges the events of several threads into one order.
//!
//! Within a thread the order is exact. Between threads events are ordered by time, which is known at the beginning of each
//! segment and interpolated in between. Allocations and frees carry a number of a shared counter (their epoch), and are
//! delivered in exactly that order.

use std::cell::Cell;

use lotse_formats::history::{EventDetail, HistoryEvent, SegmentEvents, SegmentHead, SegmentRef};
use lotse_model::progress::checkpoint;

/// At most this many events of a lane are delivered before the other lanes are considered again.
const BATCH: usize = 1024;

/// The segments of one ring, of which the current one is decoded.
struct Lane<'h> {
    segments: std::iter::Peekable<std::vec::IntoIter<SegmentRef<'h>>>,
    head: SegmentHead,
    events: SegmentEvents,
    at: usize,
    /// The time at which the segment ends.
    until: u64,
    /// Time between two events, in units of 1 / 65,536 ns.
    step: u64,
    /// The bytes of the segment in the file.
    bytes: u64,
    /// Positions and epochs of the allocations and frees of the segment, in reverse order.
    epochs: Vec<(usize, u64)>,
}

impl<'h> Lane<'h> {
    fn new(segments: Vec<SegmentRef<'h>>) -> Self {
        Self {
            segments: segments.into_iter().peekable(),
            head: SegmentHead::default(),
            events: SegmentEvents::default(),
            at: 0,
            until: 0,
            step: 0,
            bytes: 0,
            epochs: Vec::new(),
        }
    }

    /// Decodes segments until there is an event; `false` at the end of the ring.
    fn refill(&mut self, damaged: &mut u64, read: &Cell<u64>) -> bool {
        while self.at >= self.events.as_slice().len() {
            read.set(read.get() + std::mem::take(&mut self.bytes));
            let Some(segment) = self.segments.next() else { return false };
            self.bytes = segment.bytes() as u64;
            if !segment.decode(&mut self.events) {
                // The head of a damaged segment is not trusted either.
                *damaged += 1;
                self.at = 0;
                continue;
            }
            let length = self.until.saturating_sub(self.head.time).max(1);
            self.head = segment.head;
            // The last segment of a thread is assumed to last as long as the one before.
            self.until = match self.segments.peek() {
                Some(next) if next.head.thread == self.head.thread => next.head.time,
                _ => self.head.time.saturating_add(length),
            };
            // 2^47 ns are 39 hours: with at most 2^16 events the product does not overflow.
            let span = self.until.saturating_sub(self.head.time).min(1 << 47);
            self.step = (span << 16) / self.events.as_slice().len().max(1) as u64;
            self.at = 0;
            let epochs = self.events.as_slice().iter().enumerate();
            self.epochs = epochs.filter_map(|(at, event)| Some((at, epoch(event)?))).collect();
            self.epochs.reverse();
        }
        true
    }

    fn time(&self) -> u64 {
        self.head.time + ((self.step * self.at as u64) >> 16)
    }

    /// A lower bound of the epochs of all remaining events.
    fn next_epoch(&mut self) -> u64 {
        while self.epochs.last().is_some_and(|(at, _)| *at < self.at) {
            self.epochs.pop();
        }
        match self.epochs.last() {
            Some((_, epoch)) => *epoch,
            None => self.segments.peek().map_or(u64::MAX, |next| next.head.epoch),
        }
    }

    fn is_at_epoch(&self) -> bool {
        self.epochs.last().is_some_and(|(at, _)| *at == self.at)
    }
}

fn epoch(event: &HistoryEvent) -> Option<u64> {
    match event.detail {
        EventDetail::Allocate { epoch, .. }
        | EventDetail::Reallocate { epoch, .. }
        | EventDetail::Free { epoch, .. } => Some(epoch),
        _ => None,
    }
}

/// Calls `take` for all events of a process in order, with the ring, the head of the segment and the time. Returns the number
/// of damaged segments, which are skipped. `read` counts the bytes of the segments that were taken to their ends.
pub(super) fn in_order(
    rings: Vec<Vec<SegmentRef<'_>>>,
    read: &Cell<u64>,
    mut take: impl FnMut(usize, &SegmentHead, u64, &HistoryEvent),
) -> u64 {
    let mut damaged = 0;
    let mut lanes: Vec<(usize, Lane<'_>)> = rings.into_iter().map(Lane::new).enumerate().collect();
    lanes.retain_mut(|(_, lane)| lane.refill(&mut damaged, read));
    while !lanes.is_empty() {
        checkpoint();
        let chosen = choose(&mut lanes);
        let others =
            lanes.iter().enumerate().filter(|(at, _)| *at != chosen).map(|(_, (_, lane))| lane.time()).min();
        let (ring, lane) = &mut lanes[chosen];
        for step in 0..BATCH {
            let time = lane.time();
            let event = lane.events.as_slice()[lane.at];
            take(*ring, &lane.head, time, &event);
            lane.at += 1;
            let ends = lane.at >= lane.events.as_slice().len();
            let overtaken = step >= 16 && others.is_some_and(|other| other < time);
            if ends || overtaken || (others.is_some() && lane.next_epoch() != u64::MAX && lane.is_at_epoch())
            {
                break;
            }
        }
        if !lane.refill(&mut damaged, read) {
            lanes.remove(chosen);
        }
    }
    damaged
}

/// The lane with the earliest event, unless that is an allocation or free before which another lane has one with a smaller
/// epoch.
fn choose(lanes: &mut [(usize, Lane<'_>)]) -> usize {
    if lanes.len() == 1 {
        return 0;
    }
    let earliest = (0..lanes.len()).min_by_key(|&at| lanes[at].1.time()).unwrap_or(0);
    let first = (0..lanes.len()).min_by_key(|&at| lanes[at].1.next_epoch()).unwrap_or(0);
    let must_wait =
        lanes[earliest].1.is_at_epoch() && lanes[earliest].1.next_epoch() > lanes[first].1.next_epoch();
    if must_wait { first } else { earliest }
}
