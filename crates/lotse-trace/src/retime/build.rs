//! Finds the dependencies of a trace.
//!
//! First all moments that others may wait for become sources (`gives`), then the waits that records tell of become
//! needs (`messages`, `collectives`, `locks`, `window_locks`, `threads`, `idle`), last the waits that only patterns found (`others`).

use hashbrown::{HashMap, HashSet};
use lotse_model::id::LocationId;
use lotse_model::trace::{Event, Ticks};

use super::graph::{Entry, Graph, Hub, HubId, Line, Need, Source, SourceId, What};
use crate::store::{CallRef, OpRef, Timeline, Trace};
use crate::waits::Waits;

mod accelerators;
mod collectives;
mod conditions;
mod counting;
mod gives;
mod idle;
mod locks;
mod messages;
mod order;
mod others;
mod pools;
mod probes;
mod rests;
mod threads;
mod window_locks;

impl Graph {
    /// The dependencies of a trace: from its records, and from waits of kinds that no record tells.
    pub fn new(trace: &Trace, waits: &Waits) -> Self {
        Self::with(trace, waits, Broadcasts::AtBarriers)
    }

    /// The same where whoever broadcast a condition does so in every changed run, and waits for nobody.
    pub(crate) fn with_kept_broadcasts(trace: &Trace, waits: &Waits) -> Self {
        Self::with(trace, waits, Broadcasts::Kept)
    }

    fn with(trace: &Trace, waits: &Waits, broadcasts: Broadcasts) -> Self {
        let mut builder = Builder::new(trace);
        builder.give_records();
        builder.give_barriers();
        builder.give_scans();
        let rests = builder.need_messages();
        builder.need_sends(waits);
        builder.need_probes(&rests);
        builder.need_collectives();
        builder.need_locks();
        builder.need_counting_locks();
        builder.need_window_locks(waits);
        builder.need_threads();
        builder.need_masters();
        builder.need_accelerators();
        if broadcasts == Broadcasts::AtBarriers {
            builder.need_condition_barriers();
        }
        builder.need_others(waits);
        builder.finish()
    }
}

/// Who broadcasts a condition in a changed run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Broadcasts {
    /// Where threads meet: who comes last.
    AtBarriers,
    /// Who did so in the recorded run.
    Kept,
}

struct Builder<'a> {
    trace: &'a Trace,
    graph: Graph,
    /// By location and record: the source that it is.
    of_op: Vec<Vec<Option<SourceId>>>,
    /// By collective: the meeting of all that give something.
    of_collective: Vec<Option<HubId>>,
    /// By member of a scan: the meeting of all with lower ranks.
    of_scan: HashMap<OpRef, HubId>,
    /// By collective: whether anybody sent something. Recorders that do not know sizes write zeros.
    moves_data: Vec<bool>,
    /// By hub: when its last source happened in the recorded run.
    hub_at: Vec<Ticks>,
    /// By barrier of threads: its hub.
    of_barrier: Vec<HubId>,
    /// Moments that are causes of waits of which no record speaks.
    generic: HashMap<(LocationId, Ticks), SourceId>,
    /// In a phase: the calls that complete sends of which it is decided whether they wait.
    sending: HashSet<CallRef>,
    /// Calls that wait at barriers made of a condition.
    meeting: HashSet<CallRef>,
    /// Calls that queue for the lock of a window.
    queuing: HashSet<CallRef>,
}

/// A wait on its way into the graph.
struct Waiting<'a> {
    call: CallRef,
    begin: Ticks,
    exit: Ticks,
    /// When what was needed happened.
    happened: Ticks,
    /// How long after that the call still waited.
    late: Ticks,
    on: &'a [Need],
    kind: WaitKind,
}

/// What a wait is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WaitKind {
    /// Messages that the call completes.
    Completes,
    /// A message that another call completes.
    Notices,
    Other,
}

impl<'a> Builder<'a> {
    fn new(trace: &'a Trace) -> Self {
        // Room that is not used costs nothing; room that has to grow is copied.
        let line = |it: &Timeline| Line { entries: Vec::with_capacity(it.ops.len()), ..Line::default() };
        let moves_data = |it| super::shape::moves_data(trace, it);
        Self {
            trace,
            graph: Graph { lines: trace.timelines.iter().map(line).collect(), ..Graph::default() },
            of_op: trace.timelines.iter().map(|it| vec![None; it.ops.len()]).collect(),
            of_collective: vec![None; trace.links.collectives.len()],
            of_scan: HashMap::new(),
            moves_data: trace.links.collectives.iter().map(moves_data).collect(),
            hub_at: Vec::new(),
            of_barrier: Vec::new(),
            generic: HashMap::new(),
            sending: HashSet::new(),
            meeting: HashSet::new(),
            queuing: HashSet::new(),
        }
    }

    /// Adds a source. `call` is its place among what happens at the same moment.
    fn source(&mut self, location: LocationId, at: Ticks, call: u32, hub: Option<HubId>) -> SourceId {
        let source = SourceId::from_index(self.graph.sources.len());
        self.graph.sources.push(Source { location, at, hub: None });
        let entry = Entry { at, resume: at, what: What::Gives(source), call };
        self.graph.lines[location.index()].entries.push(entry);
        if let Some(hub) = hub {
            self.count_for(source, hub);
        }
        source
    }

    /// A meeting needs a source.
    fn count_for(&mut self, source: SourceId, hub: HubId) {
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

    /// The source that a record is.
    fn source_of(&self, op: OpRef) -> Option<SourceId> {
        self.of_op[op.location.index()][op.op as usize]
    }

    /// The call that says where a record belongs among what happens at the same moment: the next one where it is in
    /// none, and where it ends what its own call began.
    fn place(&self, op: OpRef) -> u32 {
        let posted = match self.trace.shape(op) {
            Event::CollectiveComplete { .. } => self.trace.links.other_half(op),
            _ => None,
        };
        let event = self.trace.shape(op);
        let releases = matches!(event, Event::ReleaseLock { .. } | Event::RmaReleaseLock { .. });
        let releases = releases && !self.takes_again(op);
        let calls = &self.trace.timeline(op.location).calls;
        match self.trace.call_of(posted.unwrap_or(op)) {
            Some(call) => call.call + u32::from(releases),
            None => calls.partition_point(|call| call.first_op <= op.op) as u32,
        }
    }

    /// Whether the call that releases a lock acquires it again, as waiting for a condition does.
    fn takes_again(&self, op: OpRef) -> bool {
        let records = self.trace.timeline(op.location);
        let call = records.ops.call(op.op as usize);
        let behind = records.ops.from(op.op as usize + 1).take_while(|it| it.call == call);
        behind.into_iter().any(|it| matches!(it.shape(), Event::AcquireLock { .. }))
    }

    fn need_call(&mut self, call: CallRef, happened: Ticks, on: &[Need]) {
        let (begin, exit) = (self.trace.enter(call), self.trace.exit(call));
        self.push(&Waiting { call, begin, exit, happened, late: 0, on, kind: WaitKind::Other });
    }

    fn push(&mut self, waiting: &Waiting<'_>) {
        let line = &mut self.graph.lines[waiting.call.location.index()];
        let first = line.needs.len() as u32;
        line.needs.extend_from_slice(waiting.on);
        let count = waiting.on.len() as u32;
        let over = waiting.happened.saturating_add(waiting.late);
        let resume = over.clamp(waiting.begin, waiting.exit.max(waiting.begin));
        let what = match waiting.kind {
            WaitKind::Completes => What::Completes { first, count },
            WaitKind::Notices => What::Notices { first, count },
            WaitKind::Other => What::Needs { first, count },
        };
        line.entries.push(Entry { at: waiting.begin, resume, what, call: waiting.call.call });
    }

    fn finish(mut self) -> Graph {
        for line in &mut self.graph.lines {
            line.entries.sort_by_key(|entry| (entry.at, entry.call, entry.what.rank(), entry.resume));
            line.entries.shrink_to_fit();
        }
        self.graph.put_in_order();
        self.graph.find_pools(self.trace);
        self.graph
    }
}
