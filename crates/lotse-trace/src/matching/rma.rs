//! One-sided communication: matches a start with the posts it waits for, a wait with the completes it waits for, a fence
//! with the operation that ends last, and the acquisition of a window's lock with the previous release.
//!
//! ```text
//! target 0   post{1} ........................ wait{1}
//!                 \                          /
//!                  start needs the post     wait needs the complete
//!                   \                      /
//! origin 1          start{0} put put complete{0}
//! ```
//!
//! Epochs are matched without times: between an origin and a target of a window, the n-th start that names the target
//! belongs to the n-th post that names the origin. Only locks are matched by time, because no record has their order.
//! Epochs and locks belong to processes: one thread may end what another began. The records of the threads of a process
//! are processed in the order of time.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};
use lotse_model::id::{LocationId, ProcessId, WindowId};
use lotse_model::trace::{EventKind, Ticks};

use super::{Link, Links, locations_with, processes_with};
use crate::class::RegionClass;
use crate::store::{OpRef, Trace};

mod walk;

#[cfg(test)]
mod tests;

/// Links between records of one-sided communication.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RmaLinks {
    /// For a start and its complete: the posts of the targets. For a wait: the completes of the origins.
    peers: HashMap<OpRef, Vec<OpRef>>,
    /// By complete and target: the last operation of the epoch.
    accesses: HashMap<(OpRef, ProcessId), OpRef>,
    /// By fence (index of its collective) and target: the operation that ended last.
    pending: HashMap<(u32, ProcessId), OpRef>,
    /// Operations under a lock.
    passive: HashSet<OpRef>,
    /// By lock of a window at a target: its holders in the order of acquisition.
    locks: Vec<Vec<WindowHolding>>,
}

impl RmaLinks {
    /// The posts that a start and its complete need, the completes that a wait needs.
    pub fn peers(&self, op: OpRef) -> &[OpRef] {
        self.peers.get(&op).map_or(&[], Vec::as_slice)
    }

    /// By lock of a window at a target: its holders in the order of acquisition.
    pub(crate) fn locks(&self) -> &[Vec<WindowHolding>] {
        &self.locks
    }

    /// The last operation on a target in the epoch that a complete ends.
    pub fn last_access(&self, complete: OpRef, target: ProcessId) -> Option<OpRef> {
        self.accesses.get(&(complete, target)).copied()
    }

    /// The operation of another process on a target that ended last before or in a fence. `fence` is its collective.
    pub fn pending(&self, fence: u32, target: ProcessId) -> Option<OpRef> {
        self.pending.get(&(fence, target)).copied()
    }

    /// The links between a subset of the records: `op` and `collective` return the new numbers.
    pub(crate) fn narrow(
        &self,
        op: impl Fn(OpRef) -> Option<OpRef>,
        collective: impl Fn(u32) -> Option<u32>,
    ) -> Self {
        let peers = self
            .peers
            .iter()
            .filter_map(|(&of, peers)| Some((op(of)?, peers.iter().filter_map(|&peer| op(peer)).collect())));
        let accesses = self
            .accesses
            .iter()
            .filter_map(|(&(of, target), &access)| Some(((op(of)?, target), op(access)?)));
        let pending = self.pending.iter().filter_map(|(&(fence, target), &operation)| {
            Some(((collective(fence)?, target), op(operation)?))
        });
        let holding = |it: &WindowHolding| {
            Some(WindowHolding { acquire: op(it.acquire)?, release: it.release.and_then(&op), ..*it })
        };
        let locks = self.locks.iter().map(|holdings| holdings.iter().filter_map(holding).collect());
        Self {
            peers: peers.collect(),
            accesses: accesses.collect(),
            pending: pending.collect(),
            passive: self.passive.iter().filter_map(|&operation| op(operation)).collect(),
            locks: locks.filter(|holdings: &Vec<WindowHolding>| !holdings.is_empty()).collect(),
        }
    }

    /// Whether an operation was made under a lock, without participation of the target.
    pub fn is_passive(&self, operation: OpRef) -> bool {
        self.passive.contains(&operation)
    }
}

/// The function of a call in general active target synchronisation (post, start, complete, wait).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EpochCall {
    /// The target opens its window.
    Post,
    /// The origin begins to access.
    Start,
    /// The origin has made all accesses.
    Complete,
    /// The target closes its window.
    Wait,
}

impl EpochCall {
    /// By the name of the call.
    pub(crate) fn from_class(class: &RegionClass) -> Option<Self> {
        match class.name.as_str() {
            "mpi_win_post" => Some(Self::Post),
            "mpi_win_start" => Some(Self::Start),
            "mpi_win_complete" => Some(Self::Complete),
            "mpi_win_wait" | "mpi_win_test" => Some(Self::Wait),
            _ => None,
        }
    }
}

/// A window, an origin, a target.
type WindowPair = (WindowId, ProcessId, ProcessId);

/// The records of all processes, before they are matched.
#[derive(Debug, Default)]
struct RmaRecords {
    posts: BTreeMap<WindowPair, Vec<OpRef>>,
    starts: BTreeMap<WindowPair, Vec<OpRef>>,
    completes: BTreeMap<WindowPair, Vec<OpRef>>,
    waits: BTreeMap<WindowPair, Vec<OpRef>>,
    /// Operations in an epoch, with the number of the epoch between origin and target.
    exposed: Vec<(OpRef, WindowPair, usize)>,
    /// By window and target.
    holdings: BTreeMap<(WindowId, ProcessId), Vec<WindowHolding>>,
}

/// An interval during which an origin held the lock of a window at a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WindowHolding {
    pub(crate) acquire: OpRef,
    /// None if the trace ends before.
    pub(crate) release: Option<OpRef>,
    pub(crate) exclusive: bool,
}

/// A process without records of these kinds needs no matching.
const BEGINS: &[EventKind] = &[
    EventKind::RmaGroupSync,
    EventKind::RmaPut,
    EventKind::RmaGet,
    EventKind::RmaAtomic,
    EventKind::RmaRequestLock,
    EventKind::RmaAcquireLock,
];

/// Records that matter only together with those of [`BEGINS`].
const ENDS: &[EventKind] = &[
    EventKind::RmaCollectiveEnd,
    EventKind::RmaReleaseLock,
    EventKind::RmaOpCompleteBlocking,
    EventKind::RmaOpCompleteNonBlocking,
    EventKind::RmaOpCompleteRemote,
];

/// Matches all records of one-sided communication.
pub(super) fn link(trace: &Trace, links: &mut Links) {
    let mut found = RmaRecords::default();
    let begins: HashSet<LocationId> = locations_with(trace, BEGINS).collect();
    for threads in processes_with(trace, &[BEGINS, ENDS].concat()) {
        if threads.iter().any(|location| begins.contains(location)) {
            walk::process(trace, &threads, links, &mut found);
        }
    }
    join(&found.starts, &found.posts, &mut links.rma.peers);
    join(&found.completes, &found.posts, &mut links.rma.peers);
    join(&found.waits, &found.completes, &mut links.rma.peers);
    for (op, pair, number) in &found.exposed {
        if let Some(&post) = found.posts.get(pair).and_then(|posts| posts.get(*number)) {
            links.point(*op, Link::Op(post));
        }
    }
    for mut holdings in found.holdings.into_values() {
        holdings.sort_by_key(|holding| (trace.op(holding.acquire).at, holding.acquire));
        hand_over(trace, &holdings, links);
        links.rma.locks.push(holdings);
    }
}

/// Adds the n-th record of `to` to the peers of the n-th record of `from`, for each window, origin and target.
fn join(
    from: &BTreeMap<WindowPair, Vec<OpRef>>,
    to: &BTreeMap<WindowPair, Vec<OpRef>>,
    peers: &mut HashMap<OpRef, Vec<OpRef>>,
) {
    for (pair, ops) in from {
        let others = to.get(pair).into_iter().flatten();
        for (&op, &other) in ops.iter().zip(others) {
            peers.entry(op).or_default().push(other);
        }
    }
}

/// Links each acquisition to the last release by an earlier holder that excluded it: an exclusive lock waits for all
/// holders, a shared one for exclusive holders.
fn hand_over(trace: &Trace, holdings: &[WindowHolding], links: &mut Links) {
    let (mut last, mut last_exclusive): (Option<OpRef>, Option<OpRef>) = (None, None);
    for holding in holdings {
        let before = if holding.exclusive { last } else { last_exclusive };
        if let Some(release) = before.filter(|release| release.location != holding.acquire.location) {
            links.point(holding.acquire, Link::Op(release));
        }
        last = later(trace, last, holding.release);
        if holding.exclusive {
            last_exclusive = later(trace, last_exclusive, holding.release);
        }
    }
}

fn later(trace: &Trace, a: Option<OpRef>, b: Option<OpRef>) -> Option<OpRef> {
    a.into_iter().chain(b).max_by_key(|&op| trace.op(op).at)
}

/// When an operation was over: at its completion; if none is recorded, when its call was left.
pub(crate) fn operation_end(trace: &Trace, links: &Links, operation: OpRef) -> Ticks {
    let completed = links.other_half(operation).map(|complete| trace.op(complete).at);
    let left = || trace.call_of(operation).map(|call| trace.exit(call));
    completed.or_else(left).unwrap_or_else(|| trace.op(operation).at)
}
