//! Writes the events of a trace in other formats: as recorded, or as analysed (clocks corrected, one phase).
//!
//! As recorded, events are streamed and only those are lost that the target format cannot represent. As analysed, records
//! that the store only counts (values of metrics, parameters) and switches between tasks are left out.

use std::io::{self, Write};

use lotse_formats::trace::write_chrome::{self, MatchedMessage};
use lotse_formats::trace::{TraceInput, otf2, write_csv};
use lotse_model::bytes::FolderSink;
use lotse_model::id::LocationId;
use lotse_model::trace::{Definitions, Event, EventKind, EventSink, Ticks};

use crate::store::{OpRef, Trace};

#[cfg(feature = "parquet")]
mod parquet;
mod reconstruct;
mod targets;

pub use targets::{TARGETS, Target, TargetWriter, target_named, target_of_extension};

/// The source of events.
#[derive(Debug, Clone, Copy)]
pub enum Events<'a> {
    /// As the files have them.
    Recorded(&'a TraceInput<'a>),
    /// As the analyses see them.
    Analysed(&'a Trace),
}

impl<'a> Events<'a> {
    /// The definitions of the trace.
    pub fn definitions(self) -> &'a Definitions {
        match self {
            Self::Recorded(input) => &input.definitions,
            Self::Analysed(trace) => &trace.definitions,
        }
    }

    fn locations(self) -> impl Iterator<Item = LocationId> {
        (0..self.definitions().locations.len()).map(LocationId::from)
    }

    /// Passes the events of a location to a sink; returns whether all of them could be read.
    fn feed<S: EventSink>(self, location: LocationId, sink: &mut S) -> bool {
        match self {
            Self::Analysed(trace) => {
                reconstruct::feed(trace, location, sink);
                true
            }
            Self::Recorded(input) => {
                let Some(stream) = input.streams.get(location.index()) else { return true };
                let ends = (0..stream.chunks()).map(|piece| stream.decode(piece, sink));
                // Every piece is decoded, even if an earlier one was damaged.
                ends.fold(true, |complete, end| complete & end.damage.is_none())
            }
        }
    }
}

/// Result of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// Whether all events could be read.
    pub complete: bool,
    /// Number of events that the format cannot represent.
    pub dropped: u64,
}

/// Writes Chrome's trace event format; as analysed, with arrows for messages.
pub fn chrome(events: Events<'_>, out: &mut dyn Write) -> io::Result<Written> {
    let writer = write_chrome::ChromeWriter::new(events.definitions())?;
    writer.begin(out)?;
    let (mut complete, mut dropped) = (true, 0);
    for location in events.locations() {
        let mut sink = CountingSink { sink: writer.location(location, &mut *out), without_place: 0 };
        complete &= events.feed(location, &mut sink);
        dropped += sink.without_place;
        sink.sink.finish()?;
    }
    if let Events::Analysed(trace) = events {
        let mut first = 0;
        for location in trace.locations() {
            let messages = messages(trace, location);
            let count = messages.len() as u64;
            writer.messages(messages, first, out)?;
            first += count;
        }
    }
    writer.end(out)?;
    Ok(Written { complete, dropped })
}

/// Counts the events that Chrome's format has no place for, and without which an analysis finds fewer waits.
struct CountingSink<S> {
    sink: S,
    without_place: u64,
}

impl<S: EventSink> EventSink for CountingSink<S> {
    /// Passes every event on; requests, locks, threads, teams and one-sided communication are counted.
    fn event(&mut self, at: Ticks, kind: EventKind, event: Event) {
        self.without_place += u64::from(matches!(
            event,
            Event::MpiIrecvRequest { .. }
                | Event::MpiIsendComplete { .. }
                | Event::CollectiveRequest { .. }
                | Event::AcquireLock { .. }
                | Event::ReleaseLock { .. }
                | Event::Object { .. }
                | Event::Fork { .. }
                | Event::Join
                | Event::TeamBegin { .. }
                | Event::TeamEnd { .. }
                | Event::ThreadCreate { .. }
                | Event::ThreadBegin { .. }
                | Event::ThreadWait { .. }
                | Event::ThreadEnd { .. }
                | Event::TaskSwitch { .. }
                | Event::RmaCollectiveEnd { .. }
                | Event::RmaGroupSync { .. }
                | Event::RmaComplete { .. }
                | Event::RmaOperation { .. }
                | Event::RmaAcquireLock { .. }
                | Event::RmaReleaseLock { .. }
        ));
        self.sink.event(at, kind, event);
    }
}

/// The messages that a location received.
fn messages(trace: &Trace, location: LocationId) -> Vec<MatchedMessage> {
    let ops = trace.timeline(location).ops.iter().enumerate();
    ops.filter_map(|(number, op)| {
        let (Event::MpiRecv { length, .. } | Event::MpiIrecv { length, .. }) = op.event() else {
            return None;
        };
        let send = trace.links.partner(OpRef { location, op: number as u32 })?;
        let (sender, sent) = (send.location, trace.op(send).at);
        Some(MatchedMessage { sender, sent, receiver: location, received: op.at, bytes: length })
    })
    .collect()
}

/// Writes CSV with a row for each event.
pub fn csv(events: Events<'_>, out: &mut dyn Write) -> io::Result<Written> {
    write_csv::begin(out)?;
    let mut complete = true;
    for location in events.locations() {
        let mut sink = write_csv::CsvLocationWriter::new(events.definitions(), location, &mut *out);
        complete &= events.feed(location, &mut sink);
        sink.finish()?;
    }
    Ok(Written { complete, dropped: 0 })
}

/// Writes an OTF2 archive called `name`.
pub fn otf2(events: Events<'_>, sink: &dyn FolderSink, name: &str) -> io::Result<Written> {
    let creator = concat!("lotse ", env!("CARGO_PKG_VERSION"));
    let writer = otf2::write::Otf2Writer::new(sink, name, events.definitions(), creator);
    let mut counts = Vec::new();
    let mut written = Written { complete: true, dropped: 0 };
    for location in events.locations() {
        let mut file = writer.location(location)?;
        written.complete &= events.feed(location, &mut file);
        written.dropped += file.dropped();
        counts.push(file.finish()?);
    }
    writer.finish(&counts)?;
    Ok(written)
}

#[cfg(test)]
mod tests;
