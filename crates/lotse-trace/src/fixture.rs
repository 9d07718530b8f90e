//! Small traces for tests, written as they would be told: who did what when.

use lotse_formats::trace::{EventStream, TraceInput};
use lotse_model::id::{CommunicatorId, GroupId, LocationId, ProcessId, RegionId, WindowId};
use lotse_model::trace::{
    Clock, Communicator, Definitions, Event, EventKind, Group, Location, LocationKind, ObjectKind, Paradigm,
    Process, ProcessKind, Region, RegionRole, RmaOp, Window,
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

    /// So many threads in each of the processes; the communicator has the first of each.
    pub(crate) fn hybrid(threads: &[u32]) -> Self {
        let of = |(process, &count): (usize, &u32)| (0..count).map(move |_| ProcessId::from(process));
        let mut script = Self::new(threads.iter().enumerate().flat_map(of).collect());
        let firsts = threads.iter().scan(0, |next, &count| {
            let first = *next;
            *next += count;
            Some(Some(LocationId(first)))
        });
        script.definitions.communicators[WORLD.index()].members = firsts.collect();
        script
    }

    fn new(processes: Vec<ProcessId>) -> Self {
        let mut definitions = Definitions::new(Clock { resolution: 1000, ..Clock::default() });
        let most = processes.iter().map(|process| process.0 + 1).max().unwrap_or(0);
        definitions.processes = (0..most)
            .map(|number| Process {
                name: format!("rank {number}"),
                machine: None,
                kind: ProcessKind::System,
            })
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

    /// Counts time in ticks of other length than milliseconds.
    pub(crate) fn ticks_per_second(&mut self, resolution: u64) -> &mut Self {
        self.definitions.clock.resolution = resolution;
        self
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

    /// A call that an attribute of its enter says the object of.
    pub(crate) fn call_about(
        &mut self,
        location: usize,
        (from, to): (u64, u64),
        region: &str,
        (kind, address): (ObjectKind, u64),
    ) -> &mut Self {
        self.enter(location, from, region);
        self.event(location, from, EventKind::Attribute, Event::Object { kind, address });
        self.leave(location, to, region)
    }

    /// A call with one record in it.
    pub(crate) fn with_record(
        &mut self,
        location: usize,
        (from, to): (u64, u64),
        region: &str,
        at: u64,
        (kind, event): (EventKind, Event),
    ) -> &mut Self {
        self.enter(location, from, region).event(location, at, kind, event).leave(location, to, region)
    }

    pub(crate) fn fork(&mut self, location: usize, at: u64, threads: u32) -> &mut Self {
        self.event(location, at, EventKind::ThreadFork, Event::Fork { threads })
    }

    pub(crate) fn join(&mut self, location: usize, at: u64) -> &mut Self {
        self.event(location, at, EventKind::ThreadJoin, Event::Join)
    }

    /// A thread's part in a team, which need not be defined.
    pub(crate) fn team_begin(&mut self, location: usize, at: u64, team: u32) -> &mut Self {
        let team = CommunicatorId(team);
        self.event(location, at, EventKind::ThreadTeamBegin, Event::TeamBegin { team })
    }

    pub(crate) fn team_end(&mut self, location: usize, at: u64, team: u32) -> &mut Self {
        let team = CommunicatorId(team);
        self.event(location, at, EventKind::ThreadTeamEnd, Event::TeamEnd { team })
    }

    /// A thread's part in the team of all, with a parallel region in it.
    pub(crate) fn team(
        &mut self,
        location: usize,
        (begin, end): (u64, u64),
        region: &str,
        (from, to): (u64, u64),
    ) -> &mut Self {
        self.define(region, RegionRole::Parallel, Paradigm::OpenMp);
        self.team_begin(location, begin, WORLD.0).call(location, from, to, region);
        self.team_end(location, end, WORLD.0)
    }

    /// The window of all, defined when first used.
    fn window(&mut self) -> WindowId {
        if self.definitions.windows.len() == 1 {
            self.definitions.windows.push(Window { name: "window".into(), communicator: WORLD });
        }
        WindowId(1)
    }

    /// A call for an epoch (`MPI_Win_post` and so on) that names others.
    pub(crate) fn epoch(
        &mut self,
        location: usize,
        span: (u64, u64),
        region: &str,
        with: &[u32],
    ) -> &mut Self {
        let members = with.iter().map(|&it| Some(LocationId(it))).collect();
        self.definitions.groups.push(Group { name: String::new(), members });
        let group = GroupId::from(self.definitions.groups.len() - 1);
        let event = Event::RmaGroupSync { window: self.window(), group };
        self.with_record(location, span, region, span.1, (EventKind::RmaGroupSync, event))
    }

    /// A put, over when its call is left.
    pub(crate) fn put(&mut self, location: usize, span: (u64, u64), remote: u32) -> &mut Self {
        let (op, matching) = (RmaOp::Put, span.0);
        let event = Event::RmaOperation { op, window: self.window(), remote, bytes: 8, matching };
        self.with_record(location, span, "MPI_Put", span.0, (EventKind::RmaPut, event))
    }

    /// A fence of all.
    pub(crate) fn fence(&mut self, location: usize, span: (u64, u64), region: &str) -> &mut Self {
        let (op, window) = (lotse_model::trace::CollectiveOp::Barrier, self.window());
        let event = Event::RmaCollectiveEnd { op, window, root: None, sent: 0, received: 0 };
        self.with_record(location, span, region, span.1, (EventKind::RmaCollectiveEnd, event))
    }

    /// Locks another's window: gets it when the call is left.
    pub(crate) fn lock(
        &mut self,
        location: usize,
        span: (u64, u64),
        remote: u32,
        exclusive: bool,
    ) -> &mut Self {
        let event = Event::RmaAcquireLock { window: self.window(), remote, lock: 0, exclusive };
        self.with_record(location, span, "MPI_Win_lock", span.1, (EventKind::RmaAcquireLock, event))
    }

    pub(crate) fn unlock(&mut self, location: usize, span: (u64, u64), remote: u32) -> &mut Self {
        let event = Event::RmaReleaseLock { window: self.window(), remote, lock: 0 };
        self.with_record(location, span, "MPI_Win_unlock", span.1, (EventKind::RmaReleaseLock, event))
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
        self.exchange(location, (from, to), region, (op, root), (8, 8))
    }

    /// A blocking collective in which a member sends and receives so many bytes.
    pub(crate) fn exchange(
        &mut self,
        location: usize,
        (from, to): (u64, u64),
        region: &str,
        (op, root): (lotse_model::trace::CollectiveOp, Option<u32>),
        (sent, received): (u64, u64),
    ) -> &mut Self {
        let event = Event::CollectiveEnd { op, communicator: WORLD, root, sent, received };
        self.enter(location, from, region);
        self.event(location, from, EventKind::MpiCollectiveBegin, Event::CollectiveBegin);
        self.event(location, to, EventKind::MpiCollectiveEnd, event);
        self.leave(location, to, region)
    }

    pub(crate) fn barrier(&mut self, location: usize, from: u64, to: u64) -> &mut Self {
        let op = lotse_model::trace::CollectiveOp::Barrier;
        self.collective(location, (from, to), "MPI_Barrier", op, None)
    }

    /// Posts a collective that does not block, and completes it in an `MPI_Wait`.
    pub(crate) fn posted_collective(
        &mut self,
        location: usize,
        (post, from, to): (u64, u64, u64),
        region: &str,
        op: lotse_model::trace::CollectiveOp,
        root: Option<u32>,
    ) -> &mut Self {
        let request = Event::CollectiveRequest { request: 7 };
        let event =
            Event::CollectiveComplete { op, communicator: WORLD, root, sent: 8, received: 8, request: 7 };
        self.enter(location, post, region);
        self.event(location, post, EventKind::NonBlockingCollectiveRequest, request);
        self.leave(location, post, region).enter(location, from, "MPI_Wait");
        self.event(location, to, EventKind::NonBlockingCollectiveComplete, event);
        self.leave(location, to, "MPI_Wait")
    }

    /// Posts a receive.
    pub(crate) fn irecv(&mut self, location: usize, at: u64, request: u64) -> &mut Self {
        let event = Event::MpiIrecvRequest { request };
        self.enter(location, at, "MPI_Irecv").event(location, at, EventKind::MpiIrecvRequest, event);
        self.leave(location, at, "MPI_Irecv")
    }

    /// Posts a send.
    pub(crate) fn isend(
        &mut self,
        location: usize,
        at: u64,
        receiver: u32,
        tag: u32,
        request: u64,
    ) -> &mut Self {
        let event = Event::MpiIsend { receiver, communicator: WORLD, tag, length: 8, request };
        self.enter(location, at, "MPI_Isend").event(location, at, EventKind::MpiIsend, event);
        self.leave(location, at, "MPI_Isend")
    }

    /// Replays it.
    pub(crate) fn trace(&self) -> Trace {
        let input = TraceInput {
            definitions: self.definitions.clone(),
            streams: self.events.iter().cloned().map(EventStream::Listed).collect(),
            format_id: "script",
            repairs: Vec::new(),
        };
        load(input, &Sequential)
    }
}
