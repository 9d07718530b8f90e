//! Rows of a window, compared with sums over the whole run and with all waits.

use std::collections::BTreeMap;

use lotse_model::id::{LocationId, RegionId};
use lotse_model::trace::{Event, Ticks};

use super::read;
use crate::critical::critical_path;
use crate::fixture::Script;
use crate::inspect::{path_intervals, wait_for_message, waits_within};
use crate::store::{OpRef, Paths, Trace};

/// The intervals add up to the time by call path that the analysis reports, and lie one after the other.
#[test]
fn intervals_of_the_critical_path_add_up() {
    let (trace, waits, _) = read(&Script::ring(30));
    let path = critical_path(&trace, &waits);
    let (first, last) = (trace.first_tick(), trace.last_tick());
    let all = path_intervals(&trace, &path, (first, last), usize::MAX);
    assert!(all.are_longest && all.count == all.rows.len());
    assert!(all.rows.windows(2).all(|two| two[0].to <= two[1].from && two[0].from < two[0].to));
    let mut sums: BTreeMap<(Option<RegionId>, LocationId), Ticks> = BTreeMap::new();
    for row in &all.rows {
        *sums.entry((row.region, row.location)).or_insert(0) += row.to - row.from;
    }
    let mut expected: BTreeMap<(Option<RegionId>, LocationId), Ticks> = BTreeMap::new();
    for row in path.rows.iter().filter(|row| row.ticks > 0) {
        let region = (row.path != Paths::ROOT).then(|| trace.paths.region(row.path));
        *expected.entry((region, row.location)).or_insert(0) += row.ticks;
    }
    assert_eq!(sums, expected);
    let (from, to) = (first + 5003, first + 9001);
    let part = path_intervals(&trace, &path, (from, to), 7);
    assert_eq!(part.rows.len(), 7);
    let inside = all.rows.iter().filter(|row| row.to > from && row.from < to);
    let mut lengths: Vec<Ticks> = inside.map(|row| row.to.min(to) - row.from.max(from)).collect();
    assert_eq!(part.count, lengths.len());
    lengths.sort_unstable_by_key(|length| std::cmp::Reverse(*length));
    let mut shown: Vec<Ticks> = part.rows.iter().map(|row| row.to - row.from).collect();
    shown.sort_unstable_by_key(|length| std::cmp::Reverse(*length));
    assert_eq!(shown, lengths[..7]);
}

#[test]
fn waits_of_a_window_are_the_longest() {
    let (trace, waits, index) = read(&Script::ring(30));
    let window = (trace.first_tick() + 5003, trace.first_tick() + 19_001);
    let found = waits_within(&waits, index.locations(), window, 5);
    let all = waits.by_location.iter().flatten();
    let inside = all.filter(|it| it.metric.is_some() && !it.is_overlapped);
    let mut inside: Vec<_> = inside.filter(|it| it.end > window.0 && it.begin < window.1).collect();
    assert_eq!((found.count, found.rows.len()), (inside.len(), 5));
    inside.sort_by_key(|wait| std::cmp::Reverse(wait.ticks()));
    assert!(found.rows.iter().all(|wait| wait.ticks() >= inside[4].ticks()));
    assert!(found.rows.windows(2).all(|two| two[0].begin <= two[1].begin));
    let of_one = waits_within(&waits, &[LocationId(2)], window, usize::MAX);
    assert!(of_one.rows.iter().all(|wait| wait.call.location == LocationId(2)));
}

/// The sends of a location.
fn sends(trace: &Trace, location: LocationId) -> Vec<OpRef> {
    let ops = trace.timeline(location).ops.iter().zip(0..);
    let sends = ops.filter(|(op, _)| matches!(op.shape(), Event::MpiSend { .. }));
    sends.map(|(_, op)| OpRef { location, op }).collect()
}

#[test]
fn a_message_has_the_wait_of_the_end_that_was_early() {
    let mut script = Script::processes(2);
    // The first message is late, the second in time, the third is received late.
    script.enter(0, 0, "main").send(0, 700, 705, 1, 0).send(0, 800, 805, 1, 0).send(0, 1000, 1500, 1, 0);
    script.leave(0, 2000, "main");
    script.enter(1, 0, "main").recv(1, 300, 720, 0, 0).recv(1, 900, 905, 0, 0).recv(1, 1400, 1510, 0, 0);
    script.leave(1, 2000, "main");
    let (trace, waits, _) = read(&script);
    let found: Vec<_> = sends(&trace, LocationId(0))
        .into_iter()
        .map(|send| wait_for_message(&trace, &waits, send).map(|it| (it.metric.unwrap().id, it.ticks())))
        .collect();
    assert_eq!(found, [Some(("late_sender", 400)), None, Some(("late_receiver", 400))]);
}
