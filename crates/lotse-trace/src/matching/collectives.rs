//! Collectives: the n-th call on a communicator at each member is the same collective. The order of the calls counts;
//! non-blocking collectives may be completed in a different order.
//!
//! A member is a process. If several of its threads call collectives, their calls are ordered by time. If a communicator
//! contains several threads of one process, each thread is a member.

use std::cell::LazyCell;

use hashbrown::HashMap;
use lotse_model::Workers;
use lotse_model::id::{CommunicatorId, LocationId, ProcessId};
use lotse_model::trace::{CollectiveOp, Definitions, Event, EventKind};
use lotse_model::work;

use super::{Collective, Link, Links, entered, member, processes_with};
use crate::store::{OpRef, Trace};

/// Collectives are counted per sequence: the communicator, the window if any, and the process if the communicator is one
/// like MPI_COMM_SELF.
type Sequence = (CommunicatorId, Option<u32>, Option<ProcessId>);

const KINDS: &[EventKind] = &[
    EventKind::MpiCollectiveEnd,
    EventKind::NonBlockingCollectiveRequest,
    EventKind::NonBlockingCollectiveComplete,
    EventKind::RmaCollectiveEnd,
];

/// Matches the members of all collectives.
pub(super) fn link(trace: &Trace, links: &mut Links, workers: &dyn Workers) {
    let mut finder = CollectiveFinder::new(trace);
    let of_threads = LazyCell::new(|| of_threads(&trace.definitions));
    let processes = processes_with(trace, KINDS);
    let ends = work::map(workers, processes.len(), |at| in_order(trace, links, &processes[at]));
    for (threads, ends) in processes.iter().zip(ends) {
        let of_threads: &[bool] = if threads.len() > 1 { &of_threads } else { &[] };
        finder.process(&ends, of_threads, links);
    }
    for collective in &mut finder.found {
        collective.members.sort_unstable();
        collective.root = collective.root.map(|root| caller(trace, collective, root));
        let communicator = &trace.definitions.communicators[collective.communicator.index()];
        let needed = communicator.members.len() + communicator.remote.len();
        collective.complete = communicator.of_self || collective.members.len() >= needed;
    }
    links.collectives = finder.found;
}

/// Maximum number of members for which memory is reserved: a definition may claim more than there are.
const MOST_EXPECTED: usize = 64;

/// The collectives found so far.
struct CollectiveFinder<'a> {
    trace: &'a Trace,
    numbers: HashMap<Sequence, usize>,
    /// The sequence used last: mostly there are few.
    last: Option<(Sequence, usize)>,
    /// By number of the sequence: its collectives, as indices of `found`.
    sequences: Vec<Vec<u32>>,
    found: Vec<Collective>,
}

/// The number of collectives of each sequence that a process had; in communicators of threads, that each thread had.
#[derive(Default)]
struct Counts {
    of_process: Vec<usize>,
    of_threads: HashMap<(usize, LocationId), usize>,
}

impl<'a> CollectiveFinder<'a> {
    fn new(trace: &'a Trace) -> Self {
        Self { trace, numbers: HashMap::new(), last: None, sequences: Vec::new(), found: Vec::new() }
    }

    /// Adds the records of a process to their collectives. `of_threads`: see [`of_threads`].
    fn process(&mut self, ends: &[(OpRef, MemberRecord)], of_threads: &[bool], links: &mut Links) {
        let mut counts = Counts::default();
        for &(op, ref record) in ends {
            let by_thread = of_threads.get(record.sequence.0.index()).is_some_and(|&it| it);
            let sequence = self.sequence_number(record.sequence);
            let count = counts.next(sequence, by_thread.then_some(op.location));
            let instance = self.instance(sequence, record, count);
            let collective = &mut self.found[instance as usize];
            collective.members.push(op);
            collective.root = collective.root.or(record.root);
            links.point(op, Link::Collective(instance));
        }
    }

    fn sequence_number(&mut self, sequence: Sequence) -> usize {
        if let Some((_, number)) = self.last.filter(|(last, _)| *last == sequence) {
            return number;
        }
        let number = *self.numbers.entry(sequence).or_insert(self.sequences.len());
        if number == self.sequences.len() {
            self.sequences.push(Vec::new());
        }
        self.last = Some((sequence, number));
        number
    }

    /// The `count`-th collective of a sequence, created for its first member.
    fn instance(&mut self, sequence: usize, record: &MemberRecord, count: usize) -> u32 {
        let instances = &mut self.sequences[sequence];
        if instances.len() == count {
            instances.push(self.found.len() as u32);
            let communicator = &self.trace.definitions.communicators[record.sequence.0.index()];
            self.found.push(record.new_collective(communicator.members.len().min(MOST_EXPECTED)));
        }
        instances[count]
    }
}

impl Counts {
    /// Counts a collective; returns how many there were before it.
    fn next(&mut self, sequence: usize, thread: Option<LocationId>) -> usize {
        let count = match thread {
            Some(thread) => self.of_threads.entry((sequence, thread)).or_default(),
            None => {
                self.of_process.resize(self.of_process.len().max(sequence + 1), 0);
                &mut self.of_process[sequence]
            }
        };
        *count += 1;
        *count - 1
    }
}

/// By communicator: whether it contains several threads of one process, which are then members of their own.
fn of_threads(definitions: &Definitions) -> Vec<bool> {
    let several = |members: &[Option<LocationId>]| {
        let mut processes: Vec<_> = members.iter().flatten().map(|&it| definitions.process_of(it)).collect();
        processes.sort_unstable();
        processes.windows(2).any(|pair| pair[0] == pair[1])
    };
    definitions.communicators.iter().map(|it| several(&it.members)).collect()
}

/// The records that end collectives on the threads of a process, in the order of the calls that begin the collectives.
fn in_order(trace: &Trace, links: &Links, threads: &[LocationId]) -> Vec<(OpRef, MemberRecord)> {
    let mut ends = Vec::new();
    let mut has_non_blocking = false;
    for &location in threads {
        for (number, op) in trace.timeline(location).ops.iter().enumerate() {
            match op.shape() {
                Event::CollectiveEnd { .. } | Event::RmaCollectiveEnd { .. } => {}
                Event::CollectiveComplete { .. } => has_non_blocking = true,
                _ => continue,
            }
            ends.push(OpRef { location, op: number as u32 });
        }
    }
    // A blocking collective has no other half, so its own position counts.
    let begin = |&end: &OpRef| links.other_half(end).unwrap_or(end);
    if threads.len() > 1 {
        ends.sort_by_cached_key(|end| (entered(trace, begin(end)), begin(end)));
    } else if has_non_blocking {
        ends.sort_by_key(begin);
    }
    let record = |op: OpRef| Some((op, member_record(trace, op.location, &trace.op(op).event())?));
    ends.into_iter().filter_map(record).collect()
}

/// The thread that called for the root: any thread of its process may.
fn caller(trace: &Trace, collective: &Collective, root: LocationId) -> LocationId {
    let definitions = &trace.definitions;
    let called = |at: LocationId| collective.members.binary_search_by_key(&at, |op| op.location).is_ok();
    if called(root) {
        return root;
    }
    let members = &definitions.communicators[collective.communicator.index()].members;
    let stands_in = |op: &&OpRef| {
        definitions.process_of(op.location) == definitions.process_of(root)
            && !members.contains(&Some(op.location))
    };
    collective.members.iter().find(stands_in).map_or(root, |op| op.location)
}

impl Collective {
    /// The members' records in the order of their ranks, without those whose rank is unknown.
    pub(crate) fn by_rank(&self, definitions: &Definitions) -> Vec<OpRef> {
        let process = |location| definitions.process_of(location);
        let ranks = &definitions.communicators[self.communicator.index()].members;
        let of_process: HashMap<Option<ProcessId>, OpRef> =
            self.members.iter().map(|&op| (process(op.location), op)).collect();
        let of_rank = |&rank: &LocationId| match self.members.binary_search_by_key(&rank, |op| op.location) {
            Ok(at) => Some(self.members[at]),
            Err(_) => of_process.get(&process(rank)).copied(),
        };
        ranks.iter().flatten().filter_map(of_rank).collect()
    }
}

/// The properties of a collective as recorded by one member.
struct MemberRecord {
    sequence: Sequence,
    op: CollectiveOp,
    root: Option<LocationId>,
}

impl MemberRecord {
    /// A collective without members yet.
    fn new_collective(&self, expected: usize) -> Collective {
        Collective {
            op: self.op,
            communicator: self.sequence.0,
            root: self.root,
            members: Vec::with_capacity(expected),
            complete: false,
            one_sided: self.sequence.1.is_some(),
        }
    }
}

fn member_record(trace: &Trace, location: LocationId, event: &Event) -> Option<MemberRecord> {
    let (op, communicator, window, root) = match *event {
        Event::CollectiveEnd { op, communicator, root, .. }
        | Event::CollectiveComplete { op, communicator, root, .. } => (op, communicator, None, root),
        Event::RmaCollectiveEnd { op, window, root, .. } => {
            let communicator = trace.definitions.windows.get(window.index())?.communicator;
            (op, communicator, Some(window.0), root)
        }
        _ => return None,
    };
    let of_self = trace.definitions.communicators.get(communicator.index()).is_some_and(|it| it.of_self);
    let process = trace.definitions.process_of(location).filter(|_| of_self);
    let root = root.and_then(|root| member(&trace.definitions, communicator, location, root));
    Some(MemberRecord { sequence: (communicator, window, process), op, root })
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::{CollectiveOp, Event, EventKind};

    use crate::fixture::{Script, WORLD};

    /// Two broadcasts are posted and completed in the order given.
    fn posted(script: &mut Script, location: usize, completed: [u64; 2]) {
        for request in [1, 2] {
            let event = Event::CollectiveRequest { request };
            script.event(location, request, EventKind::NonBlockingCollectiveRequest, event);
        }
        for request in completed {
            let (op, root) = (CollectiveOp::Bcast, Some(request as u32 - 1));
            let event =
                Event::CollectiveComplete { op, communicator: WORLD, root, sent: 8, received: 8, request };
            script.event(location, 9, EventKind::NonBlockingCollectiveComplete, event);
        }
    }

    #[test]
    fn non_blocking_collectives_match_in_the_order_of_posting() {
        let mut script = Script::processes(2);
        posted(&mut script, 0, [1, 2]);
        posted(&mut script, 1, [2, 1]);
        let collectives = script.trace().links.collectives;
        let ends: Vec<Vec<u32>> =
            collectives.iter().map(|it| it.members.iter().map(|member| member.op).collect()).collect();
        assert_eq!(ends, [[2, 3], [3, 2]]);
        assert_eq!(collectives[1].root.map(|root| root.0), Some(1));
        assert!(collectives.iter().all(|it| it.complete));
    }
}
