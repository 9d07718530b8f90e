//! Archives of the OTF2 writer are read by `otf2-print` and python3-otf2, which use the OTF2 library, without any warning.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "a test makes files")]
#![expect(clippy::disallowed_types, reason = "a test makes files, and its oracles are programs")]

#[path = "otf2_write/archive.rs"]
mod archive;
#[path = "otf2_write/events.rs"]
mod events;
#[path = "otf2_write/oracle.rs"]
mod oracle;
#[path = "otf2_write/read_back.rs"]
mod read_back;

use archive::{CREATOR, Folder, definitions, without_inter_communicators, write};
use events::EVERY_KIND;
use lotse_formats::trace::otf2::write::Otf2Writer;
use lotse_model::id::{LocationId, RegionId};
use lotse_model::trace::{
    Clock, Definitions, Event, EventKind, EventSink, LockKind, ObjectKind, Process, ProcessKind, Region,
    UNORDERED,
};

/// The golden file was compared with the events and definitions by hand, line by line.
#[test]
fn everything_is_read_by_the_library() {
    let folder = Folder::new();
    write(&folder, &definitions(), &[EVERY_KIND, &[], &[]]);
    let Some(printed) = oracle::print(folder.path()) else { return };
    expect_test::expect_file!["otf2_write/printed.txt"].assert_eq(&printed);
}

#[test]
fn everything_is_read_by_python() {
    let folder = Folder::new();
    write(&folder, &without_inter_communicators(), &[EVERY_KIND, &[], &[]]);
    let Some(seen) = oracle::python(folder.path()) else { return };
    assert_eq!(seen, format!("events {}\n", EVERY_KIND.len()));
}

#[test]
fn every_event_but_one_has_a_record_that_is_tried() {
    let tried: Vec<_> = EVERY_KIND.iter().map(|(_, kind, _)| *kind).collect();
    // Attributes have their own test.
    let is_interpreted =
        |kind: &&EventKind| !events::NOT_INTERPRETED.contains(kind) && **kind != EventKind::Attribute;
    let missing: Vec<_> =
        EventKind::ALL.iter().filter(is_interpreted).filter(|kind| !tried.contains(kind)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Calls with a condition variable and its mutex, a barrier, a semaphore, a reader-writer lock, and without an object.
#[test]
fn objects_of_calls_are_attributes_of_their_enters() {
    let enter = |at, region| (at, EventKind::Enter, Event::Enter { region: RegionId(region) });
    let leave = |at, region| (at, EventKind::Leave, Event::Leave { region: RegionId(region) });
    let object = |at, kind, address| (at, EventKind::Attribute, Event::Object { kind, address });
    let events = [
        enter(5, 1),
        object(5, ObjectKind::Condition, 0x7fff_1234_5678),
        object(5, ObjectKind::Lock, 9),
        leave(8, 1),
        enter(10, 2),
        leave(11, 2),
        enter(12, 1),
        object(12, ObjectKind::Barrier, 3),
        leave(13, 1),
        enter(14, 1),
        object(14, ObjectKind::Semaphore, 4),
        leave(15, 1),
        enter(16, 1),
        object(16, ObjectKind::RwLock, 5),
    ];
    let folder = Folder::new();
    write(&folder, &without_inter_communicators(), &[&events, &[], &[]]);
    let Some(printed) = oracle::print(folder.path()) else { return };
    let lines: Vec<&str> = printed.lines().map(str::trim).collect();
    let attributes: Vec<&str> = lines.iter().filter(|it| it.starts_with("ADDITIONAL")).copied().collect();
    let expected = [
        "ADDITIONAL ATTRIBUTES: (\"cond\" <1>; UINT64; 140733498807928), (\"mutex\" <0>; UINT64; 9)",
        "ADDITIONAL ATTRIBUTES: (\"barrier\" <2>; UINT64; 3)",
        "ADDITIONAL ATTRIBUTES: (\"sem\" <3>; UINT64; 4)",
        "ADDITIONAL ATTRIBUTES: (\"rwlock\" <4>; UINT64; 5)",
    ];
    assert_eq!(attributes, expected);
    let defined = lines.iter().filter(|it| it.starts_with("ATTRIBUTE ") && it.ends_with("Type: UINT64"));
    assert_eq!(defined.count(), 5, "{printed}");
}

#[test]
fn no_event_is_lost_between_chunks() {
    let folder = Folder::new();
    let definitions = without_inter_communicators();
    let events: Vec<_> = (0..200_000u64)
        .map(|number| {
            let event = Event::Enter { region: RegionId(1 + (number % 3) as u32) };
            (number / 3 * 7, EventKind::Enter, event)
        })
        .collect();
    write(&folder, &definitions, &[&events, &[], EVERY_KIND]);
    assert!(folder.length("t/0.evt") > 1 << 20);
    let Some(seen) = oracle::python(folder.path()) else { return };
    assert_eq!(seen, format!("events {}\n", events.len() + EVERY_KIND.len()));
    let Some(printed) = oracle::print(folder.path()) else { return };
    assert_eq!(printed.lines().filter(|line| line.starts_with("ENTER ")).count(), events.len() + 2);
}

#[test]
fn locations_are_written_from_several_threads() {
    let (folder, other) = (Folder::new(), Folder::new());
    let definitions = definitions();
    let events: Vec<_> =
        (0..50_000).map(|at| (at, EventKind::Leave, Event::Leave { region: RegionId(2) })).collect();
    let writer = Otf2Writer::new(&folder, "t", &definitions, CREATOR);
    let one = |location: u32| {
        let mut out = writer.location(LocationId(location)).unwrap();
        events.iter().for_each(|&(at, kind, event)| out.event(at, kind, event));
        out.finish().unwrap()
    };
    let counts: Vec<u64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|location| {
                scope.spawn({
                    let one = &one;
                    move || one(location)
                })
            })
            .collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    });
    writer.finish(&counts).unwrap();
    write(&other, &definitions, &[&events, &events, &events]);
    assert!(folder.files() == other.files());
}

#[test]
fn many_definitions_take_several_chunks() {
    let folder = Folder::new();
    let mut definitions = definitions();
    let name = |number: u32| Region::named(format!("{number:0>200}"));
    definitions.regions.extend((0..30_000).map(name));
    write(&folder, &definitions, &[&[], &[], &[]]);
    assert!(folder.length("t.def") > 4 << 20);
    let Some(printed) = oracle::print(folder.path()) else { return };
    assert_eq!(printed.lines().filter(|line| line.starts_with("REGION ")).count(), 30_000 + 3);
}

/// Without machine and communicator. An archive without any location is refused by the OTF2 library, even if the library
/// wrote it.
#[test]
fn a_minimal_trace_is_read() {
    let folder = Folder::new();
    let mut definitions = Definitions::new(Clock::default());
    definitions.processes.push(Process { name: String::new(), machine: None, kind: ProcessKind::System });
    definitions.locations.extend(archive::definitions().locations.into_iter().take(1));
    write(&folder, &definitions, &[&[]]);
    let Some(printed) = oracle::print(folder.path()) else { return };
    assert!(printed.contains("\nNumber of locations            1\n"), "{printed}");
    let Some(seen) = oracle::python(folder.path()) else { return };
    assert_eq!(seen, "events 0\n");
}

#[test]
fn locations_with_the_same_number_are_numbered_by_position() {
    let folder = Folder::new();
    let mut definitions = definitions();
    definitions.locations.iter_mut().for_each(|it| it.number = 7);
    write(&folder, &definitions, &[EVERY_KIND, &[], &[]]);
    let names: Vec<_> = folder.files().into_keys().filter(|name| name.ends_with(".evt")).collect();
    assert_eq!(names, ["t/0.evt", "t/1.evt", "t/2.evt"]);
}

#[test]
fn what_has_no_record_is_dropped_and_counted() {
    let folder = Folder::new();
    let definitions = definitions();
    let writer = Otf2Writer::new(&folder, "t", &definitions, "test");
    let mut out = writer.location(LocationId(0)).unwrap();
    out.push(1, EventKind::Metric, Event::Other).unwrap();
    out.push(2, EventKind::Enter, Event::Enter { region: RegionId(1) }).unwrap();
    let (kind, lock) = (LockKind::Mutex, 1 << 40);
    let by_address = Event::AcquireLock { kind, lock, order: UNORDERED };
    out.push(3, EventKind::ThreadAcquireLock, by_address).unwrap();
    assert_eq!(out.dropped(), 2);
    assert_eq!(out.finish().unwrap(), 1);
    assert!(writer.location(LocationId(3)).is_err());
    assert!(writer.finish(&[1]).is_err());
}
