//! Lotse reads back the definitions and events that it writes.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use lotse_formats::trace::otf2;
use lotse_model::bytes::{Folder, FolderSink};
use lotse_model::id::{CommunicatorId, GroupId, RegionId, WindowId};
use lotse_model::trace::{CollectiveOp, Definitions, Event, EventKind, EventSink, LockKind, RmaOp, Ticks};
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};

use super::archive::{definitions, write};
use super::events::EVERY_KIND;

type Row = (Ticks, EventKind, Event);

/// Records with less information than the event: a single number for a task, or only that something was tried.
const LOSSY: [EventKind; 5] = [
    EventKind::OmpTaskCreate,
    EventKind::OmpTaskSwitch,
    EventKind::OmpTaskComplete,
    EventKind::RmaTryLock,
    EventKind::RmaOpTest,
];

/// Files in memory.
#[derive(Default)]
struct Kept(Mutex<BTreeMap<String, Vec<u8>>>);

struct KeptFile<'a> {
    all: &'a Kept,
    name: String,
    bytes: Vec<u8>,
}

impl Write for KeptFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut all = self.all.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(self.name.clone(), self.bytes.clone());
        Ok(())
    }
}

impl FolderSink for Kept {
    fn create(&self, name: &str) -> io::Result<Box<dyn Write + Send + '_>> {
        Ok(Box::new(KeptFile { all: self, name: name.to_owned(), bytes: Vec::new() }))
    }
}

struct Files {
    names: Vec<String>,
    bytes: BTreeMap<String, Vec<u8>>,
}

impl Folder for Files {
    fn name(&self) -> &str {
        "t.otf2"
    }

    fn main(&self) -> &str {
        "t.otf2"
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn bytes(&self, name: &str) -> Option<&[u8]> {
        self.bytes.get(name).map(Vec::as_slice)
    }
}

#[derive(Default)]
struct List(Vec<Row>);

impl EventSink for List {
    fn event(&mut self, at: Ticks, kind: EventKind, event: Event) {
        self.0.push((at, kind, event));
    }
}

/// Writes and reads again, without any loss.
fn read_back(definitions: &Definitions, events: &[&[Row]]) -> (Definitions, Vec<Vec<Row>>) {
    let kept = Kept::default();
    write(&kept, definitions, events);
    let bytes = kept.0.into_inner().unwrap();
    let files = Files { names: bytes.keys().cloned().collect(), bytes };
    let input = otf2::open(&files).unwrap();
    assert!(input.repairs.iter().all(|it| !it.loss), "{:?}", input.repairs);
    let read = input.streams.iter().map(|stream| {
        let mut list = List::default();
        for chunk in 0..stream.chunks() {
            let end = stream.decode(chunk, &mut list);
            assert_eq!((end.skipped, end.damage), (0, None));
        }
        let groups = &input.definitions.groups;
        list.0.into_iter().map(|row| with_group(row, groups, definitions)).collect()
    });
    let read = read.collect();
    (input.definitions, read)
}

/// The event with the id that its group had before it was written; the groups of communicators change the ids, but not the
/// names.
fn with_group(row: Row, read: &[lotse_model::trace::Group], written: &Definitions) -> Row {
    let (at, kind, event) = row;
    let Event::RmaGroupSync { window, group } = event else { return row };
    let found = &read[group.index()];
    let position = written.groups.iter().position(|it| it.name == found.name && it.members == found.members);
    (at, kind, Event::RmaGroupSync { window, group: GroupId::from(position.unwrap()) })
}

#[test]
fn definitions_come_back() {
    let written = definitions();
    let (read, events) = read_back(&written, &[EVERY_KIND, &[], &[]]);
    assert_eq!(read.clock, written.clock);
    assert_eq!(read.regions, written.regions);
    assert_eq!(read.machines, written.machines);
    assert_eq!(read.processes, written.processes);
    assert_eq!(read.locations, written.locations);
    assert_eq!(read.communicators, written.communicators);
    assert_eq!(read.windows, written.windows);
    assert!(read.groups.contains(&written.groups[1]));
    assert!(read.properties.contains(&written.properties[0]));
    assert_eq!(events[0].len(), EVERY_KIND.len());
}

#[test]
fn what_was_read_can_be_written_again() {
    let (once, _) = read_back(&definitions(), &[&[], &[], &[]]);
    let (twice, _) = read_back(&once, &[&[], &[], &[]]);
    assert_eq!(twice.communicators, once.communicators);
    assert_eq!(twice.properties, once.properties);
    assert_eq!(twice.regions, once.regions);
}

#[test]
fn every_kind_comes_back() {
    let (_, events) = read_back(&definitions(), &[&[], EVERY_KIND, &[]]);
    assert_eq!(events[1].len(), EVERY_KIND.len());
    for (read, written) in events[1].iter().zip(EVERY_KIND) {
        assert_eq!((read.0, read.1), (written.0, written.1));
        if !LOSSY.contains(&written.1) {
            assert_eq!(read, written);
        }
    }
}

/// Any event that the format can represent completely, with any numbers.
fn any_event() -> impl Strategy<Value = (EventKind, Event)> {
    let complete: Vec<_> = EVERY_KIND.iter().filter(|it| !LOSSY.contains(&it.1)).copied().collect();
    let region = (0..4u32).prop_map(RegionId);
    let communicator = (0..6u32).prop_map(CommunicatorId);
    let (window, small) = ((0..2u32).prop_map(WindowId), 0..u32::MAX);
    let message = (small.clone(), communicator.clone(), small.clone(), any_number(), any_number());
    let collective = (prop::option::of(small.clone()), communicator.clone(), any_number(), any_number());
    let operation = (window, small.clone(), any_number(), any_number());
    prop_oneof![
        prop::sample::select(complete).prop_map(|(_, kind, event)| (kind, event)),
        region.clone().prop_map(|region| (EventKind::Enter, Event::Enter { region })),
        region.prop_map(|region| (EventKind::Leave, Event::Leave { region })),
        message.clone().prop_map(|(receiver, communicator, tag, length, request)| {
            (EventKind::MpiIsend, Event::MpiIsend { receiver, communicator, tag, length, request })
        }),
        message.prop_map(|(sender, communicator, tag, length, _)| {
            (EventKind::MpiRecv, Event::MpiRecv { sender, communicator, tag, length })
        }),
        collective.prop_map(|(root, communicator, sent, received)| {
            let op = CollectiveOp::Reduce;
            (EventKind::MpiCollectiveEnd, Event::CollectiveEnd { op, communicator, root, sent, received })
        }),
        operation.prop_map(|(window, remote, bytes, matching)| {
            let op = RmaOp::Atomic;
            (EventKind::RmaAtomic, Event::RmaOperation { op, window, remote, bytes, matching })
        }),
        (small.clone(), small).prop_map(|(lock, order)| {
            let lock = u64::from(lock);
            (EventKind::ThreadAcquireLock, Event::AcquireLock { kind: LockKind::Mutex, lock, order })
        }),
        (communicator, any_number())
            .prop_map(|(team, count)| (EventKind::ThreadCreate, Event::ThreadCreate { team, count })),
    ]
}

/// Numbers of all lengths; the largest one means "undefined" in the format.
fn any_number() -> impl Strategy<Value = u64> + Clone {
    (0..64u32, any::<u64>()).prop_map(|(shift, number)| (number >> shift).min(u64::MAX - 1))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_events_come_back(steps in prop::collection::vec((prop_oneof![Just(0), any::<u32>()], any_event()), 0..200)) {
        let mut now: Ticks = 0;
        let written: Vec<Row> = steps
            .into_iter()
            .map(|(step, (kind, event))| {
                now += Ticks::from(step);
                (now, kind, event)
            })
            .collect();
        let (_, read) = read_back(&definitions(), &[&[], &[], &written]);
        prop_assert_eq!(&read[2], &written);
    }
}
