//! Records the simulated machine as events of OTF2.

use lotse_formats::trace::{EventStream, TraceInput};
use lotse_model::id::{CommunicatorId, LocationId, ProcessId, RegionId};
use lotse_model::trace::{
    Clock, CollectiveOp, Communicator, Definitions, Event, EventKind, Location, LocationKind, LockKind,
    Process, ProcessKind, Region, Ticks,
};

use crate::program::{Costs, HELD, Program, Sending, Step};

/// The communicator of all ranks.
const WORLD: CommunicatorId = CommunicatorId(1);
/// Bytes of messages that are buffered, and of those that are not.
const SMALL: u64 = 8;
const LARGE: u64 = 1 << 20;
const REQUEST: u64 = 1;

type Events = Vec<(Ticks, EventKind, Event)>;

/// A recorded run.
#[derive(Debug)]
pub(crate) struct Records {
    definitions: Definitions,
    events: Vec<Events>,
}

impl Records {
    pub(crate) fn input(self) -> TraceInput<'static> {
        TraceInput {
            definitions: self.definitions,
            streams: self.events.into_iter().map(EventStream::Listed).collect(),
            format_id: "simulated",
            repairs: Vec::new(),
        }
    }
}

pub(crate) struct Recorder {
    records: Records,
    /// By location: the sender of the last posted receive.
    pending: Vec<u32>,
}

impl Recorder {
    pub(crate) fn new(program: &Program) -> Self {
        let count = program.steps.len();
        let mut recorder = Self {
            records: Records { definitions: definitions(program), events: vec![Vec::new(); count] },
            pending: vec![0; count],
        };
        for rank in 0..program.ranks {
            recorder.enter(program.main_of(rank), 0, "main");
        }
        recorder
    }

    /// Leaves `main` at the end of each main thread.
    pub(crate) fn finish(mut self, ends: impl Iterator<Item = Ticks>) -> Records {
        for (location, end) in ends.enumerate() {
            let first = self.records.events[location].first();
            if first.is_some_and(|(_, kind, _)| *kind == EventKind::Enter) {
                self.leave(location, end, "main");
            }
        }
        self.records
    }

    pub(crate) fn record(&mut self, at: usize, step: Step, (enter, exit): (Ticks, Ticks), costs: Costs) {
        use EventKind as Kind;
        let (communicator, tag, team) = (WORLD, 0, CommunicatorId(0));
        match step {
            Step::Compute(name, _) => self.call(at, (enter, exit), name, enter, None),
            Step::Send(sending, receiver) => {
                let length = if sending == Sending::Large { LARGE } else { SMALL };
                let name = if sending == Sending::Synchronous { "MPI_Ssend" } else { "MPI_Send" };
                let event = Event::MpiSend { receiver, communicator, tag, length };
                self.call(at, (enter, exit), name, enter, Some((Kind::MpiSend, event)));
            }
            Step::Recv(sender) => {
                let event = Event::MpiRecv { sender, communicator, tag, length: SMALL };
                self.call(at, (enter, exit), "MPI_Recv", exit, Some((Kind::MpiRecv, event)));
            }
            Step::Post(sender) => {
                self.pending[at] = sender;
                let event = Event::MpiIrecvRequest { request: REQUEST };
                self.call(at, (enter, exit), "MPI_Irecv", enter, Some((Kind::MpiIrecvRequest, event)));
            }
            Step::Wait => {
                let (sender, length, request) = (self.pending[at], SMALL, REQUEST);
                let event = Event::MpiIrecv { sender, communicator, tag, length, request };
                self.call(at, (enter, exit), "MPI_Wait", exit, Some((Kind::MpiIrecv, event)));
            }
            Step::Meet(op, root) => self.record_collective(at, (enter, exit), op, root),
            Step::Create(count) => {
                let event = Event::ThreadCreate { team, count };
                self.call(at, (enter, exit), "pthread_create", exit, Some((Kind::ThreadCreate, event)));
            }
            Step::Begin(count) => {
                self.event(at, exit, Kind::ThreadBegin, Event::ThreadBegin { team, count });
                self.enter(at, exit, "thread");
            }
            Step::End(count) => {
                self.leave(at, exit, "thread");
                self.event(at, exit, Kind::ThreadEnd, Event::ThreadEnd { team, count });
            }
            Step::Join(count) => {
                let event = Event::ThreadWait { team, count };
                self.call(at, (enter, exit), "pthread_join", exit, Some((Kind::ThreadWait, event)));
            }
            Step::Hold(turn, ticks) => self.record_lock(at, (enter, exit - ticks, exit), turn, costs),
        }
    }

    fn record_collective(&mut self, at: usize, (enter, exit): (Ticks, Ticks), op: CollectiveOp, root: u32) {
        let (name, root) = match op {
            CollectiveOp::Barrier => ("MPI_Barrier", None),
            CollectiveOp::Bcast => ("MPI_Bcast", Some(root)),
            CollectiveOp::Reduce => ("MPI_Reduce", Some(root)),
            CollectiveOp::Scan => ("MPI_Scan", None),
            _ => ("MPI_Allreduce", None),
        };
        let bytes = if op == CollectiveOp::Barrier { 0 } else { SMALL };
        let end = Event::CollectiveEnd { op, communicator: WORLD, root, sent: bytes, received: bytes };
        self.enter(at, enter, name);
        self.event(at, enter, EventKind::MpiCollectiveBegin, Event::CollectiveBegin);
        self.event(at, exit, EventKind::MpiCollectiveEnd, end);
        self.leave(at, exit, name);
    }

    /// Acquires the lock, works under it, and releases it, which takes no time.
    fn record_lock(
        &mut self,
        at: usize,
        (enter, taken, exit): (Ticks, Ticks, Ticks),
        order: u32,
        costs: Costs,
    ) {
        assert!(taken >= enter + costs.lock);
        let (kind, lock) = (LockKind::Mutex, 1);
        let acquire = (EventKind::ThreadAcquireLock, Event::AcquireLock { kind, lock, order });
        let release = (EventKind::ThreadReleaseLock, Event::ReleaseLock { kind, lock, order });
        self.call(at, (enter, taken), "pthread_mutex_lock", taken, Some(acquire));
        self.call(at, (taken, exit), HELD, taken, None);
        self.call(at, (exit, exit), "pthread_mutex_unlock", exit, Some(release));
    }

    fn call(
        &mut self,
        location: usize,
        (enter, exit): (Ticks, Ticks),
        name: &str,
        at: Ticks,
        record: Option<(EventKind, Event)>,
    ) {
        self.enter(location, enter, name);
        if let Some((kind, event)) = record {
            self.event(location, at, kind, event);
        }
        self.leave(location, exit, name);
    }

    fn enter(&mut self, location: usize, at: Ticks, name: &str) {
        let region = self.region(name);
        self.event(location, at, EventKind::Enter, Event::Enter { region });
    }

    fn leave(&mut self, location: usize, at: Ticks, name: &str) {
        let region = self.region(name);
        self.event(location, at, EventKind::Leave, Event::Leave { region });
    }

    fn event(&mut self, location: usize, at: Ticks, kind: EventKind, event: Event) {
        self.records.events[location].push((at, kind, event));
    }

    fn region(&mut self, name: &str) -> RegionId {
        let regions = &mut self.records.definitions.regions;
        let known = regions.iter().position(|region| region.name == name);
        RegionId::from(known.unwrap_or_else(|| {
            regions.push(Region::named(name));
            regions.len() - 1
        }))
    }
}

fn definitions(program: &Program) -> Definitions {
    let mut definitions = Definitions::new(Clock { resolution: 1_000_000, ..Clock::default() });
    definitions.processes = (0..program.ranks)
        .map(|rank| Process { name: format!("rank {rank}"), machine: None, kind: ProcessKind::System })
        .collect();
    definitions.locations = (0..program.steps.len())
        .map(|number| Location {
            number: number as u64,
            name: format!("location {number}"),
            kind: LocationKind::Cpu,
            process: ProcessId(program.rank_of(number)),
        })
        .collect();
    let members = (0..program.ranks).map(|rank| Some(LocationId::from(program.main_of(rank)))).collect();
    definitions.communicators.push(Communicator { name: "world".into(), members, ..Communicator::default() });
    definitions
}
