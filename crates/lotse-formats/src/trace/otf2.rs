//! OTF2 archives: an anchor, global definitions, and for each location its events and its mapping of numbers.
//!
//! Promises: all definitions the model has a place for and all events, as the OTF2 library reads them; of damaged or
//! incomplete archives everything that is there. What was odd is listed with the input. Event files are not looked
//! at but for the heads of their chunks.

use std::sync::Arc;

use lotse_model::bytes::Folder;
use lotse_model::id::LocationId;

use self::anchor::Anchor;
use self::chunks::Oddity;
use self::clock::Correction;
use self::ids::Lookup;
use self::layout::Layout;
pub use self::stream::LocationStream;
use self::stream::Tables;
use self::tables::Built;
use super::{Repair, Stream, TraceInput};
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

/// Opens the archive that a folder holds: reads the definitions, and where the chunks of events begin.
pub fn open<'a>(folder: &'a dyn Folder) -> Result<TraceInput<'a>, FormatError> {
    let layout = layout::find(folder);
    let mut opening = Opening { folder, layout: &layout, repairs: Vec::new() };
    let anchor = opening.anchor()?;
    let built = opening.definitions(&anchor)?;
    opening.check_counts(&anchor, &built);
    let streams = opening.streams(&anchor, &built);
    Ok(TraceInput { definitions: built.definitions, streams, format_id: FORMAT, repairs: opening.repairs })
}

struct Opening<'a, 'b> {
    folder: &'a dyn Folder,
    layout: &'b Layout,
    repairs: Vec<Repair>,
}

impl<'a> Opening<'a, '_> {
    fn note(&mut self, file: &str, message: impl Into<String>) {
        let (file, message) = (file.to_owned(), message.into());
        self.repairs.push(Repair { location: None, file, place: Place::Whole, message, loss: false });
    }

    fn note_all(&mut self, location: Option<LocationId>, file: &str, oddities: Vec<Oddity>) {
        let repair = |Oddity { at, message, loss }| {
            let place = Place::Byte(at as u64);
            Repair { location, file: file.to_owned(), place, message, loss }
        };
        self.repairs.extend(oddities.into_iter().map(repair));
    }

    fn anchor(&mut self) -> Result<Anchor, FormatError> {
        let Some((name, bytes)) = self.file(self.layout.anchor.as_deref()) else {
            self.note(
                self.folder.main(),
                "there is no anchor: the archive was put together from its other files",
            );
            return Ok(Anchor::default());
        };
        let anchor = anchor::read(bytes).map_err(|flaw| flaw.of(name))?;
        if anchor.cut {
            self.note(name, "the anchor is cut: what is left of it was taken");
        }
        Ok(anchor)
    }

    fn file<'n>(&self, name: Option<&'n str>) -> Option<(&'n str, &'a [u8])> {
        name.and_then(|name| Some((name, self.folder.bytes(name)?)))
    }

    fn definitions(&mut self, anchor: &Anchor) -> Result<Built, FormatError> {
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
        let mut raw = definitions::Raw::default();
        if found.is_some() {
            raw = definitions::read(bytes, anchor.definition_chunk);
        } else {
            let message = "the file of global definitions is missing: names are not known".to_owned();
            let file = name.to_owned();
            self.repairs.push(Repair { location: None, file, place: Place::Whole, message, loss: true });
        }
        let oddities = std::mem::take(&mut raw.oddities);
        self.note_all(None, name, oddities);
        if let Some(claimed) = anchor.definitions.filter(|it| found.is_some() && *it != raw.records) {
            self.note(name, format!("{} definitions were read where the anchor says {claimed}", raw.records));
        }
        let files: Vec<u64> = layout.events.keys().copied().collect();
        let mut built = tables::build(&raw, anchor.properties.clone(), &files);
        for message in std::mem::take(&mut built.notes) {
            self.note(name, message);
        }
        Ok(built)
    }

    fn check_counts(&mut self, anchor: &Anchor, built: &Built) {
        let count = built.definitions.locations.len();
        let name = self.layout.anchor.as_deref().unwrap_or(self.folder.main());
        if let Some(claimed) = anchor.locations.filter(|it| *it != count as u64) {
            self.note(name, format!("there are {count} locations where the anchor says {claimed}"));
        }
        let undefined = built.claimed.iter().filter(|it| it.is_none()).count();
        if undefined > 0 {
            self.note(
                name,
                format!("{undefined} locations have events and no definition, or no count of events"),
            );
        }
    }

    fn streams(&mut self, anchor: &Anchor, built: &Built) -> Vec<Stream<'a>> {
        let shared = Arc::new(tables_of(built, &local::Local::default()));
        let numbers: Vec<u64> = built.definitions.locations.iter().map(|it| it.number).collect();
        let mut streams = Vec::with_capacity(numbers.len());
        for (at, number) in numbers.into_iter().enumerate() {
            let location = LocationId::from(at);
            let local = self.local(number, anchor);
            let tables = if local.maps() { Arc::new(tables_of(built, &local)) } else { Arc::clone(&shared) };
            let claimed = built.claimed[at];
            let bytes = self.events(location, number, claimed);
            let file = format!("{}{number}.evt", self.layout.locations);
            let split = chunks::split(bytes, anchor.event_chunk);
            self.note_all(Some(location), &file, split.oddities);
            let correction = Correction::of(local.offsets);
            streams.push(Stream::Otf2(LocationStream {
                bytes,
                pieces: split.pieces,
                claimed,
                tables,
                correction,
            }));
        }
        streams
    }

    fn local(&mut self, number: u64, anchor: &Anchor) -> local::Local {
        let file = format!("{}{number}.def", self.layout.locations);
        match self.folder.bytes(&file) {
            Some(bytes) => {
                let mut local = local::read(bytes, anchor.definition_chunk);
                // They are of definitions: the location has all its events.
                self.note_all(None, &file, std::mem::take(&mut local.oddities));
                local
            }
            None => local::Local::default(),
        }
    }

    fn events(&mut self, location: LocationId, number: u64, claimed: Option<u64>) -> &'a [u8] {
        let name = self.layout.events.get(&number);
        if let Some(bytes) = name.and_then(|it| self.folder.bytes(it)) {
            if bytes.is_empty() {
                self.missing(location, number, claimed, "the file is empty");
            }
            return bytes;
        }
        self.missing(location, number, claimed, "the file is missing");
        &[]
    }

    fn missing(&mut self, location: LocationId, number: u64, claimed: Option<u64>, what: &str) {
        let Some(claimed) = claimed.filter(|it| *it > 0) else { return };
        self.repairs.push(Repair {
            location: Some(location),
            file: format!("{}{number}.evt", self.layout.locations),
            place: Place::Whole,
            message: format!("{what}: {claimed} events are lost"),
            loss: true,
        });
    }
}

fn tables_of(built: &Built, local: &local::Local) -> Tables {
    Tables {
        regions: Lookup::new(&built.regions, &local.regions),
        communicators: Lookup::new(&built.communicators, &local.communicators),
        windows: Lookup::new(&built.windows, &local.windows),
        groups: Lookup::new(&built.groups, &local.groups),
        attributes: built.attributes.as_ref().map(|shared| Lookup::new(shared, &local.attributes)),
    }
}
