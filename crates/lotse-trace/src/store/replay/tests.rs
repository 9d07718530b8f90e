//! Replay of regular, irregular and damaged streams of events.

use lotse_model::id::{CommunicatorId, LocationId, RegionId};
use lotse_model::trace::{Event, EventKind, Region};

use crate::fixture::Script;
use crate::store::Trace;

fn uses(trace: &Trace) -> Vec<(String, u64, u64)> {
    let named = |used: &crate::store::PathUse| (trace.path_name(used.path), used.visits, used.exclusive);
    trace.uses[0].iter().map(named).collect()
}

#[test]
fn exclusive_times_sum_to_the_length_of_the_timeline() {
    let mut script = Script::processes(1);
    script.enter(0, 10, "main").call(0, 12, 15, "f").call(0, 15, 16, "f").leave(0, 20, "main");
    let trace = script.trace();
    assert_eq!(uses(&trace), [("main".into(), 1, 6), ("main/f".into(), 2, 4)]);
    assert_eq!((trace.first_tick(), trace.last_tick(), trace.max_depth), (10, 20, 2));
    assert!(trace.repairs.is_empty());
}

#[test]
fn missing_and_stray_leaves_are_repaired_and_reported() {
    let mut script = Script::processes(1);
    script.enter(0, 0, "main").enter(0, 1, "f").leave(0, 3, "g").leave(0, 5, "main").enter(0, 6, "tail");
    script.event(0, 9, EventKind::Metric, Event::Other);
    let trace = script.trace();
    let f = ("main/f".to_owned(), 1, 4);
    assert!(uses(&trace).contains(&f), "{:?}", uses(&trace));
    assert!(uses(&trace).contains(&("tail".to_owned(), 1, 3)));
    let messages: Vec<&str> = trace.repairs.iter().map(|repair| repair.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "1 leaves of regions that were not entered, left out",
            "1 calls without a leave, closed when their caller was left",
            "1 calls still open at the end, closed at the last event"
        ]
    );
    assert!(trace.incomplete.is_empty());
}

#[test]
fn time_never_goes_back_on_a_timeline() {
    let mut script = Script::processes(1);
    script.enter(0, 10, "main").leave(0, 5, "main");
    let trace = script.trace();
    assert!(trace.timelines[0].at.is_sorted());
    assert!(trace.repairs[0].message.contains("moved to its time"));
}

#[test]
fn flushes_and_pauses_have_regions_of_their_own() {
    let mut script = Script::processes(1);
    script.event(0, 0, EventKind::MeasurementOnOff, Event::Measurement { on: true });
    script.enter(0, 0, "main").event(0, 2, EventKind::BufferFlush, Event::BufferFlush { until: 7 });
    script.event(0, 10, EventKind::MeasurementOnOff, Event::Measurement { on: false });
    script.event(0, 14, EventKind::MeasurementOnOff, Event::Measurement { on: true });
    script.leave(0, 15, "main");
    let trace = script.trace();
    assert_eq!(
        uses(&trace),
        [
            ("main".into(), 1, 6),
            ("main/(trace buffer flush)".into(), 1, 5),
            ("main/(recording off)".into(), 1, 4)
        ]
    );
}

#[test]
fn tasks_keep_their_own_stacks() {
    let team = CommunicatorId(1);
    let switch = |generation| Event::TaskSwitch { team, thread: 0, generation };
    let kind = EventKind::ThreadTaskSwitch;
    let mut script = Script::threads(1);
    script.enter(0, 0, "main").event(0, 1, kind, switch(1)).enter(0, 1, "a").event(0, 3, kind, switch(2));
    script.enter(0, 3, "b").event(0, 6, kind, switch(1)).leave(0, 8, "a").event(0, 8, kind, switch(2));
    script.leave(0, 9, "b").event(0, 9, kind, switch(0)).leave(0, 10, "main");
    let trace = script.trace();
    assert_eq!(uses(&trace), [("main".into(), 1, 2), ("main/a".into(), 1, 4), ("main/b".into(), 1, 4)]);
    assert!(trace.repairs.is_empty(), "{:?}", trace.repairs);
}

#[test]
fn records_are_assigned_to_their_calls() {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").send(0, 3, 4, 1, 0).call(0, 5, 6, "MPI_Wait").leave(0, 9, "main");
    script.enter(1, 0, "main").recv(1, 1, 5, 0, 0).leave(1, 9, "main");
    let trace = script.trace();
    let timeline = trace.timeline(LocationId(0));
    assert_eq!(timeline.calls.len(), 2);
    assert_eq!(timeline.ops_of(0).count(), 1);
    assert_eq!(timeline.ops_of(1).count(), 0);
    assert_eq!((timeline.enter(0), timeline.exit(0)), (3, 4));
    assert_eq!(trace.path_name(timeline.call_path(0)), "main/MPI_Send");
    assert_eq!(trace.links.messages, 1);
}

#[test]
fn equal_regions_are_merged() {
    let mut script = Script::processes(2);
    let first = script.region("work");
    script.definitions.regions.push(Region::named("work"));
    let second = RegionId::from(script.definitions.regions.len() - 1);
    for (rank, region) in [(0, first), (1, second)] {
        script.event(rank, 0, EventKind::Enter, Event::Enter { region });
        script.event(rank, 5, EventKind::Leave, Event::Leave { region });
    }
    let trace = script.trace();
    assert_eq!(trace.uses[0], trace.uses[1]);
    assert_eq!(trace.paths.len(), 2);
    assert!(trace.repairs.is_empty(), "nothing about the recording is odd: {:?}", trace.repairs);
}

#[test]
fn the_name_of_a_deep_path_stays_short() {
    let mut script = Script::processes(1);
    for depth in 0..1000 {
        script.enter(0, depth, "fib");
    }
    let trace = script.trace();
    let deepest = trace.paths.ids().last().unwrap();
    let name = trace.path_name(deepest);
    assert!(name.starts_with("(936 more)/fib/fib") && name.len() < 300, "{name}");
}

#[test]
fn implausible_lengths_are_unknown() {
    let mut script = Script::processes(2);
    let impossible = 18_446_744_073_709_518_850;
    let (communicator, tag) = (crate::fixture::WORLD, 0);
    let receive = Event::MpiRecv { sender: 0, communicator, tag, length: impossible };
    script.enter(0, 0, "main").send(0, 3, 4, 1, 0).leave(0, 900, "main");
    script.enter(1, 0, "main").with_record(1, (1, 500), "MPI_Recv", 500, (EventKind::MpiRecv, receive));
    let bcast = (lotse_model::trace::CollectiveOp::Bcast, Some(0));
    script.exchange(1, (500, 900), "MPI_Bcast", bcast, (0, impossible)).leave(1, 900, "main");
    let trace = script.trace();
    let lengths = trace.timelines[1].ops.iter().filter_map(|op| match op.event() {
        Event::MpiRecv { length, .. } | Event::CollectiveEnd { received: length, .. } => Some(length),
        _ => None,
    });
    assert_eq!(lengths.collect::<Vec<_>>(), [0, 1]);
    let message = "2 messages longer than any memory: their lengths are taken as unknown";
    assert_eq!(trace.repairs.iter().map(|it| it.message.as_str()).collect::<Vec<_>>(), [message]);
    assert_eq!(crate::patterns::amounts(&script, "large_messages"), []);
}
