//! Reconstructs the events of a location from the store: steps become enters and leaves, records stay as they are.
//!
//! A record keeps its order relative to every primitive call (before, inside or after it), even if all of them happen in one
//! tick. For other calls the store does not keep this order: in the tick in which such a call begins or ends, a record is
//! placed inside it. Records that the store derived from the object of a call are written as that object's attribute.

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::{Event, EventKind, EventSink, ObjectKind, Ticks};

use crate::store::{Call, NO_CALL, Op, Paths, Timeline, Trace};

/// Passes the events of a location to a sink, in their order.
pub(super) fn feed<S: EventSink>(trace: &Trace, location: LocationId, sink: &mut S) {
    let timeline = trace.timeline(location);
    // The store has no row for the begin and the end of the program, but its first and last time include them.
    if begins_early(timeline) {
        sink.event(timeline.first, EventKind::ProgramBegin, Event::ProgramBegin);
    }
    let mut order = RecordOrder::new(&trace.paths, timeline);
    let mut ops = timeline.ops.iter().enumerate().peekable();
    let mut place = Paths::ROOT;
    for (step, (&at, &path)) in timeline.at.iter().zip(&timeline.path).enumerate() {
        // Waits at team ends were inserted by the store; a reader of the exported events inserts them again.
        let path = if trace.is_team_end_path(path) { trace.paths.parent(path) } else { path };
        order.advance_to(step);
        while let Some((_, op)) = ops.next_if(|(number, op)| order.is_before(*number, op, place, step)) {
            write_record(&op, sink);
        }
        write_path_change(&trace.paths, place, path, at, sink);
        if let Some(call) = order.entered(step) {
            lock_of(timeline, call).into_iter().for_each(|lock| sink.event(at, EventKind::Attribute, lock));
        }
        place = path;
    }
    ops.for_each(|(_, op)| write_record(&op, sink));
    if ends_late(timeline) {
        sink.event(timeline.last, EventKind::ProgramEnd, Event::ProgramEnd);
    }
}

/// Whether the program begins before the first enter and the first record; a step outside of all regions is not an event.
fn begins_early(timeline: &Timeline) -> bool {
    let entered = timeline.path.iter().position(|&path| path != Paths::ROOT).map(|step| timeline.at[step]);
    let first_or_last = entered.into_iter().chain(timeline.ops.first().map(|op| op.at)).min();
    timeline.kinds.has(EventKind::ProgramBegin) && first_or_last.is_some_and(|at| timeline.first < at)
}

fn ends_late(timeline: &Timeline) -> bool {
    let first_or_last =
        timeline.at.last().copied().into_iter().chain(timeline.ops.last().map(|op| op.at)).max();
    timeline.kinds.has(EventKind::ProgramEnd) && first_or_last.is_some_and(|at| timeline.last > at)
}

/// The order of records relative to steps.
struct RecordOrder<'t> {
    paths: &'t Paths,
    timeline: &'t Timeline,
    /// Steps that begin or end a primitive call, with the call, in their order.
    bounds: Vec<(u32, u32)>,
    /// The first of `bounds` that is not before the current step.
    next: usize,
}

impl<'t> RecordOrder<'t> {
    fn new(paths: &'t Paths, timeline: &'t Timeline) -> Self {
        let both = |(number, call): (usize, &Call)| [(call.enter, number as u32), (call.exit, number as u32)];
        let mut bounds: Vec<(u32, u32)> = timeline.calls.iter().enumerate().flat_map(both).collect();
        bounds.sort_unstable();
        Self { paths, timeline, bounds, next: 0 }
    }

    fn advance_to(&mut self, step: usize) {
        let passed = self.bounds[self.next..].iter().take_while(|(bound, _)| (*bound as usize) < step);
        self.next += passed.count();
    }

    /// The primitive call that a step begins.
    fn entered(&self, step: usize) -> Option<u32> {
        let (bound, call) = *self.bounds.get(self.next)?;
        let begins = bound as usize == step && self.timeline.calls[call as usize].enter == bound;
        begins.then_some(call)
    }

    /// Whether a record belongs before the current step, which leaves or extends the call path `place`.
    fn is_before(&self, number: usize, op: &Op, place: PathId, step: usize) -> bool {
        let at = self.timeline.at[step];
        if op.at != at {
            return op.at < at;
        }
        let ends = self.paths.depth(self.timeline.path[step]) < self.paths.depth(place);
        match self.bounds.get(self.next) {
            Some(&(bound, call)) if bound as usize == step => !self.is_after(number, op, bound, call),
            Some(&(bound, call)) if self.timeline.at[bound as usize] == at => {
                ends && !self.is_after(number, op, bound, call)
            }
            _ => ends,
        }
    }

    /// Whether a record comes after the step that begins or ends a primitive call.
    fn is_after(&self, number: usize, op: &Op, bound: u32, call: u32) -> bool {
        let calls = &self.timeline.calls;
        let this = &calls[call as usize];
        let inside = op.call != NO_CALL && (this.enter..this.exit).contains(&calls[op.call as usize].enter);
        number >= this.first_op as usize && (bound == this.enter || !inside)
    }
}

fn write_record<S: EventSink>(op: &Op, sink: &mut S) {
    // The reconstructed call stack contains the task switches already.
    let is_task_switch = matches!(op.shape(), Event::TaskSwitch { .. } | Event::TaskComplete { .. });
    let is_derived = op.kind() == EventKind::Attribute && !matches!(op.shape(), Event::Object { .. });
    if !is_task_switch && !is_derived {
        sink.event(op.at, op.kind(), op.event());
    }
}

/// The lock of a call, if it is known from an attribute and not from an event.
fn lock_of(timeline: &Timeline, call: u32) -> Option<Event> {
    timeline.ops_of(call).filter(|(_, op)| op.kind() == EventKind::Attribute).find_map(|(_, op)| {
        match op.event() {
            Event::AcquireLock { lock, .. } | Event::ReleaseLock { lock, .. } => {
                Some(Event::Object { kind: ObjectKind::Lock, address: lock })
            }
            _ => None,
        }
    })
}

/// Writes the leaves and enters that lead from one call path to another.
fn write_path_change<S: EventSink>(paths: &Paths, from: PathId, to: PathId, at: Ticks, sink: &mut S) {
    let mut leaving = from;
    let mut entered = Vec::new();
    let mut target = to;
    while leaving != target {
        if paths.depth(leaving) >= paths.depth(target) {
            sink.event(at, EventKind::Leave, Event::Leave { region: paths.region(leaving) });
            leaving = paths.parent(leaving);
        } else {
            entered.push(paths.region(target));
            target = paths.parent(target);
        }
    }
    for region in entered.into_iter().rev() {
        sink.event(at, EventKind::Enter, Event::Enter { region });
    }
}

#[cfg(test)]
mod tests;
