//! Chunks of records written by hand.

use std::sync::Arc;

use lotse_model::id::RegionId;
use lotse_model::trace::{Event, EventKind, EventSink, ObjectKind, Ticks};

use super::{LocationStream, LocationTables};
use crate::error::Place;
use crate::trace::ChunkSummary;
use crate::trace::otf2::chunks;
use crate::trace::otf2::clock::ClockCorrection;
use crate::trace::otf2::ids::{IdLookup, IdTable};

#[derive(Default)]
struct Kept(Vec<(Ticks, EventKind, Event)>);

impl EventSink for Kept {
    fn event(&mut self, at: Ticks, kind: EventKind, event: Event) {
        self.0.push((at, kind, event));
    }
}

/// Regions 0 and 300 are the first and the second; attribute 4 names locks.
fn tables() -> Arc<LocationTables> {
    let lookup = || IdLookup::new(&Arc::new(IdTable::from_pairs(&[(0, 1), (300, 2)])), &[]);
    let attributes = Some(IdLookup::new(&Arc::new(IdTable::from_pairs(&[(4, 1)])), &[]));
    let (regions, communicators) = (lookup(), lookup());
    Arc::new(LocationTables { regions, communicators, windows: lookup(), groups: lookup(), attributes })
}

fn head(big: bool) -> Vec<u8> {
    let mut bytes = vec![3, if big { 0x23 } else { 0x42 }];
    bytes.extend(if big { 1_u64.to_be_bytes() } else { 1_u64.to_le_bytes() });
    bytes.extend([0; 8]);
    bytes
}

fn time(at: u8) -> [u8; 9] {
    [5, at, 0, 0, 0, 0, 0, 0, 0]
}

fn decode_with(
    bytes: &[u8],
    correction: Option<ClockCorrection>,
) -> (Vec<(Ticks, EventKind, Event)>, ChunkSummary) {
    let chunks = chunks::split(bytes, None).chunks;
    let stream = LocationStream { bytes, chunks, stated_events: None, tables: tables(), correction };
    let mut kept = Kept::default();
    let end = stream.decode(0, &mut kept);
    (kept.0, end)
}

fn decode(records: &[&[u8]]) -> (Vec<(Ticks, EventKind, Event)>, ChunkSummary) {
    let mut bytes = head(false);
    records.iter().for_each(|it| bytes.extend(*it));
    decode_with(&bytes, None)
}

fn enter(at: Ticks, region: u32) -> (Ticks, EventKind, Event) {
    (at, EventKind::Enter, Event::Enter { region: RegionId(region) })
}

fn leave(at: Ticks, region: u32) -> (Ticks, EventKind, Event) {
    (at, EventKind::Leave, Event::Leave { region: RegionId(region) })
}

#[test]
fn a_time_holds_for_all_events_until_the_next() {
    let (rows, end) =
        decode(&[&time(7), &[12, 0], &[12, 2, 44, 1], &time(9), &[13, 2, 44, 1], &[13, 0], &[2, 1]]);
    assert_eq!(rows, [enter(7, 1), enter(7, 2), leave(9, 2), leave(9, 1)]);
    assert_eq!(end, ChunkSummary { events: 4, ..ChunkSummary::default() });
}

/// The same records with more and more padding after them, so that the fast loop decodes more and more of them.
#[test]
fn the_fast_loop_and_single_records_agree() {
    let records = [&time(7)[..], &[12, 2, 44, 1], &[13, 0xff], &[12, 1, 5], &time(8), &[12, 0], &[2, 1]];
    let wanted = [enter(7, 2), leave(7, 0), enter(7, 0), enter(8, 1)];
    for behind in 0..40 {
        let padding = vec![0; behind];
        let mut padded = records.to_vec();
        padded.push(&padding);
        let (rows, end) = decode(&padded);
        assert_eq!(rows, wanted, "{behind}");
        assert_eq!((end.events, end.undefined, end.damage), (4, 2, None));
    }
}

#[test]
fn attributes_and_unknown_records_are_skipped() {
    let long = [&[200, 0xff, 3, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3][..], &[12, 0]].concat();
    let (rows, end) = decode(&[&time(7), &[6, 3, 9, 9, 9], &[12, 0], &[89, 2, 12, 0], &long, &[2, 1]]);
    assert_eq!(rows, [enter(7, 1), enter(7, 1)]);
    assert_eq!((end.events, end.skipped), (2, 2));
}

#[test]
fn big_endian_chunks_are_read() {
    let mut bytes = head(true);
    bytes.extend([5, 0, 0, 0, 0, 0, 0, 1, 2, 12, 2, 1, 44, 5, 0, 0, 0, 0, 0, 0, 1, 3, 13, 0, 2, 1]);
    let (rows, end) = decode_with(&bytes, None);
    assert_eq!(rows, [enter(0x102, 2), leave(0x103, 1)]);
    assert_eq!(end.damage, None);
}

#[test]
fn clocks_are_corrected() {
    let correction = ClockCorrection::from_offsets(vec![(0, 10), (100, 20)]);
    let mut bytes = head(false);
    bytes.extend([&time(50)[..], &[12, 0], &[10, 8, 100, 0, 0, 0, 0, 0, 0, 0], &[2, 1]].concat());
    let (rows, _) = decode_with(&bytes, correction);
    assert_eq!(rows[0], enter(65, 1));
    assert_eq!(rows[1], (65, EventKind::BufferFlush, Event::BufferFlush { until: 120 }));
}

#[test]
fn damage_says_where_and_keeps_what_was_before() {
    let (rows, end) = decode(&[&time(7), &[12, 0], &[14, 200, 1]]);
    assert_eq!(rows, [enter(7, 1)]);
    assert_eq!(end.damage.unwrap().0, Place::Byte(18 + 9 + 2));
    let (rows, end) = decode(&[&time(7), &[12, 0]]);
    assert_eq!(rows, [enter(7, 1)]);
    assert!(end.damage.unwrap().1.contains("without a mark"));
    let (rows, end) = decode(&[&time(7)[..5]]);
    assert!(rows.is_empty() && end.damage.is_some());
}

#[test]
fn objects_of_a_call_follow_its_enter_and_are_not_counted() {
    let list = [6, 7, 1, 1, 1, 4, 4, 1, 9];
    let (rows, end) = decode(&[&time(7), &list, &[12, 0], &time(9), &[13, 0], &[2, 1]]);
    let object = Event::Object { kind: ObjectKind::Lock, address: 9 };
    assert_eq!(rows, [enter(7, 1), (7, EventKind::Attribute, object), leave(9, 1)]);
    assert_eq!(end, ChunkSummary { events: 2, ..ChunkSummary::default() });
}

#[test]
fn attributes_of_other_events_are_ignored() {
    let list = [6, 7, 1, 1, 1, 4, 4, 1, 9];
    let (rows, end) = decode(&[&time(7), &[12, 0], &list, &[13, 0], &list, &list, &[2, 1]]);
    assert_eq!(rows, [enter(7, 1), leave(7, 1)]);
    assert_eq!(end, ChunkSummary { events: 2, ..ChunkSummary::default() });
    let (rows, end) = decode(&[&time(7), &[12, 0], &list]);
    assert_eq!((rows.len(), end.damage.is_some()), (1, true), "a list at the very end");
}
