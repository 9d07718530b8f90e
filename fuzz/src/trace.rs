//! Traces that consist of one file, optionally with further files.

use lotse_formats::trace::open::open;
use lotse_formats::trace::write_chrome::ChromeWriter;
use lotse_formats::trace::{TraceInput, chrome, write_csv};
use lotse_model::bytes::{Folder, Memory};
use lotse_model::id::{CommunicatorId, LocationId, RegionId};
use lotse_model::trace::{Definitions, Event, EventKind, EventSink, Ticks};

/// Opens a trace whose files are separated by zero bytes in `data` and have these names; checks it, writes it, and reads the
/// output again.
pub(crate) fn trace(data: &[u8], format: &str, names: &[&str]) {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let contents: Vec<&[u8]> = data.splitn(names.len(), |byte| *byte == 0).collect();
    let files = Files { names, contents };
    let Ok(input) = open(&files, Some(format)) else { return };
    check(&input);
    write_all(&input);
}

struct Files<'a> {
    names: Vec<String>,
    contents: Vec<&'a [u8]>,
}

impl Folder for Files<'_> {
    fn name(&self) -> &str {
        &self.names[0]
    }

    fn main(&self) -> &str {
        &self.names[0]
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn bytes(&self, name: &str) -> Option<&[u8]> {
        let row = self.names.iter().position(|it| it == name)?;
        self.contents.get(row).copied()
    }
}

fn check(input: &TraceInput<'_>) {
    let all = &input.definitions;
    assert_eq!(input.streams.len(), all.locations.len());
    assert!(all.locations.iter().all(|it| it.process.index() < all.processes.len()));
    let members = all.communicators.iter().flat_map(|it| &it.members).flatten();
    assert!(members.into_iter().all(|it| it.index() < all.locations.len()));
    for stream in &input.streams {
        let mut sink = CheckingSink { all, last: 0, open: Vec::new() };
        (0..stream.chunks()).for_each(|chunk| drop(stream.decode(chunk, &mut sink)));
        assert!(sink.open.is_empty(), "every call ends");
    }
}

/// Checks that times do not decrease, calls nest, and ids are valid indices into the tables.
struct CheckingSink<'a> {
    all: &'a Definitions,
    last: Ticks,
    open: Vec<RegionId>,
}

impl CheckingSink<'_> {
    fn check_rank(&self, communicator: CommunicatorId, rank: u32) {
        let group = &self.all.communicators[communicator.index()];
        assert!(group.of_self || (rank as usize) < group.members.len().max(group.remote.len()));
    }
}

impl EventSink for CheckingSink<'_> {
    fn event(&mut self, at: Ticks, _: EventKind, event: Event) {
        assert!(at >= self.last);
        self.last = at;
        match event {
            Event::Enter { region } => {
                assert!(region.index() < self.all.regions.len());
                self.open.push(region);
            }
            Event::Leave { region } => assert_eq!(self.open.pop(), Some(region)),
            Event::MpiSend { receiver: rank, communicator, .. }
            | Event::MpiRecv { sender: rank, communicator, .. } => {
                self.check_rank(communicator, rank);
            }
            Event::CollectiveEnd { communicator, root: Some(root), .. }
            | Event::CollectiveComplete { communicator, root: Some(root), .. } => {
                self.check_rank(communicator, root)
            }
            Event::CollectiveEnd { communicator, .. } | Event::CollectiveComplete { communicator, .. } => {
                assert!(communicator.index() < self.all.communicators.len());
            }
            _ => {}
        }
    }
}

fn write_all(input: &TraceInput<'_>) {
    let (mut json, mut csv) = (Vec::new(), Vec::new());
    let writer = ChromeWriter::new(&input.definitions).expect("text is text");
    writer.begin(&mut json).expect("memory takes everything");
    for (row, stream) in input.streams.iter().enumerate() {
        let location = LocationId::from(row);
        let mut events = writer.location(location, &mut json);
        let mut rows = write_csv::CsvLocationWriter::new(&input.definitions, location, &mut csv);
        (0..stream.chunks()).for_each(|chunk| drop(stream.decode(chunk, &mut events)));
        (0..stream.chunks()).for_each(|chunk| drop(stream.decode(chunk, &mut rows)));
        events.finish().expect("memory takes everything");
        rows.finish().expect("memory takes everything");
    }
    writer.end(&mut json).expect("memory takes everything");
    chrome::read(&Memory { name: "again", bytes: &json }).expect("what was written can be read");
}
