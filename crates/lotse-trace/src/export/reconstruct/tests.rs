//! Reconstructed events are read back as the same trace, even if many events happen in one tick.

use lotse_formats::trace::{EventStream, TraceInput};
use lotse_model::id::LocationId;
use lotse_model::trace::{Event, EventKind, EventSink, Ticks};
use lotse_model::work::Sequential;
use proptest::prelude::{Strategy, prop, prop_assert_eq, proptest};

use super::feed;
use crate::fixture::Script;
use crate::store::{Ops, Trace, load};

#[derive(Default)]
struct CollectedEvents(Vec<(Ticks, EventKind, Event)>);

impl EventSink for CollectedEvents {
    fn event(&mut self, at: Ticks, kind: EventKind, event: Event) {
        self.0.push((at, kind, event));
    }
}

fn reconstructed(trace: &Trace) -> Vec<(Ticks, EventKind, Event)> {
    let mut events = CollectedEvents::default();
    feed(trace, LocationId(0), &mut events);
    events.0
}

/// The trace read back from its reconstructed events; without the regions that the store adds.
fn read_back(trace: &Trace) -> Trace {
    let mut definitions = trace.definitions.clone();
    definitions.regions.truncate(definitions.regions.len() - 4);
    let (streams, repairs) = (vec![EventStream::Listed(reconstructed(trace))], Vec::new());
    load(TraceInput { definitions, streams, format_id: "script", repairs }, &Sequential)
}

#[test]
fn records_beside_a_call_do_not_move_into_it() {
    let mut script = Script::processes(1);
    script.enter(0, 0, "main").fork(0, 5, 2).enter(0, 5, "MPI_Recv").leave(0, 9, "MPI_Recv").join(0, 9);
    script.fork(0, 9, 3).call(0, 9, 9, "MPI_Barrier").join(0, 9).leave(0, 9, "main");
    let kinds: Vec<EventKind> = reconstructed(&script.trace()).iter().map(|event| event.1).collect();
    let (fork, join) = (EventKind::ThreadFork, EventKind::ThreadJoin);
    let (enter, leave) = (EventKind::Enter, EventKind::Leave);
    assert_eq!(kinds, [enter, fork, enter, leave, join, fork, enter, leave, join, leave]);
}

#[test]
fn a_record_before_a_call_inside_its_call_stays_there() {
    let mut script = Script::processes(1);
    script.enter(0, 1, "MPI_File_write_all").fork(0, 1, 2).call(0, 1, 1, "MPI_Barrier").join(0, 1);
    script.leave(0, 1, "MPI_File_write_all");
    let trace = script.trace();
    let kinds: Vec<EventKind> = reconstructed(&trace).iter().map(|event| event.1).collect();
    let (enter, leave) = (EventKind::Enter, EventKind::Leave);
    assert_eq!(kinds, [enter, EventKind::ThreadFork, enter, leave, EventKind::ThreadJoin, leave]);
    let calls: Vec<u32> = read_back(&trace).timelines[0].ops.iter().map(|op| op.call).collect();
    assert_eq!(calls, [0, 0]);
    assert_eq!(trace.timelines[0].calls.len(), 2);
}

/// Waits at the ends of teams are not exported: the store inserts them again when it reads the export.
#[test]
fn waits_inserted_by_the_store_are_inserted_again() {
    let mut script = Script::processes(1);
    script.enter(0, 0, "main").fork(0, 5, 2).team_begin(0, 6, 1).call(0, 7, 9, "parallel").team_end(0, 10, 1);
    script.join(0, 20).leave(0, 30, "main");
    let trace = script.trace();
    let entered = reconstructed(&trace).iter().filter(|event| event.1 == EventKind::Enter).count();
    assert_eq!((entered, trace.timelines[0].calls.len()), (2, 1));
    assert_eq!(read_back(&trace).timelines[0].calls, trace.timelines[0].calls);
}

/// Steps: whether the time advances, and the kind of event; many happen in one tick.
fn steps() -> impl Strategy<Value = Vec<(bool, u8)>> {
    prop::collection::vec((prop::bool::weighted(0.3), 0u8..6), 0..40)
}

proptest! {
    #[test]
    fn reconstructed_events_are_read_back_as_the_same_trace(steps in steps()) {
        let mut script = Script::processes(1);
        let (mut now, mut open) = (0, Vec::new());
        for (later, what) in steps {
            now += u64::from(later);
            let name = match what {
                0 => "solve",
                1 => "MPI_Waitall",
                2 => "MPI_Barrier",
                3 => {
                    if let Some(name) = open.pop() {
                        script.leave(0, now, name);
                    }
                    continue;
                }
                _ => {
                    script.fork(0, now, u32::from(what));
                    continue;
                }
            };
            open.push(name);
            script.enter(0, now, name);
        }
        while let Some(name) = open.pop() {
            script.leave(0, now, name);
        }
        let trace = script.trace();
        let after = read_back(&trace);
        let (before, after) = (&trace.timelines[0], &after.timelines[0]);
        let ops = |ops: &Ops| ops.iter().map(|op| (op.at, op.call, op.event())).collect::<Vec<_>>();
        prop_assert_eq!(ops(&after.ops), ops(&before.ops));
        prop_assert_eq!(&after.at, &before.at);
        prop_assert_eq!(&after.path, &before.path);
        prop_assert_eq!(&after.calls, &before.calls);
    }
}
