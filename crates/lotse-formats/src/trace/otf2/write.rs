//! Writes OTF2 archives that the OTF2 library reads without a warning.
//!
//! Definitions are numbered from 0 in the order of the model's tables. Entry 0 of those tables, which stands for undefined,
//! is not written, and references to it become undefined references. Events are written in chunks of 1 MiB, each with
//! the numbers of its first and last event and a time stamp. Several locations may be written at the same time. What the
//! model does not hold is written as the minimum that the format allows: no descriptions, no flags, undefined file
//! handles.

mod anchor;
mod attributes;
mod chunks;
mod codes;
mod definitions;
mod event;
mod groups;
mod location;
mod names;
mod record;

use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use lotse_model::bytes::FolderSink;
use lotse_model::id::LocationId;
use lotse_model::trace::Definitions;

use anchor::AnchorWriter;
use chunks::ChunkWriter;
use groups::GroupLists;
pub use location::Otf2LocationWriter;

/// Bytes of a chunk of events; the default of the OTF2 library.
const EVENT_CHUNK: usize = 1 << 20;
/// Bytes of a chunk of definitions; the default of the OTF2 library.
const DEFINITION_CHUNK: usize = 4 << 20;

/// An archive that is being written.
pub struct Otf2Writer<'a> {
    sink: &'a dyn FolderSink,
    name: String,
    definitions: &'a Definitions,
    creator: String,
    groups: GroupLists,
    /// The number of each location, which is also in the names of its files.
    numbers: Vec<u64>,
    /// Whether any event names the synchronization object of a call.
    has_objects: AtomicBool,
}

impl<'a> Otf2Writer<'a> {
    /// Writes the archive `name.otf2`. `creator` is the program that writes it, with its version.
    pub fn new(sink: &'a dyn FolderSink, name: &str, definitions: &'a Definitions, creator: &str) -> Self {
        Self {
            sink,
            name: name.to_owned(),
            definitions,
            creator: creator.to_owned(),
            groups: GroupLists::from_definitions(definitions),
            numbers: numbers(definitions),
            has_objects: AtomicBool::new(false),
        }
    }

    /// A writer for the events of a location. Events written for the location before are lost.
    pub fn location(&self, location: LocationId) -> io::Result<Otf2LocationWriter<'_>> {
        let chunks = ChunkWriter::new(self.location_file(location.index(), "evt")?, EVENT_CHUNK);
        Ok(Otf2LocationWriter::new(chunks, self.groups.first_named(), &self.has_objects))
    }

    /// Writes everything but the events. `counts` are the numbers of events of the locations, as returned by
    /// [`Otf2LocationWriter::finish`]; 0 for a location without events.
    pub fn finish(self, counts: &[u64]) -> io::Result<()> {
        if counts.len() != self.numbers.len() {
            let (found, wanted) = (counts.len(), self.numbers.len());
            return Err(invalid(format!("{found} counts of events for {wanted} locations")));
        }
        for (location, &count) in counts.iter().enumerate() {
            self.write_empty_file(location, "def")?;
            if count == 0 {
                self.write_empty_file(location, "evt")?;
            }
        }
        let file = self.sink.create(&format!("{}.def", self.name))?;
        let definition_count = definitions::write(
            ChunkWriter::new(file, DEFINITION_CHUNK),
            self.definitions,
            &self.groups,
            (&self.numbers, counts),
            self.has_objects.load(Ordering::Relaxed),
        )?;
        let anchor = AnchorWriter {
            creator: &self.creator,
            definitions: self.definitions,
            definition_count,
            location_count: self.numbers.len() as u64,
            event_count: counts.iter().sum(),
        };
        let mut file = self.sink.create(&format!("{}.otf2", self.name))?;
        file.write_all(&anchor.bytes())?;
        file.flush()
    }

    fn write_empty_file(&self, location: usize, extension: &str) -> io::Result<()> {
        // Nothing is appended, so the smallest chunk is enough.
        ChunkWriter::new(self.location_file(location, extension)?, chunks::LEAST).finish()
    }

    fn location_file(&self, location: usize, extension: &str) -> io::Result<Box<dyn io::Write + Send + '_>> {
        let number =
            self.numbers.get(location).ok_or_else(|| invalid(format!("there is no location {location}")))?;
        self.sink.create(&format!("{}/{number}.{extension}", self.name))
    }
}

/// The numbers in the definitions if they are distinct, else the positions of the locations.
fn numbers(definitions: &Definitions) -> Vec<u64> {
    let mut seen = HashSet::new();
    let recorded = definitions.locations.iter().map(|it| it.number);
    // The largest number means "undefined" in OTF2.
    if recorded.clone().all(|number| number != u64::MAX && seen.insert(number)) {
        return recorded.collect();
    }
    (0..definitions.locations.len() as u64).collect()
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}
