//! The events of one location: its chunks are pieces, each decoded in one loop that is compiled into the sink.
//!
//! Nearly all records are time stamps, enters and leaves: they are taken from a window of fixed size, so that one
//! comparison with the end of the chunk serves for all their loads. Everything else, and the last bytes of a chunk,
//! goes the careful way.

use std::sync::Arc;

use lotse_model::id::RegionId;
use lotse_model::trace::{Event, EventKind, EventSink, Ticks};

use super::attributes;
use super::chunks::{HEAD, Piece};
use super::clock::Correction;
use super::event_records::{ATTRIBUTE_LIST, ENTER, LEAVE, Numbers, TIME_STAMP, decode_record, one_field};
use super::fields::{Fields, significant};
use super::ids::Lookup;
use crate::error::Place;
use crate::trace::PieceEnd;

/// A time stamp (9 bytes) and an enter or leave after it (2 bytes and up to 8).
const WINDOW: usize = 19;
/// The ends of a chunk, of a buffer and of a file are 0, 1 and 2.
const END_OF_FILE: u8 = 2;

/// The events of one location, left in their file.
#[derive(Debug)]
pub struct LocationStream<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) pieces: Vec<Piece>,
    /// How many events the location's definition says there are.
    pub(in crate::trace) claimed: Option<u64>,
    pub(super) tables: Arc<Tables>,
    pub(super) correction: Option<Correction>,
}

/// What a location's numbers stand for.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) regions: Lookup,
    pub(super) communicators: Lookup,
    pub(super) windows: Lookup,
    pub(super) groups: Lookup,
    /// Attributes that say what a call is about, where there are any.
    pub(super) attributes: Option<Lookup>,
}

impl LocationStream<'_> {
    pub(in crate::trace) fn pieces(&self) -> usize {
        self.pieces.len()
    }

    pub(in crate::trace) fn expected(&self, piece: usize) -> usize {
        self.pieces.get(piece).map_or(0, Piece::expected)
    }

    pub(in crate::trace) fn decode<S: EventSink>(&self, piece: usize, sink: &mut S) -> PieceEnd {
        let Some(piece) = self.pieces.get(piece) else { return PieceEnd::default() };
        let decoder = Decoder {
            bytes: &self.bytes[..piece.end],
            at: piece.start + HEAD,
            time: 0,
            stream: self,
            end: PieceEnd::default(),
        };
        if piece.big { decoder.run::<true, S>(sink) } else { decoder.run::<false, S>(sink) }
    }
}

struct Decoder<'a, 'b> {
    /// The file up to the end of the chunk.
    bytes: &'a [u8],
    at: usize,
    time: Ticks,
    stream: &'a LocationStream<'b>,
    end: PieceEnd,
}

impl<'a> Decoder<'a, '_> {
    fn run<const BIG: bool, S: EventSink>(mut self, sink: &mut S) -> PieceEnd {
        loop {
            self.run_windows::<BIG, S>(sink);
            if !self.careful_record::<BIG, S>(sink) {
                return self.end;
            }
        }
    }

    /// Takes time stamps, enters and leaves until there is something else, or too little room for a window.
    ///
    /// The two branches look alike on purpose: merged into one, the place of the record would have to wait for the
    /// comparison instead of being foreseen.
    #[inline(always)]
    fn run_windows<const BIG: bool, S: EventSink>(&mut self, sink: &mut S) {
        let regions = &self.stream.tables.regions;
        let mut calls = Calls { regions, near: regions.near(), events: 0, undefined: 0 };
        let (mut at, mut time) = (self.at, self.time);
        while let Some(window) = self.bytes.get(at..).and_then(|rest| rest.first_chunk::<WINDOW>()) {
            if window[0] == TIME_STAMP {
                time = self.corrected(significant(eight(window, 1), 8, BIG));
                let (record, width) = (window[9], window[10]);
                at += 9;
                if !calls.give::<BIG, S>(record, width, eight(window, 11), time, sink) {
                    break;
                }
                at += 2 + usize::from(width);
            } else {
                let (record, width) = (window[0], window[1]);
                if !calls.give::<BIG, S>(record, width, eight(window, 2), time, sink) {
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

    /// Takes one record of any kind; false at the end of the piece.
    fn careful_record<const BIG: bool, S: EventSink>(&mut self, sink: &mut S) -> bool {
        let Some(&record) = self.bytes.get(self.at) else {
            return self.damaged("the file ends without a mark of its end");
        };
        if record <= END_OF_FILE {
            return false;
        }
        let taken = match (record, &self.stream.tables.attributes) {
            (TIME_STAMP, _) => self.time_stamp::<BIG>(),
            (ATTRIBUTE_LIST, Some(known)) => self.attributed::<BIG, S>(known, sink),
            _ if one_field(record) => self.short_record::<BIG, S>(record, sink),
            _ => self.long_record::<BIG, S>(record, sink),
        };
        taken.is_some() || self.damaged("a record goes on past the end of its chunk")
    }

    fn time_stamp<const BIG: bool>(&mut self) -> Option<()> {
        let mut fields = Fields::new(self.bytes, self.at + 1, self.bytes.len(), BIG);
        self.time = self.corrected(fields.fixed()?);
        self.at = fields.at();
        Some(())
    }

    /// A record of one number, whose width stands where others have their length.
    fn short_record<const BIG: bool, S: EventSink>(&mut self, record: u8, sink: &mut S) -> Option<()> {
        let width = *self.bytes.get(self.at + 1)?;
        let length = if width == 0xff { 0 } else { usize::from(width) };
        let end = self.at.checked_add(2 + length).filter(|it| *it <= self.bytes.len())?;
        self.give(record, Fields::new(self.bytes, self.at + 1, end, BIG), sink);
        self.at = end;
        Some(())
    }

    fn long_record<const BIG: bool, S: EventSink>(&mut self, record: u8, sink: &mut S) -> Option<()> {
        let (fields, end) = self.fields::<BIG>()?;
        self.give(record, fields, sink);
        self.at = end;
        Some(())
    }

    /// The fields of a record that begins with its length, and where it ends.
    #[inline(always)]
    fn fields<const BIG: bool>(&self) -> Option<(Fields<'a>, usize)> {
        let mut head = Fields::new(self.bytes, self.at + 1, self.bytes.len(), BIG);
        let length = match head.byte()? {
            0xff => usize::try_from(head.fixed()?).ok()?,
            short => usize::from(short),
        };
        let end = head.at().checked_add(length).filter(|it| *it <= self.bytes.len())?;
        Some((Fields::new(self.bytes, head.at(), end, BIG), end))
    }

    /// The attributes of a call and the enter that they belong to; what the call is about is told after it.
    #[cold]
    fn attributed<const BIG: bool, S: EventSink>(&mut self, known: &Lookup, sink: &mut S) -> Option<()> {
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
    fn give<S: EventSink>(&mut self, record: u8, fields: Fields<'_>, sink: &mut S) {
        let mut numbers = Numbers { tables: &self.stream.tables, undefined: 0 };
        match decode_record(record, fields, &mut numbers) {
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
        self.end.undefined += numbers.undefined;
    }

    #[cold]
    fn damaged(&mut self, why: &str) -> bool {
        self.end.damage = Some((Place::Byte(self.at as u64), why.to_owned()));
        false
    }
}

/// Gives enters and leaves to a sink.
struct Calls<'a> {
    regions: &'a Lookup,
    near: &'a [u32],
    events: u64,
    undefined: u64,
}

impl Calls<'_> {
    /// False where the record is neither, or wider than a region's number can be.
    #[inline(always)]
    fn give<const BIG: bool, S: EventSink>(
        &mut self,
        record: u8,
        width: u8,
        number: &[u8; 8],
        time: Ticks,
        sink: &mut S,
    ) -> bool {
        // Their numbers differ in the last bit: one comparison for both has nothing to mispredict.
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
        // One call with what was chosen, so that a sink that only stores has no branch to mispredict.
        let (kind, event) = if record == ENTER {
            (EventKind::Enter, Event::Enter { region })
        } else {
            (EventKind::Leave, Event::Leave { region })
        };
        sink.event(time, kind, event);
        true
    }
}

/// Eight bytes of a window; the positions are constants, and within it.
#[inline(always)]
fn eight(window: &[u8; WINDOW], from: usize) -> &[u8; 8] {
    window[from..].first_chunk().unwrap_or(&[0; 8])
}

#[cfg(test)]
mod tests;
