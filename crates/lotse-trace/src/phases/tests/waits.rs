//! The waits of all phases together are those of the whole run, for any borders.

use std::collections::BTreeMap;

use lotse_model::id::{LocationId, PathId};
use lotse_model::rule::Thresholds;
use lotse_model::trace::CollectiveOp;
use lotse_model::work::Sequential;
use proptest::prelude::{Strategy, any, prop, prop_assert, prop_assert_eq, proptest};

use super::waits;
use crate::analyze::{self, Clocks, analyze};
use crate::critical::critical_path;
use crate::fixture::Script;
use crate::phases::{Phase, cut_with_waits};
use crate::retime::{Change, Factor, Graph};
use crate::store::Trace;
use crate::waits::{Wait, Waits};

const RANKS: usize = 3;

/// The next activity of all ranks. Times are by rank.
#[derive(Debug, Clone)]
enum Round {
    Compute(Vec<u64>),
    Meet(usize, u32),
    /// A non-blocking collective: posted, some work, completed.
    Post(Vec<u64>),
    /// Each sends to the next and receives from the one before, after other messages of theirs were sent.
    Ring(bool),
    /// The first sends to the second in a call that lasts until the receive is posted.
    Synchronous,
    Read(Vec<u64>),
}

fn rounds() -> impl Strategy<Value = Vec<Round>> {
    let times = || prop::collection::vec(0_u64..40, RANKS);
    let round =
        (0_usize..8, times(), 0_u32..3, any::<bool>()).prop_map(|(kind, times, root, swapped)| match kind {
            0 | 1 => Round::Compute(times),
            2 | 3 => Round::Meet(times[0] as usize % MEETINGS.len(), root),
            4 => Round::Post(times),
            5 => Round::Ring(swapped),
            6 => Round::Synchronous,
            _ => Round::Read(times),
        });
    prop::collection::vec(round, 1..14)
}

const MEETINGS: [(&str, CollectiveOp); 5] = [
    ("MPI_Barrier", CollectiveOp::Barrier),
    ("MPI_Allreduce", CollectiveOp::Allreduce),
    ("MPI_Bcast", CollectiveOp::Bcast),
    ("MPI_Reduce", CollectiveOp::Reduce),
    ("MPI_Scan", CollectiveOp::Scan),
];

/// Simulates the rounds; every call ends two ticks after everything that it depends on.
fn simulated(rounds: &[Round]) -> Trace {
    let mut script = Script::processes(RANKS as u32);
    let mut clock = [0_u64; RANKS];
    (0..RANKS).for_each(|rank| {
        script.enter(rank, 0, "main");
    });
    for round in rounds {
        simulate(&mut script, &mut clock, round);
    }
    (0..RANKS).for_each(|rank| {
        script.leave(rank, clock[rank], "main");
    });
    script.trace()
}

fn simulate(script: &mut Script, clock: &mut [u64; RANKS], round: &Round) {
    let came = *clock;
    match round {
        Round::Compute(times) | Round::Read(times) => {
            let name = if matches!(round, Round::Compute(_)) { "work" } else { "MPI_File_read" };
            for rank in 0..RANKS {
                clock[rank] += times[rank];
                script.call(rank, came[rank], clock[rank], name);
            }
        }
        Round::Meet(which, root) => {
            let (name, op) = MEETINGS[*which];
            for rank in 0..RANKS {
                let needed = |other: usize| match op {
                    CollectiveOp::Bcast => other == *root as usize,
                    CollectiveOp::Reduce => rank == *root as usize,
                    CollectiveOp::Scan => other <= rank,
                    _ => true,
                };
                let last = (0..RANKS).filter(|&it| needed(it) || it == rank).map(|it| came[it]).max();
                clock[rank] = last.unwrap_or(0) + 2 + rank as u64 % 2;
                let root = matches!(op, CollectiveOp::Bcast | CollectiveOp::Reduce).then_some(*root);
                script.collective(rank, (came[rank], clock[rank]), name, op, root);
            }
        }
        Round::Post(times) => {
            let last = came.iter().max().copied().unwrap_or(0);
            for rank in 0..RANKS {
                let waits_from = came[rank] + times[rank];
                clock[rank] = waits_from.max(last) + 2;
                let times = (came[rank], waits_from, clock[rank]);
                script.posted_collective(rank, times, "MPI_Ibarrier", CollectiveOp::Barrier, None);
            }
        }
        Round::Ring(swapped) => ring(script, clock, *swapped),
        Round::Synchronous => {
            let met = came[0].max(came[1]);
            script.send(0, came[0], met + 1, 1, 9).recv(1, came[1], met + 2, 0, 9);
            (clock[0], clock[1]) = (met + 1, met + 2);
        }
    }
}

/// Two messages to the next rank; swapped, the later one is received first.
fn ring(script: &mut Script, clock: &mut [u64; RANKS], swapped: bool) {
    let sent: Vec<[u64; 2]> = clock.iter().map(|at| [*at, at + 10]).collect();
    for rank in 0..RANKS {
        let (next, before) = ((rank + 1) % RANKS, (rank + RANKS - 1) % RANKS);
        for tag in [0, 1] {
            let at = sent[rank][tag];
            script.send(rank, at, at + 1, next as u32, tag as u32);
        }
        let mut now = sent[rank][1] + 1;
        for tag in if swapped { [1, 0] } else { [0, 1] } {
            let over = now.max(sent[before][tag]) + 2;
            script.recv(rank, now, over, before as u32, tag as u32);
            now = over;
        }
        clock[rank] = now;
    }
}

fn parts(trace: &Trace, cuts: &[u64]) -> Vec<(Trace, Waits)> {
    let span = Phase::whole_run(trace);
    let inner = cuts.iter().copied().filter(|at| (span.begin + 1..span.end).contains(at));
    let mut edges: Vec<u64> = inner.chain([span.begin, span.end]).collect();
    edges.sort_unstable();
    edges.dedup();
    let phase = |pair: &[u64]| Phase { begin: pair[0], end: pair[1] };
    let cut = |pair| cut_with_waits(trace, phase(pair), &Thresholds::default(), &Sequential);
    edges.windows(2).map(cut).collect()
}

type Sums = BTreeMap<(&'static str, PathId, LocationId), u64>;

/// Times by metric, call path and location; without shares of a span, which are computed anew for each phase.
fn sums<'a>(waits: impl IntoIterator<Item = &'a Waits>) -> Sums {
    let mut sums = Sums::new();
    for row in waits.into_iter().flat_map(|waits| &waits.cube) {
        if row.ticks > 0 && !["io_share", "frequent_calls"].contains(&row.metric.id) {
            *sums.entry((row.metric.id, row.path, row.location)).or_default() += row.ticks;
        }
    }
    sums
}

/// Waits lie within their calls, and critical path and graph agree with the length of the phase.
fn check(part: &Trace, waits: &Waits) {
    for wait in waits.by_location.iter().flatten() {
        assert!(part.enter(wait.call) <= wait.begin && wait.end <= part.exit(wait.call), "{wait:?}");
        assert!(wait.begin < wait.end);
    }
    let path = critical_path(part, waits);
    assert_eq!(path.rows.iter().map(|row| row.ticks).sum::<u64>(), path.length);
    assert!(path.length <= part.runtime());
    let graph = Graph::new(part, waits);
    let outcome = &graph.run(part, &[Change::none()])[0];
    assert_eq!((outcome.length, outcome.cut), (part.runtime(), 0));
}

proptest! {
    #[test]
    fn the_waits_of_all_phases_are_those_of_the_whole(
        rounds in rounds(),
        cuts in prop::collection::vec(0_u64..400, 0..6),
    ) {
        let whole = simulated(&rounds);
        let parts = parts(&whole, &cuts);
        let of_whole = waits(&whole);
        prop_assert_eq!(sums(parts.iter().map(|part| &part.1)), sums([&of_whole]));
        for (part, waits) in &parts {
            check(part, waits);
        }
        let ticks: u64 = parts.iter().map(|(part, _)| part.runtime()).sum();
        prop_assert_eq!(ticks, whole.runtime());
        let kinds = |traces: &[&Trace]| {
            let seen = traces.iter().flat_map(|it| &it.timelines).flat_map(|it| it.kinds.seen());
            seen.fold(BTreeMap::new(), |mut sums: BTreeMap<&str, u64>, (kind, count)| {
                *sums.entry(kind.name()).or_default() += count;
                sums
            })
        };
        let of_parts: Vec<&Trace> = parts.iter().map(|part| &part.0).collect();
        prop_assert_eq!(kinds(&of_parts), kinds(&[&whole]));
        prop_assert!(parts.iter().all(|(_, waits)| waits.of_phase.is_some()));
    }
}

proptest! {
    #[test]
    fn a_phase_that_is_all_of_the_run_is_analysed_as_the_run(rounds in rounds()) {
        let whole = simulated(&rounds);
        let of_whole = waits(&whole);
        let parts = parts(&whole, &[]);
        let (part, of_part) = &parts[0];
        prop_assert_eq!(&of_part.by_location, &of_whole.by_location);
        prop_assert_eq!(&of_part.cube, &of_whole.cube);
        prop_assert_eq!(critical_path(part, of_part), critical_path(&whole, &of_whole));
        let mut without = Change::none();
        of_whole.by_location.iter().flatten().for_each(|wait| without.remove(wait));
        let latency = |latency| Change { latency, ..Change::none() };
        let changes = [
            Change::none(),
            Change::ideal_network(),
            Change::scaled(whole.paths_named("work"), Factor::ZERO),
            Change::scaled(whole.paths_named("MPI_File_read"), Factor::try_from(2.0).unwrap()),
            without,
            latency(-1),
            latency(15),
        ];
        let changed = |trace: &Trace, waits: &Waits| Graph::new(trace, waits).run(trace, &changes);
        prop_assert_eq!(changed(part, of_part), changed(&whole, &of_whole));
        let delays = |trace: &Trace, waits: &Waits| crate::delay::delays(trace, waits, &Sequential);
        prop_assert_eq!(delays(part, of_part), delays(&whole, &of_whole));
    }
}

/// The root of a broadcast enters at 400, all leave by 403; then all work.
fn late_root() -> Trace {
    let mut script = Script::processes(4);
    for rank in 0..4_usize {
        let (came, left) = (if rank == 0 { 400 } else { 0 }, 400 + rank as u64);
        script.enter(rank, 0, "main");
        if rank == 0 {
            script.call(0, 0, 400, "read_input");
        }
        script.collective(rank, (came, left), "MPI_Bcast", CollectiveOp::Bcast, Some(0));
        script.call(rank, left, 1000, "stencil").leave(rank, 1000, "main");
    }
    script.trace()
}

fn total(waits: &Waits, metric: &str) -> u64 {
    waits.cube.iter().filter(|row| row.metric.id == metric).map(|row| row.ticks).sum()
}

#[test]
fn a_call_that_ends_at_the_border_is_not_cut() {
    let whole = late_root();
    let parts = parts(&whole, &[403]);
    assert_eq!(parts.iter().map(|part| total(&part.1, "late_broadcast")).collect::<Vec<_>>(), [1200, 0]);
    assert_eq!(parts.iter().map(|part| part.0.links.collectives.len()).collect::<Vec<_>>(), [1, 0]);
    assert_eq!(parts[1].0.timelines[3].calls.len(), 0);
}

#[test]
fn a_call_that_is_cut_waits_in_both_phases_for_the_same_one() {
    let parts = parts(&late_root(), &[300]);
    assert_eq!(parts.iter().map(|part| total(&part.1, "late_broadcast")).collect::<Vec<_>>(), [900, 300]);
    // Without the work of the root no rank waits for it: 300 ticks of it are in the first phase, 100 in the second.
    for ((part, waits), saved) in parts.iter().zip([300, 100]) {
        let is_wait = |wait: &&Wait| wait.metric.is_some_and(|metric| metric.is_wait);
        let late = waits.by_location[1].iter().find(is_wait).unwrap();
        assert_eq!(late.cause.map(|cause| cause.location), Some(LocationId(0)));
        let without = Change::scaled(part.paths_named("main/read_input"), Factor::ZERO);
        let graph = Graph::new(part, waits);
        assert_eq!(part.runtime() - graph.run(part, &[without])[0].length, saved);
    }
}

#[test]
fn findings_of_a_phase_have_its_gains_and_name_it() {
    let options = analyze::Options { clock: Clocks::Raw, phase: Some(1), ..analyze::Options::usual("heat") };
    let answer = analyze(late_root(), &options, &Sequential).unwrap();
    assert!(answer.phases.len() > 1, "{:?}", answer.phases);
    let loss = &answer.losses[0];
    assert_eq!((loss.metric, loss.seconds), ("late_broadcast", 1.2));
    let zero = answer.what_if_zero.iter().find(|it| it.callpath == "main/read_input").unwrap();
    assert!((zero.gain - 0.4).abs() < 0.01, "{zero:?}");
    let commands: Vec<&String> = answer.findings.iter().filter_map(|it| it.verification.as_ref()).collect();
    assert!(!commands.is_empty());
    assert!(commands.iter().all(|it| it.contains("heat --phase 1 ")), "{commands:?}");
    assert_eq!(answer.facts.events, answer.facts.event_kinds.values().sum::<u64>());
    assert!(answer.facts.events < 30, "{}", answer.facts.events);
}
