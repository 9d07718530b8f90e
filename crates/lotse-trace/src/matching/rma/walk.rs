//! Collects the records of one-sided communication of one process.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};
use lotse_model::id::{LocationId, ProcessId, WindowId};
use lotse_model::trace::Event;

use super::{EpochCall, RmaRecords, WindowHolding, WindowPair, operation_end};
use crate::matching::{Link, Links, member};
use crate::store::{OpRef, Trace};

/// The open epochs, locks and operations of a process while its records are read in the order of time.
struct RmaScan<'a> {
    trace: &'a Trace,
    /// One of the threads of the process.
    me: LocationId,
    process: ProcessId,
    found: &'a mut RmaRecords,
    /// The access epoch of a window.
    epochs: HashMap<WindowId, Epoch>,
    /// By held lock: its index in the holdings of the window and target.
    held: HashMap<(WindowId, ProcessId), usize>,
    /// Locks that are requested, granted or not.
    requested: HashSet<(WindowId, ProcessId)>,
    /// Operations that the next fence of a window ends.
    unfenced: HashMap<WindowId, Vec<(ProcessId, OpRef)>>,
    /// Fence (collective), target and operation.
    fenced: Vec<(u32, ProcessId, OpRef)>,
    /// Operations by the number that their completion names, on each thread and (`None`) on any.
    numbered: HashMap<(WindowId, u64, Option<LocationId>), OpRef>,
}

#[derive(Default)]
struct Epoch {
    start: Option<OpRef>,
    targets: Vec<ProcessId>,
    /// The last operation on each target.
    last: HashMap<ProcessId, OpRef>,
}

/// Adds the records of a process to `found`, and links what needs no other process: operations with their completions,
/// starts with their completes, fences with the operation that ends last.
pub(super) fn process(trace: &Trace, threads: &[LocationId], links: &mut Links, found: &mut RmaRecords) {
    let me = threads[0];
    let mut scan = RmaScan {
        trace,
        me,
        process: trace.location(me).process,
        found,
        epochs: HashMap::new(),
        held: HashMap::new(),
        requested: HashSet::new(),
        unfenced: HashMap::new(),
        fenced: Vec::new(),
        numbered: HashMap::new(),
    };
    for op in in_time(trace, threads) {
        scan.record(op, &trace.op(op).event(), links);
    }
    // This comes last because completions may be recorded after the end of the fence.
    for (fence, target, op) in scan.fenced {
        let pending = links.rma.pending.get(&(fence, target)).copied();
        let ends_later = |other| operation_end(trace, links, op) > operation_end(trace, links, other);
        if pending.is_none_or(ends_later) {
            links.rma.pending.insert((fence, target), op);
        }
    }
}

/// The records of several threads in the order of time; those of each thread stay in their order.
fn in_time(trace: &Trace, threads: &[LocationId]) -> Vec<OpRef> {
    let ops_of =
        |&location| (0..trace.timeline(location).ops.len() as u32).map(move |op| OpRef { location, op });
    let mut ops: Vec<OpRef> = threads.iter().flat_map(ops_of).collect();
    if threads.len() > 1 {
        ops.sort_by_key(|&op| (trace.op(op).at, op));
    }
    ops
}

/// Adds a record to the list of each of its peers.
fn list(
    lists: &mut BTreeMap<WindowPair, Vec<OpRef>>,
    op: OpRef,
    peers: &[ProcessId],
    pair: impl Fn(ProcessId) -> WindowPair,
) {
    peers.iter().for_each(|&peer| lists.entry(pair(peer)).or_default().push(op));
}

impl RmaScan<'_> {
    /// Handles the next record. An operation is registered under its number both for its thread and for any thread, since
    /// another thread may record the completion.
    fn record(&mut self, op: OpRef, event: &Event, links: &mut Links) {
        match *event {
            Event::RmaGroupSync { window, group } => {
                let groups = &self.trace.definitions.groups;
                let members = groups.get(group.index()).map_or(&[][..], |group| &group.members);
                let peers = members.iter().flatten().filter_map(|&it| self.trace.definitions.process_of(it));
                self.sync(op, window, peers.collect(), links);
            }
            Event::RmaOperation { window, remote, matching, .. } => {
                self.numbered.insert((window, matching, Some(op.location)), op);
                self.numbered.insert((window, matching, None), op);
                if let Some(target) = self.target(window, remote) {
                    self.operation(op, window, target, links);
                }
            }
            Event::RmaComplete { window, matching, .. } => {
                let numbered = |thread| self.numbered.get(&(window, matching, thread));
                if let Some(&operation) = numbered(Some(op.location)).or_else(|| numbered(None)) {
                    links.link_halves(operation, op);
                }
            }
            Event::RmaCollectiveEnd { window, .. } => self.fence(op, window, links),
            _ => self.lock(op, event),
        }
    }

    /// The process of a rank of a window.
    fn target(&self, window: WindowId, remote: u32) -> Option<ProcessId> {
        let definitions = &self.trace.definitions;
        let communicator = definitions.windows.get(window.index())?.communicator;
        definitions.process_of(member(definitions, communicator, self.me, remote)?)
    }

    /// Post, start, complete or wait.
    fn sync(&mut self, op: OpRef, window: WindowId, peers: Vec<ProcessId>, links: &mut Links) {
        let Some(call) = self.trace.call_of(op) else { return };
        let me = self.process;
        match EpochCall::from_class(self.trace.class(call)) {
            Some(EpochCall::Post) => list(&mut self.found.posts, op, &peers, |origin| (window, origin, me)),
            Some(EpochCall::Wait) => list(&mut self.found.waits, op, &peers, |origin| (window, origin, me)),
            Some(EpochCall::Start) => {
                list(&mut self.found.starts, op, &peers, |target| (window, me, target));
                self.epochs.insert(window, Epoch { start: Some(op), targets: peers, last: HashMap::new() });
            }
            Some(EpochCall::Complete) => self.complete(op, window, peers, links),
            None => {}
        }
    }

    fn complete(&mut self, op: OpRef, window: WindowId, named: Vec<ProcessId>, links: &mut Links) {
        let without_start = Epoch { targets: named, ..Epoch::default() };
        let epoch = self.epochs.remove(&window).unwrap_or(without_start);
        for target in epoch.targets {
            self.found.completes.entry((window, self.process, target)).or_default().push(op);
        }
        for (target, last) in epoch.last {
            links.rma.accesses.insert((op, target), last);
        }
        if let Some(start) = epoch.start {
            links.link_halves(start, op);
        }
    }

    /// An operation belongs to an access epoch, to a lock, or to the next fence.
    fn operation(&mut self, op: OpRef, window: WindowId, target: ProcessId, links: &mut Links) {
        if let Some(epoch) = self.epochs.get_mut(&window).filter(|epoch| epoch.targets.contains(&target)) {
            epoch.last.insert(target, op);
            let pair = (window, self.process, target);
            let number = self.found.starts.get(&pair).map_or(0, Vec::len).saturating_sub(1);
            self.found.exposed.push((op, pair, number));
        } else if self.requested.contains(&(window, target)) {
            links.rma.passive.insert(op);
        } else if target != self.process {
            self.unfenced.entry(window).or_default().push((target, op));
        }
    }

    fn fence(&mut self, op: OpRef, window: WindowId, links: &Links) {
        let Link::Collective(number) = links.remote(op) else { return };
        let ended = self.unfenced.remove(&window).into_iter().flatten();
        self.fenced.extend(ended.map(|(target, operation)| (number, target, operation)));
    }

    /// Request, acquisition or release of the lock of a window at a target. A lock counts as requested from the first
    /// record about it, since not every recorder writes requests.
    fn lock(&mut self, op: OpRef, event: &Event) {
        match *event {
            Event::RmaRequestLock { window, remote, .. } => {
                if let Some(target) = self.target(window, remote) {
                    self.requested.insert((window, target));
                }
            }
            Event::RmaAcquireLock { window, remote, exclusive, .. } => {
                let Some(target) = self.target(window, remote) else { return };
                self.requested.insert((window, target));
                let holdings = self.found.holdings.entry((window, target)).or_default();
                self.held.insert((window, target), holdings.len());
                holdings.push(WindowHolding { acquire: op, release: None, exclusive });
            }
            Event::RmaReleaseLock { window, remote, .. } => {
                let Some(target) = self.target(window, remote) else { return };
                self.requested.remove(&(window, target));
                let holdings = self.found.holdings.entry((window, target)).or_default();
                if let Some(held) = self.held.remove(&(window, target)) {
                    holdings[held].release = Some(op);
                }
            }
            _ => {}
        }
    }
}
