//! The events of a location told again from the store: steps become enters and leaves, records stay what they were.

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::{Event, EventKind, EventSink, Ticks};

use crate::store::{NO_CALL, Op, Paths, Timeline, Trace};

/// Gives the events of a location to a sink, in their order.
pub(super) fn feed<S: EventSink>(trace: &Trace, location: LocationId, sink: &mut S) {
    let timeline = trace.timeline(location);
    let mut ops = timeline.ops.iter().peekable();
    let mut place = Paths::ROOT;
    for (step, (&at, &path)) in timeline.at.iter().zip(&timeline.path).enumerate() {
        while let Some(op) = ops.next_if(|op| is_before(timeline, op, step, at)) {
            tell(op, sink);
        }
        go(&trace.paths, place, path, at, sink);
        place = path;
    }
    ops.for_each(|op| tell(op, sink));
}

/// Whether a record belongs before a step: by its time, and at the same time by the call it happened in.
fn is_before(timeline: &Timeline, op: &Op, step: usize, at: Ticks) -> bool {
    if op.at != at {
        return op.at < at;
    }
    op.call != NO_CALL && (timeline.calls[op.call as usize].exit as usize) <= step
}

fn tell<S: EventSink>(op: &Op, sink: &mut S) {
    // The call stack told here has the switches in it.
    let switches = matches!(op.event, Event::TaskSwitch { .. } | Event::TaskComplete { .. });
    if !switches {
        sink.event(op.at, op.kind, op.event);
    }
}

/// Leaves and enters from one call path to another.
fn go<S: EventSink>(paths: &Paths, from: PathId, to: PathId, at: Ticks, sink: &mut S) {
    let mut left = from;
    let mut entered = Vec::new();
    let mut down = to;
    while left != down {
        if paths.depth(left) >= paths.depth(down) {
            sink.event(at, EventKind::Leave, Event::Leave { region: paths.region(left) });
            left = paths.parent(left);
        } else {
            entered.push(paths.region(down));
            down = paths.parent(down);
        }
    }
    for region in entered.into_iter().rev() {
        sink.event(at, EventKind::Enter, Event::Enter { region });
    }
}
