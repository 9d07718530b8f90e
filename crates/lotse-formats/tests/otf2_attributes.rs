//! Attributes that name the synchronization object of a call, inserted by hand into an archive of our writer.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "otf2_read/written.rs"]
mod written;

use lotse_formats::trace::otf2;
use lotse_model::bytes::MemoryFolder;
use lotse_model::id::RegionId;
use lotse_model::trace::{Event, EventKind, EventSink, ObjectKind, Ticks};
use written::{definitions, write};

/// The positions after a chunk header, and after the first time stamp.
const FIRST: usize = 18;
const FIRST_EVENT: usize = FIRST + 9;

/// A call whose enter has one attribute, with the number 5: an address of two bytes.
fn archive(name: &str) -> MemoryFolder {
    let mut files = write(&definitions(1, 1), |_, out| {
        out.push(10, EventKind::Enter, Event::Enter { region: RegionId(1) }).unwrap();
        out.push(20, EventKind::Leave, Event::Leave { region: RegionId(1) }).unwrap();
    });
    // A string with the number 900, and an attribute with the number 5 and that name.
    let mut records = vec![10, 4 + name.len() as u8, 2, 0x84, 3];
    records.extend(name.bytes());
    records.extend([0, 11, 7, 1, 5, 2, 0x84, 3, 4, 0]);
    insert(&mut files, "t.def", FIRST, &records);
    insert(&mut files, "t/0.evt", FIRST_EVENT, &[6, 8, 1, 1, 1, 5, 4, 2, 0x34, 0x12]);
    files
}

fn insert(files: &mut MemoryFolder, name: &str, at: usize, bytes: &[u8]) {
    files.file_mut(name).unwrap().splice(at..at, bytes.iter().copied());
}

type Row = (Ticks, EventKind, Event);

#[derive(Default)]
struct Kept(Vec<Row>);

impl EventSink for Kept {
    fn event(&mut self, at: Ticks, kind: EventKind, event: Event) {
        self.0.push((at, kind, event));
    }
}

fn rows(files: &MemoryFolder) -> Vec<Row> {
    let input = otf2::open(files).unwrap();
    let mut kept = Kept::default();
    let end = input.streams[0].decode(0, &mut kept);
    assert!(end.damage.is_none() && end.skipped == 0, "{end:?}");
    assert_eq!(end.events, 2, "attributes are not counted");
    kept.0
}

fn call() -> [Row; 2] {
    let region = RegionId(1);
    [(10, EventKind::Enter, Event::Enter { region }), (20, EventKind::Leave, Event::Leave { region })]
}

#[test]
fn attributes_become_objects_of_the_call() {
    let named = [
        ("mutex", ObjectKind::Lock),
        ("lock", ObjectKind::Lock),
        ("cond", ObjectKind::Condition),
        ("barrier", ObjectKind::Barrier),
        ("sem", ObjectKind::Semaphore),
        ("rwlock", ObjectKind::RwLock),
    ];
    for (name, kind) in named {
        let [enter, leave] = call();
        let object = (10, EventKind::Attribute, Event::Object { kind, address: 0x1234 });
        assert_eq!(rows(&archive(name)), [enter, object, leave], "{name}");
    }
}

#[test]
fn other_attributes_are_ignored() {
    assert_eq!(rows(&archive("colour")), call());
}

#[test]
fn a_location_may_have_numbers_of_its_own() {
    let mut files = archive("mutex");
    // Number 5 of this location is the global number 6, which is not defined; number 3 is the global number 5.
    let mapping = |own: u8, global: u8| vec![5, 8, 1, 1, 1, 1, 1, own, 1, global];
    let local = files.files().get("t/0.def").cloned();
    assert!(local.is_some(), "{:?}", files.files().keys());
    insert(&mut files, "t/0.def", FIRST, &mapping(5, 6));
    assert_eq!(rows(&files), call());
    let mut files = archive("mutex");
    insert(&mut files, "t/0.def", FIRST, &mapping(3, 5));
    files.file_mut("t/0.evt").unwrap()[FIRST_EVENT + 5] = 3;
    assert_eq!(rows(&files).len(), 3);
}
