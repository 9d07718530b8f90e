//! Small traces for tests, written as they would be told: who did what when.

use lotse_formats::trace::{Stream, TraceInput};
use lotse_model::id::{CommunicatorId, LocationId, ProcessId, RegionId};
use lotse_model::trace::{
    Clock, Communicator, Definitions, Event, EventKind, Location, LocationKind, Paradigm, Process, Region,
    RegionRole,
};
use lotse_model::work::Sequential;

use crate::store::{Trace, load};

/// A trace under construction. Locations are processes of one thread unless said otherwise; a tick is a millisecond.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) definitions: Definitions,
    events: Vec<Vec<(u64, EventKind, Event)>>,
}

/// The communicator of all.
pub(crate) const WORLD: CommunicatorId = CommunicatorId(1);

impl Script {
    /// So many processes of one thread each, and a communicator of all.
    pub(crate) fn processes(count: u32) -> Self {
        Self::new((0..count).map(ProcessId).collect())
    }

    /// One process of so many threads, and a team of all.
    pub(crate) fn threads(count: u32) -> Self {
        Self::new((0..count).map(|_| ProcessId(0)).collect())
    }

    fn new(processes: Vec<ProcessId>) -> Self {
        let mut definitions = Definitions::new(Clock { resolution: 1000, ..Clock::default() });
        let most = processes.iter().map(|process| process.0 + 1).max().unwrap_or(0);
        definitions.processes = (0..most)
            .map(|number| Process { name: format!("rank {number}"), machine: None, accelerator: false })
            .collect();
        definitions.locations = processes
            .iter()
            .enumerate()
            .map(|(number, &process)| Location {
                number: number as u64,
                name: format!("location {number}"),
                kind: LocationKind::Cpu,
                process,
            })
            .collect();
        let members = (0..processes.len()).map(|it| Some(LocationId::from(it))).collect();
        definitions.communicators.push(Communicator {
            name: "world".into(),
            members,
            ..Communicator::default()
        });
        let events = vec![Vec::new(); processes.len()];
        Self { definitions, events }
    }

    /// The region of a name, defined when first named.
    pub(crate) fn region(&mut self, name: &str) -> RegionId {
        let known = self.definitions.regions.iter().position(|region| region.name == name);
        RegionId::from(known.unwrap_or_else(|| {
            self.definitions.regions.push(Region::named(name));
            self.definitions.regions.len() - 1
        }))
    }

    /// Says what a region is.
    pub(crate) fn define(&mut self, name: &str, role: RegionRole, paradigm: Paradigm) -> RegionId {
        let id = self.region(name);
        let region = &mut self.definitions.regions[id.index()];
        (region.role, region.paradigm) = (role, paradigm);
        id
    }

    /// Something happens.
    pub(crate) fn event(&mut self, location: usize, at: u64, kind: EventKind, event: Event) -> &mut Self {
        self.events[location].push((at, kind, event));
        self
    }

    pub(crate) fn enter(&mut self, location: usize, at: u64, region: &str) -> &mut Self {
        let region = self.region(region);
        self.event(location, at, EventKind::Enter, Event::Enter { region })
    }

    pub(crate) fn leave(&mut self, location: usize, at: u64, region: &str) -> &mut Self {
        let region = self.region(region);
        self.event(location, at, EventKind::Leave, Event::Leave { region })
    }

    /// A call from one time to another, with nothing in it.
    pub(crate) fn call(&mut self, location: usize, from: u64, to: u64, region: &str) -> &mut Self {
        self.enter(location, from, region).leave(location, to, region)
    }

    /// A blocking send: the record stands at the enter.
    pub(crate) fn send(&mut self, location: usize, from: u64, to: u64, receiver: u32, tag: u32) -> &mut Self {
        let event = Event::MpiSend { receiver, communicator: WORLD, tag, length: 8 };
        self.enter(location, from, "MPI_Send").event(location, from, EventKind::MpiSend, event);
        self.leave(location, to, "MPI_Send")
    }

    /// A blocking receive: the record stands at the leave.
    pub(crate) fn recv(&mut self, location: usize, from: u64, to: u64, sender: u32, tag: u32) -> &mut Self {
        let event = Event::MpiRecv { sender, communicator: WORLD, tag, length: 8 };
        self.enter(location, from, "MPI_Recv").event(location, to, EventKind::MpiRecv, event);
        self.leave(location, to, "MPI_Recv")
    }

    /// A blocking collective of all.
    pub(crate) fn collective(
        &mut self,
        location: usize,
        (from, to): (u64, u64),
        region: &str,
        op: lotse_model::trace::CollectiveOp,
        root: Option<u32>,
    ) -> &mut Self {
        let event = Event::CollectiveEnd { op, communicator: WORLD, root, sent: 8, received: 8 };
        self.enter(location, from, region);
        self.event(location, from, EventKind::MpiCollectiveBegin, Event::CollectiveBegin);
        self.event(location, to, EventKind::MpiCollectiveEnd, event);
        self.leave(location, to, region)
    }

    pub(crate) fn barrier(&mut self, location: usize, from: u64, to: u64) -> &mut Self {
        let op = lotse_model::trace::CollectiveOp::Barrier;
        self.collective(location, (from, to), "MPI_Barrier", op, None)
    }

    /// Replays it.
    pub(crate) fn trace(&self) -> Trace {
        let input = TraceInput {
            definitions: self.definitions.clone(),
            streams: self.events.iter().cloned().map(Stream::Listed).collect(),
            format_id: "script",
            repairs: Vec::new(),
        };
        load(input, &Sequential)
    }
}
