//! Writes archives called `t` in memory.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Mutex;

use lotse_formats::trace::otf2::write::{Otf2LocationWriter, Otf2Writer};
use lotse_model::bytes::FolderSink;
use lotse_model::id::{LocationId, ProcessId};
use lotse_model::trace::{
    Clock, Communicator, Definitions, Location, LocationKind, Process, ProcessKind, Region,
};

use lotse_model::bytes::MemoryFolder;

/// Writes an archive; `events` is called for each location.
pub(crate) fn write(
    definitions: &Definitions,
    events: impl Fn(LocationId, &mut Otf2LocationWriter<'_>),
) -> MemoryFolder {
    let sink = Files::default();
    let writer = Otf2Writer::new(&sink, "t", definitions, "a test");
    let write_location = |at: usize| {
        let location = LocationId::from(at);
        let mut out = writer.location(location).unwrap();
        events(location, &mut out);
        out.finish().unwrap()
    };
    let counts: Vec<u64> = (0..definitions.locations.len()).map(write_location).collect();
    writer.finish(&counts).unwrap();
    MemoryFolder::new("t.otf2", sink.0.into_inner().unwrap())
}

/// Locations in one process, regions, and a communicator of all locations.
pub(crate) fn definitions(locations: usize, regions: usize) -> Definitions {
    let mut definitions = Definitions::new(Clock { resolution: 1_000_000, offset: 5, length: 1 << 50 });
    definitions.regions.extend((0..regions).map(|it| Region::named(format!("region {it}"))));
    let process = Process { name: "process".to_owned(), machine: None, kind: ProcessKind::System };
    definitions.processes.push(process);
    definitions.locations = (0..locations)
        .map(|it| Location {
            number: it as u64,
            name: format!("thread {it}"),
            kind: LocationKind::Cpu,
            process: ProcessId(0),
        })
        .collect();
    let members = (0..locations).map(|it| Some(LocationId::from(it))).collect();
    let world = Communicator { name: "world".to_owned(), members, ..Communicator::default() };
    definitions.communicators.push(world);
    definitions
}

#[derive(Default)]
struct Files(Mutex<BTreeMap<String, Vec<u8>>>);

struct File<'a> {
    name: String,
    bytes: Vec<u8>,
    files: &'a Files,
}

impl FolderSink for Files {
    fn create(&self, name: &str) -> io::Result<Box<dyn Write + Send + '_>> {
        Ok(Box::new(File { name: name.to_owned(), bytes: Vec::new(), files: self }))
    }
}

impl Write for File<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for File<'_> {
    fn drop(&mut self) {
        let mut files = self.files.0.lock().unwrap();
        files.insert(std::mem::take(&mut self.name), std::mem::take(&mut self.bytes));
    }
}
