//! How records belong together: a receive to its send, a completion to its posting, the members of a collective,
//! an acquired lock to the release before it, threads to what made them.
//!
//! EARL called these pointers. They are found without looking at times across processes, so that wrong clocks do not
//! disturb them. Threads of a process have one clock: where several of them talk for their process, time tells in
//! which order they did.

use hashbrown::HashMap;
use lotse_model::Workers;
use lotse_model::id::{CommunicatorId, LocationId, ProcessId};
use lotse_model::trace::{CollectiveOp, Definitions, EventKind, Ticks};

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

pub use pointer::Pointer;
pub use rma::RmaLinks;
pub use teams::TeamInstance;

/// Everything that points from a record to another.
#[derive(Debug, Default)]
pub struct Links {
    /// By location and record: where on another location it points to.
    pub remote: Vec<Vec<Pointer>>,
    /// By location and record: the record of the same location that posted or completes it, or the fork of the
    /// master's own part; [`NO_OP`] without, [`ELSEWHERE`] where another thread of the process has it.
    pub(crate) local: Vec<Vec<u32>>,
    /// What one thread of a process posted and another completed: rare, for it takes several threads that talk.
    pub(crate) across: HashMap<OpRef, OpRef>,
    /// Operations of communicators, in the order of communicators and of their sequence.
    pub collectives: Vec<Collective>,
    /// Barriers of threads: who was in each.
    pub barriers: Vec<Vec<CallRef>>,
    /// By location: the barrier of a call, sorted by call.
    pub barrier_of: Vec<Vec<(u32, u32)>>,
    /// Waits at the ends of teams that were over before the next event of their thread, with when: the store takes
    /// them as soon as links are known.
    pub(crate) released: Vec<(CallRef, Ticks)>,
    /// Parallel regions: the master's fork and who took part.
    pub teams: Vec<TeamInstance>,
    /// By location: the parallel regions it forked, by their numbers in `teams`, in the order of the forks.
    pub forked: Vec<Vec<u32>>,
    /// One-sided communication.
    pub rma: RmaLinks,
    /// Messages that were sent and received.
    pub messages: u64,
    /// Messages without a receive.
    pub unmatched_sends: u64,
    /// Messages without a send.
    pub unmatched_recvs: u64,
    /// Completions that name a request nobody posted, postings that were never completed.
    pub odd_requests: u64,
}

/// No record.
pub const NO_OP: u32 = u32::MAX;

/// A record of another location of the same process.
const ELSEWHERE: u32 = u32::MAX - 1;

/// What a record points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// Nothing.
    None,
    /// The other end: of a send its receive, of a receive its send, of an acquired lock the release before it, of a
    /// thread's begin its creation, of a wait for a thread its end, of a team's begin the fork; of an
    /// access to another's window the post that opened it.
    Op(OpRef),
    /// A collective, by its number.
    Collective(u32),
}

/// One operation of a communicator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collective {
    /// What.
    pub op: CollectiveOp,
    /// Whose.
    pub communicator: CommunicatorId,
    /// Who gives or gets, where one does: the thread that called for the root's process, or where none is recorded
    /// the communicator's member.
    pub root: Option<LocationId>,
    /// The record of each member, in the order of locations. A process is one member, whichever of its threads
    /// calls.
    pub members: Vec<OpRef>,
    /// Whether all members of the communicator are there.
    pub complete: bool,
    /// Whether it belongs to a window: a fence, a window's making or freeing.
    pub one_sided: bool,
}

impl Links {
    /// Where a record points to.
    #[inline]
    pub fn remote(&self, op: OpRef) -> Link {
        self.remote[op.location.index()][op.op as usize].link()
    }

    /// The other end of a record: see [`Link::Op`].
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

    /// The record of the same process that posted or completes this one; usually, but not always, of the same thread.
    #[inline]
    pub fn other_half(&self, op: OpRef) -> Option<OpRef> {
        match self.local[op.location.index()][op.op as usize] {
            NO_OP => None,
            ELSEWHERE => self.across.get(&op).copied(),
            number => Some(OpRef { op: number, ..op }),
        }
    }

    /// Makes two records of a process each other's halves.
    pub(crate) fn halve(&mut self, one: OpRef, other: OpRef) {
        for (of, half) in [(one, other), (other, one)] {
            let known = &mut self.local[of.location.index()][of.op as usize];
            if of.location == half.location {
                *known = half.op;
            } else {
                *known = ELSEWHERE;
                self.across.insert(of, half);
            }
        }
    }

    /// The thread barrier of a call.
    pub fn barrier(&self, call: CallRef) -> Option<&[CallRef]> {
        let of = &self.barrier_of[call.location.index()];
        let at = of.binary_search_by_key(&call.call, |&(call, _)| call).ok()?;
        Some(&self.barriers[of[at].1 as usize])
    }

    /// The parallel regions that a location forked, in their order.
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

/// Finds out how the records of a trace belong together.
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

/// The locations with records of some kinds: most traces have few kinds, and their many records need not be asked.
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

/// When the call of a record was entered; when it was made where it is in none.
fn entered(trace: &Trace, op: OpRef) -> Ticks {
    trace.call_of(op).map_or(trace.op(op).at, |call| trace.enter(call))
}

/// Who a rank in a record is, seen from a location.
pub fn member(
    definitions: &Definitions,
    communicator: CommunicatorId,
    me: LocationId,
    rank: u32,
) -> Option<LocationId> {
    let of = definitions.communicators.get(communicator.index())?;
    if of.of_self {
        return Some(me);
    }
    let mine = |group: &[Option<LocationId>]| {
        let process = definitions.process_of(me);
        group.iter().flatten().any(|&it| it == me || definitions.process_of(it) == process)
    };
    // In an inter-communicator, ranks are those of the group one is not in.
    let group = if of.remote.is_empty() || !mine(&of.members) { &of.members } else { &of.remote };
    group.get(rank as usize).copied().flatten()
}
