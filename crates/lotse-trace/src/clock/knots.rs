//! Where locations are tied together: the events that cause others or wait for others, in the order of each location.
//!
//! Only these are moved by the logical clock; everything between two of them follows in proportion. A record comes
//! after the enter of its call and after all steps of earlier times.

use lotse_model::Workers;
use lotse_model::id::LocationId;
use lotse_model::trace::{Event, Ticks};
use lotse_model::work;

use super::line::Line;
use crate::matching::Link;
use crate::store::{NO_CALL, Op, OpRef, Timeline, Trace};

mod groups;

pub(super) use groups::Group;

/// An event that is tied to others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Knot {
    /// Steps from this one on do not come before it.
    pub(super) step: u32,
    /// Records from this one on do not come before it.
    pub(super) op: u32,
    /// Whether it is that record, and not a step.
    pub(super) is_op: bool,
    /// What it waits for or causes.
    pub(super) tie: Tie,
    /// When, by the line of its process.
    pub(super) at: Ticks,
    /// When, by the logical clock.
    pub(super) now: Ticks,
    /// What it causes happens then, so it cannot be later.
    pub(super) cap: Ticks,
}

/// How an event is tied to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tie {
    /// Others may point to it.
    Free,
    /// It comes after a record.
    After(OpRef),
    /// A group waits for it.
    Gives(u32),
    /// It waits for those who give to a group.
    Takes(u32),
}

impl Knot {
    /// How far it was moved.
    pub(super) fn shift(&self) -> Ticks {
        self.now - self.at
    }
}

/// All knots by location, and the groups they belong to.
pub(super) fn tie(trace: &Trace, lines: &[Line], workers: &dyn Workers) -> (Vec<Vec<Knot>>, Vec<Group>) {
    let groups::Ties { groups, mut steps, mut ops } = groups::find(trace);
    for ties in steps.iter_mut().chain(&mut ops) {
        ties.sort_by_key(|tie| tie.0);
    }
    let knots = work::map(workers, trace.timelines.len(), |at| {
        let location = LocationId::from(at);
        let timeline = trace.timeline(location);
        let maker = Maker { timeline, line: &lines[at], steps: &steps[at], knots: Vec::new() };
        maker.make(trace, location, &ops[at])
    });
    (knots, groups)
}

struct Maker<'a> {
    timeline: &'a Timeline,
    line: &'a Line,
    /// Ties of steps that have no knot yet.
    steps: &'a [(u32, Tie)],
    knots: Vec<Knot>,
}

impl Maker<'_> {
    fn make(mut self, trace: &Trace, location: LocationId, ties: &[(u32, Tie)]) -> Vec<Knot> {
        if self.timeline.at.is_empty() {
            return self.knots;
        }
        // The first step is a knot, so that a jump can be smoothed back to the beginning.
        self.push_step(0, 0, Tie::Free);
        let mut ties = ties.iter().peekable();
        let mut place = Place::default();
        for (number, op) in self.timeline.ops.iter().enumerate() {
            let number = number as u32;
            let step = place.of(self.timeline, &op);
            self.push_steps_before(step, number);
            while let Some(&(_, tie)) = ties.next_if(|tie| tie.0 == number) {
                self.push_op(step, number, op.at, tie);
            }
            if let Some(tie) = own_tie(trace, OpRef { location, op: number }, &op) {
                self.push_op(step, number, op.at, tie);
            }
        }
        self.push_steps_before(u32::MAX, self.timeline.ops.len() as u32);
        self.knots
    }

    fn push_steps_before(&mut self, end: u32, ops: u32) {
        while let Some((&(step, tie), rest)) = self.steps.split_first()
            && step < end
        {
            self.push_step(step, ops, tie);
            self.steps = rest;
        }
    }

    fn push_step(&mut self, step: u32, op: u32, tie: Tie) {
        let at = self.line.map(self.timeline.at[step as usize]);
        self.knots.push(Knot { step, op, is_op: false, tie, at, now: at, cap: Ticks::MAX });
    }

    fn push_op(&mut self, step: u32, op: u32, at: Ticks, tie: Tie) {
        let at = self.line.map(at);
        self.knots.push(Knot { step, op, is_op: true, tie, at, now: at, cap: Ticks::MAX });
    }
}

/// Finds the steps before a record, for one record after the other.
#[derive(Debug, Default)]
struct Place(usize);

impl Place {
    /// How many steps come before a record: the first of the location, those of earlier times, and the enter of the
    /// call it is in.
    fn of(&mut self, timeline: &Timeline, op: &Op) -> u32 {
        let entered = if op.call == NO_CALL { 0 } else { timeline.calls[op.call as usize].enter as usize };
        self.0 = self.0.max(entered + 1);
        self.0 += timeline.at[self.0..].iter().take_while(|&&at| at < op.at).count();
        self.0 as u32
    }
}

/// How a record's own links tie it.
fn own_tie(trace: &Trace, me: OpRef, op: &Op) -> Option<Tie> {
    let partner = match trace.links.remote(me) {
        Link::Op(partner) => Some(partner),
        _ => None,
    };
    match (op.event(), partner) {
        (Event::MpiSend { .. } | Event::MpiIsend { .. }, Some(_))
        | (
            Event::ReleaseLock { .. }
            | Event::ThreadCreate { .. }
            | Event::ThreadEnd { .. }
            | Event::Fork { .. },
            _,
        ) => Some(Tie::Free),
        (Event::MpiRecv { .. } | Event::MpiIrecv { .. }, Some(send)) => Some(Tie::After(send)),
        (_, Some(cause)) if is_seen(trace, cause, me) => Some(Tie::After(cause)),
        _ => None,
    }
}

/// Whether one clock shows a cause before its effect. Where it shows the contrary, that is a habit of the recorder;
/// between clocks, such links may have been found by the very times that are in doubt.
fn is_seen(trace: &Trace, cause: OpRef, effect: OpRef) -> bool {
    let process = |op: OpRef| trace.location(op.location).process;
    process(cause) == process(effect) && trace.op(cause).at <= trace.op(effect).at
}
