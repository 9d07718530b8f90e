//! Paraver traces written by hand, with expected values computed by hand.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "a test reads fixtures")]

use std::path::Path;

use lotse_formats::trace::{EventStream, TraceInput, paraver};
use lotse_model::bytes::Folder;
use lotse_model::trace::{Event, EventKind, EventSink, LocationKind, Paradigm, Ticks};

/// Files in memory.
struct Files(Vec<String>, Vec<Vec<u8>>);

impl Files {
    fn new(files: &[(&str, &str)]) -> Self {
        let names = files.iter().map(|(name, _)| (*name).to_owned()).collect();
        Self(names, files.iter().map(|(_, text)| text.as_bytes().to_vec()).collect())
    }
}

impl Folder for Files {
    fn name(&self) -> &str {
        "a.prv"
    }

    fn main(&self) -> &str {
        &self.0[0]
    }

    fn names(&self) -> &[String] {
        &self.0
    }

    fn bytes(&self, name: &str) -> Option<&[u8]> {
        let row = self.0.iter().position(|it| it == name)?;
        Some(&self.1[row])
    }
}

fn read(text: &str) -> TraceInput<'static> {
    paraver::open(&Files::new(&[("a.prv", text)])).unwrap()
}

#[derive(Default)]
struct CollectedEvents(Vec<(Ticks, Event)>);

impl EventSink for CollectedEvents {
    fn event(&mut self, at: Ticks, _: EventKind, event: Event) {
        self.0.push((at, event));
    }
}

/// The events of a location in short form.
fn short(trace: &TraceInput<'_>, location: usize) -> String {
    let name = |region: lotse_model::id::RegionId| trace.definitions.regions[region.index()].name.as_str();
    let mut collected = CollectedEvents::default();
    let stream: &EventStream<'_> = &trace.streams[location];
    (0..stream.chunks()).for_each(|chunk| drop(stream.decode(chunk, &mut collected)));
    let short_event = |(at, event): &(Ticks, Event)| match *event {
        Event::Enter { region } => format!("{at}+{}", name(region)),
        Event::Leave { region } => format!("{at}-{}", name(region)),
        Event::MpiSend { receiver, tag, length, .. } => format!("{at}>{receiver}#{tag}x{length}"),
        Event::MpiRecv { sender, tag, length, .. } => format!("{at}<{sender}#{tag}x{length}"),
        Event::CollectiveBegin => format!("{at}["),
        Event::CollectiveEnd { op, communicator, root, sent, received } => {
            format!("{at}]{op:?}@{} root {root:?} {sent}/{received}", communicator.0)
        }
        Event::ProgramBegin => format!("{at}("),
        Event::ProgramEnd => format!("{at})"),
        _ => format!("{at}*"),
    };
    collected.0.iter().map(short_event).collect::<Vec<_>>().join(" ")
}

fn repair_messages(trace: &TraceInput<'_>) -> Vec<String> {
    let message = |it: &lotse_formats::trace::Repair| {
        format!("{}: {}{}", it.place, it.message, if it.loss { " (loss)" } else { "" })
    };
    trace.repairs.iter().map(message).collect()
}

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/trace").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// Rank 0 computes 100 ns, sends 64 bytes and broadcasts; rank 1 waits in MPI_Recv from 20 on.
#[test]
fn two_ranks_exchange_and_broadcast() {
    let files = ["ring.prv", "ring.pcf", "ring.row"].map(|name| (name, fixture(name)));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let trace = paraver::open(&Files::new(&files)).unwrap();
    assert_eq!(
        short(&trace, 0),
        "0( 0+main 100+MPI_Send 100>1#7x64 120-MPI_Send 130* 200+MPI_Bcast 200[ 240]Bcast@2 root Some(0) 8/0 \
         240-MPI_Bcast 300-main 300)"
    );
    assert_eq!(
        short(&trace, 1),
        "0( 0+main 20+MPI_Recv 130<0#7x64 130-MPI_Recv 130+MPI_Bcast 130[ 240]Bcast@2 root Some(0) 0/8 \
         240-MPI_Bcast 300-main 300)"
    );
    assert_eq!(short(&trace, 2), "0+Idle 300-Idle", "a thread without calls has states");
    assert_eq!(repair_messages(&trace), Vec::<String>::new());
    let definitions = &trace.definitions;
    assert_eq!((definitions.clock.resolution, definitions.clock.length), (1_000_000_000, 300));
    let locations: Vec<_> =
        definitions.locations.iter().map(|it| (it.name.as_str(), it.kind, it.process.0)).collect();
    assert_eq!(
        locations,
        [
            ("THREAD 1.1.1", LocationKind::Cpu, 0),
            ("THREAD 1.2.1", LocationKind::Cpu, 1),
            ("CUDA-D1.S1-node-a", LocationKind::Accelerator, 1)
        ]
    );
    assert_eq!(definitions.machines[0].name, "node-a");
    let communicators: Vec<_> =
        definitions.communicators.iter().map(|it| (it.name.as_str(), it.members.len())).collect();
    assert_eq!(communicators, [("(unknown)", 0), ("MPI_COMM_WORLD", 2), ("communicator 1", 2)]);
    let send = definitions.regions.iter().find(|it| it.name == "MPI_Send").unwrap();
    assert_eq!(send.paradigm, Paradigm::Mpi);
    assert_eq!(definitions.regions.iter().find(|it| it.name == "main").unwrap().paradigm, Paradigm::User);
}

const TWO: &str = "#Paraver (01/01/2026 at 00:00):100_us:1(2):1:2(1:1,1:1)\n";

#[test]
fn names_need_no_files_and_units_count() {
    let trace = read(&format!("{TWO}2:1:1:1:1:5:50000002:8:50100004:1\n2:1:1:1:1:9:50000002:0\n"));
    assert_eq!(short(&trace, 0), "5+MPI_Barrier 5[ 9]Barrier@1 root None 0/0 9-MPI_Barrier");
    assert_eq!(trace.definitions.clock.resolution, 1_000_000);
}

#[test]
fn messages_that_overtake_keep_their_partners() {
    let message =
        |sent: u32, received: u32| format!("3:1:1:1:1:{sent}:{sent}:2:1:2:1:{received}:{received}:8:3\n");
    let trace = read(&format!("{TWO}{}{}", message(10, 40), message(20, 30)));
    assert_eq!(short(&trace, 0), format!("10>1#{}x8 20>1#{}x8", u32::MAX, u32::MAX - 1));
    assert_eq!(short(&trace, 1), format!("30<0#{}x8 40<0#{}x8", u32::MAX - 1, u32::MAX));
    assert_eq!(
        repair_messages(&trace),
        ["messages: messages of one tag overtake each other; they got tags of their own"]
    );
    let trace = read(&format!("{TWO}{}{}", message(20, 40), message(10, 30)));
    assert_eq!((short(&trace, 1), trace.repairs.len()), ("30<0#3x8 40<0#3x8".to_owned(), 0));
}

#[test]
fn functions_nest_and_other_calls_follow_each_other() {
    let event = |at: u32, kind: u32, value: u32| format!("2:1:1:1:1:{at}:{kind}:{value}\n");
    let lines = [
        event(1, 60000019, 1),
        event(2, 60000019, 2),
        event(3, 50000001, 1),
        event(4, 50000001, 2),
        event(5, 60000019, 0),
        event(6, 50000001, 0),
    ];
    let trace = read(&format!("{TWO}{}", lines.concat()));
    assert_eq!(
        short(&trace, 0),
        "1+event 60000019 1 2+event 60000019 2 3+MPI_Send 4-MPI_Send 4+MPI_Recv 5-MPI_Recv 5-event 60000019 2 \
         5-event 60000019 1"
    );
    assert_eq!(
        repair_messages(&trace),
        [
            "location 0: a call begins before the one of its kind ended, which was ended",
            "location 0: a call ends before one inside it, which was ended",
            "location 0: a call ends that never began; it was left out",
            "location 0: a call has no end; it lasts until the last event",
        ]
    );
}

#[test]
fn damaged_and_unsorted_records_are_reported() {
    let trace = read(&format!(
        "{TWO}2:1:1:1:1:9:50000001:0\n2:1:1:1:1:5:50000001:1\nrubbish\n2:1:1:1\n2:1:1:3:1:7:42:1\nc:1:1:1:9\n"
    ));
    assert_eq!(short(&trace, 0), "5+MPI_Send 9-MPI_Send");
    assert_eq!(short(&trace, 2), "7*");
    assert_eq!(trace.definitions.communicators[2].members, [None]);
    assert_eq!(
        repair_messages(&trace),
        [
            "line 4: a line is no record; it was left out (loss)",
            "line 5: a record has too few or other fields than it should; it was left out (loss)",
            "line 6: a record names a thread that the first line does not; it was added",
            "events: events stand out of the order of time; they were sorted",
        ]
    );
    for text in ["", "x", "#Paraver", "#Paraver (x):1_ns:1:1\n"] {
        assert!(paraver::open(&Files::new(&[("a.prv", text)])).is_err(), "{text}");
    }
}

#[test]
fn a_header_that_promises_too_much_costs_nothing() {
    let trace = read("#Paraver (x at y):1_ns:1(1):1:2(4000000000:4000000000,1:1)\n1:1:1:1:5000:0:1:1\n");
    assert_eq!(trace.definitions.locations.len(), 1026);
    assert_eq!(short(&trace, 1025), "0+Running 1-Running");
}
