//! Decodes the events of one location, chunk by chunk. The loop is generic over the sink, so that it is inlined.
//!
//! Nearly all records are time stamps, enters and leaves:
//!
//! ```text
//! 5, eight bytes of time | 12, width, region number | 5, eight bytes of time | 13, width, region number | …
//! ```
//!
//! A fast loop takes them from a window of fixed size, so that one comparison with the end of the chunk is enough for
//! all loads. All other records, and the last bytes of a chunk, are decoded with a check for each field.

use std::sync::Arc;

use lotse_model::id::RegionId;
use lotse_model::trace::{Event, EventKind, EventSink, Ticks};

use super::attributes;
use super::chunks::{EventChunk, HEAD};
use super::clock::ClockCorrection;
use super::event_records::{
    ATTRIBUTE_LIST, ENTER, IdResolver, LEAVE, TIME_STAMP, decode_record, is_single_number,
};
use super::fields::{FieldReader, significant};
use super::ids::IdLookup;
use crate::error::Place;
use crate::trace::ChunkSummary;

/// A time stamp (9 bytes) and an enter or leave after it (2 bytes and up to 8).
const WINDOW: usize = 19;
/// The types of end records: 0 for a chunk, 1 for a buffer, 2 for a file.
const END_OF_FILE: u8 = 2;

/// The events of one location, not decoded yet.
#[derive(Debug)]
pub struct LocationStream<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) chunks: Vec<EventChunk>,
    /// The number of events that the location's definition states.
    pub(in crate::trace) stated_events: Option<u64>,
    pub(super) tables: Arc<LocationTables>,
    pub(super) correction: Option<ClockCorrection>,
}

/// The tables for the numbers in a location's events.
#[derive(Debug)]
pub(super) struct LocationTables {
    pub(super) regions: IdLookup,
    pub(super) communicators: IdLookup,
    pub(super) windows: IdLookup,
    pub(super) groups: IdLookup,
    /// Attributes that name synchronization objects, if there are any.
    pub(super) attributes: Option<IdLookup>,
}

impl LocationStream<'_> {
    pub(in crate::trace) fn chunks(&self) -> usize {
        self.chunks.len()
    }

    pub(in crate::trace) fn expected_events(&self, chunk: usize) -> usize {
        self.chunks.get(chunk).map_or(0, EventChunk::expected_events)
    }

    pub(in crate::trace) fn decode<S: EventSink>(&self, chunk: usize, sink: &mut S) -> ChunkSummary {
        let Some(chunk) = self.chunks.get(chunk) else { return ChunkSummary::default() };
        let decoder = ChunkDecoder {
            bytes: &self.bytes[..chunk.end],
            at: chunk.start + HEAD,
            time: 0,
            stream: self,
            end: ChunkSummary::default(),
        };
        if chunk.big { decoder.decode_chunk::<true, S>(sink) } else { decoder.decode_chunk::<false, S>(sink) }
    }
}

struct ChunkDecoder<'a, 'b> {
    /// The file up to the end of the chunk.
    bytes: &'a [u8],
    at: usize,
    time: Ticks,
    stream: &'a LocationStream<'b>,
    end: ChunkSummary,
}

impl<'a> ChunkDecoder<'a, '_> {
    /// Alternates between the fast loop and single records until the end of the chunk.
    fn decode_chunk<const BIG: bool, S: EventSink>(mut self, sink: &mut S) -> ChunkSummary {
        loop {
            self.decode_calls::<BIG, S>(sink);
            if !self.decode_any_record::<BIG, S>(sink) {
                return self.end;
            }
        }
    }

    /// Decodes time stamps, enters and leaves up to another record, or to less than a window before the end.
    ///
    /// The two branches are separate on purpose: with branches, the processor predicts the position of the record; merged
    /// into one, the position would depend on the result of the comparison.
    #[inline(always)]
    fn decode_calls<const BIG: bool, S: EventSink>(&mut self, sink: &mut S) {
        let regions = &self.stream.tables.regions;
        let mut calls = CallDecoder { regions, near: regions.near(), events: 0, undefined: 0 };
        let (mut at, mut time) = (self.at, self.time);
        while let Some(window) = self.bytes.get(at..).and_then(|rest| rest.first_chunk::<WINDOW>()) {
            if window[0] == TIME_STAMP {
                time = self.corrected(significant(eight(window, 1), 8, BIG));
                let (record, width) = (window[9], window[10]);
                at += 9;
                if !calls.emit::<BIG, S>(record, width, eight(window, 11), time, sink) {
                    break;
                }
                at += 2 + usize::from(width);
            } else {
                let (record, width) = (window[0], window[1]);
                if !calls.emit::<BIG, S>(record, width, eight(window, 2), time, sink) {
                    break;
                }
                at += 2 + usize::from(width);
            }
        }
        (self.at, self.time) = (at, time);
        self.end.events += calls.events;
        self.end.undefined += calls.undefined;
    }

    #[inline(always)]
    fn corrected(&self, time: Ticks) -> Ticks {
        match &self.stream.correction {
            None => time,
            Some(correction) => correction.apply(time),
        }
    }

    /// Decodes one record of any kind; `false` at the end of the chunk.
    fn decode_any_record<const BIG: bool, S: EventSink>(&mut self, sink: &mut S) -> bool {
        let Some(&record) = self.bytes.get(self.at) else {
            return self.damaged("the file ends without a mark of its end");
        };
        if record <= END_OF_FILE {
            return false;
        }
        let taken = match (record, &self.stream.tables.attributes) {
            (TIME_STAMP, _) => self.time_stamp::<BIG>(),
            (ATTRIBUTE_LIST, Some(known)) => self.enter_with_attributes::<BIG, S>(known, sink),
            _ if is_single_number(record) => self.short_record::<BIG, S>(record, sink),
            _ => self.long_record::<BIG, S>(record, sink),
        };
        taken.is_some() || self.damaged("a record goes on past the end of its chunk")
    }

    fn time_stamp<const BIG: bool>(&mut self) -> Option<()> {
        let mut fields = FieldReader::new(self.bytes, self.at + 1, self.bytes.len(), BIG);
        self.time = self.corrected(fields.fixed()?);
        self.at = fields.at();
        Some(())
    }

    /// Decodes a record of one packed number, which has no length byte.
    fn short_record<const BIG: bool, S: EventSink>(&mut self, record: u8, sink: &mut S) -> Option<()> {
        let width = *self.bytes.get(self.at + 1)?;
        let length = if width == 0xff { 0 } else { usize::from(width) };
        let end = self.at.checked_add(2 + length).filter(|it| *it <= self.bytes.len())?;
        self.emit(record, FieldReader::new(self.bytes, self.at + 1, end, BIG), sink);
        self.at = end;
        Some(())
    }

    /// Decodes a record with a length.
    fn long_record<const BIG: bool, S: EventSink>(&mut self, record: u8, sink: &mut S) -> Option<()> {
        let (fields, end) = self.fields::<BIG>()?;
        self.emit(record, fields, sink);
        self.at = end;
        Some(())
    }

    /// The fields of a record with a length, and its end.
    #[inline(always)]
    fn fields<const BIG: bool>(&self) -> Option<(FieldReader<'a>, usize)> {
        let mut head = FieldReader::new(self.bytes, self.at + 1, self.bytes.len(), BIG);
        let length = match head.byte()? {
            0xff => usize::try_from(head.fixed()?).ok()?,
            short => usize::from(short),
        };
        let end = head.at().checked_add(length).filter(|it| *it <= self.bytes.len())?;
        Some((FieldReader::new(self.bytes, head.at(), end, BIG), end))
    }

    /// Decodes an attribute list and the enter after it. The synchronization objects are passed to the sink after the enter.
    #[cold]
    fn enter_with_attributes<const BIG: bool, S: EventSink>(
        &mut self,
        known: &IdLookup,
        sink: &mut S,
    ) -> Option<()> {
        let (fields, end) = self.fields::<BIG>()?;
        self.at = end;
        if self.bytes.get(end) != Some(&ENTER) {
            return Some(());
        }
        self.short_record::<BIG, S>(ENTER, sink)?;
        let objects = attributes::objects(fields, known).into_iter().flatten();
        objects.for_each(|object| sink.event(self.time, EventKind::Attribute, object));
        Some(())
    }

    #[inline(always)]
    /// Decodes the fields of a record and passes the event to the sink.
    fn emit<S: EventSink>(&mut self, record: u8, fields: FieldReader<'_>, sink: &mut S) {
        let mut ids = IdResolver { tables: &self.stream.tables, undefined: 0 };
        match decode_record(record, fields, &mut ids) {
            Some((kind, Event::BufferFlush { until })) => {
                sink.event(self.time, kind, Event::BufferFlush { until: self.corrected(until) });
                self.end.events += 1;
            }
            Some((kind, event)) => {
                sink.event(self.time, kind, event);
                self.end.events += 1;
            }
            None => self.end.skipped += u64::from(record != ATTRIBUTE_LIST),
        }
        self.end.undefined += ids.undefined;
    }

    #[cold]
    fn damaged(&mut self, why: &str) -> bool {
        self.end.damage = Some((Place::Byte(self.at as u64), why.to_owned()));
        false
    }
}

/// Decodes enters and leaves in the fast loop.
struct CallDecoder<'a> {
    regions: &'a IdLookup,
    near: &'a [u32],
    events: u64,
    undefined: u64,
}

impl CallDecoder<'_> {
    /// Passes an enter or leave to the sink; `false` if the record is neither, or its number has more than 32 bits.
    #[inline(always)]
    fn emit<const BIG: bool, S: EventSink>(
        &mut self,
        record: u8,
        width: u8,
        number: &[u8; 8],
        time: Ticks,
        sink: &mut S,
    ) -> bool {
        // The types of enter and leave differ in the last bit: one comparison for both avoids a branch that is often
        // mispredicted.
        if record | 1 != LEAVE || width > 4 {
            return false;
        }
        let number = significant(number, usize::from(width), BIG);
        let region = match self.near.get(number as usize) {
            Some(&region) => region,
            None => self.regions.far(number),
        };
        self.events += 1;
        self.undefined += u64::from(region == 0);
        let region = RegionId(region);
        // One call for both, so that a sink that only stores events needs no unpredictable branch.
        let (kind, event) = if record == ENTER {
            (EventKind::Enter, Event::Enter { region })
        } else {
            (EventKind::Leave, Event::Leave { region })
        };
        sink.event(time, kind, event);
        true
    }
}

/// Eight bytes of a window; all callers pass constant positions within it.
#[inline(always)]
fn eight(window: &[u8; WINDOW], from: usize) -> &[u8; 8] {
    window[from..].first_chunk().unwrap_or(&[0; 8])
}

#[cfg(test)]
mod tests;
