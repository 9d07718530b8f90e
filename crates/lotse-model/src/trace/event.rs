//! Events, as readers give them and writers take them.

use super::{EventKind, Ticks};
use crate::id::{CommunicatorId, GroupId, RegionId, WindowId};

/// Takes the events of one location in their order.
///
/// A trait and not a closure, so that a decoder can be compiled into its consumer.
pub trait EventSink {
    /// An event, when it happened and what record it was. Times never go back, except in a damaged trace.
    fn event(&mut self, at: Ticks, kind: EventKind, event: Event);
}

/// Something that happened on a location.
///
/// Ranks count within the communicator. `root` is `None` where an operation has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the fields are those of OTF2's records of the same names")]
pub enum Event {
    Enter {
        region: RegionId,
    },
    Leave {
        region: RegionId,
    },
    MpiSend {
        receiver: u32,
        communicator: CommunicatorId,
        tag: u32,
        length: u64,
    },
    MpiIsend {
        receiver: u32,
        communicator: CommunicatorId,
        tag: u32,
        length: u64,
        request: u64,
    },
    MpiIsendComplete {
        request: u64,
    },
    MpiIrecvRequest {
        request: u64,
    },
    MpiRecv {
        sender: u32,
        communicator: CommunicatorId,
        tag: u32,
        length: u64,
    },
    MpiIrecv {
        sender: u32,
        communicator: CommunicatorId,
        tag: u32,
        length: u64,
        request: u64,
    },
    MpiRequestTest {
        request: u64,
    },
    MpiRequestCancelled {
        request: u64,
    },
    CollectiveBegin,
    CollectiveEnd {
        op: CollectiveOp,
        communicator: CommunicatorId,
        root: Option<u32>,
        sent: u64,
        received: u64,
    },
    CollectiveRequest {
        request: u64,
    },
    CollectiveComplete {
        op: CollectiveOp,
        communicator: CommunicatorId,
        root: Option<u32>,
        sent: u64,
        received: u64,
        request: u64,
    },
    /// OmpFork, ThreadFork.
    Fork {
        threads: u32,
    },
    /// OmpJoin, ThreadJoin.
    Join,
    TeamBegin {
        team: CommunicatorId,
    },
    TeamEnd {
        team: CommunicatorId,
    },
    /// Locks have numbers or addresses; the order in which one is acquired may be [`UNORDERED`].
    AcquireLock {
        kind: LockKind,
        lock: u64,
        order: u32,
    },
    ReleaseLock {
        kind: LockKind,
        lock: u64,
        order: u32,
    },
    /// A thread made another; `count` tells which of the team, where it is not [`UNTOLD`].
    ThreadCreate {
        team: CommunicatorId,
        count: u64,
    },
    ThreadBegin {
        team: CommunicatorId,
        count: u64,
    },
    ThreadWait {
        team: CommunicatorId,
        count: u64,
    },
    ThreadEnd {
        team: CommunicatorId,
        count: u64,
    },
    TaskCreate {
        team: CommunicatorId,
        thread: u32,
        generation: u32,
    },
    TaskSwitch {
        team: CommunicatorId,
        thread: u32,
        generation: u32,
    },
    TaskComplete {
        team: CommunicatorId,
        thread: u32,
        generation: u32,
    },
    WindowCreate {
        window: WindowId,
    },
    WindowDestroy {
        window: WindowId,
    },
    RmaCollectiveBegin,
    RmaCollectiveEnd {
        op: CollectiveOp,
        window: WindowId,
        root: Option<u32>,
        sent: u64,
        received: u64,
    },
    /// Post, start, complete or wait, by the region it happens in.
    RmaGroupSync {
        window: WindowId,
        group: GroupId,
    },
    RmaSync {
        window: WindowId,
        remote: u32,
    },
    RmaRequestLock {
        window: WindowId,
        remote: u32,
        lock: u64,
        exclusive: bool,
    },
    RmaAcquireLock {
        window: WindowId,
        remote: u32,
        lock: u64,
        exclusive: bool,
    },
    RmaReleaseLock {
        window: WindowId,
        remote: u32,
        lock: u64,
    },
    RmaOperation {
        op: RmaOp,
        window: WindowId,
        remote: u32,
        bytes: u64,
        matching: u64,
    },
    /// An operation is over; `remotely` also at the target.
    RmaComplete {
        window: WindowId,
        matching: u64,
        remotely: bool,
    },
    BufferFlush {
        until: Ticks,
    },
    Measurement {
        on: bool,
    },
    ProgramBegin,
    ProgramEnd,
    /// Bytes were read or written.
    IoComplete {
        bytes: u64,
    },
    /// What the call that was entered last is about, which recorders tell by an attribute of its enter. Not an event
    /// of its own: it is not counted.
    Object {
        kind: ObjectKind,
        address: u64,
    },
    /// Counted, not interpreted.
    Other,
}

/// What a group does together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the operations are OTF2's and named so")]
pub enum CollectiveOp {
    Barrier,
    Bcast,
    Gather,
    Gatherv,
    Scatter,
    Scatterv,
    Allgather,
    Allgatherv,
    Alltoall,
    Alltoallv,
    Alltoallw,
    Allreduce,
    Reduce,
    ReduceScatter,
    ReduceScatterBlock,
    Scan,
    Exscan,
    CreateHandle,
    DestroyHandle,
    Allocate,
    Deallocate,
    CreateHandleAndAllocate,
    DestroyHandleAndDeallocate,
    Unknown,
}

/// Whose lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LockKind {
    /// OpenMP's: critical, ordered, explicit locks.
    OpenMp,
    /// A mutex of a threading library.
    Mutex,
}

/// The order of a lock's acquisitions where the recorder does not tell it.
pub const UNORDERED: u32 = u32::MAX;

/// The number of a thread where the recorder does not tell which one it was.
pub const UNTOLD: u64 = u64::MAX;

/// What a call of a threading library is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// A mutex or a spin lock.
    Lock,
    /// A condition variable.
    Condition,
    /// A barrier.
    Barrier,
    /// A semaphore.
    Semaphore,
    /// A reader-writer lock.
    RwLock,
}

/// What is done to another's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum RmaOp {
    Put,
    Get,
    Atomic,
}
