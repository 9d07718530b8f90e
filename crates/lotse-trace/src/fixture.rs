//! Builds small traces for tests, event by event.

use lotse_formats::trace::{EventStream, TraceInput};
use lotse_model::id::{CommunicatorId, GroupId, LocationId, ProcessId, RegionId, WindowId};
use lotse_model::trace::{
    Clock, Communicator, Definitions, Event, EventKind, Group, Location, LocationKind, ObjectKind, Paradigm,
    Process, ProcessKind, Region, RegionRole, RmaOp, Window,
};
use lotse_model::work::Sequential;

use crate::store::{Trace, load};

/// A trace under construction. By default locations are processes of one thread, and a tick is a millisecond.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) definitions: Definitions,
    events: Vec<Vec<(u64, EventKind, Event)>>,
}

/// The communicator of all locations.
pub(crate) const WORLD: CommunicatorId = CommunicatorId(1);

impl Script {
    /// `count` processes of one thread each, and a communicator of all.
    pub(crate) fn processes(count: u32) -> Self {
        Self::new((0..count).map(ProcessId).collect())
    }

    /// A ring of processes with nested calls, waits and messages that overtake each other, so that lines cross columns; thousands of
    /// steps, so that blocks are used. Rank 3 has a function of its own for each step, so that its blocks are not kept.
    pub(crate) fn ring(rounds: u64) -> Self {
        let mut script = Self::processes(4);
        for rank in 0..4_u64 {
            let (next, last) = (((rank + 1) % 4) as u32, ((rank + 3) % 4) as u32);
            let place = rank as usize;
            script.enter(place, rank, "main");
            for round in 0..rounds {
                let at = 10 + round * 2000 + rank * 37 * (round % 5);
                for part in 0..16_u64 {
                    let begin = at + part * 20;
                    let name = if rank == 3 {
                        format!("own {}", (round * 16 + part) % 3000)
                    } else {
                        format!("f{}", part % 3)
                    };
                    script.call(place, begin, begin + 3 + (round * part) % 17, &name);
                }
                script.send(place, at + 400, at + 410 + rank, next, 0);
                script.recv(place, at + 500, at + 640 + (round % 3) * 100, last, 0);
            }
            script.leave(place, rounds * 2000 + 500 + rank * 11, "main");
        }
        script
    }

    /// Two processes enter barriers 10 ms after each other; their clocks differ by 5 s, which can be determined to 15 ms.
    pub(crate) fn clocks_apart() -> Self {
        let mut script = Self::processes(2);
        for (location, (ahead, late)) in [(0, 0), (5000, 10)].into_iter().enumerate() {
            script.enter(location, ahead, "main");
            for at in (0..5).map(|round| ahead + 40 * round) {
                script.barrier(location, at + late, at + 20);
            }
            script.leave(location, ahead + 200, "main");
        }
        script
    }

    /// One process of `count` threads, and a team of all.
    pub(crate) fn threads(count: u32) -> Self {
        Self::new((0..count).map(|_| ProcessId(0)).collect())
    }

    /// Processes with these numbers of threads; the communicator contains the first thread of each.
    pub(crate) fn hybrid(threads: &[u32]) -> Self {
        let threads_of = |(process, &count): (usize, &u32)| (0..count).map(move |_| ProcessId::from(process));
        let mut script = Self::new(threads.iter().enumerate().flat_map(threads_of).collect());
        let firsts = threads.iter().scan(0, |next, &count| {
            let first = *next;
            *next += count;
            Some(Some(LocationId(first)))
        });
        script.definitions.communicators[WORLD.index()].members = firsts.collect();
        script
    }

    /// Defines one location for each entry, which is the location's process, and a communicator of all locations.
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

    /// Sets the clock's resolution; the default is a tick of a millisecond.
    pub(crate) fn ticks_per_second(&mut self, resolution: u64) -> &mut Self {
        self.definitions.clock.resolution = resolution;
        self
    }

    /// The region of this name; defined when it is first used.
    pub(crate) fn region(&mut self, name: &str) -> RegionId {
        let known = self.definitions.regions.iter().position(|region| region.name == name);
        RegionId::from(known.unwrap_or_else(|| {
            self.definitions.regions.push(Region::named(name));
            self.definitions.regions.len() - 1
        }))
    }

    /// Sets role and paradigm of a region.
    pub(crate) fn define(&mut self, name: &str, role: RegionRole, paradigm: Paradigm) -> RegionId {
        let id = self.region(name);
        let region = &mut self.definitions.regions[id.index()];
        (region.role, region.paradigm) = (role, paradigm);
        id
    }

    /// Appends an event.
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

    /// A call whose enter has an attribute with the object of the call.
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

    /// Begin of a thread's part in a team, which need not be defined.
    pub(crate) fn team_begin(&mut self, location: usize, at: u64, team: u32) -> &mut Self {
        let team = CommunicatorId(team);
        self.event(location, at, EventKind::ThreadTeamBegin, Event::TeamBegin { team })
    }

    pub(crate) fn team_end(&mut self, location: usize, at: u64, team: u32) -> &mut Self {
        let team = CommunicatorId(team);
        self.event(location, at, EventKind::ThreadTeamEnd, Event::TeamEnd { team })
    }

    /// A thread's part in the team of all threads, with a parallel region in it.
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

    /// The window of all locations; defined when it is first used.
    fn window(&mut self) -> WindowId {
        if self.definitions.windows.len() == 1 {
            self.definitions.windows.push(Window { name: "window".into(), communicator: WORLD });
        }
        WindowId(1)
    }

    /// A synchronisation call of an epoch (`MPI_Win_post` and so on) with a group of other locations.
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

    /// A put that is complete when its call is left.
    pub(crate) fn put(&mut self, location: usize, span: (u64, u64), remote: u32) -> &mut Self {
        let (op, matching) = (RmaOp::Put, span.0);
        let event = Event::RmaOperation { op, window: self.window(), remote, bytes: 8, matching };
        self.with_record(location, span, "MPI_Put", span.0, (EventKind::RmaPut, event))
    }

    /// A fence of all locations.
    pub(crate) fn fence(&mut self, location: usize, span: (u64, u64), region: &str) -> &mut Self {
        let (op, window) = (lotse_model::trace::CollectiveOp::Barrier, self.window());
        let event = Event::RmaCollectiveEnd { op, window, root: None, sent: 0, received: 0 };
        self.with_record(location, span, region, span.1, (EventKind::RmaCollectiveEnd, event))
    }

    /// Locks the window of another location; the lock is acquired when the call is left.
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

    /// A blocking send with its record at the enter.
    pub(crate) fn send(&mut self, location: usize, from: u64, to: u64, receiver: u32, tag: u32) -> &mut Self {
        let event = Event::MpiSend { receiver, communicator: WORLD, tag, length: 8 };
        self.enter(location, from, "MPI_Send").event(location, from, EventKind::MpiSend, event);
        self.leave(location, to, "MPI_Send")
    }

    /// A blocking receive with its record at the leave.
    pub(crate) fn recv(&mut self, location: usize, from: u64, to: u64, sender: u32, tag: u32) -> &mut Self {
        let event = Event::MpiRecv { sender, communicator: WORLD, tag, length: 8 };
        self.enter(location, from, "MPI_Recv").event(location, to, EventKind::MpiRecv, event);
        self.leave(location, to, "MPI_Recv")
    }

    /// A blocking collective of all locations.
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

    /// A blocking collective in which a member sends and receives the given numbers of bytes.
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

    /// Posts a non-blocking collective, and completes it in an `MPI_Wait`.
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

    /// Posts a non-blocking receive.
    pub(crate) fn irecv(&mut self, location: usize, at: u64, request: u64) -> &mut Self {
        let event = Event::MpiIrecvRequest { request };
        self.enter(location, at, "MPI_Irecv").event(location, at, EventKind::MpiIrecvRequest, event);
        self.leave(location, at, "MPI_Irecv")
    }

    /// Posts a non-blocking send.
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

    /// Loads the events into a trace.
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
