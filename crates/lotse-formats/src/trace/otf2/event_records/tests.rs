//! Records with the bytes that the OTF2 library writes.

use std::sync::Arc;

use lotse_model::id::{CommunicatorId, GroupId, RegionId, WindowId};
use lotse_model::trace::{CollectiveOp, Event, EventKind, LockKind, RmaOp};

use super::{IdResolver, KINDS, decode_record};
use crate::trace::otf2::fields::FieldReader;
use crate::trace::otf2::ids::{IdLookup, IdTable};
use crate::trace::otf2::stream::LocationTables;

/// Numbers 0x1101, 0x1202 and 0x1303 are at positions 1, 2 and 3 of each table.
fn tables() -> LocationTables {
    let lookup =
        || IdLookup::new(&Arc::new(IdTable::from_pairs(&[(0x1101, 1), (0x1202, 2), (0x1303, 3)])), &[]);
    LocationTables {
        regions: lookup(),
        communicators: lookup(),
        windows: lookup(),
        groups: lookup(),
        attributes: None,
    }
}

fn decode(record: u8, payload: &[u8]) -> (Option<(EventKind, Event)>, u64) {
    let tables = tables();
    let mut ids = IdResolver { tables: &tables, undefined: 0 };
    let decoded = decode_record(record, FieldReader::new(payload, 0, payload.len(), false), &mut ids);
    (decoded, ids.undefined)
}

/// `count` packed numbers 0x1101, 0x1202 and so on, from the number `from` on.
fn packed(from: u8, count: u8) -> Vec<u8> {
    (from..from + count).flat_map(|it| [2, it, 0x10 + it]).collect()
}

/// Checks a payload that the OTF2 library 3.0.2 writes for the fields 0x1101, 0x1202, …, or 1, 2, … for bytes.
fn check(record: u8, payload: &[u8], kind: EventKind, event: Event) {
    assert_eq!(decode(record, payload), (Some((kind, event)), 0), "record {record}");
}

#[test]
fn messages_have_their_fields_in_order() {
    let (communicator, tag, length) = (CommunicatorId(2), 0x1303, 0x1404);
    let send = Event::MpiSend { receiver: 0x1101, communicator, tag, length };
    check(14, &packed(1, 4), EventKind::MpiSend, send);
    let isend = Event::MpiIsend { receiver: 0x1101, communicator, tag, length, request: 0x1505 };
    check(15, &packed(1, 5), EventKind::MpiIsend, isend);
    let recv = Event::MpiRecv { sender: 0x1101, communicator, tag, length };
    check(18, &packed(1, 4), EventKind::MpiRecv, recv);
    let irecv = Event::MpiIrecv { sender: 0x1101, communicator, tag, length, request: 0x1505 };
    check(19, &packed(1, 5), EventKind::MpiIrecv, irecv);
}

#[test]
fn collectives_have_an_operation_and_perhaps_a_root() {
    let mut payload = vec![1];
    payload.extend(packed(2, 4));
    let (op, communicator) = (CollectiveOp::Bcast, CommunicatorId(2));
    let end = |root| Event::CollectiveEnd { op, communicator, root, sent: 0x1404, received: 0x1505 };
    check(23, &payload, EventKind::MpiCollectiveEnd, end(Some(0x1303)));
    payload.splice(4..7, [0xff]);
    check(23, &payload, EventKind::MpiCollectiveEnd, end(None));
    check(22, &[], EventKind::MpiCollectiveBegin, Event::CollectiveBegin);
    check(
        85,
        &packed(1, 1),
        EventKind::NonBlockingCollectiveRequest,
        Event::CollectiveRequest { request: 0x1101 },
    );
}

#[test]
fn one_sided_records_name_windows_and_groups() {
    let window = WindowId(1);
    check(35, &packed(1, 1), EventKind::RmaWinCreate, Event::WindowCreate { window });
    let sync = Event::RmaGroupSync { window: WindowId(2), group: GroupId(3) };
    check(39, &packed(1, 3), EventKind::RmaGroupSync, sync);
    let mut lock = packed(1, 3);
    lock.push(1);
    let acquired = Event::RmaAcquireLock { window, remote: 0x1202, lock: 0x1303, exclusive: false };
    check(41, &lock, EventKind::RmaAcquireLock, acquired);
    check(42, &lock, EventKind::RmaTryLock, Event::Other);
    let get = Event::RmaOperation { op: RmaOp::Get, window, remote: 0x1202, bytes: 0x1303, matching: 0x1404 };
    check(47, &packed(1, 4), EventKind::RmaGet, get);
    let remote = Event::RmaComplete { window, matching: 0x1202, remotely: true };
    check(52, &packed(1, 2), EventKind::RmaOpCompleteRemote, remote);
}

#[test]
fn threads_and_locks_have_a_paradigm() {
    let mut payload = vec![3];
    payload.extend(packed(2, 2));
    let lock = |kind| Event::AcquireLock { kind, lock: 0x1202, order: 0x1303 };
    check(57, &payload, EventKind::ThreadAcquireLock, lock(LockKind::OpenMp));
    payload[0] = 7;
    check(57, &payload, EventKind::ThreadAcquireLock, lock(LockKind::Mutex));
    check(53, &payload[..4], EventKind::ThreadFork, Event::Fork { threads: 0x1202 });
    let create = Event::ThreadCreate { team: CommunicatorId(1), count: 0x1202 };
    check(62, &packed(1, 2), EventKind::ThreadCreate, create);
    check(84, &packed(1, 1), EventKind::ProgramEnd, Event::ProgramEnd);
}

#[test]
fn records_that_end_early_keep_their_kind() {
    check(14, &packed(1, 3), EventKind::MpiSend, Event::Other);
    check(10, &[1, 2, 3], EventKind::BufferFlush, Event::Other);
}

#[test]
fn what_is_not_defined_is_unknown_and_counted() {
    let send = packed(2, 4);
    let (decoded, undefined) = decode(14, &send);
    assert!(matches!(decoded, Some((_, Event::MpiSend { communicator: CommunicatorId(3), .. }))));
    assert_eq!(undefined, 0);
    let (decoded, undefined) = decode(12, &[1, 9]);
    assert_eq!(decoded, Some((EventKind::Enter, Event::Enter { region: RegionId(0) })));
    assert_eq!(undefined, 1);
}

#[test]
fn kinds_end_with_those_of_version_3() {
    assert_eq!(KINDS.len() + 2, EventKind::ALL.len(), "unknown ones and attributes have no record");
    assert_eq!(decode(88, &packed(1, 1)).0, Some((EventKind::CommDestroy, Event::Other)));
    for unknown in [3, 6, 9, 89, 255] {
        assert_eq!(decode(unknown, &[]).0, None);
    }
}
