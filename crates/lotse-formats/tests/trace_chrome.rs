//! Chrome's format read as traces: small ones with expected values computed by hand, and recordings of PyTorch.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "a test reads fixtures")]

use lotse_formats::trace::{EventStream, Repair, TraceInput, chrome};
use lotse_model::bytes::Memory;
use lotse_model::trace::{Event, EventKind, EventSink, LocationKind, Paradigm, RegionRole, Ticks};

fn read(text: &str) -> TraceInput<'static> {
    chrome::read(&Memory { name: "t.json", bytes: text.as_bytes() }).unwrap()
}

#[derive(Default)]
struct CollectedEvents(Vec<(Ticks, EventKind, Event)>);

impl EventSink for CollectedEvents {
    fn event(&mut self, at: Ticks, kind: EventKind, event: Event) {
        self.0.push((at, kind, event));
    }
}

fn events(stream: &EventStream<'_>) -> Vec<(Ticks, EventKind, Event)> {
    let mut collected = CollectedEvents::default();
    for chunk in 0..stream.chunks() {
        stream.decode(chunk, &mut collected);
    }
    collected.0
}

/// The events of a location in short form: `+a` enters, `-a` leaves, `>1` sends to a rank, `<0` receives, `*` others.
fn short(trace: &TraceInput<'_>, location: usize) -> String {
    let name = |region: lotse_model::id::RegionId| trace.definitions.regions[region.index()].name.as_str();
    let short_event = |(at, _, event): &(Ticks, EventKind, Event)| match *event {
        Event::Enter { region } => format!("{at}+{}", name(region)),
        Event::Leave { region } => format!("{at}-{}", name(region)),
        Event::MpiSend { receiver, tag, .. } => format!("{at}>{receiver}#{tag}"),
        Event::MpiRecv { sender, tag, .. } => format!("{at}<{sender}#{tag}"),
        _ => format!("{at}*"),
    };
    events(&trace.streams[location]).iter().map(short_event).collect::<Vec<_>>().join(" ")
}

fn repair_messages(trace: &TraceInput<'_>) -> Vec<String> {
    let message = |it: &Repair| {
        let place = it.location.map_or("all".to_owned(), |id| id.0.to_string());
        format!("{place}: {}{}", it.message, if it.loss { " (loss)" } else { "" })
    };
    trace.repairs.iter().map(message).collect()
}

#[test]
fn spans_nest_and_times_keep_every_digit() {
    let trace = read(
        r#"[{"ph":"X","pid":1,"tid":2,"name":"inner","ts":1661203462598738.125,"dur":0.5},
            {"ph":"B","pid":1,"tid":2,"name":"outer","ts":1661203462598738},
            {"ph":"E","pid":1,"tid":2,"ts":1661203462598739.001}]"#,
    );
    assert_eq!(
        short(&trace, 0),
        "1661203462598738000+outer 1661203462598738125+inner 1661203462598738625-inner 1661203462598739001-outer"
    );
    assert!(trace.repairs.is_empty());
    assert_eq!((trace.format_id, trace.definitions.clock.resolution), ("chrome-trace", 1_000_000_000));
}

#[test]
fn a_begin_without_an_end_lasts_until_the_end_of_the_recording() {
    let trace = read(
        r#"[{"ph":"X","pid":1,"tid":1,"name":"main","ts":0,"dur":10},
            {"ph":"X","pid":1,"tid":2,"name":"setup","ts":0,"dur":0.9},
            {"ph":"B","pid":1,"tid":2,"name":"loop","ts":1}]"#,
    );
    assert_eq!(short(&trace, 1), "0+setup 900-setup 1000+loop 10000-loop");
    assert_eq!(repair_messages(&trace), ["1: a begin has no end; it lasts until the end of the recording"]);
}

#[test]
fn threads_have_names_and_kinds() {
    let trace = read(
        r#"{"traceEvents":[
            {"ph":"M","pid":7,"tid":0,"name":"process_name","args":{"name":"python"}},
            {"ph":"M","pid":7,"tid":0,"name":"process_labels","args":{"labels":"GPU 0"}},
            {"ph":"M","pid":7,"tid":3,"name":"thread_name","args":{"name":"stream 3 "}},
            {"ph":"X","pid":7,"tid":3,"cat":"kernel","name":"k","ts":1,"dur":1,"args":{"stream":3}},
            {"ph":"X","pid":8,"tid":3,"name":"MPI_Barrier","ts":1,"dur":1},
            {"ph":"C","pid":9,"tid":"x","name":"power","ts":2,"args":{"w":1}},
            {"ph":"i","pid":9,"tid":"y","name":"now","ts":3}],
          "distributedInfo":{"rank":3}}"#,
    );
    let definitions = &trace.definitions;
    let locations: Vec<_> =
        definitions.locations.iter().map(|it| (it.name.as_str(), it.kind, it.process.0, it.number)).collect();
    assert_eq!(
        locations,
        [
            ("stream 3", LocationKind::Accelerator, 0, 0),
            ("thread 3", LocationKind::Cpu, 1, 1),
            ("thread x", LocationKind::Metric, 2, 2),
            ("thread y", LocationKind::Unknown, 2, 3)
        ]
    );
    let processes: Vec<_> =
        definitions.processes.iter().map(|it| (it.name.as_str(), it.kind.is_accelerator())).collect();
    assert_eq!(processes, [("python (GPU 0)", true), ("process 8", false), ("process 9", false)]);
    let barrier = definitions.regions.iter().find(|it| it.name == "MPI_Barrier").unwrap();
    assert_eq!((barrier.paradigm, barrier.role), (Paradigm::Mpi, RegionRole::Barrier));
    assert_eq!(definitions.properties, [("distributedInfo".to_owned(), r#"{"rank":3}"#.to_owned())]);
    assert_eq!((short(&trace, 2), short(&trace, 3)), ("2000*".to_owned(), "3000*".to_owned()));
}

#[test]
fn flows_are_messages_inside_the_calls_they_belong_to() {
    let trace = read(
        r#"[{"ph":"X","pid":1,"tid":1,"name":"launch","ts":10,"dur":5},
            {"ph":"X","pid":2,"tid":7,"cat":"kernel","name":"before","ts":11,"dur":9},
            {"ph":"X","pid":2,"tid":7,"cat":"kernel","name":"k","ts":20,"dur":5},
            {"ph":"f","pid":2,"tid":7,"cat":"c","id":5,"ts":20,"bp":"e"},
            {"ph":"s","pid":1,"tid":1,"cat":"c","id":5,"ts":15,"bp":"e"},
            {"ph":"f","pid":1,"tid":1,"cat":"c","id":6,"ts":11},
            {"ph":"s","pid":1,"tid":1,"cat":"d","id":5,"ts":12},
            {"ph":"s","pid":1,"tid":1,"cat":"e","id":"0x1","ts":13},
            {"ph":"t","pid":2,"tid":7,"cat":"e","id":"0x1","ts":12},
            {"ph":"f","pid":1,"tid":1,"cat":"e","id":"0x1","ts":14}]"#,
    );
    assert_eq!(short(&trace, 0), "10000+launch 13000>1#1 14000<1#2 15000>1#0 15000-launch");
    assert_eq!(
        short(&trace, 1),
        "11000+before 12000<0#1 12000>0#2 20000-before 20000+k 20000<0#0 25000-k",
        "a kernel that begins when another ends gets the message"
    );
    let flow = &trace.definitions.communicators[1];
    assert_eq!((flow.name.as_str(), flow.members.len()), ("flow", 2));
    assert_eq!(
        repair_messages(&trace),
        [
            "all: a flow ends that never began; it was left out",
            "all: a flow begins and never ends; it was left out"
        ]
    );
}

/// The first communicator is not defined; the second has two members.
#[test]
fn a_root_that_is_no_member_is_dropped() {
    let trace = read(
        r#"[{"ph":"M","name":"communicator","pid":0,"tid":0,"args":{"number":2,"members":[1,null]}},
            {"ph":"i","pid":1,"tid":1,"cat":"collective","name":"bcast","ts":1,"args":{"number":1,"root":0}},
            {"ph":"i","pid":1,"tid":1,"cat":"collective","name":"bcast","ts":2,"args":{"number":2,"root":2}},
            {"ph":"i","pid":1,"tid":1,"cat":"collective","name":"bcast","ts":3,"args":{"number":2,"root":1}}]"#,
    );
    let root = |(_, _, event): &(Ticks, EventKind, Event)| match event {
        Event::CollectiveEnd { root, .. } => *root,
        _ => Some(u32::MAX),
    };
    let roots: Vec<Option<u32>> = events(&trace.streams[0]).iter().map(root).collect();
    assert_eq!(roots, [None, None, Some(1)]);
}

/// An instant event of another writer with the same category is not a collective operation.
#[test]
fn incomplete_collectives_are_only_counted() {
    let instant = |name: &str, args: &str| {
        format!(r#"{{"ph":"i","pid":1,"tid":1,"cat":"collective","name":"{name}","ts":1,"args":{args}}}"#)
    };
    for (name, args, expected) in [
        ("bcast", r#"{"number":1,"sent":"x"}"#, EventKind::MpiCollectiveEnd),
        ("bcast", "{}", EventKind::Unknown),
        ("nccl", r#"{"number":1}"#, EventKind::Unknown),
        ("post", r#"{"request":3}"#, EventKind::NonBlockingCollectiveRequest),
        ("post", "[]", EventKind::Unknown),
    ] {
        let trace = read(&format!("[{}]", instant(name, args)));
        assert_eq!(events(&trace.streams[0])[0].1, expected, "{name} {args}");
    }
}

#[test]
fn an_id_may_be_used_again_and_a_hop_to_oneself_is_no_message() {
    let trace = read(
        r#"[{"ph":"s","pid":1,"tid":1,"id":1,"ts":1},{"ph":"f","pid":1,"tid":2,"id":1,"ts":2},
            {"ph":"f","pid":1,"tid":2,"id":1,"ts":4},{"ph":"s","pid":1,"tid":1,"id":1,"ts":3},
            {"ph":"s","pid":1,"tid":1,"id":2,"ts":5},{"ph":"f","pid":1,"tid":1,"id":2,"ts":6}]"#,
    );
    assert_eq!(short(&trace, 0), "1000>1#0 3000>1#1 5000* 6000*");
    assert_eq!(short(&trace, 1), "2000<0#0 4000<0#1");
    assert!(trace.repairs.is_empty());
}

#[test]
fn overlaps_are_cut_and_reported_once() {
    let trace = read(
        r#"[{"ph":"X","pid":1,"tid":1,"name":"a","ts":0,"dur":10},{"ph":"X","pid":1,"tid":1,"name":"b","ts":5,"dur":10},
            {"ph":"X","pid":1,"tid":1,"name":"c","ts":6,"dur":5},{"ph":"X","pid":1,"tid":1,"name":"d","ts":10,"dur":1}]"#,
    );
    assert_eq!(short(&trace, 0), "0+a 5000+b 6000+c 10000-c 10000-b 10000-a 10000+d 11000-d");
    let overlap = "spans overlap and none contains the other; the later one was cut where the earlier one ends (2 times)";
    assert_eq!(repair_messages(&trace), [format!("0: {overlap}")]);
}

#[test]
fn regions_of_one_name_differ_by_source_position() {
    let span = |file: &str, line: u32, at: u32| {
        format!(
            r#"{{"ph":"X","pid":1,"tid":1,"name":"f","ts":{at},"dur":1,"args":{{"file":"{file}","line":{line}}}}}"#
        )
    };
    let trace = read(&format!("[{},{},{}]", span("a.c", 3, 0), span("b.c", 4, 2), span("a.c", 3, 4)));
    let places: Vec<_> = trace
        .definitions
        .regions
        .iter()
        .map(|it| (it.file.as_str(), it.begin_line, it.name.as_str()))
        .collect();
    assert_eq!(places, [("", 0, "(unknown)"), ("a.c", 3, "f"), ("b.c", 4, "f")]);
}

#[test]
fn odd_times_are_reported() {
    let trace = read(
        r#"[{"ph":"X","pid":1,"tid":1,"name":"a","ts":-2,"dur":1},{"ph":"X","pid":1,"tid":1,"name":"b","ts":"x"},
            {"ph":"X","pid":1,"tid":1,"name":"c","ts":1,"dur":-1},{"ph":"B","pid":1,"tid":1,"name":"d","ts":2}, 3]"#,
    );
    assert_eq!(short(&trace, 0), "0+a 1000-a 3000+c 3000-c 4000+d 4000-d");
    assert_eq!(
        repair_messages(&trace),
        [
            "all: an event has no time; it was left out (loss)",
            "all: an event has a negative duration; it counts as none (loss)",
            "all: expected an event, found something else (loss)",
            "all: times below 0; all were moved so that the first is 0",
            "0: a begin has no end; it lasts until the end of the recording",
        ]
    );
}

#[test]
fn what_came_before_damage_is_kept() {
    let whole = r#"[{"ph":"X","pid":1,"tid":1,"name":"a","ts":1,"dur":1},{"ph":"X","pid":1,"ti"#;
    let trace = read(whole);
    assert_eq!(short(&trace, 0), "1000+a 2000-a");
    assert!(trace.repairs.len() == 1 && trace.repairs[0].loss, "{:?}", trace.repairs);
    for bytes in [&b""[..], b"x", b"[", b"{}", b"\x1f\x8b\x00", b"\xff\xff"] {
        assert!(chrome::read(&Memory { name: "t", bytes }).is_err(), "{bytes:?}");
    }
}

/// Numbers counted with Python's json on the same files.
#[test]
fn pytorch_traces_have_all_their_calls_and_launches() {
    let Some(folder) = test_support::shared("fixtures/trace/recorded/hta/trace_diff") else { return };
    for (name, spans, messages, stray, others) in
        [("control", 74_937, 9_450, 15_242, 2), ("test", 68_324, 9_984, 16_831, 2)]
    {
        let bytes = std::fs::read(folder.join(format!("{name}/{name}.json.gz"))).unwrap();
        let trace = chrome::read(&Memory { name, bytes: &bytes }).unwrap();
        let all: Vec<_> = trace.streams.iter().flat_map(events).collect();
        let count = |kind: EventKind| all.iter().filter(|it| it.1 == kind).count();
        assert_eq!((count(EventKind::Enter), count(EventKind::Leave)), (spans, spans), "{name}");
        assert_eq!((count(EventKind::MpiSend), count(EventKind::MpiRecv)), (messages, messages), "{name}");
        assert_eq!(count(EventKind::Unknown), others, "{name}");
        assert!(
            repair_messages(&trace).iter().any(|it| it.contains(&format!("({stray} times)"))),
            "{:?}",
            repair_messages(&trace)
        );
        assert!(trace.repairs.iter().all(|it| !it.loss));
        for stream in &trace.streams {
            assert!(events(stream).is_sorted_by_key(|it| it.0));
        }
        let accelerators =
            trace.definitions.locations.iter().filter(|it| it.kind == LocationKind::Accelerator);
        assert!(accelerators.count() > 1, "{name}");
    }
}

#[test]
fn events_that_are_no_calls_are_named_by_kind_and_number() {
    let text = r#"[
{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 0, "dur": 5},
{"ph": "b", "cat": "c", "id": 1, "name": "request", "pid": 1, "tid": 1, "ts": 1},
{"ph": "n", "cat": "c", "id": 1, "name": "request", "pid": 1, "tid": 1, "ts": 2},
{"ph": "e", "cat": "c", "id": 1, "name": "request", "pid": 1, "tid": 1, "ts": 3},
{"ph": "C", "name": "heap", "pid": 1, "tid": 1, "ts": 3, "args": {"bytes": 7}},
{"ph": "i", "name": "mark", "pid": 1, "tid": 1, "ts": 4}]"#;
    let trace = chrome::read(&Memory { name: "t.json", bytes: text.as_bytes() }).unwrap();
    let [note] = trace.repairs.as_slice() else { panic!("{:?}", trace.repairs) };
    assert!(!note.loss);
    assert_eq!(
        note.message,
        "not shown because they are not calls of a thread: 3 asynchronous events and 1 counter value and 1 instant"
    );
}
