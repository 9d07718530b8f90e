//! Traces of parallel programs: the definitions are read at once, the events are decoded on demand.
//!
//! The events of a location are a stream, which consists of chunks that can be decoded independently, in any order and on
//! any thread. Damage never stops a reader: what was repaired or lost is listed.

use lotse_model::id::LocationId;
use lotse_model::trace::{Definitions, Event, EventKind, EventSink, Ticks};

use crate::error::Place;

/// An opened trace.
#[derive(Debug)]
pub struct TraceInput<'a> {
    pub definitions: Definitions,
    /// The events of each location, in the order of the locations.
    pub streams: Vec<EventStream<'a>>,
    pub format_id: &'static str,
    /// What was wrong with the files and how it was handled.
    pub repairs: Vec<Repair>,
}

/// Something wrong or unusual in a trace, and how it was handled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// The location whose events are concerned; `None` for the definitions or the whole trace.
    pub location: Option<LocationId>,
    pub file: String,
    /// Where in the file.
    pub place: Place,
    /// What was found and how it was handled.
    pub message: String,
    /// Whether events or definitions are missing because of it.
    pub loss: bool,
}

/// The events of one location.
#[derive(Debug)]
pub enum EventStream<'a> {
    /// In an OTF2 file, not decoded yet.
    Otf2(otf2::LocationStream<'a>),
    /// In memory.
    Listed(Vec<(Ticks, EventKind, Event)>),
}

/// The result of decoding a chunk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChunkSummary {
    /// The number of events passed to the sink.
    pub events: u64,
    /// The number of records of unknown kinds, which were skipped.
    pub skipped: u64,
    /// The number of references without a definition.
    pub undefined: u64,
    /// Why decoding stopped before the end of the chunk.
    pub damage: Option<(Place, String)>,
}

impl EventStream<'_> {
    /// The number of chunks.
    pub fn chunks(&self) -> usize {
        match self {
            Self::Otf2(stream) => stream.chunks(),
            Self::Listed(_) => 1,
        }
    }

    /// The number of events that the header of a chunk states, for reserving memory; at most what its bytes can hold.
    pub fn expected_events(&self, chunk: usize) -> usize {
        match self {
            Self::Otf2(stream) => stream.expected_events(chunk),
            Self::Listed(events) => events.len(),
        }
    }

    /// The number of events that the definitions state, if they do.
    pub fn stated_events(&self) -> Option<u64> {
        match self {
            Self::Otf2(stream) => stream.stated_events,
            Self::Listed(_) => None,
        }
    }

    /// Decodes a chunk and passes its events to a sink.
    pub fn decode<S: EventSink>(&self, chunk: usize, sink: &mut S) -> ChunkSummary {
        match self {
            Self::Otf2(stream) => stream.decode(chunk, sink),
            Self::Listed(events) => {
                events.iter().for_each(|&(at, kind, event)| sink.event(at, kind, event));
                ChunkSummary { events: events.len() as u64, ..ChunkSummary::default() }
            }
        }
    }
}

pub mod chrome;
mod file;
mod mpi_names;
pub mod open;
pub mod otf2;
pub mod paraver;
mod ticks;
mod timeline;
pub mod write_chrome;
pub mod write_csv;
