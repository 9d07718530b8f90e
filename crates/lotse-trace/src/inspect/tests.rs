//! Answers about places of a run, compared with all its events.

use std::collections::BTreeMap;

use lotse_model::id::{LocationId, RegionId};
use lotse_model::progress::check_interruptions;
use lotse_model::rule::Thresholds;
use lotse_model::trace::Ticks;
use lotse_model::work::Sequential;

use super::{FoundWait, WaitQuery, find_wait, moment, region_times, wait_times};
use crate::chart::ChartIndex;
use crate::fixture::Script;
use crate::store::{Paths, Trace};
use crate::waits::{Wait, Waits};

mod window;

fn read(script: &Script) -> (Trace, Waits, ChartIndex) {
    let trace = script.trace();
    let waits = crate::waits::search(&trace, &Thresholds::default(), &Sequential);
    let index = ChartIndex::new(&trace, &waits, &Sequential);
    (trace, waits, index)
}

/// The open calls at a time: every enter pushes and every leave pops.
fn replayed(trace: &Trace, location: LocationId, at: Ticks) -> Vec<(RegionId, Ticks)> {
    let timeline = trace.timeline(location);
    let mut stack = Vec::new();
    let mut before = 0;
    for (&time, &path) in timeline.at.iter().zip(&timeline.path).take_while(|(time, _)| **time <= at) {
        let depth = trace.paths.depth(path);
        match depth > before {
            true => stack.push((trace.paths.region(path), time)),
            false => drop(stack.pop()),
        }
        before = depth;
    }
    stack
}

#[test]
fn the_call_stack_is_that_of_a_replay() {
    let (trace, waits, index) = read(&Script::ring(300));
    for location in trace.locations() {
        for at in (0..trace.runtime() + 2000).step_by(997) {
            let now = moment((&trace, &waits), &index, location, at);
            let stack: Vec<_> =
                now.stack.iter().map(|call| (trace.paths.region(call.path), call.entered)).collect();
            assert_eq!(stack, replayed(&trace, location, at), "{location:?} at {at}");
            assert!(
                now.stack.iter().all(|call| call.entered <= at && call.left.is_some_and(|left| left > at))
            );
            assert!(
                now.before.is_none_or(|event| event.at <= at) && now.after.is_none_or(|event| event.at > at)
            );
        }
    }
}

#[test]
fn events_of_a_late_sender_are_exact() {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").call(0, 0, 700, "work").send(0, 700, 705, 1, 0).leave(0, 800, "main");
    script.enter(1, 0, "main").call(1, 0, 300, "work").recv(1, 300, 720, 0, 0).leave(1, 1000, "main");
    let (trace, waits, index) = read(&script);
    let now = moment((&trace, &waits), &index, LocationId(1), 400);
    let names: Vec<_> = now
        .stack
        .iter()
        .map(|it| (trace.region_name(trace.paths.region(it.path)), it.entered, it.left))
        .collect();
    assert_eq!(names, [("main", 0, Some(1000)), ("MPI_Recv", 300, Some(720))]);
    let [receive] = now.messages[..] else { panic!("{:?}", now.messages) };
    let (partner, sent) = receive.partner.unwrap();
    assert!(!receive.is_send && receive.at <= 720 && partner == LocationId(0) && (700..=705).contains(&sent));
    let [wait] = now.waits[..] else { panic!("{:?}", now.waits) };
    assert_eq!((wait.begin, wait.metric.unwrap().id), (300, "late_sender"));
    let event = now.after.unwrap();
    assert_eq!((event.at, trace.region_name(event.region), event.is_enter), (720, "MPI_Recv", false));
    let end = moment((&trace, &waits), &index, LocationId(0), 900);
    assert!(end.stack.is_empty() && end.after.is_none() && end.before.unwrap().at == 800);
}

/// The whole run has the times by call path that loading the trace summed; windows that divide it add up to it.
#[test]
fn times_by_region_are_those_of_all_call_paths() {
    let (trace, _, index) = read(&Script::ring(300));
    let locations: Vec<LocationId> = trace.locations().collect();
    let mut used: BTreeMap<Option<RegionId>, Ticks> = BTreeMap::new();
    for used_path in trace.uses.iter().flatten().filter(|it| it.exclusive > 0) {
        let region = (used_path.path != Paths::ROOT).then(|| trace.paths.region(used_path.path));
        *used.entry(region).or_insert(0) += used_path.exclusive;
    }
    let sums = |from, to| -> BTreeMap<Option<RegionId>, Ticks> {
        let times = region_times(&trace, &index, &locations, (from, to));
        let recorded: Ticks = times.recorded.iter().map(|it| it.1).sum();
        assert_eq!(times.rows.iter().map(|row| row.ticks).sum::<Ticks>(), recorded, "{from} to {to}");
        times.rows.into_iter().map(|row| (row.what, row.ticks)).collect()
    };
    let (first, last) = (trace.first_tick(), trace.last_tick());
    assert_eq!(sums(first, last), used);
    let mut joined: BTreeMap<Option<RegionId>, Ticks> = BTreeMap::new();
    let borders = [first, 7, 1234, 100_000, 345_678, last];
    for pair in borders.windows(2) {
        for (region, ticks) in sums(pair[0], pair[1]) {
            *joined.entry(region).or_insert(0) += ticks;
        }
    }
    assert_eq!(joined, used);
}

/// Kinds of waiting: the whole run has the sums of the analysis, and what is known of its parts adds up to them.
#[test]
fn times_by_kind_of_waiting_are_those_of_the_analysis() {
    let (trace, waits, _) = read(&Script::ring(300));
    let locations: Vec<LocationId> = trace.locations().collect();
    let (first, last) = (trace.first_tick(), trace.last_tick());
    let whole = wait_times((&trace, &waits), &locations, (first, last));
    assert!(!whole.rows.is_empty() && whole.unknown.is_empty());
    for row in &whole.rows {
        assert_eq!(row.ticks, waits.total(row.what), "{}", row.what.id);
    }
    let middle = last / 3;
    let parts = [(first, middle), (middle, last)].map(|part| wait_times((&trace, &waits), &locations, part));
    for row in &whole.rows {
        let of = |part: usize| {
            let rows = &parts[part].rows;
            rows.iter().find(|it| it.what == row.what).map_or(0, |it| it.ticks)
        };
        let is_unknown = parts.iter().any(|part| part.unknown.contains(&row.what));
        assert!(is_unknown || of(0) + of(1) == row.ticks, "{}", row.what.id);
        assert!(!is_unknown || of(0) + of(1) == 0, "{}", row.what.id);
    }
}

#[test]
fn jumping_visits_all_waits_in_the_order_of_time() {
    let (trace, waits, _) = read(&Script::ring(50));
    let place = |wait: &Wait| (wait.begin, wait.call.location, wait.end);
    let mut expected: Vec<_> = waits
        .by_location
        .iter()
        .flatten()
        .filter(|wait| wait.metric.is_some() && !wait.is_overlapped)
        .map(place)
        .collect();
    expected.sort_unstable();
    expected.dedup();
    let walk = |backward: bool, location: Option<LocationId>| {
        let start = if backward { (Ticks::MAX, LocationId(u32::MAX), 0) } else { (0, LocationId(0), 0) };
        let mut query = WaitQuery { from: start, backward, location, metric: None, least: 0 };
        let mut found = Vec::new();
        while let Some(FoundWait { wait, before, count }) = find_wait(&waits, &query) {
            assert!(before < count);
            found.push(place(&wait));
            query.from = place(&wait);
        }
        found
    };
    assert!(expected.len() > 20);
    assert_eq!(walk(false, None), expected);
    let back: Vec<_> = walk(true, None).into_iter().rev().collect();
    assert_eq!(back, expected);
    let own: Vec<_> = expected.iter().copied().filter(|it| it.1 == LocationId(2)).collect();
    assert_eq!(walk(false, Some(LocationId(2))), own);
    let longest = waits.by_location.iter().flatten().map(Wait::ticks).max().unwrap();
    let query = WaitQuery {
        from: (0, LocationId(0), 0),
        backward: false,
        location: None,
        metric: None,
        least: longest + 1,
    };
    assert_eq!(find_wait(&waits, &query), None);
    assert_eq!(find_wait(&waits, &WaitQuery { metric: Some("no such metric"), least: 0, ..query }), None);
    drop(trace);
}

#[test]
fn answers_that_nobody_waits_for_end_early() {
    let (trace, waits, index) = read(&Script::ring(300));
    let locations: Vec<LocationId> = trace.locations().collect();
    let window = (100, trace.last_tick() / 2);
    check_interruptions("regions", || region_times(&trace, &index, &locations, window));
    check_interruptions("waits", || wait_times((&trace, &waits), &locations, window));
    check_interruptions("moment", || moment((&trace, &waits), &index, LocationId(1), window.1));
    let query =
        WaitQuery { from: (0, LocationId(0), 0), backward: false, location: None, metric: None, least: 0 };
    check_interruptions("next wait", || find_wait(&waits, &query));
}
