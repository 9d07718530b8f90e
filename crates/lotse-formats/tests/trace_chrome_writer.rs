//! Files for Perfetto are valid JSON, and our own reader reads the same calls and messages from them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_types, reason = "another reader of JSON is asked")]

use std::io::Write as _;
use std::process::{Command, Stdio};

use lotse_formats::trace::write_chrome::{ChromeWriter, MatchedMessage};
use lotse_formats::trace::{EventStream, chrome};
use lotse_model::bytes::Memory;
use lotse_model::id::{CommunicatorId, LocationId, ProcessId, RegionId};
use lotse_model::trace::{
    Clock, Definitions, Event, EventKind, EventSink, Location, LocationKind, Paradigm, Process, ProcessKind,
    Region, Ticks,
};

type TimedEvent = (Ticks, EventKind, Event);

fn definitions() -> Definitions {
    let mut definitions = Definitions::new(Clock::default());
    definitions.regions.push(Region { file: "a \"b\".c".into(), begin_line: 12, ..Region::named("main") });
    definitions.regions.push(Region { paradigm: Paradigm::Mpi, ..Region::named("MPI_Send") });
    definitions.regions.push(Region { paradigm: Paradigm::OpenMp, ..Region::named("loop\n@a.c") });
    for rank in 0..2 {
        definitions.processes.push(Process {
            name: format!("rank {rank}"),
            machine: None,
            kind: ProcessKind::System,
        });
        let (process, name) = (ProcessId(rank), format!("thread of {rank}"));
        definitions.locations.push(Location { number: 0, name, kind: LocationKind::Cpu, process });
    }
    definitions
}

fn enter(at: Ticks, region: u32) -> TimedEvent {
    (at, EventKind::Enter, Event::Enter { region: RegionId(region) })
}

fn leave(at: Ticks, region: u32) -> TimedEvent {
    (at, EventKind::Leave, Event::Leave { region: RegionId(region) })
}

fn lists() -> [Vec<TimedEvent>; 2] {
    [
        vec![
            enter(1, 1),
            enter(1_234_567_890_123, 2),
            leave(1_234_567_890_200, 2),
            leave(1_234_567_890_200, 1),
        ],
        vec![
            enter(0, 1),
            enter(5, 3),
            leave(9, 3),
            enter(9, 3),
            leave(2_000_000_000_000, 3),
            leave(2_000_000_000_001, 1),
        ],
    ]
}

fn written(definitions: &Definitions, lists: &[Vec<TimedEvent>]) -> Vec<u8> {
    let writer = ChromeWriter::new(definitions).unwrap();
    let mut bytes = Vec::new();
    writer.begin(&mut bytes).unwrap();
    for (row, list) in lists.iter().enumerate() {
        let mut location = writer.location(LocationId::from(row), &mut bytes);
        list.iter().for_each(|&(at, kind, event)| location.event(at, kind, event));
        assert_eq!(location.finish().unwrap(), list.len() as u64);
    }
    let (sender, receiver) = (LocationId(0), LocationId(1));
    let message =
        MatchedMessage { sender, sent: 1_234_567_890_150, receiver, received: 1_999_999_999_999, bytes: 64 };
    writer.messages([message], 0, &mut bytes).unwrap();
    writer.end(&mut bytes).unwrap();
    bytes
}

#[test]
fn our_reader_reads_the_same() {
    let definitions = definitions();
    let bytes = written(&definitions, &lists());
    let trace = chrome::read(&Memory { name: "t", bytes: &bytes }).unwrap();
    assert!(trace.repairs.is_empty(), "{:?}", trace.repairs);
    let mut expected = lists();
    let (communicator, tag, length) = (CommunicatorId(1), 0, 64);
    let send = Event::MpiSend { receiver: 1, communicator, tag, length };
    expected[0].insert(2, (1_234_567_890_150, EventKind::MpiSend, send));
    let receive = Event::MpiRecv { sender: 0, communicator, tag, length };
    expected[1].insert(4, (1_999_999_999_999, EventKind::MpiRecv, receive));
    for (stream, expected) in trace.streams.iter().zip(&expected) {
        let EventStream::Listed(events) = stream else { panic!("a list") };
        assert_eq!(events, expected);
    }
    let regions = |definitions: &Definitions| -> Vec<_> {
        let one = |it: &Region| (it.name.clone(), it.file.clone(), it.begin_line, it.paradigm);
        definitions.regions.iter().map(one).collect()
    };
    assert_eq!(regions(&trace.definitions), regions(&definitions));
    let names: Vec<_> = trace.definitions.locations.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["thread of 0", "thread of 1"]);
    assert_eq!(trace.definitions.processes[1].name, "rank 1");
}

#[test]
fn python_reads_it_as_json() {
    let bytes = written(&definitions(), &lists());
    let script = "import json, sys; events = json.load(sys.stdin)['traceEvents']; \
                  print(sum(e['ph'] == 'B' for e in events), sum(e['ph'] == 'E' for e in events), \
                  [e['ts'] for e in events if e['ph'] in 'sf'])";
    let python =
        Command::new("python3").args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut python) = python else {
        test_support::skip_missing("python3 is not installed");
        return;
    };
    python.stdin.take().unwrap().write_all(&bytes).unwrap();
    let output = python.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "5 5 [1234567890.15, 1999999999.999]");
}

#[test]
fn a_stray_leave_is_not_written_and_a_full_disk_is_reported() {
    let definitions = definitions();
    let writer = ChromeWriter::new(&definitions).unwrap();
    let mut bytes = Vec::new();
    let mut location = writer.location(LocationId(0), &mut bytes);
    let (at, kind, event) = leave(3, 1);
    location.event(at, kind, event);
    assert_eq!(location.finish().unwrap(), 0);
    let mut full = [0_u8; 8];
    let mut location = writer.location(LocationId(0), &mut full[..]);
    let (at, kind, event) = enter(3, 1);
    location.event(at, kind, event);
    assert!(location.finish().is_err());
}
