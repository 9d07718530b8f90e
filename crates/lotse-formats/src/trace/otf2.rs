//! Reads OTF2 archives: an anchor file, global definitions, and for each location its events and its local definitions.
//!
//! ```text
//! traces.otf2     anchor: chunk sizes, counts, properties
//! traces.def      global definitions: strings, locations, regions, communicators, …
//! traces/0.def    local definitions of location 0: its own numbers for regions etc., offsets of its clock
//! traces/0.evt    events of location 0
//! ```
//!
//! Guarantees: all definitions that the model can hold and all events are read as by the OTF2 library; of a damaged or
//! incomplete archive everything that exists is read, and the problems are listed. Opening an archive reads only the
//! chunk headers of event files.

use std::sync::Arc;

use lotse_model::bytes::Folder;
use lotse_model::id::LocationId;

use self::anchor::Anchor;
use self::chunks::Oddity;
use self::clock::ClockCorrection;
use self::ids::IdLookup;
use self::layout::ArchiveFiles;
pub use self::stream::LocationStream;
use self::stream::LocationTables;
use self::tables::BuiltTables;
use super::{EventStream, Repair, TraceInput};
use crate::error::{FormatError, Place};

mod anchor;
mod attributes;
mod chunks;
mod clock;
mod definition_records;
mod definitions;
mod event_records;
mod fields;
mod ids;
mod layout;
mod local;
mod members;
mod names;
mod stream;
mod tables;
pub mod write;

const FORMAT: &str = "otf2";

/// Whether the bytes begin like the anchor of an archive.
pub fn claim_anchor(bytes: &[u8]) -> bool {
    anchor::claim(bytes)
}

/// Opens the archive in a folder: reads the definitions, and finds the chunks of the event files.
pub fn open<'a>(folder: &'a dyn Folder) -> Result<TraceInput<'a>, FormatError> {
    let layout = layout::find(folder);
    let mut opener = ArchiveOpener { folder, layout: &layout, repairs: Vec::new() };
    let anchor = opener.anchor()?;
    let built = opener.definitions(&anchor)?;
    opener.check_counts(&anchor, &built);
    let streams = opener.streams(&anchor, &built);
    Ok(TraceInput { definitions: built.definitions, streams, format_id: FORMAT, repairs: opener.repairs })
}

/// Reads the files of an archive and collects the problems.
struct ArchiveOpener<'a, 'b> {
    folder: &'a dyn Folder,
    layout: &'b ArchiveFiles,
    repairs: Vec<Repair>,
}

impl<'a> ArchiveOpener<'a, '_> {
    fn note(&mut self, file: &str, message: impl Into<String>) {
        let (file, message) = (file.to_owned(), message.into());
        self.repairs.push(Repair { location: None, file, place: Place::Whole, message, loss: false });
    }

    fn note_all(&mut self, location: Option<LocationId>, file: &str, diagnostics: Vec<Oddity>) {
        let repair = |Oddity { at, message, loss }| {
            let place = Place::Byte(at as u64);
            Repair { location, file: file.to_owned(), place, message, loss }
        };
        self.repairs.extend(diagnostics.into_iter().map(repair));
    }

    fn anchor(&mut self) -> Result<Anchor, FormatError> {
        let Some((name, bytes)) = self.file(self.layout.anchor.as_deref()) else {
            self.note(
                self.folder.main(),
                "there is no anchor: the archive was put together from its other files",
            );
            return Ok(Anchor::default());
        };
        let anchor = anchor::read(bytes).map_err(|flaw| flaw.into_error(name))?;
        if anchor.cut {
            self.note(name, "the anchor is cut: what is left of it was taken");
        }
        Ok(anchor)
    }

    fn file<'n>(&self, name: Option<&'n str>) -> Option<(&'n str, &'a [u8])> {
        name.and_then(|name| Some((name, self.folder.bytes(name)?)))
    }

    /// Reads the global definitions. Without them the locations are those that have event files; an archive with neither is
    /// an error.
    fn definitions(&mut self, anchor: &Anchor) -> Result<BuiltTables, FormatError> {
        let layout = self.layout;
        let found = self.file(layout.definitions.as_deref());
        if found.is_none() && layout.events.is_empty() {
            return Err(FormatError::Damaged {
                name: self.folder.name().to_owned(),
                place: Place::Whole,
                problem: "there are neither definitions nor events of an OTF2 archive".to_owned(),
            });
        }
        let (name, bytes) = found.unwrap_or((self.folder.main(), &[]));
        let mut raw = definitions::RawDefinitions::default();
        if found.is_some() {
            raw = definitions::read(bytes, anchor.definition_chunk);
        } else {
            let message = "the file of global definitions is missing: names are not known".to_owned();
            let file = name.to_owned();
            self.repairs.push(Repair { location: None, file, place: Place::Whole, message, loss: true });
        }
        let diagnostics = std::mem::take(&mut raw.diagnostics);
        self.note_all(None, name, diagnostics);
        if let Some(stated) = anchor.definitions.filter(|it| found.is_some() && *it != raw.records) {
            self.note(name, format!("{} definitions were read where the anchor says {stated}", raw.records));
        }
        let files: Vec<u64> = layout.events.keys().copied().collect();
        let mut built = tables::build(&raw, anchor.properties.clone(), &files);
        for message in std::mem::take(&mut built.notes) {
            self.note(name, message);
        }
        Ok(built)
    }

    /// Compares the number of locations with the anchor, and notes locations without a definition.
    fn check_counts(&mut self, anchor: &Anchor, built: &BuiltTables) {
        let count = built.definitions.locations.len();
        let name = self.layout.anchor.as_deref().unwrap_or(self.folder.main());
        if let Some(stated) = anchor.locations.filter(|it| *it != count as u64) {
            self.note(name, format!("there are {count} locations where the anchor says {stated}"));
        }
        let undefined = built.stated_events.iter().filter(|it| it.is_none()).count();
        if undefined > 0 {
            self.note(
                name,
                format!("{undefined} locations have events and no definition, or no count of events"),
            );
        }
    }

    /// The event stream of each location. Locations without mappings of their own share one set of tables.
    fn streams(&mut self, anchor: &Anchor, built: &BuiltTables) -> Vec<EventStream<'a>> {
        let shared = Arc::new(lookup_tables(built, &local::LocalDefinitions::default()));
        let numbers: Vec<u64> = built.definitions.locations.iter().map(|it| it.number).collect();
        let mut streams = Vec::with_capacity(numbers.len());
        for (at, number) in numbers.into_iter().enumerate() {
            let location = LocationId::from(at);
            let local = self.local(number, anchor);
            let tables = if local.has_mappings() {
                Arc::new(lookup_tables(built, &local))
            } else {
                Arc::clone(&shared)
            };
            let stated = built.stated_events[at];
            let bytes = self.events(location, number, stated);
            let file = format!("{}{number}.evt", self.layout.locations);
            let split = chunks::split(bytes, anchor.event_chunk);
            self.note_all(Some(location), &file, split.diagnostics);
            let correction = ClockCorrection::from_offsets(local.offsets);
            streams.push(EventStream::Otf2(LocationStream {
                bytes,
                chunks: split.chunks,
                stated_events: stated,
                tables,
                correction,
            }));
        }
        streams
    }

    /// Reads the local definitions of a location.
    fn local(&mut self, number: u64, anchor: &Anchor) -> local::LocalDefinitions {
        let file = format!("{}{number}.def", self.layout.locations);
        match self.folder.bytes(&file) {
            Some(bytes) => {
                let mut local = local::read(bytes, anchor.definition_chunk);
                // `None`, because the problems are in definitions: the events of the location are complete.
                self.note_all(None, &file, std::mem::take(&mut local.diagnostics));
                local
            }
            None => local::LocalDefinitions::default(),
        }
    }

    /// The bytes of a location's event file; empty, with a note, if it is missing.
    fn events(&mut self, location: LocationId, number: u64, stated: Option<u64>) -> &'a [u8] {
        let name = self.layout.events.get(&number);
        if let Some(bytes) = name.and_then(|it| self.folder.bytes(it)) {
            if bytes.is_empty() {
                self.missing(location, number, stated, "the file is empty");
            }
            return bytes;
        }
        self.missing(location, number, stated, "the file is missing");
        &[]
    }

    fn missing(&mut self, location: LocationId, number: u64, stated: Option<u64>, what: &str) {
        let Some(stated) = stated.filter(|it| *it > 0) else { return };
        self.repairs.push(Repair {
            location: Some(location),
            file: format!("{}{number}.evt", self.layout.locations),
            place: Place::Whole,
            message: format!("{what}: {stated} events are lost"),
            loss: true,
        });
    }
}

/// The tables that translate the numbers in a location's events to ids.
fn lookup_tables(built: &BuiltTables, local: &local::LocalDefinitions) -> LocationTables {
    LocationTables {
        regions: IdLookup::new(&built.regions, &local.regions),
        communicators: IdLookup::new(&built.communicators, &local.communicators),
        windows: IdLookup::new(&built.windows, &local.windows),
        groups: IdLookup::new(&built.groups, &local.groups),
        attributes: built.attributes.as_ref().map(|shared| IdLookup::new(shared, &local.attributes)),
    }
}
