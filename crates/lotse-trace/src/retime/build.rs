//! Finds the dependencies of a trace.

use hashbrown::HashMap;
use lotse_model::id::LocationId;
use lotse_model::trace::{CollectiveOp, Event, Ticks};

use super::sends::Sends;
use super::shape::{Shape, moves_data};
use super::{Entry, Graph, Line, NO_HUB, Source, What};
use crate::matching::{Link, NO_OP};
use crate::metric::Metric;
use crate::store::{CallRef, OpRef, Trace};
use crate::waits::gathered::{arrival, bytes};
use crate::waits::{Wait, Waits};

/// Waits whose dependencies are taken from the records themselves, whether somebody waited or not.
const FROM_RECORDS: &[&str] = &[
    "late_sender",
    "wait_at_barrier",
    "wait_at_nxn",
    "late_broadcast",
    "early_reduce",
    "early_scan",
    "omp_wait_at_implicit_barrier",
    "omp_wait_at_explicit_barrier",
    "lock_contention",
    "omp_management",
    "thread_join_wait",
];

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
    of_op: Vec<Vec<u32>>,
    /// By collective: its hub of all (or of all that send), and of all but the root.
    of_collective: Vec<u32>,
    /// By collective: whether anybody sent something. Recorders that do not tell sizes tell zeros.
    moves_data: Vec<bool>,
    /// By hub: when its last source happened in the recorded run.
    hub_at: Vec<Ticks>,
    of_barrier: Vec<u32>,
    generic: HashMap<(LocationId, Ticks), u32>,
}

/// A wait on its way into the graph.
struct Need<'a> {
    call: CallRef,
    begin: Ticks,
    exit: Ticks,
    /// When what was needed happened.
    happened: Ticks,
    on: &'a [u32],
    is_message: bool,
}

impl<'a> Builder<'a> {
    fn new(trace: &'a Trace) -> Self {
        let count = trace.timelines.len();
        Self {
            trace,
            graph: Graph { lines: (0..count).map(|_| Line::default()).collect(), ..Graph::default() },
            of_op: trace.timelines.iter().map(|it| vec![NO_OP; it.ops.len()]).collect(),
            of_collective: vec![NO_HUB; trace.links.collectives.len()],
            moves_data: trace.links.collectives.iter().map(|it| moves_data(trace, it)).collect(),
            hub_at: Vec::new(),
            of_barrier: vec![NO_HUB; trace.links.barriers.len()],
            generic: HashMap::new(),
        }
    }

    /// Adds a source. `call` is its place among what happens at the same moment.
    fn source(&mut self, location: LocationId, at: Ticks, call: u32, hub: u32) -> u32 {
        let number = self.graph.sources.len() as u32;
        self.graph.sources.push(Source { location, at, hub });
        if hub != NO_HUB {
            self.graph.hubs[hub as usize] += 1;
            self.hub_at[hub as usize] = self.hub_at[hub as usize].max(at);
        }
        let entry = Entry { at, resume: at, what: What::Gives(number), call };
        self.graph.lines[location.index()].entries.push(entry);
        number
    }

    /// All moments of a location that others may wait for.
    fn give(&mut self, location: LocationId) {
        for (number, op) in self.trace.timeline(location).ops.iter().enumerate() {
            let at = OpRef { location, op: number as u32 };
            let entered = || self.trace.call_of(at).map_or(op.at, |call| self.trace.enter(call));
            let mut giver = location;
            let (when, hub) = match op.event {
                Event::MpiSend { .. } | Event::MpiIsend { .. } if self.trace.links.partner(at).is_some() => {
                    (entered(), NO_HUB)
                }
                Event::CollectiveEnd { .. }
                | Event::CollectiveComplete { .. }
                | Event::RmaCollectiveEnd { .. } => {
                    let Some((_, arrival)) = arrival(self.trace, at) else { continue };
                    giver = arrival.location;
                    (arrival.at, self.hub_of(at))
                }
                Event::ReleaseLock { .. } | Event::Fork { .. } | Event::ThreadCreate { .. } => {
                    (op.at, NO_HUB)
                }
                Event::ThreadEnd { .. } => (op.at, NO_HUB),
                _ => continue,
            };
            let call = self.place(at);
            self.of_op[location.index()][number] = self.source(giver, when, call, hub);
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
    fn hub_of(&mut self, op: OpRef) -> u32 {
        let Link::Collective(number) = self.trace.links.remote(op) else { return NO_HUB };
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
            return NO_HUB;
        }
        let known = &mut self.of_collective[number as usize];
        if *known == NO_HUB {
            *known = self.graph.hubs.len() as u32;
            self.graph.hubs.push(0);
            self.hub_at.push(0);
        }
        *known
    }

    fn give_barriers(&mut self) {
        for (number, calls) in self.trace.links.barriers.iter().enumerate() {
            let hub = self.graph.hubs.len() as u32;
            self.graph.hubs.push(0);
            self.hub_at.push(0);
            self.of_barrier[number] = hub;
            for call in calls {
                self.source(call.location, self.trace.enter(*call), call.call, hub);
            }
        }
    }

    fn hub_number(&self, hub: u32) -> u32 {
        self.graph.sources.len() as u32 + hub
    }

    /// All waits of a location that its records tell.
    fn need(&mut self, location: LocationId) {
        let timeline = self.trace.timeline(location);
        let mut on: Vec<u32> = Vec::new();
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
            let happened = self.hub_at[self.of_barrier[barrier as usize] as usize];
            let hub = self.hub_number(self.of_barrier[barrier as usize]);
            self.need_call(CallRef { location, call }, happened, &[hub], false);
        }
    }

    fn need_call(&mut self, call: CallRef, happened: Ticks, on: &[u32], is_message: bool) {
        let (begin, exit) = (self.trace.enter(call), self.trace.exit(call));
        self.push(&Need { call, begin, exit, happened, on, is_message });
    }

    fn push(&mut self, need: &Need<'_>) {
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
    fn need_message(&mut self, op: OpRef, on: &mut Vec<u32>) {
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
            let source = self.of_op[send.location.index()][send.op as usize];
            if source != NO_OP {
                happened = happened.max(self.graph.sources[source as usize].at);
                on.push(source);
            }
        }
        if !on.is_empty() {
            self.need_call(call, happened, on, true);
        }
    }

    fn need_collective(&mut self, op: OpRef, on: &mut Vec<u32>) {
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

    fn hub(&self, collective: u32) -> Option<u32> {
        let hub = self.of_collective[collective as usize];
        (hub != NO_HUB).then(|| self.hub_number(hub))
    }

    fn sources<'b>(&self, of: impl IntoIterator<Item = &'b OpRef>) -> Vec<u32> {
        let sources = of.into_iter().map(|it| self.of_op[it.location.index()][it.op as usize]);
        sources.filter(|&source| source != NO_OP).collect()
    }

    /// When the last of these happened in the recorded run.
    fn happened(&self, on: &[u32]) -> Ticks {
        let sources = self.graph.sources.len() as u32;
        let at = |&number: &u32| match number < sources {
            true => self.graph.sources[number as usize].at,
            false => self.hub_at[(number - sources) as usize],
        };
        on.iter().map(at).max().unwrap_or(0)
    }

    fn need_partner(&mut self, op: OpRef) {
        let (Some(call), Some(partner)) = (self.trace.call_of(op), self.trace.links.partner(op)) else {
            return;
        };
        let source = self.of_op[partner.location.index()][partner.op as usize];
        if source != NO_OP {
            let happened = self.graph.sources[source as usize].at;
            let (begin, exit) = (self.trace.enter(call), self.trace.op(op).at);
            self.push(&Need { call, begin, exit, happened, on: &[source], is_message: false });
        }
    }

    /// A thread's part begins some time after it was asked to; before that it idled.
    fn need_start(&mut self, op: OpRef) {
        let Some(partner) = self.trace.links.partner(op) else { return };
        let source = self.of_op[partner.location.index()][partner.op as usize];
        if source == NO_OP {
            return;
        }
        let timeline = self.trace.timeline(op.location);
        let at = self.trace.op(op).at;
        let before = op.op.checked_sub(1).map_or(timeline.first, |before| timeline.ops[before as usize].at);
        let step =
            timeline.at.partition_point(|&step| step < at).checked_sub(1).map(|step| timeline.at[step]);
        let begin = before.max(step.unwrap_or(timeline.first)).min(at);
        let call = self.place(op);
        let line = &mut self.graph.lines[op.location.index()];
        let what = What::Starts { need: line.needs.len() as u32 };
        line.needs.push(source);
        line.entries.push(Entry { at: begin, resume: at, what, call });
    }

    /// Waits of kinds that no record tells: their cause is a moment on another location.
    fn need_others(&mut self, waits: &Waits) {
        // Numbers of hubs stand behind those of the sources, so sources must not be added after hubs were named:
        // these needs get sources of their own only where hubs are renumbered.
        let before = self.graph.sources.len() as u32;
        let sends = Sends::new(self.trace, waits.of_phase);
        // Records that tell of a phase's waits may lie beyond its borders.
        let told = waits.of_phase.map(|_| self.graph.told());
        let from_records = |metric: &Metric, wait: &Wait| match (metric.id, &told) {
            ("late_receiver", _) => sends.knows(wait.call),
            (_, Some(told)) => told.get(&wait.call).is_some_and(|&until| until >= wait.end),
            (id, None) => FROM_RECORDS.contains(&id),
        };
        let mut late: Vec<(CallRef, Ticks, u32)> = Vec::new();
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
        let added = self.graph.sources.len() as u32 - before;
        for line in &mut self.graph.lines {
            line.needs.iter_mut().filter(|need| **need >= before).for_each(|need| *need += added);
        }
        for (call, happened, source) in late {
            self.need_call(call, happened, &[source], false);
        }
    }

    /// The source that a moment is, made when first asked for.
    fn moment(&mut self, location: LocationId, at: Ticks, call: u32) -> u32 {
        let known = self.generic.get(&(location, at)).copied();
        let source = known.unwrap_or_else(|| self.source(location, at, call, NO_HUB));
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
