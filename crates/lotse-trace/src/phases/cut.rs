//! The part of a trace that lies in a phase, as a trace of its own.
//!
//! What ends at the very tick of a border belongs to the phase before it, what begins there to the one after. Calls
//! that are open when the phase begins are entered at its begin, those open when it ends are left at its end; so the
//! exclusive times of all phases sum to those of the whole, and so do visits, which count true enters alone. Call
//! paths keep their numbers. Records that belong together still do where both lie in the phase: what the whole trace
//! knows is narrowed, not found again, because counting messages from the middle would pair the wrong ones.
//!
//! Waits are searched in the whole trace too, and what lies in the phase is kept ([`cut_with_waits`]): a call that a
//! border cuts waits in each phase as long as it waited there, so the waits of all phases sum to those of the whole.
//! Who waits at the end of a phase waits for the one who ends the wait later. Only shares of a span (`io_share`,
//! `frequent_calls`) are asked of the phase alone.
//!
//! Records are counted by kind as far as they have a time: enters, leaves and those that are kept.

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

/// The part of a trace that lies in a phase.
pub fn cut(trace: &Trace, phase: Phase, workers: &dyn Workers) -> Trace {
    let pieces = pieces(trace, span(trace, phase), workers);
    joined(trace, pieces).0
}

/// The part of a trace that lies in a phase, and who waited in it for whom.
pub fn cut_with_waits(
    trace: &Trace,
    phase: Phase,
    thresholds: &Thresholds,
    workers: &dyn Workers,
) -> (Trace, Waits) {
    let span = span(trace, phase);
    let (part, numbers) = joined(trace, pieces(trace, span, workers));
    let whole = search_within(trace, (&part, span), thresholds, workers);
    let waits = waits::narrow(trace, whole, span, &numbers);
    (part, waits)
}

/// From when until when. A phase that reaches the end of the trace has its last events too.
fn span(trace: &Trace, phase: Phase) -> (Ticks, Ticks) {
    (phase.begin, if phase.end >= trace.last_tick() { Ticks::MAX } else { phase.end })
}

fn pieces(trace: &Trace, (begin, until): (Ticks, Ticks), workers: &dyn Workers) -> Vec<Piece> {
    work::map(workers, trace.timelines.len(), |at| Piece::new(trace, LocationId::from(at), begin, until))
}

/// The pieces as a trace, and by location the old numbers of its calls.
fn joined(trace: &Trace, pieces: Vec<Piece>) -> (Trace, Vec<Vec<u32>>) {
    let links = links::narrow(trace, &pieces);
    let uses =
        pieces.iter().enumerate().map(|(at, piece)| uses(trace, &trace.timelines[at], piece)).collect();
    let (timelines, numbers): (Vec<Timeline>, Vec<Vec<u32>>) =
        pieces.into_iter().map(|piece| (piece.timeline, piece.calls)).unzip();
    let deepest = |timeline: &Timeline| timeline.path.iter().map(|&path| trace.paths.depth(path)).max();
    let part = Trace {
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
        streams: OnceLock::new(),
    };
    (part, numbers)
}

/// What a location did in a phase, and where its records and calls went.
#[derive(Debug, Default)]
struct Piece {
    timeline: Timeline,
    /// The first step that was kept, and the one after the last.
    steps: (usize, usize),
    /// The first record that was kept, and the one after the last.
    ops: (usize, usize),
    /// Old numbers of the calls that were kept, ascending.
    calls: Vec<u32>,
}

impl Piece {
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
        let mut piece = Self { timeline, steps: kept, ops, calls };
        let front = piece.copy_steps(trace, whole);
        piece.copy_calls(trace, whole, front);
        piece.copy_ops(whole);
        piece.timeline.kinds = piece.kinds(trace, whole);
        piece
    }

    fn step(&mut self, at: Ticks, path: PathId) {
        self.timeline.at.push(at);
        self.timeline.path.push(path);
    }

    /// Gives how many steps were put in front.
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

    /// Enters, at the begin, calls of suspended tasks and then the callers of where the location is.
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

    fn copy_calls(&mut self, trace: &Trace, whole: &Timeline, in_front: usize) {
        let kept = self.steps;
        let front = &self.timeline.path[..in_front];
        let behind = in_front + kept.1 - kept.0;
        let end = self.timeline.path.len() - 1;
        let tail = &self.timeline.path[behind..];
        let copied = self.calls.iter().map(|&number| {
            let call = whole.calls[number as usize];
            let path = whole.call_path(number);
            let inside = |step: u32| step as usize - kept.0 + in_front;
            let entered = || front.iter().position(|&it| it == path).unwrap_or(0);
            let left = || {
                let parent = trace.paths.parent(path);
                tail.iter().position(|&it| it == parent).map_or(end, |at| behind + at)
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

    /// Its records by kind.
    fn kinds(&self, trace: &Trace, whole: &Timeline) -> Kinds {
        let mut kinds = Kinds::default();
        let steps =
            || (self.steps.0.max(1)..self.steps.1).map(|step| (whole.path[step - 1], whole.path[step]));
        let goes_down = |from: PathId, to: PathId| to != Paths::ROOT && trace.paths.parent(to) == from;
        let enters = steps().filter(|&(from, to)| goes_down(from, to)).map(|_| EventKind::Enter);
        let leaves = steps().filter(|&(from, to)| goes_down(to, from)).map(|_| EventKind::Leave);
        let records = self.timeline.ops.iter().map(|op| op.kind());
        enters.chain(leaves).chain(records).for_each(|kind| kinds.count(kind));
        kinds
    }

    /// The new number of a call.
    fn call(&self, old: u32) -> Option<u32> {
        self.calls.binary_search(&old).map_or(None, |at| Some(at as u32))
    }

    /// The new number of a record.
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

/// Time and visits by path. A step one level down is a visit where the whole made it, not the cut.
fn uses(trace: &Trace, whole: &Timeline, piece: &Piece) -> Vec<PathUse> {
    let timeline = &piece.timeline;
    let mut uses: Vec<PathUse> = Vec::new();
    let ends = timeline.at.iter().skip(1).copied().chain([timeline.last]);
    let steps = timeline.at.iter().zip(ends).zip(&timeline.path);
    uses.extend(steps.filter(|((from, to), _)| to > *from).map(|((from, to), &path)| PathUse {
        path,
        visits: 0,
        exclusive: to - from,
    }));
    uses.extend(visited(trace, whole, piece.steps).map(|path| PathUse { path, visits: 1, exclusive: 0 }));
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

/// The paths that were entered by some steps.
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
