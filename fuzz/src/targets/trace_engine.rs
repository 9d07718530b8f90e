//! The analysis of traces with arbitrary events, six bytes each, on up to four locations.

use lotse_formats::trace::{EventStream, TraceInput};
use lotse_model::id::{CommunicatorId, GroupId, LocationId, ProcessId, RegionId, WindowId};
use lotse_model::trace::{
    Clock, CollectiveOp, Communicator, Definitions, Event, EventKind, Group, Location, LocationKind,
    LockKind, ObjectKind, Process, ProcessKind, Region, RmaOp, Ticks, UNORDERED, Window,
};
use lotse_model::work::Sequential;
use lotse_trace::analyze::{Options, Subject, analyze, critical};
use lotse_trace::store::load;

const REGIONS: [&str; 33] = [
    "main",
    "work",
    "MPI_Send",
    "MPI_Ssend",
    "MPI_Recv",
    "MPI_Isend",
    "MPI_Irecv",
    "MPI_Wait",
    "MPI_Waitall",
    "MPI_Test",
    "MPI_Barrier",
    "MPI_Allreduce",
    "MPI_Bcast",
    "MPI_Reduce",
    "MPI_Scan",
    "MPI_Init",
    "MPI_File_write_all",
    "MPI_Win_fence",
    "MPI_Win_start",
    "MPI_Win_post",
    "MPI_Win_complete",
    "MPI_Win_wait",
    "MPI_Put",
    "MPI_Win_lock",
    "MPI_Win_unlock",
    "pthread_mutex_lock",
    "pthread_cond_wait",
    "pthread_cond_signal",
    "pthread_join",
    "!$omp implicit barrier",
    "pthread_mutex_unlock",
    "pthread_barrier_wait",
    "pthread_create",
];

const COLLECTIVES: [CollectiveOp; 8] = [
    CollectiveOp::Barrier,
    CollectiveOp::Bcast,
    CollectiveOp::Gather,
    CollectiveOp::Reduce,
    CollectiveOp::Allreduce,
    CollectiveOp::Scan,
    CollectiveOp::CreateHandle,
    CollectiveOp::Unknown,
];

/// Definitions with all regions, the given locations and processes, and a communicator of each kind.
fn definitions(locations: u32, processes: u32) -> Definitions {
    let mut all = Definitions::new(Clock { resolution: 1000, ..Clock::default() });
    all.regions.extend(REGIONS.iter().map(|&name| Region::named(name)));
    all.processes = (0..processes)
        .map(|number| Process { name: format!("p{number}"), machine: None, kind: ProcessKind::System })
        .collect();
    all.locations = (0..locations)
        .map(|number| Location {
            number: u64::from(number),
            name: format!("l{number}"),
            kind: if number == 3 { LocationKind::Unknown } else { LocationKind::Cpu },
            process: ProcessId(number % processes),
        })
        .collect();
    let members: Vec<Option<LocationId>> = (0..locations).map(|it| Some(LocationId(it))).collect();
    let (own, other) = members.split_at(members.len() / 2);
    all.communicators.push(Communicator { members: members.clone(), ..Communicator::default() });
    all.communicators.push(Communicator { of_self: true, ..Communicator::default() });
    all.communicators.push(Communicator {
        members: own.to_vec(),
        remote: other.to_vec(),
        ..Communicator::default()
    });
    all.windows.push(Window { name: "w".to_owned(), communicator: CommunicatorId(1) });
    all.groups.push(Group { name: "g".to_owned(), members });
    all
}

/// Decodes an event from its bytes; every kind that the analyses handle can occur.
#[expect(clippy::too_many_lines, reason = "a flat table of kinds")]
fn event(what: u8, a: u8, b: u8, c: u8, at: Ticks) -> (EventKind, Event) {
    let (communicator, team) = (CommunicatorId(u32::from(b % 4)), CommunicatorId(u32::from(b % 3)));
    let (peer, tag, length) = (u32::from(a % 6), u32::from(b / 64), u64::from(c));
    let (request, region) = (u64::from(c % 8), RegionId(u32::from(a) % (REGIONS.len() as u32 + 1)));
    let (window, group) = (WindowId(u32::from(b % 2)), GroupId(u32::from(c % 2)));
    let (op, root) = (COLLECTIVES[usize::from(a % 8)], c.is_multiple_of(2).then_some(u32::from(c / 8)));
    let (sent, received) = (length % 3, length % 5);
    let (lock, order) = (u64::from(a % 3), if c == 255 { UNORDERED } else { u32::from(c) });
    match what % 40 {
        0..=7 => (EventKind::Enter, Event::Enter { region }),
        8..=15 => (EventKind::Leave, Event::Leave { region }),
        16 => (EventKind::MpiSend, Event::MpiSend { receiver: peer, communicator, tag, length }),
        17 => (EventKind::MpiIsend, Event::MpiIsend { receiver: peer, communicator, tag, length, request }),
        18 => (EventKind::MpiIsendComplete, Event::MpiIsendComplete { request }),
        19 => (EventKind::MpiIrecvRequest, Event::MpiIrecvRequest { request }),
        20 => (EventKind::MpiRecv, Event::MpiRecv { sender: peer, communicator, tag, length }),
        21 => (EventKind::MpiIrecv, Event::MpiIrecv { sender: peer, communicator, tag, length, request }),
        22 => (EventKind::MpiRequestCancelled, Event::MpiRequestCancelled { request }),
        23 => (EventKind::MpiCollectiveEnd, Event::CollectiveEnd { op, communicator, root, sent, received }),
        24 => (EventKind::NonBlockingCollectiveRequest, Event::CollectiveRequest { request }),
        25 => {
            let done = Event::CollectiveComplete { op, communicator, root, sent, received, request };
            (EventKind::NonBlockingCollectiveComplete, done)
        }
        26 => (EventKind::ThreadFork, Event::Fork { threads: peer }),
        27 => (EventKind::ThreadJoin, Event::Join),
        28 => (EventKind::ThreadTeamBegin, Event::TeamBegin { team }),
        29 => (EventKind::ThreadTeamEnd, Event::TeamEnd { team }),
        30 => (EventKind::ThreadAcquireLock, Event::AcquireLock { kind: LockKind::Mutex, lock, order }),
        31 => (EventKind::ThreadReleaseLock, Event::ReleaseLock { kind: LockKind::Mutex, lock, order }),
        32 => (EventKind::ThreadCreate, Event::ThreadCreate { team, count: request }),
        33 => (EventKind::ThreadBegin, Event::ThreadBegin { team, count: request }),
        34 => match a % 3 {
            0 => (EventKind::ThreadWait, Event::ThreadWait { team, count: request }),
            1 => {
                let kind = [ObjectKind::Lock, ObjectKind::Condition, ObjectKind::Barrier][usize::from(b % 3)];
                (EventKind::Attribute, Event::Object { kind, address: request })
            }
            _ => (EventKind::ThreadEnd, Event::ThreadEnd { team, count: request }),
        },
        35 => (
            EventKind::ThreadTaskSwitch,
            Event::TaskSwitch { team, thread: peer, generation: u32::from(c % 3) },
        ),
        36 => match a % 3 {
            0 => (EventKind::RmaCollectiveEnd, Event::RmaCollectiveEnd { op, window, root, sent, received }),
            1 => (EventKind::RmaGroupSync, Event::RmaGroupSync { window, group }),
            _ => (
                EventKind::RmaOpCompleteBlocking,
                Event::RmaComplete { window, matching: request, remotely: c.is_multiple_of(2) },
            ),
        },
        37 => {
            let put = Event::RmaOperation {
                op: RmaOp::Put,
                window,
                remote: peer,
                bytes: length,
                matching: request,
            };
            (EventKind::RmaPut, put)
        }
        38 => {
            let (remote, exclusive) = (peer, c.is_multiple_of(2));
            match a % 2 {
                0 => (EventKind::RmaAcquireLock, Event::RmaAcquireLock { window, remote, lock, exclusive }),
                _ => (EventKind::RmaReleaseLock, Event::RmaReleaseLock { window, remote, lock }),
            }
        }
        _ => match a % 3 {
            0 => (EventKind::BufferFlush, Event::BufferFlush { until: at.saturating_add(length) }),
            1 => (EventKind::MeasurementOnOff, Event::Measurement { on: c.is_multiple_of(2) }),
            _ => (EventKind::IoOperationComplete, Event::IoComplete { bytes: length }),
        },
    }
}

/// Decodes a trace: one byte for the numbers of locations and processes, then six bytes per event.
fn input(data: &[u8]) -> Option<TraceInput<'static>> {
    let [head, rest @ ..] = data else { return None };
    let (locations, processes) = (u32::from(head % 4) + 1, u32::from(head / 4 % 4) + 1);
    let definitions = definitions(locations, processes.min(locations));
    let mut events = vec![Vec::new(); locations as usize];
    let mut clocks = vec![0_u64; locations as usize];
    for bytes in rest.chunks_exact(6) {
        let location = usize::from(bytes[0]) % events.len();
        let clock = &mut clocks[location];
        *clock = match bytes[5] {
            255 => clock.saturating_add(1 << 40),
            254 => clock.saturating_sub(50),
            step => clock.saturating_add(u64::from(step)),
        };
        let (kind, event) = event(bytes[1], bytes[2], bytes[3], bytes[4], *clock);
        events[location].push((*clock, kind, event));
    }
    let streams = events.into_iter().map(EventStream::Listed).collect();
    Some(TraceInput { definitions, streams, format_id: "fuzzed", repairs: Vec::new() })
}

pub(super) fn fuzz(data: &[u8]) {
    let options = Options { least_share: 0.0, ..Options::usual("fuzzed") };
    let (Some(one), Some(two)) = (input(data), input(data)) else { return };
    let answer = analyze(load(one, &Sequential), &options, &Sequential).expect("no phase was asked for");
    assert!(answer.severities.iter().all(|row| row.seconds.is_finite() && row.seconds >= 0.0));
    let trace = load(two, &Sequential);
    for (timeline, uses) in trace.timelines.iter().zip(&trace.uses) {
        assert_eq!(uses.iter().map(|used| used.exclusive).sum::<u64>(), timeline.last - timeline.first);
    }
    let first = Options { phase: Some(1), ..options };
    if let Ok(subject) = Subject::new(trace, &first, &Sequential) {
        drop(critical(&subject));
    }
}
