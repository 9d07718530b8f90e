//! Cuts the part of a trace within a phase out, as a trace of its own.
//!
//! Events in the tick of a border that end a call belong to the phase before it, others to the phase after it. Calls that
//! are open when the phase begins are entered at its begin; calls that are open when it ends are left at its end. Hence the
//! exclusive times of all phases sum to those of the whole trace, and so do visits, which count only real enters. Call paths
//! keep their numbers. Records are linked if both ends lie in the phase: the links of the whole trace are restricted to the
//! phase and not searched anew, because counting messages from the middle of the run would match the wrong ones.
//!
//! ```text
//! whole    ┤main ──┤solve ───────────┤├──────┤
//!                      | phase  |
//! phase                ┤main┤solve ──┤┤   both entered at the begin and left at the end of the phase
//! ```
//!
//! Waits are also searched in the whole trace, and their parts within the phase are kept ([`cut_with_waits`]): a call that a
//! border cuts waits in each phase for the time that it waited there, so the waits of all phases sum to those of the whole
//! trace. A wait that is cut at the end of a phase keeps the location that ends it later as its cause. Only metrics that are
//! shares of a span (`io_share`, `frequent_calls`) are computed from the phase alone.
//!
//! Only records that have a time are counted by kind: enters, leaves and the records in the store.

use std::sync::OnceLock;

use lotse_model::Workers;
use lotse_model::id::{LocationId, PathId};
use lotse_model::rule::Thresholds;
use lotse_model::trace::{EventKind, Ticks};
use lotse_model::work;

use super::Phase;
use crate::store::{Call, Kinds, NO_CALL, PathUse, Paths, Timeline, Trace};
use crate::waits::{Waits, search_within};

mod border;
mod links;
mod waits;

/// The part of a trace within a phase.
pub fn cut(trace: &Trace, phase: Phase, workers: &dyn Workers) -> Trace {
    let parts = parts(trace, span(trace, phase), workers);
    assemble(trace, parts).0
}

/// The part of a trace within a phase, and its waits.
pub fn cut_with_waits(
    trace: &Trace,
    phase: Phase,
    thresholds: &Thresholds,
    workers: &dyn Workers,
) -> (Trace, Waits) {
    let span = span(trace, phase);
    let (part, numbers) = assemble(trace, parts(trace, span, workers));
    let whole = search_within(trace, (&part, span), thresholds, workers);
    let waits = waits::narrow(trace, whole, span, &numbers);
    (part, waits)
}

/// Begin and end of a phase. A phase that reaches the end of the trace contains its last events too.
fn span(trace: &Trace, phase: Phase) -> (Ticks, Ticks) {
    (phase.begin, if phase.end >= trace.last_tick() { Ticks::MAX } else { phase.end })
}

fn parts(trace: &Trace, (begin, until): (Ticks, Ticks), workers: &dyn Workers) -> Vec<LocationPart> {
    work::map(workers, trace.timelines.len(), |at| {
        LocationPart::new(trace, LocationId::from(at), begin, until)
    })
}

/// Assembles a trace from the parts of all locations; also gives, by location, the old numbers of its calls.
fn assemble(trace: &Trace, parts: Vec<LocationPart>) -> (Trace, Vec<Vec<u32>>) {
    let links = links::narrow(trace, &parts);
    let uses = parts.iter().enumerate().map(|(at, part)| uses(trace, &trace.timelines[at], part)).collect();
    let (timelines, numbers): (Vec<Timeline>, Vec<Vec<u32>>) =
        parts.into_iter().map(|part| (part.timeline, part.calls)).unzip();
    let deepest = |timeline: &Timeline| timeline.path.iter().map(|&path| trace.paths.depth(path)).max();
    let cut_trace = Trace {
        definitions: trace.definitions.clone(),
        classes: trace.classes.clone(),
        paths: trace.paths.clone(),
        uses,
        max_depth: timelines.iter().filter_map(deepest).max().unwrap_or(0),
        timelines,
        links,
        format_id: trace.format_id,
        repairs: trace.repairs.clone(),
        incomplete: trace.incomplete.clone(),
        silent: trace.silent.clone(),
        streams: OnceLock::new(),
    };
    (cut_trace, numbers)
}

/// The part of one location's timeline within a phase, and the old numbers of its steps, records and calls.
#[derive(Debug, Default)]
struct LocationPart {
    timeline: Timeline,
    /// The first old step that was kept, and the one after the last.
    steps: (usize, usize),
    /// The first old record that was kept, and the one after the last.
    ops: (usize, usize),
    /// Old numbers of the calls that were kept, ascending.
    calls: Vec<u32>,
}

impl LocationPart {
    /// Cuts the timeline of a location. Order matters: calls and records refer to the new steps.
    fn new(trace: &Trace, location: LocationId, begin: Ticks, until: Ticks) -> Self {
        let whole = trace.timeline(location);
        if whole.at.is_empty() || whole.first >= until || whole.last < begin {
            return Self::default();
        }
        let (from, to) = (border::split(trace, whole, begin), border::split(trace, whole, until));
        let (kept, ops) = ((from.step, to.step), (from.op, to.op));
        if kept.0 == whole.at.len() && ops.0 == whole.ops.len() {
            return Self::default();
        }
        let overlaps = |call: &Call| (call.enter as usize) < kept.1 && call.exit as usize >= kept.0;
        let calls =
            (0..whole.calls.len() as u32).filter(|&call| overlaps(&whole.calls[call as usize])).collect();
        let timeline =
            Timeline { first: whole.first.max(begin), last: whole.last.min(until), ..Timeline::default() };
        let mut part = Self { timeline, steps: kept, ops, calls };
        let front = part.copy_steps(trace, whole);
        part.copy_calls(trace, whole, front);
        part.copy_ops(whole);
        part.timeline.kinds = part.kinds(trace, whole);
        part
    }

    fn step(&mut self, at: Ticks, path: PathId) {
        self.timeline.at.push(at);
        self.timeline.path.push(path);
    }

    /// Copies the steps, between enters of open calls at the begin and leaves at the end; gives the number of the former.
    fn copy_steps(&mut self, trace: &Trace, whole: &Timeline) -> usize {
        let kept = self.steps;
        if kept.0 > 0 {
            self.enter_open(trace, whole, kept.0);
        }
        let front = self.timeline.at.len();
        self.timeline.at.extend_from_slice(&whole.at[kept.0..kept.1]);
        self.timeline.path.extend_from_slice(&whole.path[kept.0..kept.1]);
        if kept.1 < whole.at.len() {
            let mut path = whole.path[kept.1 - 1];
            while path != Paths::ROOT {
                path = trace.paths.parent(path);
                self.step(self.timeline.last, path);
            }
        }
        front
    }

    /// Enters, at the begin of the phase, calls of suspended tasks and then the call stack of the location.
    fn enter_open(&mut self, trace: &Trace, whole: &Timeline, first: usize) {
        let begin = self.timeline.first;
        let chain = chain(trace, whole.path[first - 1]);
        self.step(begin, Paths::ROOT);
        for call in self.calls.clone() {
            let suspended = (whole.calls[call as usize].enter as usize) < first
                && !chain.contains(&whole.call_path(call));
            if suspended {
                self.step(begin, whole.call_path(call));
            }
        }
        chain.into_iter().for_each(|path| self.step(begin, path));
    }

    /// Copies the calls with new step numbers: inside of the phase their steps move by a constant; a call that is open at
    /// the begin or the end of the phase gets the step that enters or leaves it there.
    fn copy_calls(&mut self, trace: &Trace, whole: &Timeline, front_count: usize) {
        let kept = self.steps;
        let front = &self.timeline.path[..front_count];
        let after_kept = front_count + kept.1 - kept.0;
        let end = self.timeline.path.len() - 1;
        let tail = &self.timeline.path[after_kept..];
        let copied = self.calls.iter().map(|&number| {
            let call = whole.calls[number as usize];
            let path = whole.call_path(number);
            let inside = |step: u32| step as usize - kept.0 + front_count;
            let entered = || front.iter().position(|&it| it == path).unwrap_or(0);
            let left = || {
                let parent = trace.paths.parent(path);
                tail.iter().position(|&it| it == parent).map_or(end, |at| after_kept + at)
            };
            let enter = if (call.enter as usize) < kept.0 { entered() } else { inside(call.enter) };
            let exit = if call.exit as usize >= kept.1 { left() } else { inside(call.exit) };
            let first_op = (call.first_op as usize).clamp(self.ops.0, self.ops.1) - self.ops.0;
            let (entered, left) = (self.timeline.at[enter], self.timeline.at[exit]);
            let (enter, exit, first_op) = (enter as u32, exit as u32, first_op as u32);
            Call { enter, exit, first_op, path, entered, left }
        });
        self.timeline.calls = copied.collect();
    }

    fn copy_ops(&mut self, whole: &Timeline) {
        let renumbered = |call: u32| self.call(call).unwrap_or(NO_CALL);
        self.timeline.ops = whole.ops.part(self.ops.0..self.ops.1, renumbered);
    }

    /// Counts its records by kind.
    fn kinds(&self, trace: &Trace, whole: &Timeline) -> Kinds {
        let mut kinds = Kinds::default();
        let steps =
            || (self.steps.0.max(1)..self.steps.1).map(|step| (whole.path[step - 1], whole.path[step]));
        let is_enter = |from: PathId, to: PathId| to != Paths::ROOT && trace.paths.parent(to) == from;
        let enters = steps().filter(|&(from, to)| is_enter(from, to)).map(|_| EventKind::Enter);
        let leaves = steps().filter(|&(from, to)| is_enter(to, from)).map(|_| EventKind::Leave);
        let records = self.timeline.ops.iter().map(|op| op.kind());
        enters.chain(leaves).chain(records).for_each(|kind| kinds.count(kind));
        kinds
    }

    /// The new number of a call, if it was kept.
    fn call(&self, old: u32) -> Option<u32> {
        self.calls.binary_search(&old).map_or(None, |at| Some(at as u32))
    }

    /// The new number of a record, if it was kept.
    fn op(&self, old: u32) -> Option<u32> {
        let kept = (self.ops.0..self.ops.1).contains(&(old as usize));
        kept.then(|| (old as usize - self.ops.0) as u32)
    }
}

/// The path and its callers, outermost first.
fn chain(trace: &Trace, path: PathId) -> Vec<PathId> {
    let mut chain = Vec::with_capacity(trace.paths.depth(path) as usize);
    let mut at = path;
    while at != Paths::ROOT {
        chain.push(at);
        at = trace.paths.parent(at);
    }
    chain.reverse();
    chain
}

/// Time and visits by path. An enter counts as a visit only if the whole trace has it, not if cutting added it.
fn uses(trace: &Trace, whole: &Timeline, part: &LocationPart) -> Vec<PathUse> {
    let timeline = &part.timeline;
    let mut uses: Vec<PathUse> = Vec::new();
    let ends = timeline.at.iter().skip(1).copied().chain([timeline.last]);
    let steps = timeline.at.iter().zip(ends).zip(&timeline.path);
    uses.extend(steps.filter(|((from, to), _)| to > *from).map(|((from, to), &path)| PathUse {
        path,
        visits: 0,
        exclusive: to - from,
    }));
    uses.extend(visited(trace, whole, part.steps).map(|path| PathUse { path, visits: 1, exclusive: 0 }));
    uses.sort_unstable_by_key(|used| used.path);
    uses.dedup_by(|next, kept| {
        let same = next.path == kept.path;
        if same {
            kept.visits += next.visits;
            kept.exclusive += next.exclusive;
        }
        same
    });
    uses
}

/// The paths that steps of the whole trace entered.
fn visited<'a>(
    trace: &'a Trace,
    whole: &'a Timeline,
    (from, to): (usize, usize),
) -> impl Iterator<Item = PathId> + 'a {
    (from.max(1)..to).filter_map(move |step| {
        let (before, path) = (whole.path[step - 1], whole.path[step]);
        (path != Paths::ROOT && trace.paths.parent(path) == before).then_some(path)
    })
}
