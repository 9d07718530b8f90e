//! Finds the dependencies of a trace.

use hashbrown::HashMap;
use lotse_model::id::LocationId;
use lotse_model::trace::{CollectiveOp, Event, Ticks};

use super::graph::{Dependency, Entry, Graph, HubId, Line, Need, Source, SourceId, What};
use super::sends::Sends;
use super::shape::{Shape, moves_data};
use crate::matching::Link;
use crate::metric::{DependencySource, Metric};
use crate::store::{CallRef, OpRef, Trace};
use crate::waits::gathered::{arrival, bytes};
use crate::waits::{Wait, Waits};

impl Graph {
    /// The dependencies of a trace: from its records, and from waits of kinds that no record tells.
    pub fn new(trace: &Trace, waits: &Waits) -> Self {
        let mut builder = Builder::new(trace);
        for location in trace.locations() {
            builder.give(location);
        }
        builder.give_barriers();
        for location in trace.locations() {
            builder.need(location);
        }
        builder.need_others(waits);
        builder.finish()
    }
}

struct Builder<'a> {
    trace: &'a Trace,
    graph: Graph,
    /// By location and record: the source that it is.
    of_op: Vec<Vec<Option<SourceId>>>,
    /// By collective: its hub of all (or of all that send), and of all but the root.
    of_collective: Vec<Option<HubId>>,
    /// By collective: whether anybody sent something. Recorders that do not tell sizes tell zeros.
    moves_data: Vec<bool>,
    /// By hub: when its last source happened in the recorded run.
    hub_at: Vec<Ticks>,
    /// By barrier of threads: its hub.
    of_barrier: Vec<HubId>,
    /// Moments that are causes of waits of which no record speaks.
    generic: HashMap<(LocationId, Ticks), SourceId>,
}

/// A wait on its way into the graph.
struct Waiting<'a> {
    call: CallRef,
    begin: Ticks,
    exit: Ticks,
    /// When what was needed happened.
    happened: Ticks,
    on: &'a [Need],
    is_message: bool,
}

impl<'a> Builder<'a> {
    fn new(trace: &'a Trace) -> Self {
        let count = trace.timelines.len();
        Self {
            trace,
            graph: Graph { lines: (0..count).map(|_| Line::default()).collect(), ..Graph::default() },
            of_op: trace.timelines.iter().map(|it| vec![None; it.ops.len()]).collect(),
            of_collective: vec![None; trace.links.collectives.len()],
            moves_data: trace.links.collectives.iter().map(|it| moves_data(trace, it)).collect(),
            hub_at: Vec::new(),
            of_barrier: Vec::new(),
            generic: HashMap::new(),
        }
    }

    /// Adds a source. `call` is its place among what happens at the same moment.
    fn source(&mut self, location: LocationId, at: Ticks, call: u32, hub: Option<HubId>) -> SourceId {
        let source = SourceId::from_index(self.graph.sources.len());
        self.graph.sources.push(Source { location, at, hub });
        if let Some(hub) = hub {
            self.graph.hubs[hub.index()] += 1;
            self.hub_at[hub.index()] = self.hub_at[hub.index()].max(at);
        }
        let entry = Entry { at, resume: at, what: What::Gives(source), call };
        self.graph.lines[location.index()].entries.push(entry);
        source
    }

    fn new_hub(&mut self) -> HubId {
        let hub = HubId::from_index(self.graph.hubs.len());
        self.graph.hubs.push(0);
        self.hub_at.push(0);
        hub
    }

    /// The source that a record is.
    fn source_of(&self, op: OpRef) -> Option<SourceId> {
        self.of_op[op.location.index()][op.op as usize]
    }

    /// All moments of a location that others may wait for.
    fn give(&mut self, location: LocationId) {
        for (number, op) in self.trace.timeline(location).ops.iter().enumerate() {
            let at = OpRef { location, op: number as u32 };
            let entered = || self.trace.call_of(at).map_or(op.at, |call| self.trace.enter(call));
            let mut giver = location;
            let (when, hub) = match op.event {
                Event::MpiSend { .. } | Event::MpiIsend { .. } if self.trace.links.partner(at).is_some() => {
                    (entered(), None)
                }
                Event::CollectiveEnd { .. }
                | Event::CollectiveComplete { .. }
                | Event::RmaCollectiveEnd { .. } => {
                    let Some((_, arrival)) = arrival(self.trace, at) else { continue };
                    giver = arrival.location;
                    (arrival.at, self.hub_of(at))
                }
                Event::ReleaseLock { .. } | Event::Fork { .. } | Event::ThreadCreate { .. } => (op.at, None),
                Event::ThreadEnd { .. } => (op.at, None),
                _ => continue,
            };
            let call = self.place(at);
            self.of_op[location.index()][number] = Some(self.source(giver, when, call, hub));
        }
    }

    /// The call that says where a record belongs among what happens at the same moment: the next one where it is in
    /// none, and where it ends what its own call began.
    fn place(&self, op: OpRef) -> u32 {
        let posted = match self.trace.op(op).event {
            Event::CollectiveComplete { .. } => self.trace.links.other_half(op),
            _ => None,
        };
        let releases = matches!(self.trace.op(op).event, Event::ReleaseLock { .. });
        let calls = &self.trace.timeline(op.location).calls;
        match self.trace.call_of(posted.unwrap_or(op)) {
            Some(call) => call.call + u32::from(releases),
            None => calls.partition_point(|call| call.first_op <= op.op) as u32,
        }
    }

    /// The hub that a member of a collective counts for, made when first asked for.
    fn hub_of(&mut self, op: OpRef) -> Option<HubId> {
        let Link::Collective(number) = self.trace.links.remote(op) else { return None };
        let collective = &self.trace.links.collectives[number as usize];
        let counts = match Shape::of(collective.op) {
            Shape::OneToAll | Shape::Prefix => false,
            Shape::AllToOne => collective.root != Some(op.location) && bytes(self.trace, op).0 > 0,
            Shape::AllToAll => {
                collective.op == CollectiveOp::Barrier
                    || !self.moves_data[number as usize]
                    || bytes(self.trace, op).0 > 0
            }
        };
        if !counts {
            return None;
        }
        let known = self.of_collective[number as usize].unwrap_or_else(|| self.new_hub());
        self.of_collective[number as usize] = Some(known);
        Some(known)
    }

    fn give_barriers(&mut self) {
        for calls in &self.trace.links.barriers {
            let hub = self.new_hub();
            self.of_barrier.push(hub);
            for call in calls {
                self.source(call.location, self.trace.enter(*call), call.call, Some(hub));
            }
        }
    }

    /// All waits of a location that its records tell.
    fn need(&mut self, location: LocationId) {
        let timeline = self.trace.timeline(location);
        let mut on: Vec<Need> = Vec::new();
        for (number, op) in timeline.ops.iter().enumerate() {
            let at = OpRef { location, op: number as u32 };
            match op.event {
                Event::MpiRecv { .. } | Event::MpiIrecv { .. } => self.need_message(at, &mut on),
                Event::CollectiveEnd { .. }
                | Event::CollectiveComplete { .. }
                | Event::RmaCollectiveEnd { .. } => {
                    self.need_collective(at, &mut on);
                }
                Event::AcquireLock { .. } | Event::ThreadWait { .. } => self.need_partner(at),
                Event::TeamBegin { .. } | Event::ThreadBegin { .. } => self.need_start(at),
                _ => {}
            }
        }
        for &(call, barrier) in &self.trace.links.barrier_of[location.index()] {
            let hub = self.of_barrier[barrier as usize];
            let happened = self.hub_at[hub.index()];
            self.need_call(CallRef { location, call }, happened, &[hub.into()], false);
        }
    }

    fn need_call(&mut self, call: CallRef, happened: Ticks, on: &[Need], is_message: bool) {
        let (begin, exit) = (self.trace.enter(call), self.trace.exit(call));
        self.push(&Waiting { call, begin, exit, happened, on, is_message });
    }

    fn push(&mut self, need: &Waiting<'_>) {
        let line = &mut self.graph.lines[need.call.location.index()];
        let first = line.needs.len() as u32;
        line.needs.extend_from_slice(need.on);
        let count = need.on.len() as u32;
        let resume = need.happened.clamp(need.begin, need.exit.max(need.begin));
        line.entries.push(Entry {
            at: need.begin,
            resume,
            what: if need.is_message {
                What::Completes { first, count }
            } else {
                What::Needs { first, count }
            },
            call: need.call.call,
        });
    }

    /// A call that completes messages waits for all their sends; it is looked at once, at its first.
    fn need_message(&mut self, op: OpRef, on: &mut Vec<Need>) {
        let Some(call) = self.trace.call_of(op) else { return };
        let timeline = self.trace.timeline(op.location);
        let is_receive = |event: &Event| matches!(event, Event::MpiRecv { .. } | Event::MpiIrecv { .. });
        let mut receives = timeline.ops_of(call.call).filter(|(_, it)| is_receive(&it.event)).peekable();
        if receives.peek().is_none_or(|&(first, _)| first != op.op) {
            return;
        }
        on.clear();
        let mut happened = 0;
        for (number, _) in receives {
            let Some(send) = self.trace.links.partner(OpRef { location: op.location, op: number }) else {
                continue;
            };
            if let Some(source) = self.source_of(send) {
                happened = happened.max(self.graph.source(source).at);
                on.push(source.into());
            }
        }
        if !on.is_empty() {
            self.need_call(call, happened, on, true);
        }
    }

    fn need_collective(&mut self, op: OpRef, on: &mut Vec<Need>) {
        let (Some(call), Link::Collective(number)) = (self.trace.call_of(op), self.trace.links.remote(op))
        else {
            return;
        };
        let collective = &self.trace.links.collectives[number as usize];
        let is_root = collective.root == Some(op.location);
        on.clear();
        match Shape::of(collective.op) {
            Shape::AllToAll => on.extend(self.hub(number)),
            Shape::AllToOne if is_root => on.extend(self.hub(number)),
            Shape::AllToOne => {}
            Shape::OneToAll if is_root => {}
            Shape::OneToAll => {
                let roots = collective.members.iter().filter(|it| Some(it.location) == collective.root);
                on.extend(self.sources(roots));
            }
            Shape::Prefix => {
                let ranks = collective.by_rank(&self.trace.definitions);
                let before = ranks.iter().position(|&it| it == op).unwrap_or(0);
                on.extend(self.sources(&ranks[..before]));
            }
        }
        if on.is_empty() {
            return;
        }
        let happened = self.happened(on);
        self.need_call(call, happened, on, false);
    }

    fn hub(&self, collective: u32) -> Option<Need> {
        self.of_collective[collective as usize].map(Need::from)
    }

    fn sources<'b>(&self, of: impl IntoIterator<Item = &'b OpRef>) -> Vec<Need> {
        of.into_iter().filter_map(|&op| self.source_of(op)).map(Need::from).collect()
    }

    /// When the last of these happened in the recorded run.
    fn happened(&self, on: &[Need]) -> Ticks {
        let at = |need: &Need| match need.dependency() {
            Dependency::Source(source) => self.graph.source(source).at,
            Dependency::Hub(hub) => self.hub_at[hub.index()],
        };
        on.iter().map(at).max().unwrap_or(0)
    }

    fn need_partner(&mut self, op: OpRef) {
        let (Some(call), Some(partner)) = (self.trace.call_of(op), self.trace.links.partner(op)) else {
            return;
        };
        let Some(source) = self.source_of(partner) else { return };
        let happened = self.graph.source(source).at;
        let (begin, exit) = (self.trace.enter(call), self.trace.op(op).at);
        self.push(&Waiting { call, begin, exit, happened, on: &[source.into()], is_message: false });
    }

    /// A thread's part begins some time after it was asked to; before that it idled.
    fn need_start(&mut self, op: OpRef) {
        let Some(partner) = self.trace.links.partner(op) else { return };
        let Some(source) = self.source_of(partner) else { return };
        let timeline = self.trace.timeline(op.location);
        let at = self.trace.op(op).at;
        let before = op.op.checked_sub(1).map_or(timeline.first, |before| timeline.ops[before as usize].at);
        let step =
            timeline.at.partition_point(|&step| step < at).checked_sub(1).map(|step| timeline.at[step]);
        let begin = before.max(step.unwrap_or(timeline.first)).min(at);
        let call = self.place(op);
        let line = &mut self.graph.lines[op.location.index()];
        let what = What::Starts { need: line.needs.len() as u32 };
        line.needs.push(source.into());
        line.entries.push(Entry { at: begin, resume: at, what, call });
    }

    /// Waits of kinds that no record tells: their cause is a moment on another location.
    fn need_others(&mut self, waits: &Waits) {
        let sends = Sends::new(self.trace, waits.of_phase);
        // Records that tell of a phase's waits may lie beyond its borders.
        let told = waits.of_phase.map(|_| self.graph.told());
        let from_records = |metric: &Metric, wait: &Wait| match (metric.id, &told) {
            ("late_receiver", _) => sends.knows(wait.call),
            (_, Some(told)) => told.get(&wait.call).is_some_and(|&until| until >= wait.end),
            (_, None) => metric.dependency == DependencySource::Records,
        };
        let mut late: Vec<(CallRef, Ticks, SourceId)> = Vec::new();
        for wait in waits.by_location.iter().flatten().filter(|wait| wait.causal) {
            let (Some(metric), Some(cause)) = (wait.metric, wait.cause) else { continue };
            if !from_records(metric, wait) {
                late.push((wait.call, wait.end, self.moment(cause.location, cause.at, 0)));
            }
        }
        for sent in sends.waiting() {
            let source = self.moment(sent.posting.location, sent.posted, self.place(sent.posting));
            late.push((sent.call, sent.posted, source));
        }
        for (call, happened, source) in late {
            self.need_call(call, happened, &[source.into()], false);
        }
    }

    /// The source that a moment is, made when first asked for.
    fn moment(&mut self, location: LocationId, at: Ticks, call: u32) -> SourceId {
        let known = self.generic.get(&(location, at)).copied();
        let source = known.unwrap_or_else(|| self.source(location, at, call, None));
        self.generic.insert((location, at), source);
        source
    }

    fn finish(mut self) -> Graph {
        for line in &mut self.graph.lines {
            // What a call gives at a moment does not depend on what it waits for from that moment on.
            line.entries.sort_by_key(|entry| {
                (entry.at, entry.call, !matches!(entry.what, What::Gives(_)), entry.resume)
            });
            line.entries.shrink_to_fit();
        }
        self.graph
    }
}
