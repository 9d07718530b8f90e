//! Opens archives and decodes their events.

use lotse_formats::trace::{ChunkSummary, TraceInput, otf2};
use lotse_model::trace::{Event, EventKind, EventSink, Ticks};

use lotse_model::bytes::MemoryFolder;

/// An event that was read.
pub(crate) type Row = (Ticks, EventKind, Event);

/// Collects events.
#[derive(Debug, Default)]
struct Kept(Vec<Row>);

impl EventSink for Kept {
    fn event(&mut self, at: Ticks, kind: EventKind, event: Event) {
        // Synchronization objects from attributes are not events of the file.
        if kind != EventKind::Attribute {
            self.0.push((at, kind, event));
        }
    }
}

pub(crate) fn open(files: &MemoryFolder) -> TraceInput<'_> {
    otf2::open(files).unwrap_or_else(|error| panic!("{error}"))
}

/// The events of a location, and the summary of each of its chunks.
pub(crate) fn decode(input: &TraceInput<'_>, location: usize) -> (Vec<Row>, Vec<ChunkSummary>) {
    let stream = &input.streams[location];
    let mut kept = Kept::default();
    let mut ends = Vec::new();
    for chunk in 0..stream.chunks() {
        let before = kept.0.len();
        ends.push(stream.decode(chunk, &mut kept));
        assert_eq!(ends[chunk].events as usize, kept.0.len() - before);
    }
    (kept.0, ends)
}
