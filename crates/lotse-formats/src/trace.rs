//! Traces of parallel programs: definitions at once, events as streams that are decoded when asked.
//!
//! A stream belongs to one location and falls into pieces that can be decoded independently and in any order; the
//! engine decides on which threads. Damage never stops a reader: what was repaired or lost is listed.

use lotse_model::id::LocationId;
use lotse_model::trace::{Definitions, Event, EventKind, EventSink, Ticks};

use crate::error::Place;

/// A trace, opened.
#[derive(Debug)]
pub struct TraceInput<'a> {
    /// What is said once.
    pub definitions: Definitions,
    /// The events of each location, in the order of the locations.
    pub streams: Vec<Stream<'a>>,
    /// The format it was in.
    pub format_id: &'static str,
    /// What was odd about the files and how it was taken.
    pub repairs: Vec<Repair>,
}

/// Something odd about a trace, and what was done about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// Whose events are concerned; `None` where it is the definitions or all.
    pub location: Option<LocationId>,
    /// The file, and where in it.
    pub file: String,
    /// Where in the file.
    pub place: Place,
    /// What was found and what was done.
    pub message: String,
    /// Whether events or definitions are missing because of it.
    pub loss: bool,
}

/// The events of one location.
#[derive(Debug)]
pub enum Stream<'a> {
    /// Left in an OTF2 file.
    Otf2(otf2::LocationStream<'a>),
    /// At hand.
    Listed(Vec<(Ticks, EventKind, Event)>),
}

/// What came of decoding a piece.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PieceEnd {
    /// Events given to the sink.
    pub events: u64,
    /// Records of a kind not known here, skipped by their length.
    pub skipped: u64,
    /// References to what was never defined.
    pub undefined: u64,
    /// Why decoding stopped before the end of the piece.
    pub damage: Option<(Place, String)>,
}

impl Stream<'_> {
    /// How many pieces there are.
    pub fn pieces(&self) -> usize {
        match self {
            Self::Otf2(stream) => stream.pieces(),
            Self::Listed(_) => 1,
        }
    }

    /// How many events the piece's head promises, for reserving memory; never more than its bytes can hold.
    pub fn expected(&self, piece: usize) -> usize {
        match self {
            Self::Otf2(stream) => stream.expected(piece),
            Self::Listed(events) => events.len(),
        }
    }

    /// How many events the definitions say there are; `None` where they do not say.
    pub fn claimed(&self) -> Option<u64> {
        match self {
            Self::Otf2(stream) => stream.claimed,
            Self::Listed(_) => None,
        }
    }

    /// Gives the events of a piece to a sink.
    pub fn decode<S: EventSink>(&self, piece: usize, sink: &mut S) -> PieceEnd {
        match self {
            Self::Otf2(stream) => stream.decode(piece, sink),
            Self::Listed(events) => {
                events.iter().for_each(|&(at, kind, event)| sink.event(at, kind, event));
                PieceEnd { events: events.len() as u64, ..PieceEnd::default() }
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
