//! Archives opened, and their events.

use lotse_formats::trace::{PieceEnd, TraceInput, otf2};
use lotse_model::trace::{Event, EventKind, EventSink, Ticks};

use lotse_model::bytes::MemoryFolder;

/// An event as it was read.
pub(crate) type Row = (Ticks, EventKind, Event);

/// Keeps events as they come.
#[derive(Debug, Default)]
struct Kept(Vec<Row>);

impl EventSink for Kept {
    fn event(&mut self, at: Ticks, kind: EventKind, event: Event) {
        // What attributes tell is no event.
        if kind != EventKind::Attribute {
            self.0.push((at, kind, event));
        }
    }
}

pub(crate) fn open(files: &MemoryFolder) -> TraceInput<'_> {
    otf2::open(files).unwrap_or_else(|error| panic!("{error}"))
}

/// The events of a location over all its pieces, and how these ended.
pub(crate) fn decode(input: &TraceInput<'_>, location: usize) -> (Vec<Row>, Vec<PieceEnd>) {
    let stream = &input.streams[location];
    let mut kept = Kept::default();
    let mut ends = Vec::new();
    for piece in 0..stream.pieces() {
        let before = kept.0.len();
        ends.push(stream.decode(piece, &mut kept));
        assert_eq!(ends[piece].events as usize, kept.0.len() - before);
    }
    (kept.0, ends)
}
