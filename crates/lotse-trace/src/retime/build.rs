//! Builds the graph of dependencies of a trace.
//!
//! First all events that others may wait for become sources (`sources`). Then the waits that follow from records are added
//! (`messages`, `collectives`, `locks`, `window_locks`, `threads`, `idle`), last the waits that only patterns find
//! (`pattern_waits`).

use hashbrown::{HashMap, HashSet};
use lotse_model::id::LocationId;
use lotse_model::trace::{Event, Ticks};

use super::graph::{EntryKind, EntryTable, Graph, GraphEntry, GraphSource, Hub, HubId, Need, SourceId};
use crate::store::{CallRef, OpRef, Timeline, Trace};
use crate::waits::Waits;

mod accelerators;
mod collectives;
mod conditions;
mod counting;
mod idle;
mod locks;
mod messages;
mod notice_times;
mod order;
mod pattern_waits;
mod pools;
mod probes;
mod sources;
mod threads;
mod window_locks;

impl Graph {
    /// The dependencies of a trace: from its records, and from waits that only patterns find.
    pub fn new(trace: &Trace, waits: &Waits) -> Self {
        Self::build(trace, waits, Broadcasts::ByLastArrival)
    }

    /// The same, but the thread that broadcast a condition in the recorded execution does so in every simulation, without
    /// waiting for others.
    pub(crate) fn with_kept_broadcasts(trace: &Trace, waits: &Waits) -> Self {
        Self::build(trace, waits, Broadcasts::AsRecorded)
    }

    /// Sources come first, because waits refer to them; waits that only patterns find come last, where no record explains them.
    fn build(trace: &Trace, waits: &Waits, broadcasts: Broadcasts) -> Self {
        let mut builder = Builder::new(trace);
        builder.add_record_sources();
        builder.add_barrier_sources();
        builder.add_scan_hubs();
        let notice_times = builder.add_receive_waits();
        builder.add_send_waits(waits);
        builder.add_probe_waits(&notice_times);
        builder.add_collective_waits();
        builder.add_locks();
        builder.add_counting_locks();
        builder.add_window_locks(waits);
        builder.add_thread_waits();
        builder.add_idle_workers();
        builder.add_accelerator_waits();
        if broadcasts == Broadcasts::ByLastArrival {
            builder.add_condition_barriers();
        }
        builder.add_pattern_waits(waits);
        builder.finish()
    }
}

/// Which thread broadcasts a condition in a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Broadcasts {
    /// At barriers made of a condition, the last thread to arrive.
    ByLastArrival,
    /// The thread that did so in the recorded execution.
    AsRecorded,
}

/// The graph under construction.
struct Builder<'a> {
    trace: &'a Trace,
    graph: Graph,
    /// By location and record: its source.
    source_of_op: Vec<Vec<Option<SourceId>>>,
    /// By collective: the hub of all members that contribute data.
    hub_of_collective: Vec<Option<HubId>>,
    /// By member of a scan: the hub of all lower ranks.
    hub_of_scan: HashMap<OpRef, HubId>,
    /// By collective: whether any member sent data. Recorders that do not know sizes write zeros.
    moves_data: Vec<bool>,
    /// By hub: when its last source happened in the recorded execution.
    hub_at: Vec<Ticks>,
    /// By barrier of threads: its hub.
    hub_of_barrier: Vec<HubId>,
    /// Sources that do not belong to a record: the causes of waits found by patterns.
    other_sources: HashMap<(LocationId, Ticks), SourceId>,
    /// In a phase: the calls that complete sends for which it is known whether they wait.
    send_calls: HashSet<CallRef>,
    /// Calls that wait at barriers made of a condition.
    condition_waits: HashSet<CallRef>,
    /// Calls that queue for the lock of a window.
    window_lock_calls: HashSet<CallRef>,
}

/// A wait to be added to the graph.
struct NewWait<'a> {
    call: CallRef,
    begin: Ticks,
    exit: Ticks,
    /// When the last need happened in the recorded execution.
    happened: Ticks,
    /// How long the call still waited after that.
    late: Ticks,
    needs: &'a [Need],
    kind: WaitKind,
}

/// What a wait is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WaitKind {
    /// For messages that the call completes.
    Completes,
    /// For a message that another call completes.
    Notices,
    Other,
}

impl<'a> Builder<'a> {
    fn new(trace: &'a Trace) -> Self {
        // Reserved memory that is not used costs nothing; a growing vector is copied.
        let table =
            |it: &Timeline| EntryTable { entries: Vec::with_capacity(it.ops.len()), ..EntryTable::default() };
        let moves_data = |it| super::shape::moves_data(trace, it);
        Self {
            trace,
            graph: Graph { tables: trace.timelines.iter().map(table).collect(), ..Graph::default() },
            source_of_op: trace.timelines.iter().map(|it| vec![None; it.ops.len()]).collect(),
            hub_of_collective: vec![None; trace.links.collectives.len()],
            hub_of_scan: HashMap::new(),
            moves_data: trace.links.collectives.iter().map(moves_data).collect(),
            hub_at: Vec::new(),
            hub_of_barrier: Vec::new(),
            other_sources: HashMap::new(),
            send_calls: HashSet::new(),
            condition_waits: HashSet::new(),
            window_lock_calls: HashSet::new(),
        }
    }

    /// Adds a source. `call` orders it among entries of the same time.
    fn source(&mut self, location: LocationId, at: Ticks, call: u32, hub: Option<HubId>) -> SourceId {
        let source = SourceId::from_index(self.graph.sources.len());
        self.graph.sources.push(GraphSource { location, at, hub: None });
        let entry = GraphEntry { at, resume: at, kind: EntryKind::Publishes(source), call };
        self.graph.tables[location.index()].entries.push(entry);
        if let Some(hub) = hub {
            self.add_to_hub(source, hub);
        }
        source
    }

    /// Makes a hub depend on a source.
    fn add_to_hub(&mut self, source: SourceId, hub: HubId) {
        let at = self.graph.source(source).at;
        self.graph.sources[source.index()].hub = Some(hub);
        self.graph.hubs[hub.index()].needs += 1;
        self.hub_at[hub.index()] = self.hub_at[hub.index()].max(at);
    }

    fn new_hub(&mut self) -> HubId {
        let hub = HubId::from_index(self.graph.hubs.len());
        self.graph.hubs.push(Hub::default());
        self.hub_at.push(0);
        hub
    }

    /// The source of a record.
    fn source_of(&self, op: OpRef) -> Option<SourceId> {
        self.source_of_op[op.location.index()][op.op as usize]
    }

    /// The call that orders a record among entries of the same time: its own call (that of its posting for a collective).
    /// It is the next call if the record is in no call, or if it releases a lock: others may depend on the release only
    /// after the call's own entries.
    fn order_call(&self, op: OpRef) -> u32 {
        let posted = match self.trace.shape(op) {
            Event::CollectiveComplete { .. } => self.trace.links.other_half(op),
            _ => None,
        };
        let event = self.trace.shape(op);
        let releases = matches!(event, Event::ReleaseLock { .. } | Event::RmaReleaseLock { .. });
        let releases = releases && !self.reacquires(op);
        let calls = &self.trace.timeline(op.location).calls;
        match self.trace.call_of(posted.unwrap_or(op)) {
            Some(call) => call.call + u32::from(releases),
            None => calls.partition_point(|call| call.first_op <= op.op) as u32,
        }
    }

    /// Whether the call that releases a lock acquires it again, as `pthread_cond_wait` does.
    fn reacquires(&self, op: OpRef) -> bool {
        let records = self.trace.timeline(op.location);
        let call = records.ops.call(op.op as usize);
        let following = records.ops.from(op.op as usize + 1).take_while(|it| it.call == call);
        following.into_iter().any(|it| matches!(it.shape(), Event::AcquireLock { .. }))
    }

    fn add_call_wait(&mut self, call: CallRef, happened: Ticks, needs: &[Need]) {
        let (begin, exit) = (self.trace.enter(call), self.trace.exit(call));
        self.add_wait(&NewWait { call, begin, exit, happened, late: 0, needs, kind: WaitKind::Other });
    }

    fn add_wait(&mut self, wait: &NewWait<'_>) {
        let table = &mut self.graph.tables[wait.call.location.index()];
        let first = table.needs.len() as u32;
        table.needs.extend_from_slice(wait.needs);
        let count = wait.needs.len() as u32;
        let over = wait.happened.saturating_add(wait.late);
        let resume = over.clamp(wait.begin, wait.exit.max(wait.begin));
        let kind = match wait.kind {
            WaitKind::Completes => EntryKind::Completes { first, count },
            WaitKind::Notices => EntryKind::Notices { first, count },
            WaitKind::Other => EntryKind::Needs { first, count },
        };
        table.entries.push(GraphEntry { at: wait.begin, resume, kind, call: wait.call.call });
    }

    /// Sorts the entries, renumbers sources and holdings, and looks for shared work.
    fn finish(mut self) -> Graph {
        for table in &mut self.graph.tables {
            table.entries.sort_by_key(|entry| (entry.at, entry.call, entry.kind.rank(), entry.resume));
            table.entries.shrink_to_fit();
        }
        self.graph.renumber();
        self.graph.find_pools(self.trace);
        self.graph
    }
}
