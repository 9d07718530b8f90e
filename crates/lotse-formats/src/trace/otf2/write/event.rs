//! Encodes events as records, with the fields in the order in which the OTF2 library writes them.
//!
//! Entry 0 of a table, which stands for undefined, becomes the undefined reference; all other ids are decreased by one.

use lotse_model::id::{CommunicatorId, GroupId, RegionId, WindowId};
use lotse_model::trace::{Event, EventKind, LockKind, RmaOp};

use super::codes;
use super::record::{EventRecord, UNDEFINED};

/// The level of a synchronization of processes and memory.
const FULL_SYNC: u8 = 3;
const MEMORY_SYNC: u8 = 0;
const ACCUMULATE: u8 = 0;

/// Encodes an event; `false` if OTF2 has no record for it. Then the contents of `record` must be discarded.
#[inline]
pub(super) fn encode(record: &mut EventRecord<'_>, kind: EventKind, event: Event, first_group: u32) -> bool {
    match event {
        Event::Enter { region } => record.single_reference(12, region_number(region)),
        Event::Leave { region } => record.single_reference(13, region_number(region)),
        Event::Other => return false,
        _ => {
            return encode_message(record, event)
                || encode_thread_event(record, kind, event)
                || encode_rma(record, kind, event, first_group);
        }
    }
    true
}

/// Encodes messages, collective operations, and events of the program and of files; `false` for other events.
fn encode_message(record: &mut EventRecord<'_>, event: Event) -> bool {
    match event {
        Event::MpiSend { receiver, communicator, tag, length } => {
            envelope(record.begin(14), receiver, communicator, tag, length).end();
        }
        Event::MpiIsend { receiver, communicator, tag, length, request } => {
            envelope(record.begin(15), receiver, communicator, tag, length).wide(request).end();
        }
        Event::MpiIsendComplete { request } => record.single(16, request),
        Event::MpiIrecvRequest { request } => record.single(17, request),
        Event::MpiRecv { sender, communicator, tag, length } => {
            envelope(record.begin(18), sender, communicator, tag, length).end();
        }
        Event::MpiIrecv { sender, communicator, tag, length, request } => {
            envelope(record.begin(19), sender, communicator, tag, length).wide(request).end();
        }
        Event::MpiRequestTest { request } => record.single(20, request),
        Event::MpiRequestCancelled { request } => record.single(21, request),
        Event::CollectiveBegin => record.begin(22).end(),
        Event::CollectiveEnd { op, communicator, root, sent, received } => {
            let record =
                record.begin(23).byte(codes::collective(op)).narrow(communicator_number(communicator));
            record.narrow(root.unwrap_or(UNDEFINED)).wide(sent).wide(received).end();
        }
        Event::CollectiveRequest { request } => record.begin(85).wide(request).end(),
        Event::CollectiveComplete { op, communicator, root, sent, received, request } => {
            let record =
                record.begin(86).byte(codes::collective(op)).narrow(communicator_number(communicator));
            record.narrow(root.unwrap_or(UNDEFINED)).wide(sent).wide(received).wide(request).end();
        }
        Event::BufferFlush { until } => record.begin(10).eight(until).end(),
        Event::Measurement { on } => record.begin(11).byte(if on { 1 } else { 2 }).end(),
        Event::ProgramBegin => record.begin(83).narrow(UNDEFINED).narrow(0).end(),
        Event::ProgramEnd => record.begin(84).wide(0).end(),
        Event::IoComplete { bytes } => record.begin(78).narrow(UNDEFINED).wide(bytes).wide(0).end(),
        _ => return false,
    }
    true
}

fn envelope<'r, 'a>(
    record: &'r mut EventRecord<'a>,
    peer: u32,
    communicator: CommunicatorId,
    tag: u32,
    length: u64,
) -> &'r mut EventRecord<'a> {
    record.narrow(peer).narrow(communicator_number(communicator)).narrow(tag).wide(length)
}

/// Encodes events of threads, tasks and locks; `false` for other events. `kind` chooses between the general records and the
/// older ones of OpenMP.
fn encode_thread_event(record: &mut EventRecord<'_>, kind: EventKind, event: Event) -> bool {
    match event {
        Event::Fork { threads } if kind == EventKind::OmpFork => record.single_reference(24, threads),
        Event::Fork { threads } => record.begin(53).byte(codes::OPEN_MP).narrow(threads).end(),
        Event::Join if kind == EventKind::OmpJoin => record.begin(25).end(),
        Event::Join => record.begin(54).byte(codes::OPEN_MP).end(),
        Event::TeamBegin { team } => record.begin(55).narrow(communicator_number(team)).end(),
        Event::TeamEnd { team } => record.begin(56).narrow(communicator_number(team)).end(),
        Event::AcquireLock { kind: of, lock, order } => {
            let number = if kind == EventKind::OmpAcquireLock { 26 } else { 57 };
            return lock_record(record, number, of, lock, order);
        }
        Event::ReleaseLock { kind: of, lock, order } => {
            let number = if kind == EventKind::OmpReleaseLock { 27 } else { 58 };
            return lock_record(record, number, of, lock, order);
        }
        Event::TaskCreate { team, thread, generation } => match kind {
            EventKind::OmpTaskCreate => record.single(28, omp_task(thread, generation)),
            _ => task_record(record.begin(59), team, thread, generation),
        },
        Event::TaskSwitch { team, thread, generation } => match kind {
            EventKind::OmpTaskSwitch => record.single(29, omp_task(thread, generation)),
            _ => task_record(record.begin(60), team, thread, generation),
        },
        Event::TaskComplete { team, thread, generation } => match kind {
            EventKind::OmpTaskComplete => record.single(30, omp_task(thread, generation)),
            _ => task_record(record.begin(61), team, thread, generation),
        },
        Event::ThreadCreate { team, count } => thread_record(record.begin(62), team, count),
        Event::ThreadBegin { team, count } => thread_record(record.begin(63), team, count),
        Event::ThreadWait { team, count } => thread_record(record.begin(64), team, count),
        Event::ThreadEnd { team, count } => thread_record(record.begin(65), team, count),
        _ => return false,
    }
    true
}

/// Encodes a lock event; `false` if the lock is an address, because OTF2's locks have 32 bits.
fn lock_record(record: &mut EventRecord<'_>, number: u8, kind: LockKind, lock: u64, order: u32) -> bool {
    let Ok(lock) = u32::try_from(lock) else { return false };
    record.begin(number);
    if number > 50 {
        record.byte(lock_paradigm(kind));
    }
    record.narrow(lock).narrow(order).end();
    true
}

fn task_record(record: &mut EventRecord<'_>, team: CommunicatorId, thread: u32, generation: u32) {
    record.narrow(communicator_number(team)).narrow(thread).narrow(generation).end();
}

/// The task number of the older records: the thread in the upper half makes it unique.
fn omp_task(thread: u32, generation: u32) -> u64 {
    u64::from(thread) << 32 | u64::from(generation)
}

fn thread_record(record: &mut EventRecord<'_>, team: CommunicatorId, count: u64) {
    record.narrow(communicator_number(team)).wide(count).end();
}

/// Encodes one-sided communication; `false` for other events. `first_group` is the number of the first group of the model.
fn encode_rma(record: &mut EventRecord<'_>, kind: EventKind, event: Event, first_group: u32) -> bool {
    match event {
        Event::WindowCreate { window } => record.begin(35).narrow(window_number(window)).end(),
        Event::WindowDestroy { window } => record.begin(36).narrow(window_number(window)).end(),
        Event::RmaCollectiveBegin => record.begin(37).end(),
        Event::RmaCollectiveEnd { op, window, root, sent, received } => {
            let record = record.begin(38).byte(codes::collective(op)).narrow(u32::from(FULL_SYNC));
            let record = record.narrow(window_number(window)).narrow(root.unwrap_or(UNDEFINED));
            record.wide(sent).wide(received).end();
        }
        Event::RmaGroupSync { window, group } => {
            let record = record.begin(39).narrow(u32::from(FULL_SYNC)).narrow(window_number(window));
            record.narrow(group_number(group, first_group)).end();
        }
        Event::RmaRequestLock { window, remote, lock, exclusive } => {
            let code = if kind == EventKind::RmaTryLock { 42 } else { 40 };
            remote_lock(record.begin(code), window, remote, lock).byte(u8::from(!exclusive)).end();
        }
        Event::RmaAcquireLock { window, remote, lock, exclusive } => {
            let code = if kind == EventKind::RmaTryLock { 42 } else { 41 };
            remote_lock(record.begin(code), window, remote, lock).byte(u8::from(!exclusive)).end();
        }
        Event::RmaReleaseLock { window, remote, lock } => {
            remote_lock(record.begin(43), window, remote, lock).end();
        }
        Event::RmaSync { window, remote } => {
            record.begin(44).narrow(window_number(window)).narrow(remote).byte(MEMORY_SYNC).end();
        }
        Event::RmaOperation { op, window, remote, bytes, matching } => {
            rma_operation(record, op, window, remote, bytes).wide(matching).end();
        }
        Event::RmaComplete { window, matching, remotely } => {
            let record = record.begin(completion(kind, remotely));
            record.narrow(window_number(window)).wide(matching).end();
        }
        _ => return false,
    }
    true
}

fn remote_lock<'r, 'a>(
    record: &'r mut EventRecord<'a>,
    window: WindowId,
    remote: u32,
    lock: u64,
) -> &'r mut EventRecord<'a> {
    record.narrow(window_number(window)).narrow(remote).wide(lock)
}

fn rma_operation<'r, 'a>(
    record: &'r mut EventRecord<'a>,
    op: RmaOp,
    window: WindowId,
    remote: u32,
    bytes: u64,
) -> &'r mut EventRecord<'a> {
    let code = match op {
        RmaOp::Put => 46,
        RmaOp::Get => 47,
        RmaOp::Atomic => 48,
    };
    let record = record.begin(code).narrow(window_number(window)).narrow(remote);
    match op {
        // The bytes are written as sent, and none as received.
        RmaOp::Atomic => record.byte(ACCUMULATE).wide(bytes).wide(0),
        RmaOp::Put | RmaOp::Get => record.wide(bytes),
    }
}

fn completion(kind: EventKind, remotely: bool) -> u8 {
    match kind {
        EventKind::RmaOpCompleteNonBlocking => 50,
        EventKind::RmaOpTest => 51,
        _ if remotely => 52,
        _ => 49,
    }
}

fn lock_paradigm(kind: LockKind) -> u8 {
    match kind {
        LockKind::OpenMp => codes::OPEN_MP,
        LockKind::Mutex => codes::THREADS,
    }
}

#[inline]
fn region_number(id: RegionId) -> u32 {
    reference_of_id(id.0)
}

#[inline]
fn communicator_number(id: CommunicatorId) -> u32 {
    reference_of_id(id.0)
}

#[inline]
fn window_number(id: WindowId) -> u32 {
    reference_of_id(id.0)
}

fn group_number(id: GroupId, first: u32) -> u32 {
    if id.0 == 0 { UNDEFINED } else { first + id.0 - 1 }
}

/// The reference to an entry of a table whose entry 0 is not written; 0 becomes [`UNDEFINED`].
#[inline]
pub(super) fn reference_of_id(id: u32) -> u32 {
    id.wrapping_sub(1)
}
