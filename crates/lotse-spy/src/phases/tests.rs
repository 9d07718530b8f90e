//! Phases of constructed histories, and a comparison with a simple detector that examines every access.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};

use super::{Characteristic, Pattern, Phase};
use crate::access::{Access, AccessRun};
use crate::analysis::InstanceAnalysis;
use crate::container::{AccessKind, Container};
use crate::instance::{CodeId, Instance, ThreadId};
use crate::picture::{PictureBuilder, Scale, Window};
use crate::protocol::Protocol;
use crate::rules::fixture::History;
use crate::settings::{Limits, Settings, Thresholds};

/// A phase in short: its name, its first and its last event, its accesses.
type Short = (&'static str, u64, u64, u64);

fn short(protocol: &Protocol) -> Vec<Short> {
    let row = |phase: &Phase| (phase.characteristic.name(), phase.span.0, phase.span.1, phase.events);
    protocol.all_phases().map(row).collect()
}

/// Figure 4 of the thesis: ten insertions at the front, a forward read, ten insertions at the front, a backward read.
#[test]
fn figure_4_of_the_thesis() {
    let history = History::new(Container::Vec).insert_front(10).scan(AccessKind::Read, 0, 9);
    let protocol = history.insert_front(10).scan(AccessKind::Read, 19, 0).finish();
    let expected = [
        ("linear-read-forward", 10, 19, 10),
        ("linear-read-backward", 30, 49, 20),
        ("insert-front", 0, 9, 10),
        ("insert-front", 20, 29, 10),
        // From 0 to 9 and on to 19, where the second read begins.
        ("when-reading-forward", 10, 30, 11),
        ("when-reading-backward", 30, 49, 20),
        ("when-inserting-front", 0, 29, 20),
    ];
    assert_eq!(short(&protocol), expected);
    assert_eq!((protocol.events, protocol.max_length), (50, 20));
    let forward = &protocol.list(Characteristic::strict(Pattern::LinearReadForward)).phases[0];
    assert_eq!((forward.indices, forward.length, forward.coverage()), ((0, 9), 10, 1.0));
    // Reads are by the call site of the index operator, in the middle of a history of ten nanoseconds for each event.
    assert_eq!(
        (forward.codes.sorted(), forward.threads.sorted()),
        (vec![(CodeId(3), 10)], vec![(ThreadId(0), 10)])
    );
    assert_eq!((forward.time, forward.busy), ((1100, 1190), 90));
}

/// What is done to a structure.
type Operations = fn(History) -> History;

#[test]
fn every_characteristic_has_a_strict_and_a_tolerant_phase() {
    let cases: [(Pattern, Operations); 8] = [
        (Pattern::LinearReadForward, |it| it.scan(AccessKind::Read, 10, 19)),
        (Pattern::LinearReadBackward, |it| it.scan(AccessKind::Read, 19, 10)),
        (Pattern::LinearWriteForward, |it| it.scan(AccessKind::Write, 10, 19)),
        (Pattern::LinearWriteBackward, |it| it.scan(AccessKind::Write, 19, 10)),
        (Pattern::InsertFront, |it| it.insert_front(10)),
        (Pattern::InsertBack, |it| it.push(10)),
        (Pattern::DeleteFront, |it| it.remove_front(10)),
        (Pattern::DeleteBack, |it| it.pop(10)),
    ];
    for (pattern, operations) in cases {
        let strict = (Characteristic::strict(pattern).name(), 0, 9, 10);
        let tolerant = (Characteristic::tolerant(pattern).name(), 0, 9, 10);
        assert_eq!(short(&operations(History::filled(Container::Vec, 100)).finish()), [strict, tolerant]);
    }
}

#[test]
fn other_kinds_end_strict_phases_only() {
    let with = |neighbour_distance| {
        let thresholds = Thresholds { neighbour_distance, ..Thresholds::default() };
        let history = History { length: 100, ..History::with(Container::Vec, 1, thresholds) };
        let history = history
            .scan(AccessKind::Read, 0, 5)
            .without_index(AccessKind::Search, 2)
            .scan(AccessKind::Read, 6, 12)
            .finish();
        short(&history)
    };
    let tolerant = ("when-reading-forward", 0, 14, 13);
    let apart = [("linear-read-forward", 0, 5, 6), ("linear-read-forward", 8, 14, 7), tolerant];
    assert_eq!(with(1.0), apart);
    assert_eq!(with(2.0), apart);
    assert_eq!(with(3.0), [("linear-read-forward", 0, 14, 13), tolerant]);
}

#[test]
fn the_least_size_of_a_phase() {
    let sizes = |reads: u64, min_phase_size| {
        let thresholds = Thresholds { min_phase_size, ..Thresholds::default() };
        let history = History { length: 100, ..History::with(Container::Vec, 1, thresholds) };
        short(&history.scan(AccessKind::Read, 0, reads - 1).finish()).len()
    };
    assert_eq!((sizes(4, 5.0), sizes(5, 5.0)), (0, 2));
    assert_eq!((sizes(2, 1.0), sizes(3, 1.0)), (0, 2), "no phase is smaller than its window");
}

#[test]
fn equal_indices_are_monotone_but_must_move_at_some_time() {
    let reads = |indices: &[u64]| {
        let history = History::filled(Container::Vec, 100);
        short(&indices.iter().fold(history, |it, at| it.scan(AccessKind::Read, *at, *at)).finish())
    };
    assert_eq!(reads(&[0, 0, 0, 0, 0, 0]), []);
    assert_eq!(
        reads(&[0, 0, 1, 1, 2]),
        [("linear-read-forward", 0, 4, 5), ("when-reading-forward", 0, 4, 5)]
    );
    let peak = [("linear-read-forward", 0, 5, 6), ("linear-read-backward", 4, 9, 6)];
    assert_eq!(reads(&[0, 1, 2, 3, 9, 9, 7, 6, 5, 4])[..2], peak);
}

/// The reads of index 9, where the direction turns, belong to two phases each; the sum has each of them once.
#[test]
fn sums_count_turning_points_once() {
    let there_and_back = |turns: u64| {
        let begin = History::filled(Container::Vec, 10).scan(AccessKind::Read, 0, 9);
        let all = (0..turns).fold(begin, |it, turn| match turn % 2 {
            0 => it.scan(AccessKind::Read, 9, 0),
            _ => it.scan(AccessKind::Read, 0, 9),
        });
        all.finish().long_reads
    };
    let sum = there_and_back(5);
    assert_eq!((sum.phases, sum.events, sum.longest), (6, 60, 12));
    // 60 accesses, ten nanoseconds apart.
    assert_eq!(sum.busy, 590);
    // 2 x 3 reads of the middle.
    let flat = History::filled(Container::Vec, 4).scan(AccessKind::Read, 0, 3);
    let flat = flat.scan(AccessKind::Read, 3, 3).scan(AccessKind::Read, 3, 0).finish();
    let both: u64 = flat.all_phases().filter(|it| !it.characteristic.tolerant).map(|it| it.events).sum();
    assert_eq!((both, flat.events), (12, 9));
}

#[test]
fn phases_beyond_the_limit_are_counted() {
    let limits = Limits { phases: 4, ..Limits::default() };
    let settings = Arc::new(Settings { limits, ..Settings::default() });
    let mut analysis = InstanceAnalysis::new(Instance::new(1, Container::Vec, 8, CodeId(0)), &settings);
    for index in (0..100).flat_map(|_| 0..6) {
        analysis.add_access(Access::at(AccessKind::Read, index, 6, 0));
    }
    let protocol = analysis.finish();
    let list = protocol.list(Characteristic::strict(Pattern::LinearReadForward));
    assert_eq!((list.count, list.events, list.phases.len(), list.dropped()), (100, 600, 4, 96));
}

/// The detector as documented: a window of three accesses slides over the accesses of the kind.
fn window_of_three(
    accesses: &[Access],
    characteristic: Characteristic,
    thresholds: &Thresholds,
) -> Vec<Vec<usize>> {
    let of_kind = |at: &usize| accesses[*at].kind == characteristic.pattern.kind();
    let of_kind: Vec<usize> = (0..accesses.len()).filter(of_kind).collect();
    let near =
        |a: usize, b: usize| characteristic.tolerant || (b - a) as f64 <= thresholds.neighbour_distance;
    let pair = |a: usize, b: usize| near(a, b) && holds(characteristic.pattern, &accesses[a], &accesses[b]);
    let mut phases = Vec::new();
    let mut at = 0;
    while at + 2 < of_kind.len() {
        let (a, b, c) = (of_kind[at], of_kind[at + 1], of_kind[at + 2]);
        if !(pair(a, b) && pair(b, c)) {
            at += 1;
            continue;
        }
        let mut end = at + 2;
        while end + 1 < of_kind.len() && pair(of_kind[end], of_kind[end + 1]) {
            end += 1;
        }
        phases.push(of_kind[at..=end].to_vec());
        at = end + 1;
    }
    let moves =
        |phase: &[usize]| phase.iter().any(|event| accesses[*event].index != accesses[phase[0]].index);
    let linear = matches!(characteristic.pattern.kind(), AccessKind::Read | AccessKind::Write);
    phases.retain(|phase| phase.len() as f64 >= thresholds.min_phase_size && (!linear || moves(phase)));
    phases
}

fn holds(pattern: Pattern, a: &Access, b: &Access) -> bool {
    let both = |condition: fn(&Access) -> bool| condition(a) && condition(b);
    match pattern {
        Pattern::LinearReadForward | Pattern::LinearWriteForward => a.index <= b.index,
        Pattern::LinearReadBackward | Pattern::LinearWriteBackward => a.index >= b.index,
        Pattern::InsertFront | Pattern::DeleteFront => both(|it| it.index == Some(0)),
        Pattern::InsertBack => both(|it| it.index == Some(it.length)),
        Pattern::DeleteBack => both(|it| it.index.map(|index| index + 1) == Some(it.length)),
    }
}

/// A stretch of accesses as programs make them: kind, first index, stride and count.
fn stretch() -> impl Strategy<Value = (u8, u64, i64, u64)> {
    (0_u8..7, 0_u64..12, prop_oneof![Just(0_i64), Just(1), Just(-1), Just(2), Just(-3)], 1_u64..9)
}

fn history(stretches: &[(u8, u64, i64, u64)]) -> Vec<Access> {
    let mut accesses: Vec<Access> = Vec::new();
    let mut length = 0_u64;
    for &(choice, start, step, count) in stretches {
        for i in 0..count {
            let moved = (start as i64 + step * i as i64).max(0) as u64;
            let time = accesses.len() as u64 * 7;
            let access = match choice {
                0 => Access::at(AccessKind::Read, moved, length, time),
                1 => Access::at(AccessKind::Write, moved, length, time),
                2 => Access::at(AccessKind::Insert, if step == 0 { 0 } else { length }, length, time),
                3 if length > 0 => {
                    Access::at(AccessKind::Delete, if step == 0 { 0 } else { length - 1 }, length, time)
                }
                4 => Access::at(AccessKind::Insert, moved.min(length), length, time),
                5 if length > 0 => Access::at(AccessKind::Delete, moved.min(length - 1), length, time),
                _ => Access::without_index(AccessKind::Search, length, time),
            };
            length = access.length_after();
            accesses.push(access.by(CodeId(u32::from(choice))));
        }
    }
    accesses
}

fn analysed(accesses: &[Access], thresholds: &Thresholds) -> Protocol {
    let settings = Arc::new(Settings { thresholds: thresholds.clone(), ..Settings::default() });
    let mut analysis = InstanceAnalysis::new(Instance::new(1, Container::Vec, 8, CodeId(0)), &settings);
    accesses.iter().for_each(|access| analysis.add_access(*access));
    analysis.finish()
}

proptest! {
    /// Phases are those of the window of three: maximal, disjoint within a characteristic, strict inside tolerant.
    #[test]
    fn phases_are_those_of_the_simple_detector(
        stretches in proptest::collection::vec(stretch(), 1..25),
        distance in 1_u32..4,
        least in 3_u32..7,
    ) {
        let accesses = history(&stretches);
        let thresholds = Thresholds {
            neighbour_distance: f64::from(distance),
            min_phase_size: f64::from(least),
            ..Thresholds::default()
        };
        let thresholds = Thresholds { long_insert_events: 5.0, ..thresholds };
        let protocol = analysed(&accesses, &thresholds);
        let inserts: BTreeSet<usize> = [Pattern::InsertFront, Pattern::InsertBack]
            .map(|pattern| window_of_three(&accesses, Characteristic::strict(pattern), &thresholds))
            .into_iter()
            .flatten()
            .filter(|phase| phase.len() >= 5)
            .flatten()
            .collect();
        let counted = protocol.long_inserts.events;
        assert!(counted <= inserts.len() as u64);
        assert!(distance > 1 || counted == inserts.len() as u64, "{counted} of {}", inserts.len());
        for characteristic in Characteristic::all() {
            let found = &protocol.list(characteristic).phases;
            let expected = window_of_three(&accesses, characteristic, &thresholds);
            let spans = |phase: &Vec<usize>| ((phase[0] as u64, phase[phase.len() - 1] as u64), phase.len() as u64);
            let found_spans: Vec<_> = found.iter().map(|phase| (phase.span, phase.events)).collect();
            assert_eq!(found_spans, expected.iter().map(spans).collect::<Vec<_>>(), "{characteristic}");
            assert!(found.windows(2).all(|pair| pair[0].span.1 < pair[1].span.0), "disjoint");
            for phase in found {
                assert_eq!((phase.codes.total(), phase.threads.total()), (phase.events, phase.events));
                let tolerant = &protocol.list(Characteristic::tolerant(characteristic.pattern)).phases;
                assert!(tolerant.iter().any(|it| it.span.0 <= phase.span.0 && phase.span.1 <= it.span.1));
            }
        }
    }

    /// Accesses given as runs, cut anywhere, give the same protocol.
    #[test]
    fn runs_give_the_same_as_their_accesses(
        stretches in proptest::collection::vec(stretch(), 1..25),
        cuts in proptest::collection::vec(any::<bool>(), 400),
    ) {
        let accesses = history(&stretches);
        // Which positions a wide stride leaves unread is a bound that depends on where runs are cut.
        let accesses: Vec<Access> = accesses.into_iter().filter(|access| access.kind != AccessKind::Write).collect();
        let accesses: Vec<Access> =
            accesses.iter().enumerate().map(|(i, access)| Access { time: 7 * i as u64, ..*access }).collect();
        let thresholds = Thresholds::default();
        let settings = Arc::new(Settings { thresholds: thresholds.clone(), ..Settings::default() });
        let mut analysis = InstanceAnalysis::new(Instance::new(1, Container::Vec, 8, CodeId(0)), &settings);
        let mut run: Option<AccessRun> = None;
        for (access, cut) in accesses.iter().zip(cuts.iter().cycle()) {
            if *cut || !run.as_mut().is_some_and(|run| run.extend(access, false, u64::MAX)) {
                run.replace(AccessRun::single(*access)).into_iter().for_each(|run| analysis.add_run(run));
            }
        }
        run.into_iter().for_each(|run| analysis.add_run(run));
        let (whole, single) = (analysis.finish(), analysed(&accesses, &thresholds));
        assert_eq!(whole.phases, single.phases);
        assert_eq!((&whole.ends, &whole.long_reads, &whole.long_inserts), (&single.ends, &single.long_reads, &single.long_inserts));
        assert_eq!((whole.events, whole.max_length, whole.time), (single.events, single.max_length, single.time));
        assert_eq!((&whole.after_search, &whole.sorted_searches.codes), (&single.after_search, &single.sorted_searches.codes));
        let cost = (whole.counts.cost(), single.counts.cost());
        assert!((cost.0 - cost.1).abs() <= 1e-6 * cost.0.max(1.0), "{cost:?}");
    }
}

proptest! {
    // Each case draws a picture.
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// A damaged history may state anything: the analysis and the picture stay within bounds.
    #[test]
    fn any_accesses_are_survived(
        accesses in proptest::collection::vec((0_usize..10, any::<Option<u64>>(), any::<u64>(), any::<u64>(), any::<i64>(), 0_u64..1 << 40), 1..40),
    ) {
        let settings = Arc::new(Settings::default());
        let mut analysis = InstanceAnalysis::new(Instance::new(1, Container::Vec, u32::MAX, CodeId(0)), &settings);
        let mut picture = PictureBuilder::new(Scale::Time, Window::default());
        for (kind, index, length, time, stride, count) in accesses {
            let first = Access { index, ..Access::without_index(AccessKind::ALL[kind], length, time) };
            let run = AccessRun { count, index_stride: stride, length_stride: -stride, last_time: time / 2, ..AccessRun::single(first) };
            analysis.add_run(run);
            analysis.add_access(first);
            picture.add_run(&run);
        }
        let protocol = analysis.finish();
        assert!(protocol.all_phases().all(|phase| phase.events <= protocol.events));
        let picture = picture.finish(&protocol);
        assert!(picture.all.columns() <= 1024);
        assert!(picture.svg("any").as_str().ends_with("</svg>\n"));
    }
}
