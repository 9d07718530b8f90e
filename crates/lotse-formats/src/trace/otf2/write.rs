//! Writes OTF2 archives that the format's own library reads without a warning.
//!
//! Promises: numbers of definitions count from 0 in the order of the tables, and the unknown entries of the model
//! become references to nothing; events go into chunks of 1 MiB, each with its first and last event and a time of
//! its own; one location may be written while others are. What the model does not hold is written as the least
//! that the format allows: no descriptions, no flags, handles of files undefined.

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

use anchor::Anchor;
use chunks::Chunks;
use groups::Groups;
pub use location::LocationWriter;

/// Bytes of a chunk of events, as the library has it by default.
const EVENT_CHUNK: usize = 1 << 20;
/// Bytes of a chunk of definitions, likewise.
const DEFINITION_CHUNK: usize = 4 << 20;

/// An archive that is being written.
pub struct Writer<'a> {
    sink: &'a dyn FolderSink,
    name: String,
    definitions: &'a Definitions,
    creator: String,
    groups: Groups,
    /// The number of each location, which its files are called by.
    numbers: Vec<u64>,
    /// Whether some event says what a call is about.
    has_objects: AtomicBool,
}

impl<'a> Writer<'a> {
    /// An archive `name.otf2` with all that belongs to it. `creator` is what made it, with its version.
    pub fn new(sink: &'a dyn FolderSink, name: &str, definitions: &'a Definitions, creator: &str) -> Self {
        Self {
            sink,
            name: name.to_owned(),
            definitions,
            creator: creator.to_owned(),
            groups: Groups::of(definitions),
            numbers: numbers(definitions),
            has_objects: AtomicBool::new(false),
        }
    }

    /// The events of a location. What was written to it before is lost.
    pub fn location(&self, location: LocationId) -> io::Result<LocationWriter<'_>> {
        let chunks = Chunks::new(self.location_file(location.index(), "evt")?, EVENT_CHUNK);
        Ok(LocationWriter::new(chunks, self.groups.first_named(), &self.has_objects))
    }

    /// Everything but the events. `counts` are those of the locations, as their writers gave them at their ends; a
    /// location of which nothing was written has 0.
    pub fn finish(self, counts: &[u64]) -> io::Result<()> {
        if counts.len() != self.numbers.len() {
            let (found, wanted) = (counts.len(), self.numbers.len());
            return Err(invalid(format!("{found} counts of events for {wanted} locations")));
        }
        for (location, &count) in counts.iter().enumerate() {
            self.empty(location, "def")?;
            if count == 0 {
                self.empty(location, "evt")?;
            }
        }
        let file = self.sink.create(&format!("{}.def", self.name))?;
        let definition_count = definitions::write(
            Chunks::new(file, DEFINITION_CHUNK),
            self.definitions,
            &self.groups,
            (&self.numbers, counts),
            self.has_objects.load(Ordering::Relaxed),
        )?;
        let anchor = Anchor {
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

    fn empty(&self, location: usize, extension: &str) -> io::Result<()> {
        // Nothing is appended, so the least chunk will do.
        Chunks::new(self.location_file(location, extension)?, chunks::LEAST).finish()
    }

    fn location_file(&self, location: usize, extension: &str) -> io::Result<Box<dyn io::Write + Send + '_>> {
        let number =
            self.numbers.get(location).ok_or_else(|| invalid(format!("there is no location {location}")))?;
        self.sink.create(&format!("{}/{number}.{extension}", self.name))
    }
}

/// The recorder's numbers where they tell the locations apart, else their positions.
fn numbers(definitions: &Definitions) -> Vec<u64> {
    let mut seen = HashSet::new();
    let told = definitions.locations.iter().map(|it| it.number);
    // The largest number means "none" in the format.
    if told.clone().all(|number| number != u64::MAX && seen.insert(number)) {
        return told.collect();
    }
    (0..definitions.locations.len() as u64).collect()
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}
