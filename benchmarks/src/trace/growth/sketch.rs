//! A trace that is put together call by call.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use lotse_formats::trace::otf2::write::Otf2Writer;
use lotse_host::FolderFiles;
use lotse_model::id::{CommunicatorId, LocationId, ProcessId, RegionId};
use lotse_model::trace::{
    Clock, CollectiveOp, Communicator, Definitions, Event, EventKind, EventSink, Location, LocationKind,
    Process, ProcessKind, Region, Ticks,
};

const NAME: &str = "trace";

/// All processes.
pub(super) const WORLD: CommunicatorId = CommunicatorId(1);

/// Definitions, and the events of each location in the order of time.
#[derive(Debug)]
pub struct Sketch {
    pub(super) definitions: Definitions,
    events: Vec<Vec<(Ticks, EventKind, Event)>>,
    regions: HashMap<String, RegionId>,
}

impl Sketch {
    /// Processes of one thread each.
    pub(super) fn processes(count: u64) -> Self {
        let mut sketch = Self::new(count, count);
        let members = (0..count as usize).map(|rank| Some(LocationId::from(rank))).collect();
        let name = "MPI_COMM_WORLD".to_owned();
        sketch.definitions.communicators.push(Communicator { name, members, ..Communicator::default() });
        sketch
    }

    /// Threads of one process.
    pub(super) fn threads(count: u64) -> Self {
        Self::new(1, count)
    }

    fn new(processes: u64, locations: u64) -> Self {
        let mut definitions = Definitions::new(Clock::default());
        definitions.processes = (0..processes)
            .map(|rank| Process {
                name: format!("MPI Rank {rank}"),
                machine: None,
                kind: ProcessKind::System,
            })
            .collect();
        definitions.locations = (0..locations)
            .map(|number| Location {
                number,
                name: format!("thread {number}"),
                kind: LocationKind::Cpu,
                process: ProcessId::from(if processes == 1 { 0 } else { number as usize }),
            })
            .collect();
        Self { definitions, events: vec![Vec::new(); locations as usize], regions: HashMap::new() }
    }

    fn region(&mut self, name: &str) -> RegionId {
        if let Some(&known) = self.regions.get(name) {
            return known;
        }
        let region = RegionId::from(self.definitions.regions.len());
        self.definitions.regions.push(Region::named(name));
        self.regions.insert(name.to_owned(), region);
        region
    }

    /// A record.
    pub(super) fn record(
        &mut self,
        location: u64,
        at: Ticks,
        (kind, event): (EventKind, Event),
    ) -> &mut Self {
        self.events[location as usize].push((at, kind, event));
        self
    }

    pub(super) fn enter(&mut self, location: u64, at: Ticks, name: &str) -> &mut Self {
        let region = self.region(name);
        self.record(location, at, (EventKind::Enter, Event::Enter { region }))
    }

    pub(super) fn leave(&mut self, location: u64, at: Ticks, name: &str) -> &mut Self {
        let region = self.region(name);
        self.record(location, at, (EventKind::Leave, Event::Leave { region }))
    }

    /// A call without records.
    pub(super) fn call(&mut self, location: u64, (from, to): (Ticks, Ticks), name: &str) -> &mut Self {
        self.enter(location, from, name).leave(location, to, name)
    }

    /// A call with one record, which is made at its end.
    pub(super) fn call_with(
        &mut self,
        location: u64,
        (from, to): (Ticks, Ticks),
        name: &str,
        record: (EventKind, Event),
    ) -> &mut Self {
        self.enter(location, from, name).record(location, to, record).leave(location, to, name)
    }

    /// A member's part in a collective of a communicator, sending and receiving 8 bytes.
    pub(super) fn collective(
        &mut self,
        location: u64,
        (from, to): (Ticks, Ticks),
        name: &str,
        (op, communicator, root): (CollectiveOp, CommunicatorId, Option<u32>),
    ) -> &mut Self {
        let end = Event::CollectiveEnd { op, communicator, root, sent: 8, received: 8 };
        self.enter(location, from, name)
            .record(location, from, (EventKind::MpiCollectiveBegin, Event::CollectiveBegin))
            .record(location, to, (EventKind::MpiCollectiveEnd, end))
            .leave(location, to, name)
    }

    /// How many events there are.
    pub fn events(&self) -> u64 {
        self.events.iter().map(|it| it.len() as u64).sum()
    }

    /// Writes an OTF2 archive into a folder; gives its anchor file.
    pub fn write(mut self, folder: &Path) -> io::Result<PathBuf> {
        let last = self.events.iter().flatten().map(|event| event.0).max();
        self.definitions.clock.length = last.unwrap_or(0) + 1;
        let sink = FolderFiles::new(folder);
        let creator = concat!("Lotse's sketch ", env!("CARGO_PKG_VERSION"));
        let writer = Otf2Writer::new(&sink, NAME, &self.definitions, creator);
        let mut counts = Vec::with_capacity(self.events.len());
        for (number, events) in self.events.iter().enumerate() {
            let mut location = writer.location(LocationId::from(number))?;
            events.iter().for_each(|&(at, kind, event)| location.event(at, kind, event));
            counts.push(location.finish()?);
        }
        writer.finish(&counts)?;
        Ok(folder.join(format!("{NAME}.otf2")))
    }
}
