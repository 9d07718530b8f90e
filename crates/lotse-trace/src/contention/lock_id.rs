//! Identifies the lock of a record, and names it.

use lotse_model::id::{LocationId, ProcessId, WindowId};
use lotse_model::trace::{Event, LockKind, RegionRole};

use crate::matching::member;
use crate::store::{OpRef, Trace};

/// A lock of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LockId {
    /// The process that the lock belongs to; for a window's lock the target.
    pub process: ProcessId,
    pub kind: ContendedKind,
    /// The recorder's number of the lock, or its address; for a window's lock the number of the window.
    pub number: u64,
}

/// The kind of a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ContendedKind {
    /// A lock or a critical section of OpenMP.
    OpenMp,
    /// A mutex of a threading library.
    Mutex,
    /// The lock of a window for one-sided communication, at a target.
    Window,
}

impl From<LockKind> for ContendedKind {
    fn from(kind: LockKind) -> Self {
        match kind {
            LockKind::OpenMp => Self::OpenMp,
            LockKind::Mutex => Self::Mutex,
        }
    }
}

/// The acquisition or release of a lock by a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LockUse {
    pub(super) lock: LockId,
    /// Whether the lock is acquired; it is released otherwise.
    pub(super) acquires: bool,
}

impl LockUse {
    /// By shape of a location's records: their acquisition or release of a lock.
    pub(super) fn by_shape(trace: &Trace, location: LocationId) -> Vec<Option<Self>> {
        trace.timeline(location).ops.shapes().map(|event| Self::new(trace, location, event)).collect()
    }

    fn new(trace: &Trace, location: LocationId, event: &Event) -> Option<Self> {
        let (kind, number) = match *event {
            Event::AcquireLock { kind, lock: number, .. } | Event::ReleaseLock { kind, lock: number, .. } => {
                (kind.into(), number)
            }
            Event::RmaAcquireLock { window, .. } | Event::RmaReleaseLock { window, .. } => {
                (ContendedKind::Window, window.index() as u64)
            }
            _ => return None,
        };
        let process = match *event {
            Event::RmaAcquireLock { window, remote, .. } | Event::RmaReleaseLock { window, remote, .. } => {
                target(trace, location, window, remote)?
            }
            _ => trace.location(location).process,
        };
        let acquires = matches!(event, Event::AcquireLock { .. } | Event::RmaAcquireLock { .. });
        Some(Self { lock: LockId { process, kind, number }, acquires })
    }
}

/// The lock that a record acquires.
pub(super) fn acquired(trace: &Trace, op: OpRef) -> Option<LockId> {
    let found = LockUse::new(trace, op.location, trace.shape(op))?;
    found.acquires.then_some(found.lock)
}

/// The process whose window is locked.
fn target(trace: &Trace, location: LocationId, window: WindowId, remote: u32) -> Option<ProcessId> {
    let definitions = &trace.definitions;
    let communicator = definitions.windows.get(window.index())?.communicator;
    definitions.process_of(member(definitions, communicator, location, remote)?)
}

/// The name of a lock: a critical section's construct, a lock's number or address, a window lock's target.
pub(super) fn name(trace: &Trace, lock: LockId, first: OpRef) -> String {
    let number = match u32::try_from(lock.number) {
        Ok(number) => number.to_string(),
        Err(_) => format!("{:#x}", lock.number),
    };
    let name = match lock.kind {
        ContendedKind::OpenMp => critical(trace, first).unwrap_or_else(|| format!("OpenMP lock {number}")),
        ContendedKind::Mutex => format!("mutex {number}"),
        ContendedKind::Window => window_lock(trace, lock, &number),
    };
    match trace.processes().len() {
        0 | 1 => name,
        _ => format!("{name} of {}", trace.process_label(lock.process)),
    }
}

/// Names the window only if there are several; the first in the table stands for records without a window.
fn window_lock(trace: &Trace, lock: LockId, number: &str) -> String {
    let windows = &trace.definitions.windows;
    let name = windows.get(lock.number as usize).map(|window| window.name.as_str());
    match windows.len() {
        0..=2 => "the window lock".to_owned(),
        _ => format!("the lock of window {}", name.filter(|name| !name.is_empty()).unwrap_or(number)),
    }
}

/// The name of the critical section that a record is in.
fn critical(trace: &Trace, op: OpRef) -> Option<String> {
    let region = trace.paths.region(trace.path(trace.call_of(op)?));
    let region = &trace.definitions.regions[region.index()];
    (region.role == RegionRole::Critical).then(|| region.name.clone())
}
