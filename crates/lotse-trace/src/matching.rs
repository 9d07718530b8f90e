//! Matches the records of a trace: a receive with its send, a completion with its posting, the members of a collective,
//! an acquisition of a lock with the previous release, the begin of a thread with its creation. EARL calls these pointers.
//!
//! Example: two ranks, all messages with the same communicator and tag. Record numbers are those of the location.
//!
//! ```text
//! record     0         1         2            3               4
//! rank 0     Send a    Send b    Send c       Barrier end
//! rank 1     Irecv#1   Irecv#2   complete #2  complete #1     Barrier end        (rank 1 receives only a and b)
//!
//! requests     rank 1: 0 <-> 3, 1 <-> 2        postings and completions pair by request number: each other's half
//! messages     rank 0: 0 <-> rank 1: 3         the n-th send with the n-th receive of a channel, receives in the
//!              rank 0: 1 <-> rank 1: 2         order of posting: a with #1, b with #2
//!              rank 0: 2 -> none               an unmatched send
//! collectives  rank 0: 3, rank 1: 4            the n-th collective of a communicator at each member
//! ```
//!
//! Times of different processes are not compared, so wrong clocks do not disturb the matching (locks of RMA windows are
//! the exception). Threads of one process share a clock: where several of them communicate for their process, their
//! records are ordered by time.

use hashbrown::HashMap;
use lotse_model::Workers;
use lotse_model::id::{CommunicatorId, LocationId, ProcessId};
use lotse_model::trace::{CollectiveOp, Communicator, Definitions, EventKind, Ticks};

use crate::store::{CallRef, OpRef, Trace};

mod channels;
mod collectives;
mod locks;
mod messages;
mod pointer;
mod requests;
pub(crate) mod rma;
pub(crate) mod rwlocks;
pub(crate) mod semaphores;
mod teams;
mod threads;

#[cfg(test)]
mod tests;

pub(crate) use messages::{is_receive, is_send};
pub use pointer::Pointer;
pub use rma::RmaLinks;
pub use teams::TeamInstance;

/// All links between records.
#[derive(Debug, Default)]
pub struct Links {
    /// By location and record: the matching record on another location, or the collective.
    pub remote: Vec<Vec<Pointer>>,
    /// By location and record: its other half on the same location, i.e. the posting of a completion and vice versa, or
    /// the fork of the master's team begin. [`NO_OP`] if there is none, [`ELSEWHERE`] if it is on another thread of the
    /// process.
    pub(crate) local: Vec<Vec<u32>>,
    /// Other halves on another thread of the process. They are rare.
    pub(crate) across: HashMap<OpRef, OpRef>,
    /// Collective operations, in the order of communicators and of their sequence.
    pub collectives: Vec<Collective>,
    /// Barriers of threads: the calls of each.
    pub barriers: Vec<Vec<CallRef>>,
    /// By location: (call, barrier), sorted by call.
    pub barrier_of: Vec<Vec<(u32, u32)>>,
    /// Waits at the ends of teams that were over before the next event of their thread, with the time at which they were.
    /// The store shortens these calls after the matching.
    pub(crate) released: Vec<(CallRef, Ticks)>,
    /// Parallel regions: the master's fork and the threads of the team.
    pub teams: Vec<TeamInstance>,
    /// By location: the parallel regions it forked, as indices of `teams`, in the order of the forks.
    pub forked: Vec<Vec<u32>>,
    pub rma: RmaLinks,
    /// Messages with both a send and a receive.
    pub messages: u64,
    pub unmatched_sends: u64,
    pub unmatched_recvs: u64,
    /// Completions without a posting, and postings without a completion.
    pub odd_requests: u64,
}

/// In `Links::local`: no record.
pub const NO_OP: u32 = u32::MAX;

/// In `Links::local`: a record of another location of the same process.
const ELSEWHERE: u32 = u32::MAX - 1;

/// What a record points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    None,
    /// The matching record: for a send its receive, for a receive its send, for the acquisition of a lock the previous
    /// release, for the begin of a thread its creation, for a wait for a thread its end, for the begin of a team its
    /// fork, for an access to an RMA window the post that exposed it.
    Op(OpRef),
    /// An index of [`Links::collectives`].
    Collective(u32),
}

/// One operation of a communicator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collective {
    pub op: CollectiveOp,
    pub communicator: CommunicatorId,
    /// The thread that called for the root's process; if none is recorded, the root according to the communicator.
    pub root: Option<LocationId>,
    /// The record of each member, in the order of locations. A process is one member, no matter which of its threads
    /// calls.
    pub members: Vec<OpRef>,
    /// Whether all members of the communicator have a record.
    pub complete: bool,
    /// Whether it belongs to a window: a fence, or the creation or freeing of a window.
    pub one_sided: bool,
}

impl Links {
    /// The record or collective that a record points to.
    #[inline]
    pub fn remote(&self, op: OpRef) -> Link {
        self.remote[op.location.index()][op.op as usize].link()
    }

    /// The matching record of another location: see [`Link::Op`].
    #[inline]
    pub fn partner(&self, op: OpRef) -> Option<OpRef> {
        match self.remote(op) {
            Link::Op(partner) => Some(partner),
            _ => None,
        }
    }

    /// The collective of a record.
    pub fn collective(&self, op: OpRef) -> Option<&Collective> {
        match self.remote(op) {
            Link::Collective(number) => Some(&self.collectives[number as usize]),
            _ => None,
        }
    }

    /// The posting of a completion and vice versa. It is of the same process, usually of the same thread.
    #[inline]
    pub fn other_half(&self, op: OpRef) -> Option<OpRef> {
        match self.local[op.location.index()][op.op as usize] {
            NO_OP => None,
            ELSEWHERE => self.across.get(&op).copied(),
            number => Some(OpRef { op: number, ..op }),
        }
    }

    /// Makes two records of a process each other's halves.
    pub(crate) fn link_halves(&mut self, a: OpRef, b: OpRef) {
        for (op, half) in [(a, b), (b, a)] {
            let local = &mut self.local[op.location.index()][op.op as usize];
            if op.location == half.location {
                *local = half.op;
            } else {
                *local = ELSEWHERE;
                self.across.insert(op, half);
            }
        }
    }

    /// All calls of the thread barrier that a call belongs to.
    pub fn barrier(&self, call: CallRef) -> Option<&[CallRef]> {
        let barriers = &self.barrier_of[call.location.index()];
        let at = barriers.binary_search_by_key(&call.call, |&(call, _)| call).ok()?;
        Some(&self.barriers[barriers[at].1 as usize])
    }

    /// The parallel regions that a location forked, in the order of the forks.
    pub fn forked_by(&self, location: LocationId) -> impl Iterator<Item = &TeamInstance> {
        self.forked[location.index()].iter().map(|&number| &self.teams[number as usize])
    }

    /// The parallel region that a record forked.
    pub(crate) fn forked_at(&self, fork: OpRef) -> Option<&TeamInstance> {
        let numbers = &self.forked[fork.location.index()];
        let at =
            numbers.binary_search_by_key(&Some(fork), |&number| self.teams[number as usize].fork).ok()?;
        Some(&self.teams[numbers[at] as usize])
    }

    fn point(&mut self, from: OpRef, to: Link) {
        self.remote[from.location.index()][from.op as usize] = to.into();
    }
}

/// Matches all records of a trace.
pub(crate) fn link(trace: &Trace, workers: &dyn Workers) -> Links {
    let count = trace.timelines.len();
    let mut links = Links { barrier_of: vec![Vec::new(); count], ..Links::default() };
    requests::link(trace, &mut links, workers);
    messages::link(trace, &mut links, workers);
    collectives::link(trace, &mut links, workers);
    locks::link(trace, &mut links);
    semaphores::link(trace, &mut links);
    rwlocks::link(trace, &mut links);
    teams::link(trace, &mut links);
    threads::link(trace, &mut links);
    rma::link(trace, &mut links);
    links
}

/// The locations with records of some kinds. Most traces have few kinds, so this avoids reading all records.
fn locations_with<'a>(trace: &'a Trace, kinds: &'a [EventKind]) -> impl Iterator<Item = LocationId> + 'a {
    let has = |it: &LocationId| kinds.iter().any(|&kind| trace.timeline(*it).kinds.has(kind));
    trace.locations().filter(has)
}

/// The threads of each process that have records of some kinds; processes and threads in the order of locations.
fn processes_with(trace: &Trace, kinds: &[EventKind]) -> Vec<Vec<LocationId>> {
    let mut processes: Vec<Vec<LocationId>> = Vec::new();
    let mut known: HashMap<ProcessId, usize> = HashMap::new();
    for location in locations_with(trace, kinds) {
        let at = *known.entry(trace.location(location).process).or_insert(processes.len());
        match processes.get_mut(at) {
            Some(threads) => threads.push(location),
            None => processes.push(vec![location]),
        }
    }
    processes
}

/// When the call of a record was entered; the time of the record if it is in no call.
fn entered(trace: &Trace, op: OpRef) -> Ticks {
    trace.call_of(op).map_or(trace.op(op).at, |call| trace.enter(call))
}

/// The location of a rank of a communicator, seen from location `me`.
pub fn member(
    definitions: &Definitions,
    communicator: CommunicatorId,
    me: LocationId,
    rank: u32,
) -> Option<LocationId> {
    let communicator = definitions.communicators.get(communicator.index())?;
    if communicator.of_self {
        return Some(me);
    }
    let mine = |group: &[Option<LocationId>]| {
        let process = definitions.process_of(me);
        group.iter().flatten().any(|&it| it == me || definitions.process_of(it) == process)
    };
    // In an inter-communicator, ranks are those of the other group.
    let Communicator { members, remote, .. } = communicator;
    let group = if remote.is_empty() || !mine(members) { members } else { remote };
    group.get(rank as usize).copied().flatten()
}
