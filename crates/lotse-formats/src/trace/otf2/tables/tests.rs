//! Tables built from definitions written by hand.

use lotse_model::id::{CommunicatorId, LocationId, MachineId, ProcessId};
use lotse_model::trace::{Clock, LocationKind, Paradigm, RegionRole};

use super::{BuiltTables, break_cycles, build};
use crate::trace::otf2::definitions;

/// A definition file with the given records; the length of each is added.
fn file(records: &[(u8, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![3, 0x42, 1];
    bytes.resize(18, 0);
    for (number, fields) in records {
        bytes.extend([*number, fields.len() as u8]);
        bytes.extend(*fields);
    }
    bytes.extend([2, 1]);
    bytes
}

fn built(records: &[(u8, &[u8])], files: &[u64]) -> BuiltTables {
    let bytes = file(records);
    let raw = definitions::read(&bytes, None);
    build(&raw, Vec::new(), files)
}

const A: (u8, &[u8]) = (10, &[1, 1, b'a', 0]);
const B: (u8, &[u8]) = (10, &[1, 2, b'b', 0]);
const PROCESS: (u8, &[u8]) = (13, &[0, 1, 1, 1, 0xff, 0xff]);
/// Locations 5 and 6.
const FIVE: (u8, &[u8]) = (14, &[1, 5, 1, 1, 1, 1, 85, 0]);
const SIX: (u8, &[u8]) = (14, &[1, 6, 1, 2, 2, 0xff, 0]);
/// MPI's list of locations is 6 and 5. Groups 2 and 3 have the second one as member, with ranks in the group and in MPI's
/// list.
const MPI: (u8, &[u8]) = (18, &[1, 1, 1, 1, 6, 1, 2, 1, 6, 1, 5, 4, 4, 0]);
const LOCAL_RANKS: (u8, &[u8]) = (18, &[1, 2, 1, 2, 4, 1, 1, 1, 1, 5, 4, 0]);
const GLOBAL_RANKS: (u8, &[u8]) = (18, &[1, 3, 1, 2, 4, 1, 1, 1, 1, 5, 4, 1, 1]);

#[test]
fn names_may_come_after_their_use() {
    let region = [2, 1, 17, 1, 1, 0, 3, 1, 2, 2, 17, 16, 2, 34, 32, 1, 2, 3, 2, 0];
    let built = built(&[(15, &region), A, B], &[]);
    let found = &built.definitions.regions[1];
    assert_eq!((found.name.as_str(), found.file.as_str()), ("a", "b"));
    assert_eq!((found.role, found.paradigm), (RegionRole::Loop, Paradigm::Compiler));
    assert_eq!((found.begin_line, found.end_line), (0x1011, 0x2022));
    assert_eq!((built.regions.get(0x1101), built.regions.get(7)), (1, 0));
    assert!(built.notes.iter().any(|it| it.starts_with("2 names were used before")), "{:?}", built.notes);
}

#[test]
fn locations_have_their_counts_and_processes() {
    let built = built(&[A, B, PROCESS, FIVE, SIX], &[5, 9]);
    let kinds: Vec<_> = built.definitions.locations.iter().map(|it| (it.number, it.kind)).collect();
    let wanted = [(5, LocationKind::Cpu), (6, LocationKind::Accelerator), (9, LocationKind::Unknown)];
    assert_eq!(kinds, wanted);
    assert_eq!(built.stated_events, [Some(85), None, None]);
    assert_eq!(built.definitions.locations[2].process, ProcessId(1), "one that is made up");
}

#[test]
fn groups_count_in_the_locations_of_their_paradigm() {
    let comm = |group| [1, group, 1, 1, 1, group, 0xff, 0];
    let (two, three) = (comm(2), comm(3));
    let built =
        built(&[A, B, PROCESS, FIVE, SIX, LOCAL_RANKS, GLOBAL_RANKS, MPI, (22, &two), (22, &three)], &[]);
    let members = |at: usize| built.definitions.communicators[at].members.clone();
    assert_eq!(members(1), [Some(LocationId(0))], "the second of MPI's is number 5");
    assert_eq!(members(2), [None, Some(LocationId(0))], "ranks of events are MPI's");
    assert_eq!(built.definitions.groups[3].members, [Some(LocationId(1)), Some(LocationId(0))]);
}

#[test]
fn communicators_of_one_and_of_two_groups() {
    let alone: (u8, &[u8]) = (18, &[1, 4, 1, 1, 5, 0, 6, 4, 0]);
    let own: (u8, &[u8]) = (22, &[0, 1, 1, 1, 4, 0xff, 0]);
    let inter: (u8, &[u8]) = (43, &[1, 1, 1, 2, 1, 1, 1, 2, 0, 0]);
    let built = built(&[A, B, PROCESS, FIVE, SIX, MPI, LOCAL_RANKS, alone, own, inter], &[]);
    let [_, own, inter] = &built.definitions.communicators[..] else { panic!("there are two") };
    assert!(own.of_self && own.members.is_empty());
    assert_eq!((inter.members.len(), inter.remote.len()), (2, 1));
    assert_eq!(inter.parent, Some(CommunicatorId(1)));
}

#[test]
fn a_group_without_a_list_of_its_paradigm_is_taken_for_locations() {
    let group: (u8, &[u8]) = (18, &[0, 1, 1, 4, 1, 2, 1, 6, 1, 9, 5, 3, 0]);
    let built = built(&[A, B, PROCESS, FIVE, SIX, group], &[]);
    assert_eq!(built.definitions.groups[1].members, [Some(LocationId(1)), None]);
    assert!(built.notes.iter().any(|it| it.contains("by locations that are not defined")));
    assert!(built.notes.iter().any(|it| it.starts_with("1 members")));
}

#[test]
fn the_first_definition_of_a_number_is_kept() {
    let other: (u8, &[u8]) = (10, &[1, 1, b'x', 0]);
    let machine: (u8, &[u8]) = (12, &[0, 1, 1, 1, 2, 0xff]);
    let node: (u8, &[u8]) = (12, &[1, 1, 1, 2, 1, 9, 0]);
    let built = built(&[A, other, A, B, machine, node], &[]);
    assert_eq!(built.definitions.machines[0].name, "a");
    assert_eq!(built.definitions.machines[1].parent, Some(MachineId(0)));
    assert_eq!(built.notes[0], "1 references point to what is not defined");
    assert_eq!(built.notes[1], "2 strings are defined again, 1 of them otherwise: the first was kept");
}

#[test]
fn clocks_without_a_resolution_count_nanoseconds() {
    let clock = built(&[(5, &[0, 1, 90, 2, 0x90, 1, 0xff])], &[]).definitions.clock;
    assert_eq!(clock, Clock { resolution: 1_000_000_000, offset: 90, length: 400 });
}

#[test]
fn cycles_of_parents_are_broken_once() {
    let mut parents = [Some(1), Some(2), Some(0), None, Some(3), Some(5), Some(0)];
    assert_eq!(break_cycles(&mut parents), 2);
    assert_eq!(parents, [Some(1), Some(2), None, None, Some(3), None, Some(0)]);
}
