//! OTF2 archives of our writer: undamaged, and damaged in many ways.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "otf2_read/archive.rs"]
mod archive;
#[path = "otf2_write/events.rs"]
mod every;
#[path = "otf2_read/written.rs"]
mod written;

use archive::{Row, decode, open};
use every::{EVERY_KIND, NOT_INTERPRETED};
use lotse_formats::trace::{TraceInput, otf2};
use lotse_model::bytes::{Folder, MemoryFolder};
use lotse_model::id::{CommunicatorId, GroupId, LocationId, RegionId};
use lotse_model::trace::{Communicator, Definitions, Event, EventKind, Group, LocationKind, Window};
use written::{definitions, write};

/// Two more communicators, a window and a group, which the events of every kind refer to.
fn many_definitions() -> Definitions {
    let mut all = definitions(3, 5);
    let members = vec![Some(LocationId(2)), Some(LocationId(0))];
    for name in ["sub", "team"] {
        let parent = Some(CommunicatorId(1));
        let members = members.clone();
        all.communicators.push(Communicator { name: name.to_owned(), members, parent, ..Default::default() });
    }
    all.windows.push(Window { name: "window".to_owned(), communicator: CommunicatorId(1) });
    all.groups.push(Group { name: "targets".to_owned(), members });
    all
}

fn every_kind() -> MemoryFolder {
    write(&many_definitions(), |location, out| {
        if location == LocationId(0) {
            EVERY_KIND.iter().for_each(|&(at, kind, event)| out.push(at, kind, event).unwrap());
        }
    })
}

/// Enters of region 1 at the ticks 0, 1, 2, …; a chunk of 1 MiB holds about 95 thousand of them.
fn enters(count: u64) -> MemoryFolder {
    write(&definitions(1, 1), |_, out| {
        for at in 0..count {
            out.push(at, EventKind::Enter, Event::Enter { region: RegionId(1) }).unwrap();
        }
    })
}

/// The archive with one file changed.
fn changed(files: &MemoryFolder, name: &str, change: impl Fn(&mut Vec<u8>)) -> MemoryFolder {
    let mut changed = files.clone();
    change(changed.file_mut(name).unwrap());
    changed
}

/// The archive without one file.
fn without(files: &MemoryFolder, name: &str) -> MemoryFolder {
    let mut left = files.files().clone();
    left.remove(name);
    MemoryFolder::new(files.main(), left)
}

fn repairs(files: &MemoryFolder) -> Vec<(String, bool)> {
    open(files).repairs.into_iter().map(|it| (it.message, it.loss)).collect()
}

/// The event with the id that its group had before it was written: the writer adds groups, so that ids change.
fn with_group_of_the_writer(input: &TraceInput<'_>, row: Row) -> Row {
    match row {
        (at, kind, Event::RmaGroupSync { window, group }) => {
            let name = &input.definitions.groups[group.index()].name;
            let written = many_definitions().groups.iter().position(|it| it.name == *name).unwrap();
            (at, kind, Event::RmaGroupSync { window, group: GroupId::from(written) })
        }
        other => other,
    }
}

#[test]
fn events_of_every_kind_are_read_as_they_were_written() {
    let made = every_kind();
    let input = open(&made);
    let (rows, ends) = decode(&input, 0);
    let failed = [EventKind::RmaTryLock, EventKind::RmaOpTest];
    let interpreted = |row: &&Row| !failed.contains(&row.1) && !NOT_INTERPRETED.contains(&row.1);
    let found: Vec<_> = rows.iter().filter(interpreted).collect();
    let wanted: Vec<_> = EVERY_KIND.iter().filter(interpreted).collect();
    for (found, wanted) in found.iter().zip(&wanted) {
        assert_eq!(with_group_of_the_writer(&input, **found), **wanted);
    }
    let attempts = rows.iter().filter(|row| failed.contains(&row.1));
    assert!(
        attempts.into_iter().all(|row| row.2 == Event::Other),
        "a failed attempt is neither a lock nor a completion"
    );
    assert_eq!(rows.len(), EVERY_KIND.len());
    assert_eq!((ends[0].skipped, &ends[0].damage), (0, &None));
    assert_eq!(input.streams[0].stated_events(), Some(rows.len() as u64));
    assert_eq!(input.repairs, []);
}

#[test]
fn definitions_are_read_as_they_were_written() {
    let made = every_kind();
    let found = open(&made).definitions;
    let wanted = many_definitions();
    assert_eq!((found.clock, &found.regions), (wanted.clock, &wanted.regions));
    assert_eq!((&found.communicators, &found.windows), (&wanted.communicators, &wanted.windows));
    assert_eq!((&found.processes, &found.locations), (&wanted.processes, &wanted.locations));
    let targets = found.groups.iter().find(|it| it.name == "targets").unwrap();
    assert_eq!(targets.members, wanted.groups[1].members);
}

#[test]
fn chunks_state_their_numbers_of_events() {
    let made = enters(250_000);
    let input = open(&made);
    let stream = &input.streams[0];
    assert_eq!(stream.chunks(), 3);
    assert_eq!((0..3).map(|chunk| stream.expected_events(chunk)).sum::<usize>(), 250_000);
    let (rows, ends) = decode(&input, 0);
    assert!(rows.iter().zip(0..).all(|(row, at)| row.0 == at));
    assert_eq!(rows.len(), 250_000);
    for (chunk, end) in ends.iter().enumerate() {
        assert_eq!(end.events as usize, stream.expected_events(chunk));
    }
}

#[test]
fn a_damaged_chunk_costs_only_itself() {
    let whole = enters(250_000);
    let head = changed(&whole, "t/0.evt", |bytes| bytes[1 << 20] = 7);
    let input = open(&head);
    assert_eq!(input.streams[0].chunks(), 2);
    assert!(input.repairs.iter().all(|it| it.loss && it.location == Some(LocationId(0))));
    assert_eq!(input.repairs.len(), 2, "the chunk, and the gap in the numbers");

    let inside = changed(&whole, "t/0.evt", |bytes| bytes[(1 << 20) + 18 + 11 * 1000 + 9] = 200);
    let (rows, ends) = decode(&open(&inside), 0);
    assert_eq!((ends[0].damage.is_none(), ends[2].damage.is_none()), (true, true));
    assert!(rows.len() > 150_000 && rows.len() <= 250_000);

    let cut = changed(&whole, "t/0.evt", |bytes| bytes.truncate((2 << 20) + 18 + 11 * 500 + 4));
    let (rows, ends) = decode(&open(&cut), 0);
    assert!(ends[2].damage.is_some());
    assert_eq!(ends[2].events, 500);
    assert!(rows.iter().zip(0..).all(|(row, at)| row.0 == at));
}

#[test]
fn an_archive_without_an_anchor_is_read_from_its_other_files() {
    let crashed = without(&enters(250_000), "t.otf2");
    let input = open(&crashed);
    assert_eq!(decode(&input, 0).0.len(), 250_000, "the size of chunks is found by their heads");
    assert_eq!(input.definitions.regions[1].name, "region 0");
    assert!(repairs(&crashed)[0].0.contains("no anchor"));
}

#[test]
fn without_definitions_locations_come_from_the_names_of_files() {
    let crashed = without(&enters(1000), "t.def");
    let input = open(&crashed);
    let location = &input.definitions.locations[0];
    assert_eq!((location.number, location.kind), (0, LocationKind::Unknown));
    let (rows, ends) = decode(&input, 0);
    assert_eq!((rows.len(), ends[0].undefined), (1000, 1000));
    assert!(rows.iter().all(|row| row.2 == Event::Enter { region: RegionId(0) }));
    assert!(repairs(&crashed).iter().any(|(it, loss)| *loss && it.contains("global definitions is missing")));
}

#[test]
fn truncated_definitions_are_losses_without_a_location() {
    for file in ["t.def", "t/0.def"] {
        let cut = changed(&enters(1000), file, |bytes| bytes.truncate(bytes.len() / 2));
        let input = open(&cut);
        assert!(input.repairs.iter().any(|it| it.loss && it.location.is_none()), "{:?}", input.repairs);
    }
}

#[test]
fn missing_and_empty_event_files_are_losses() {
    let whole = enters(1000);
    for broken in [without(&whole, "t/0.evt"), changed(&whole, "t/0.evt", Vec::clear)] {
        let input = open(&broken);
        assert_eq!(input.streams[0].chunks(), 0);
        assert!(input.repairs.iter().any(|it| it.loss && it.message.contains("1000 events are lost")));
    }
    assert_eq!(
        decode(&open(&without(&whole, "t/0.def")), 0).0.len(),
        1000,
        "the local definitions may be missing"
    );
}

#[test]
fn an_empty_folder_is_no_archive() {
    let nothing = MemoryFolder::new("t.otf2", std::collections::BTreeMap::new());
    assert!(otf2::open(&nothing).unwrap_err().to_string().contains("neither definitions nor events"));
    assert!(otf2::claim_anchor(&every_kind().files()["t.otf2"]));
}

/// Each file truncated at each position: the events are the first events of the undamaged archive.
#[test]
fn cut_anywhere_the_beginning_is_kept() {
    let whole = every_kind();
    let rows = decode(&open(&whole), 0).0;
    for (name, bytes) in whole.files() {
        for length in 0..bytes.len() {
            let cut = changed(&whole, name, |bytes| bytes.truncate(length));
            let Ok(input) = otf2::open(&cut) else { continue };
            let found = input.definitions.locations.iter().position(|it| it.number == 0);
            let found = found.map_or_else(Vec::new, |at| decode(&input, at).0);
            assert!(found.len() <= rows.len());
            assert!(
                found.iter().zip(&rows).all(|(found, row)| (found.0, found.1) == (row.0, row.1)),
                "{name}"
            );
        }
    }
}

/// Thousands of archives with some changed bytes: all ids in events are within their tables.
#[test]
fn ids_of_damaged_archives_are_valid() {
    let whole = every_kind();
    let names: Vec<&String> = whole.files().keys().collect();
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..5000 {
        let name = names[random(names.len())];
        let places: Vec<(usize, u8)> =
            (0..1 + random(3)).map(|_| (random(1 << 16), random(256) as u8)).collect();
        let broken = changed(&whole, name, |bytes| {
            for (at, byte) in &places {
                let at = at % bytes.len();
                bytes[at] = *byte;
            }
        });
        let Ok(input) = otf2::open(&broken) else { continue };
        assert_eq!(input.streams.len(), input.definitions.locations.len());
        for at in 0..input.streams.len() {
            for (_, _, event) in decode(&input, at).0 {
                if let Event::Enter { region } | Event::Leave { region } = event {
                    assert!(region.index() < input.definitions.regions.len());
                }
                if let Event::MpiSend { communicator, .. } = event {
                    assert!(communicator.index() < input.definitions.communicators.len());
                }
            }
        }
    }
}
