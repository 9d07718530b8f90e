//! Synchronisation events: events that cause events of other locations or wait for them, in the order of each location.
//!
//! The logical clock moves only these; everything between two of them is interpolated. A record comes after the enter of
//! its call and after all steps with earlier times.

use lotse_model::Workers;
use lotse_model::id::LocationId;
use lotse_model::trace::{Event, Ticks};
use lotse_model::work;

use super::line::ClockLine;
use crate::matching::Link;
use crate::store::{NO_CALL, Op, OpRef, Timeline, Trace};

mod groups;

pub(super) use groups::SyncGroup;

/// A synchronisation event.
#[derive(Debug, Clone, Copy)]
pub(super) struct SyncEvent {
    /// The first step that does not come before it.
    pub(super) step: u32,
    /// The first record that does not come before it.
    pub(super) op: u32,
    /// Whether it is that record, and not that step.
    pub(super) is_op: bool,
    pub(super) constraint: Constraint,
    /// The time after the linear correction.
    pub(super) at: Ticks,
    /// The time of the logical clock.
    pub(super) now: Ticks,
    /// The upper limit of `now`: the earliest time of an effect of this event.
    pub(super) cap: Ticks,
}

/// The dependency of an event on other locations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Constraint {
    /// It depends on nothing; others may depend on it.
    Free,
    /// It comes after a record.
    After(OpRef),
    /// It enters a group.
    Enters(u32),
    /// It leaves a group, and so comes after all events that enter it.
    Leaves(u32),
}

impl SyncEvent {
    /// By how much the logical clock moved it.
    pub(super) fn shift(&self) -> Ticks {
        self.now - self.at
    }
}

/// All synchronisation events by location, and their groups.
pub(super) fn collect(
    trace: &Trace,
    lines: &[ClockLine],
    workers: &dyn Workers,
) -> (Vec<Vec<SyncEvent>>, Vec<SyncGroup>) {
    let groups::Constraints { groups, mut steps, mut ops } = groups::find(trace);
    for constraints in steps.iter_mut().chain(&mut ops) {
        constraints.sort_by_key(|constraint| constraint.0);
    }
    let sync_events = work::map(workers, trace.timelines.len(), |at| {
        let location = LocationId::from(at);
        let timeline = trace.timeline(location);
        let collector =
            SyncEventCollector { timeline, line: &lines[at], steps: &steps[at], sync_events: Vec::new() };
        collector.collect(trace, location, &ops[at])
    });
    (sync_events, groups)
}

struct SyncEventCollector<'a> {
    timeline: &'a Timeline,
    line: &'a ClockLine,
    /// Constraints of steps that are still to be added.
    steps: &'a [(u32, Constraint)],
    sync_events: Vec<SyncEvent>,
}

impl SyncEventCollector<'_> {
    fn collect(
        mut self,
        trace: &Trace,
        location: LocationId,
        constraints: &[(u32, Constraint)],
    ) -> Vec<SyncEvent> {
        if self.timeline.at.is_empty() {
            return self.sync_events;
        }
        // The first step is always included, so that a jump can be smoothed back to the begin.
        self.push_step(0, 0, Constraint::Free);
        let mut constraints = constraints.iter().peekable();
        let mut counter = StepCounter::default();
        for (number, op) in self.timeline.ops.iter().enumerate() {
            let number = number as u32;
            let step = counter.steps_before(self.timeline, &op);
            self.push_steps_before(step, number);
            while let Some(&(_, constraint)) = constraints.next_if(|constraint| constraint.0 == number) {
                self.push_op(step, number, op.at, constraint);
            }
            if let Some(constraint) = own_constraint(trace, OpRef { location, op: number }, &op) {
                self.push_op(step, number, op.at, constraint);
            }
        }
        self.push_steps_before(u32::MAX, self.timeline.ops.len() as u32);
        self.sync_events
    }

    fn push_steps_before(&mut self, end: u32, ops: u32) {
        while let Some((&(step, constraint), rest)) = self.steps.split_first()
            && step < end
        {
            self.push_step(step, ops, constraint);
            self.steps = rest;
        }
    }

    fn push_step(&mut self, step: u32, op: u32, constraint: Constraint) {
        let at = self.line.map(self.timeline.at[step as usize]);
        self.sync_events.push(SyncEvent { step, op, is_op: false, constraint, at, now: at, cap: Ticks::MAX });
    }

    fn push_op(&mut self, step: u32, op: u32, at: Ticks, constraint: Constraint) {
        let at = self.line.map(at);
        self.sync_events.push(SyncEvent { step, op, is_op: true, constraint, at, now: at, cap: Ticks::MAX });
    }
}

/// Counts the steps before a record, for one record after the other.
#[derive(Debug, Default)]
struct StepCounter(usize);

impl StepCounter {
    /// The number of steps before a record: the first of the location, those of earlier times, and the enter of the record's
    /// call.
    fn steps_before(&mut self, timeline: &Timeline, op: &Op) -> u32 {
        let entered = if op.call == NO_CALL { 0 } else { timeline.calls[op.call as usize].enter as usize };
        self.0 = self.0.max(entered + 1);
        self.0 += timeline.at[self.0..].iter().take_while(|&&at| at < op.at).count();
        self.0 as u32
    }
}

/// The constraint of a record by its own links.
fn own_constraint(trace: &Trace, me: OpRef, op: &Op) -> Option<Constraint> {
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
        ) => Some(Constraint::Free),
        (Event::MpiRecv { .. } | Event::MpiIrecv { .. }, Some(send)) => Some(Constraint::After(send)),
        (_, Some(cause)) if is_seen(trace, cause, me) => Some(Constraint::After(cause)),
        _ => None,
    }
}

/// Whether cause and effect are of one process and in the right order. A wrong order on one clock is a property of the
/// recorder; and links between processes may have been derived from the times that are in doubt.
fn is_seen(trace: &Trace, cause: OpRef, effect: OpRef) -> bool {
    let process = |op: OpRef| trace.location(op.location).process;
    process(cause) == process(effect) && trace.op(cause).at <= trace.op(effect).at
}
