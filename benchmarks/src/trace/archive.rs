//! A simulated trace as an OTF2 archive, written by Lotse's own writer.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use lotse_formats::trace::otf2::write::Otf2Writer;
use lotse_host::FolderFiles;
use lotse_model::id::LocationId;

use super::generate::Shape;
use crate::error::Error;

const NAME: &str = "trace";

/// An archive on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archive {
    /// Its anchor file.
    pub anchor: PathBuf,
    /// How many events it holds.
    pub events: u64,
    /// How long the files of events are together.
    pub bytes: u64,
}

impl Archive {
    /// Simulates and writes into a folder, which is made.
    pub fn write(shape: Shape, folder: &Path) -> Result<Self, Error> {
        let events = written(shape, folder).map_err(Error::file("write a trace into", folder))?;
        let bytes = event_bytes(&folder.join(NAME)).map_err(Error::file("look into", folder))?;
        Ok(Self { anchor: folder.join(format!("{NAME}.otf2")), events, bytes })
    }
}

fn written(shape: Shape, folder: &Path) -> io::Result<u64> {
    let sink = FolderFiles::new(folder);
    let mut definitions = shape.definitions();
    let creator = concat!("Lotse's simulation ", env!("CARGO_PKG_VERSION"));
    let writer = Otf2Writer::new(&sink, NAME, &definitions, creator);
    let locations: io::Result<Vec<_>> =
        (0..shape.locations).map(|location| writer.location(LocationId(location))).collect();
    let mut locations = locations?;
    let simulated = shape.simulate(&mut locations).ok_or(io::ErrorKind::InvalidInput)?;
    let counts: Vec<u64> = locations.into_iter().map(|it| it.finish()).collect::<io::Result<_>>()?;
    // How long it took is known only now.
    definitions.clock.length = simulated.length;
    Otf2Writer::new(&sink, NAME, &definitions, creator).finish(&counts)?;
    Ok(simulated.events)
}

fn event_bytes(folder: &Path) -> io::Result<u64> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.metadata()?.len())).sum()
}
