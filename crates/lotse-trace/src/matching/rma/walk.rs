//! One process's part in one-sided communication, record by record.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};
use lotse_model::id::{LocationId, ProcessId, WindowId};
use lotse_model::trace::Event;

use super::{Found, Pair, Part, WindowHolding, operation_end};
use crate::matching::{Link, Links, member};
use crate::store::{OpRef, Trace};

/// What is open while the records of a process pass.
struct Walk<'a> {
    trace: &'a Trace,
    /// One of its threads.
    me: LocationId,
    process: ProcessId,
    found: &'a mut Found,
    /// The access epoch of a window.
    epochs: HashMap<WindowId, Epoch>,
    /// Where in the holdings of a window and a target the lock stands that is held.
    held: HashMap<(WindowId, ProcessId), usize>,
    /// Locks asked for, granted or not.
    asked: HashSet<(WindowId, ProcessId)>,
    /// Operations that the next fence of a window ends.
    unfenced: HashMap<WindowId, Vec<(ProcessId, OpRef)>>,
    fenced: Vec<(u32, ProcessId, OpRef)>,
    /// Operations by the number that their completion names, on each thread and (`None`) on any.
    numbered: HashMap<(WindowId, u64, Option<LocationId>), OpRef>,
}

#[derive(Default)]
struct Epoch {
    start: Option<OpRef>,
    targets: Vec<ProcessId>,
    last: HashMap<ProcessId, OpRef>,
}

pub(super) fn process(trace: &Trace, threads: &[LocationId], links: &mut Links, found: &mut Found) {
    let me = threads[0];
    let mut walk = Walk {
        trace,
        me,
        process: trace.location(me).process,
        found,
        epochs: HashMap::new(),
        held: HashMap::new(),
        asked: HashSet::new(),
        unfenced: HashMap::new(),
        fenced: Vec::new(),
        numbered: HashMap::new(),
    };
    for op in in_time(trace, threads) {
        walk.record(op, &trace.op(op).event(), links);
    }
    // Completions may stand after the record that ends the fence.
    for (fence, target, op) in walk.fenced {
        let pending = links.rma.pending.get(&(fence, target)).copied();
        let ends_later = |other| operation_end(trace, links, op) > operation_end(trace, links, other);
        if pending.is_none_or(ends_later) {
            links.rma.pending.insert((fence, target), op);
        }
    }
}

/// The records of threads in the order of time, each thread's own in theirs.
fn in_time(trace: &Trace, threads: &[LocationId]) -> Vec<OpRef> {
    let of = |&location| (0..trace.timeline(location).ops.len() as u32).map(move |op| OpRef { location, op });
    let mut ops: Vec<OpRef> = threads.iter().flat_map(of).collect();
    if threads.len() > 1 {
        ops.sort_by_key(|&op| (trace.op(op).at, op));
    }
    ops
}

/// Lists a record for each of its peers.
fn list(
    of: &mut BTreeMap<Pair, Vec<OpRef>>,
    op: OpRef,
    peers: &[ProcessId],
    pair: impl Fn(ProcessId) -> Pair,
) {
    peers.iter().for_each(|&peer| of.entry(pair(peer)).or_default().push(op));
}

impl Walk<'_> {
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
                    links.halve(operation, op);
                }
            }
            Event::RmaCollectiveEnd { window, .. } => self.fence(op, window, links),
            _ => self.lock(op, event),
        }
    }

    fn target(&self, window: WindowId, remote: u32) -> Option<ProcessId> {
        let definitions = &self.trace.definitions;
        let communicator = definitions.windows.get(window.index())?.communicator;
        definitions.process_of(member(definitions, communicator, self.me, remote)?)
    }

    fn sync(&mut self, op: OpRef, window: WindowId, peers: Vec<ProcessId>, links: &mut Links) {
        let Some(call) = self.trace.call_of(op) else { return };
        let me = self.process;
        match Part::of(self.trace.class(call)) {
            Some(Part::Post) => list(&mut self.found.posts, op, &peers, |origin| (window, origin, me)),
            Some(Part::Wait) => list(&mut self.found.waits, op, &peers, |origin| (window, origin, me)),
            Some(Part::Start) => {
                list(&mut self.found.starts, op, &peers, |target| (window, me, target));
                self.epochs.insert(window, Epoch { start: Some(op), targets: peers, last: HashMap::new() });
            }
            Some(Part::Complete) => self.complete(op, window, peers, links),
            None => {}
        }
    }

    fn complete(&mut self, op: OpRef, window: WindowId, named: Vec<ProcessId>, links: &mut Links) {
        let unseen = Epoch { targets: named, ..Epoch::default() };
        let epoch = self.epochs.remove(&window).unwrap_or(unseen);
        for target in epoch.targets {
            self.found.completes.entry((window, self.process, target)).or_default().push(op);
        }
        for (target, last) in epoch.last {
            links.rma.accesses.insert((op, target), last);
        }
        if let Some(start) = epoch.start {
            links.halve(start, op);
        }
    }

    fn operation(&mut self, op: OpRef, window: WindowId, target: ProcessId, links: &mut Links) {
        if let Some(epoch) = self.epochs.get_mut(&window).filter(|epoch| epoch.targets.contains(&target)) {
            epoch.last.insert(target, op);
            let pair = (window, self.process, target);
            let number = self.found.starts.get(&pair).map_or(0, Vec::len).saturating_sub(1);
            self.found.exposed.push((op, pair, number));
        } else if self.asked.contains(&(window, target)) {
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

    fn lock(&mut self, op: OpRef, event: &Event) {
        match *event {
            Event::RmaRequestLock { window, remote, .. } => {
                if let Some(target) = self.target(window, remote) {
                    self.asked.insert((window, target));
                }
            }
            Event::RmaAcquireLock { window, remote, exclusive, .. } => {
                let Some(target) = self.target(window, remote) else { return };
                self.asked.insert((window, target));
                let holdings = self.found.holdings.entry((window, target)).or_default();
                self.held.insert((window, target), holdings.len());
                holdings.push(WindowHolding { acquire: op, release: None, exclusive });
            }
            Event::RmaReleaseLock { window, remote, .. } => {
                let Some(target) = self.target(window, remote) else { return };
                self.asked.remove(&(window, target));
                let holdings = self.found.holdings.entry((window, target)).or_default();
                if let Some(held) = self.held.remove(&(window, target)) {
                    holdings[held].release = Some(op);
                }
            }
            _ => {}
        }
    }
}
