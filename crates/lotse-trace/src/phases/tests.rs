//! Generated runs whose phases are known, and cuts that lose nothing.

use std::collections::BTreeMap;

use lotse_model::rule::Thresholds;
use lotse_model::trace::{Event, EventKind};
use lotse_model::work::Sequential;
use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};

use super::{Options, Phase, Threshold, cut, phases};
use crate::fixture::Script;
use crate::store::{NO_CALL, Trace};
use crate::waits::{Waits, search};

mod waits;

/// Four ranks: read for 2000 ms, step and exchange for 5000 ms, compute alone for 3000 ms.
fn three_phases() -> Trace {
    let mut script = Script::processes(4);
    for rank in 0..4 {
        script.enter(rank, 0, "main").call(rank, 0, 2000, "MPI_File_read");
        for round in 0..100 {
            let at = 2000 + round * 50;
            script.call(rank, at, at + 25, "step").barrier(rank, at + 25, at + 50);
        }
        script.call(rank, 7000, 10_000, "write_report").leave(rank, 10_000, "main");
    }
    script.trace()
}

fn waits(trace: &Trace) -> Waits {
    search(trace, &Thresholds::default(), &Sequential)
}

#[test]
fn three_phases_are_found_where_they_are() {
    let trace = three_phases();
    let found = phases(&trace, &waits(&trace), Options::default(), &Sequential);
    let spans: Vec<(u64, u64)> = found.iter().map(|it| (it.begin_tick, it.end_tick)).collect();
    assert_eq!(spans.len(), 3, "{found:#?}");
    assert!(spans[0].1.abs_diff(2000) <= 50 && spans[1].1.abs_diff(7000) <= 50, "{spans:?}");
    assert_eq!((found[0].begin_tick, found[2].end_tick), (0, 10_000));
    assert_eq!(found[0].dominant_callpath, "main/MPI_File_read");
    assert_eq!(found[2].dominant_callpath, "main/write_report");
    assert_eq!((found[0].dominant_class, found[2].dominant_class), ("io", "computation"));
    assert!((found.iter().map(|it| it.share).sum::<f64>() - 1.0).abs() < 1e-12);
    assert_eq!(found[0].change, None);
    assert!(found[1].changed_metric.is_some());
}

#[test]
fn a_higher_threshold_gives_fewer_phases() {
    let trace = three_phases();
    let count = |threshold| {
        let options = Options { threshold, ..Options::default() };
        phases(&trace, &waits(&trace), options, &Sequential).len()
    };
    assert_eq!(count(Threshold::Absolute(1e9)), 1);
    assert!(count(Threshold::Relative(1.0)) == 2);
    assert!(count(Threshold::Relative(0.2)) >= count(Threshold::Relative(0.9)));
}

#[test]
fn a_run_without_change_or_without_events_is_one_phase() {
    let mut script = Script::processes(2);
    script.call(0, 0, 1000, "main").call(1, 0, 1000, "main");
    for trace in [script.trace(), Script::processes(2).trace(), Script::processes(0).trace()] {
        assert_eq!(phases(&trace, &waits(&trace), Options::default(), &Sequential).len(), 1);
    }
}

/// Six iterations that are long enough to be detected one by one: computing, then waiting.
#[test]
fn iterations_of_a_loop_are_no_phases() {
    let mut script = Script::processes(2);
    for rank in 0..2 {
        script.enter(rank, 0, "main").call(rank, 0, 400, "MPI_Bcast");
        for turn in 0..6 {
            let at = 400 + turn * 400;
            script.enter(rank, at, "step").call(rank, at, at + 200, "compute");
            script.barrier(rank, at + 200, at + 400).leave(rank, at + 400, "step");
        }
        script.call(rank, 2800, 3100, "MPI_Reduce").leave(rank, 3100, "main");
    }
    let trace = script.trace();
    let found = phases(&trace, &waits(&trace), Options::default(), &Sequential);
    let spans: Vec<(u64, u64)> = found.iter().map(|it| (it.begin_tick, it.end_tick)).collect();
    assert_eq!(spans, [(0, 400), (400, 2800), (2800, 3100)]);
}

/// Ranks that work in steps of different lengths, given by noise, and synchronise after each step.
fn noisy(ranks: u32, noise: &[u64], change: Option<usize>) -> Trace {
    let mut script = Script::processes(ranks);
    let mut at = vec![0; ranks as usize];
    let steps = noise.len() / ranks as usize;
    for rank in 0..ranks as usize {
        script.enter(rank, 0, "main");
    }
    for step in 0..steps {
        let work = if change.is_some_and(|it| step >= it) { "other" } else { "step" };
        for (rank, at) in at.iter_mut().enumerate() {
            let time = 100 + noise[step * ranks as usize + rank];
            script.call(rank, *at, *at + time, work);
            *at += time;
        }
        let last = at.iter().copied().max().unwrap_or(0) + 5;
        for (rank, at) in at.iter_mut().enumerate() {
            script.barrier(rank, *at, last);
            *at = last;
        }
    }
    for (rank, at) in at.into_iter().enumerate() {
        script.leave(rank, at, "main");
    }
    script.trace()
}

proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(24))]

    /// However much the steps of a run differ by chance, it is one phase; a change of behaviour makes two.
    #[test]
    fn a_uniform_run_is_one_phase(noise in prop::collection::vec(0_u64..100, 400..1600), ranks in 2_u32..5) {
        let count = |trace: &Trace| phases(trace, &waits(trace), Options::default(), &Sequential).len();
        prop_assert_eq!(count(&noisy(ranks, &noise, None)), 1);
        let half = noise.len() / ranks as usize / 2;
        prop_assert_eq!(count(&noisy(ranks, &noise, Some(half))), 2);
    }
}

/// By location and call path: visits and time.
fn sums(traces: &[Trace]) -> BTreeMap<(usize, u32), (u64, u64)> {
    let mut sums: BTreeMap<(usize, u32), (u64, u64)> = BTreeMap::new();
    for (location, uses) in traces.iter().flat_map(|trace| trace.uses.iter().enumerate()) {
        for used in uses {
            let sum = sums.entry((location, used.path.0)).or_default();
            *sum = (sum.0 + used.visits, sum.1 + used.exclusive);
        }
    }
    sums.retain(|_, sum| *sum != (0, 0));
    sums
}

fn cuts(trace: &Trace, edges: &[u64]) -> Vec<Trace> {
    edges.windows(2).map(|it| cut(trace, Phase { begin: it[0], end: it[1] }, &Sequential)).collect()
}

fn counted(traces: &[Trace]) -> (usize, u64, u64) {
    let ops = traces.iter().flat_map(|it| &it.timelines).map(|it| it.ops.len()).sum();
    let sum = |of: fn(&Trace) -> u64| traces.iter().map(of).sum::<u64>();
    let unmatched = |it: &Trace| it.links.unmatched_sends + it.links.unmatched_recvs;
    (ops, sum(|it| it.links.messages), sum(unmatched))
}

#[test]
fn the_phases_sum_to_the_whole_run_for_any_borders() {
    let whole = three_phases();
    for edges in
        [vec![0, 2000, 7000, 10_000], vec![0, 1, 2037, 2050, 6999, 7000, 9999, 10_000], vec![0, 10_000]]
    {
        let parts = cuts(&whole, &edges);
        assert_eq!(sums(&parts), sums(std::slice::from_ref(&whole)), "{edges:?}");
        assert_eq!(counted(&parts), counted(std::slice::from_ref(&whole)), "{edges:?}");
        for part in &parts {
            check_calls(part);
        }
    }
}

/// Calls lie within their location, their steps are of their paths, their records between enter and exit.
fn check_calls(trace: &Trace) {
    for timeline in &trace.timelines {
        assert!(timeline.at.is_sorted());
        for call in 0..timeline.calls.len() as u32 {
            let (enter, exit) = (timeline.enter(call), timeline.exit(call));
            assert!(timeline.first <= enter && enter <= exit && exit <= timeline.last);
            assert!(timeline.ops_of(call).all(|(_, op)| enter <= op.at && op.at <= exit));
            assert_ne!(trace.class_of(timeline.call_path(call)).id(), "computation");
        }
        let known = |call: u32| call == NO_CALL || (call as usize) < timeline.calls.len();
        assert!(timeline.ops.iter().all(|op| known(op.call)));
    }
}

#[test]
fn waits_of_a_phase_are_those_of_its_calls() {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").send(0, 300, 310, 1, 0).send(0, 900, 910, 1, 0).leave(0, 1000, "main");
    script.enter(1, 0, "main").recv(1, 100, 310, 0, 0).recv(1, 600, 950, 0, 0).leave(1, 1000, "main");
    let whole = script.trace();
    let late = |trace: &Trace| {
        waits(trace)
            .cube
            .iter()
            .filter(|row| row.metric.id == "late_sender")
            .map(|row| row.ticks)
            .sum::<u64>()
    };
    let late: Vec<u64> = cuts(&whole, &[0, 500, 1000]).iter().map(late).chain([late(&whole)]).collect();
    assert_eq!(late, [200, 300, 500]);
}

/// The first message crosses the border: the second is still matched with its own receive.
#[test]
fn a_message_across_the_border_does_not_shift_the_others() {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").send(0, 300, 310, 1, 0).send(0, 900, 910, 1, 0).leave(0, 1000, "main");
    script.enter(1, 0, "main").recv(1, 600, 610, 0, 0).recv(1, 700, 950, 0, 0).leave(1, 1000, "main");
    let parts = cuts(&script.trace(), &[0, 500, 1000]);
    let messages: Vec<u64> = parts.iter().map(|it| it.links.messages).collect();
    assert_eq!(messages, [0, 1]);
    assert_eq!(parts[1].links.unmatched_recvs, 0);
    assert_eq!(waits(&parts[1]).cube.iter().map(|row| row.ticks).max(), Some(200));
}

#[test]
fn a_location_that_ends_early_or_begins_late_has_no_events_elsewhere() {
    let mut script = Script::processes(2);
    script.call(0, 0, 400, "early").call(1, 600, 1000, "late");
    let parts = cuts(&script.trace(), &[0, 500, 1000]);
    assert!(parts[0].timelines[1].at.is_empty() && parts[1].timelines[0].at.is_empty());
    assert_eq!(sums(&parts), sums(&[script.trace()]));
}

/// Random nests of calls: each number enters a region, leaves one, or lets time pass.
fn random_trace(moves: &[Vec<u8>]) -> Trace {
    const NAMES: [&str; 4] = ["main", "solve", "MPI_Barrier", "MPI_Wait"];
    let mut script = Script::processes(moves.len() as u32);
    for (rank, moves) in moves.iter().enumerate() {
        let (mut at, mut open) = (rank as u64, Vec::new());
        for &number in moves {
            at += u64::from(number / 16);
            match (number % 8, open.last()) {
                (0..4, _) => {
                    let name = NAMES[usize::from(number % 4)];
                    script.enter(rank, at, name);
                    open.push(name);
                }
                (4, _) => {
                    let event = Event::IoComplete { bytes: 1 };
                    script.event(rank, at, EventKind::IoOperationComplete, event);
                }
                (_, Some(&name)) => {
                    script.leave(rank, at, name);
                    open.pop();
                }
                _ => {}
            }
        }
    }
    script.trace()
}

proptest! {
    #[test]
    fn nothing_is_lost_or_doubled_by_cutting(
        moves in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 1..4),
        cuts_at in prop::collection::vec(0_u64..500, 0..5),
    ) {
        let whole = random_trace(&moves);
        let span = Phase::whole_run(&whole);
        let mut edges = vec![span.begin, span.end];
        edges.extend(cuts_at.into_iter().filter(|at| (span.begin + 1..span.end).contains(at)));
        edges.sort_unstable();
        edges.dedup();
        if edges.len() == 1 {
            edges.push(span.end);
        }
        let parts = cuts(&whole, &edges);
        parts.iter().for_each(check_times);
        prop_assert_eq!(counted(&parts), counted(std::slice::from_ref(&whole)));
        prop_assert_eq!(sums(&parts), sums(&[whole]));
    }

    #[test]
    fn phases_are_disjoint_and_cover_the_run(
        moves in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 1..4),
        steps in 1_usize..200,
        window in 0_usize..30,
    ) {
        let trace = random_trace(&moves);
        let options = Options { steps, window, threshold: Threshold::Absolute(0.0) };
        let found = phases(&trace, &waits(&trace), options, &Sequential);
        let edges: Vec<u64> = found.iter().flat_map(|it| [it.begin_tick, it.end_tick]).collect();
        prop_assert_eq!((edges.first(), edges.last()), (Some(&trace.first_tick()), Some(&trace.last_tick())));
        prop_assert!(edges.is_sorted());
        prop_assert!(edges[1..edges.len() - 1].chunks(2).all(|pair| pair[0] == pair[1]));
    }
}

/// Checks calls as above, and that exclusive times sum to the span of each location.
fn check_times(trace: &Trace) {
    check_calls(trace);
    for (timeline, uses) in trace.timelines.iter().zip(&trace.uses) {
        assert_eq!(uses.iter().map(|used| used.exclusive).sum::<u64>(), timeline.last - timeline.first);
    }
}

/// Origin 0 starts at 100, target 1 posts at 160: late by 60; each phase has such an epoch.
#[test]
fn epochs_of_one_sided_communication_are_found_in_their_phase() {
    let mut script = Script::processes(2);
    for begin in [0, 1000] {
        script.epoch(0, (begin + 100, begin + 170), "MPI_Win_start", &[1]).put(
            0,
            (begin + 170, begin + 175),
            1,
        );
        script.epoch(0, (begin + 180, begin + 190), "MPI_Win_complete", &[1]);
        script.epoch(1, (begin + 160, begin + 165), "MPI_Win_post", &[0]);
        script.epoch(1, (begin + 166, begin + 200), "MPI_Win_wait", &[0]);
    }
    let whole = script.trace();
    let late = |trace: &Trace| {
        waits(trace)
            .cube
            .iter()
            .filter(|row| row.metric.id == "rma_late_post")
            .map(|row| row.ticks)
            .sum::<u64>()
    };
    assert_eq!(late(&whole), 120);
    let parts = cuts(&whole, &[100, 600, 1200]);
    assert_eq!(parts.iter().map(late).collect::<Vec<_>>(), [60, 60]);
}
