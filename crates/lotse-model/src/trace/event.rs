//! The events of a trace, as readers produce and writers consume them.

use super::{EventKind, Ticks};
use crate::id::{CommunicatorId, GroupId, RegionId, WindowId};

/// Consumes the events of one location in their order.
///
/// A trait and not a closure, so that decoders are monomorphised for their consumer.
pub trait EventSink {
    /// Consumes an event with its time and the kind of its record. Times do not decrease, except in a damaged trace.
    fn event(&mut self, at: Ticks, kind: EventKind, event: Event);
}

/// An event on a location, with the names and fields of OTF2's records.
///
/// Ranks are those of the communicator. `root` is `None` for operations without a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    /// `lock` is the recorder's number for the lock or its address; `order` counts its acquisitions, or is [`UNORDERED`].
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
    /// A thread created another; `count` is the number of the new thread in its team, or [`UNKNOWN_THREAD`].
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
    /// Post, start, complete or wait; the enclosing region tells which.
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
    /// An RMA operation has ended; with `remotely`, also at the target.
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
    /// The object that the last entered call works on, from an attribute of its enter record. It is not an event of its own
    /// and not counted.
    Object {
        kind: ObjectKind,
        address: u64,
    },
    /// Counted, not interpreted.
    Other,
}

/// The operation of a collective call, with the names of OTF2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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

/// The library that a lock belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LockKind {
    /// OpenMP's: critical, ordered, explicit locks.
    OpenMp,
    /// A mutex of a threading library.
    Mutex,
}

/// In place of the acquisition order of a lock that the recorder did not write.
pub const UNORDERED: u32 = u32::MAX;

/// In place of the number of a thread that the recorder did not write.
pub const UNKNOWN_THREAD: u64 = u64::MAX;

/// The kind of synchronisation object that a call of a threading library works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// A mutex or a spin lock.
    Lock,
    Condition,
    Barrier,
    Semaphore,
    RwLock,
}

/// A one-sided access to the memory of another process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RmaOp {
    Put,
    Get,
    Atomic,
}
