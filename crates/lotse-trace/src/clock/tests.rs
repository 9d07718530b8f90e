//! Generated traces with known true times.

use std::sync::Mutex;

use lotse_model::Workers;
use lotse_model::id::{LocationId, ProcessId};
use lotse_model::trace::{Event, EventKind, LockKind, Paradigm, RegionRole, Ticks};
use lotse_model::work::Sequential;
use proptest::prelude::*;

use super::{ClockOffset, Correction, Violations, correct, violations};
use crate::fixture::Script;
use crate::store::Trace;

mod generated;
mod recorded;

use generated::{Act, GeneratedClock, Program};

/// Three threads.
struct SeveralThreads;

impl Workers for SeveralThreads {
    fn threads(&self) -> usize {
        3
    }

    fn each(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
        let next = Mutex::new(0..count);
        let take = || next.lock().unwrap().next();
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while let Some(number) = take() {
                        job(number);
                    }
                });
            }
        });
    }
}

fn times(trace: &Trace) -> Vec<(Vec<Ticks>, Vec<Ticks>, Ticks, Ticks)> {
    let ops = |at: usize| trace.timelines[at].ops.iter().map(|op| op.at).collect();
    let times_of = |at: usize| {
        let timeline = &trace.timelines[at];
        (timeline.at.clone(), ops(at), timeline.first, timeline.last)
    };
    (0..trace.timelines.len()).map(times_of).collect()
}

/// Checks the invariants of a corrected trace; returns it with the correction.
fn check(script: &Script) -> (Trace, Correction) {
    let raw = script.trace();
    let (mut trace, mut other) = (script.trace(), script.trace());
    let correction = correct(&mut trace, &Sequential);
    assert_eq!(correct(&mut other, &SeveralThreads), correction, "the number of threads does not matter");
    assert_eq!(times(&other), times(&trace));
    assert_eq!(other.uses, trace.uses);
    assert_eq!(violations(&trace, &SeveralThreads), Violations::default(), "no violation is left");
    for location in trace.locations() {
        check_order(&raw, &trace, location);
    }
    (trace, correction)
}

fn check_order(raw: &Trace, trace: &Trace, location: LocationId) {
    let timeline = trace.timeline(location);
    assert!(timeline.at.is_sorted() && timeline.ops.iter().is_sorted_by_key(|op| op.at), "{location:?}");
    for (number, op) in timeline.ops.iter().enumerate() {
        assert!(timeline.enter(op.call) <= op.at && op.at <= timeline.exit(op.call));
        let before = raw.timeline(location);
        let (was, steps) = (before.ops.at(number), before.at.iter().zip(&timeline.at));
        for (&step_was, &step) in steps {
            assert!(step_was >= was || step <= op.at, "steps and records keep their order");
            assert!(step_was <= was || step >= op.at, "steps and records keep their order");
        }
    }
    let exclusive: Ticks = trace.uses[location.index()].iter().map(|used| used.exclusive).sum();
    assert_eq!(exclusive, timeline.last - timeline.first);
    let visits = |trace: &Trace| -> Vec<_> {
        let uses = trace.uses[location.index()].iter().filter(|used| used.visits > 0);
        uses.map(|used| (used.path, used.visits)).collect()
    };
    assert_eq!(visits(raw), visits(trace));
}

#[test]
fn a_trace_without_violations_stays_as_it_is() {
    let script = Program::busy(4, 200).script(&[GeneratedClock::RIGHT; 4]);
    let (trace, correction) = check(&script);
    assert_eq!(times(&trace), times(&script.trace()));
    assert_eq!(correction, Correction::unchanged(&trace));
}

#[test]
fn offset_and_drift_are_those_of_the_generator() {
    let clocks = [
        GeneratedClock::RIGHT,
        GeneratedClock { offset: -2_000_000, ppm: 0 },
        GeneratedClock { offset: 70_000_000, ppm: 120 },
        GeneratedClock { offset: 5, ppm: -300 },
        GeneratedClock { offset: -40_000, ppm: 45 },
    ];
    let (trace, correction) = check(&Program::busy(5, 3000).script(&clocks));
    let start = trace.first_tick();
    for (clock, found) in clocks.iter().zip(&correction.offsets) {
        let uncertainty = found.uncertainty.unwrap() as f64;
        assert!(uncertainty < 3_000.0, "{found:?}");
        assert!((found.ticks - clock.offset).abs() as f64 <= uncertainty + 2_000.0, "{clock:?} {found:?}");
        assert!((found.drift_ppm - clock.ppm as f64).abs() < 10.0, "{clock:?} {found:?}");
    }
    assert!(start >= 1 << 40 && correction.moved_events > 0 && correction.largest_move > 69_000_000);
}

/// One process is always the last, so that bounds alone leave hundreds of thousands of ticks.
#[test]
fn a_process_that_always_waits_is_set_by_its_exits() {
    let none = [
        GeneratedClock::RIGHT,
        GeneratedClock { offset: -800_000, ppm: 0 },
        GeneratedClock { offset: 240_000, ppm: 0 },
    ];
    let drift = [
        GeneratedClock { ppm: 70, ..none[0] },
        GeneratedClock { ppm: -40, ..none[1] },
        GeneratedClock { ppm: 120, ..none[2] },
    ];
    for (clocks, rounds) in [(none, 5), (drift, 400)] {
        let (_, correction) = check(&Program::uneven(3, rounds).script(&clocks));
        for (clock, found) in clocks.iter().zip(&correction.offsets) {
            assert!((found.ticks - clock.offset).abs() <= 420, "{clock:?} {found:?}");
            let drift = (clock.ppm - clocks[0].ppm) as f64;
            assert!((found.drift_ppm - drift).abs() < 2.0, "{clock:?} {found:?}");
        }
        let between = |one, other| correction.certainty.between(LocationId(one), LocationId(other));
        assert_eq!(between(0, 2), correction.offsets[2].uncertainty);
        assert!(between(0, 2) >= Some(290_000), "as long as the others wait: {correction:?}");
        assert!(between(1, 2) >= between(0, 1).max(between(0, 2)), "both are set from the first");
    }
}

#[test]
fn corrected_times_are_near_the_true_ones() {
    let program = Program::busy(3, 2000);
    let clocks = [
        GeneratedClock::RIGHT,
        GeneratedClock { offset: 9_000_000, ppm: 200 },
        GeneratedClock { offset: -9_000_000, ppm: -200 },
    ];
    let (corrected, _) = check(&program.script(&clocks));
    let truth = program.script(&[GeneratedClock::RIGHT; 3]).trace();
    for ((corrected, ..), (right, ..)) in times(&corrected).iter().zip(&times(&truth)) {
        let worst = corrected.iter().zip(right).map(|(corrected, right)| corrected.abs_diff(*right)).max();
        assert!(worst < Some(5_000), "{worst:?}");
    }
}

#[test]
fn corrected_times_are_not_negative() {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").recv(0, 10, 50, 1, 0).send(0, 60, 61, 1, 0).leave(0, 100, "main");
    script.enter(1, 300, "main").send(1, 340, 345, 0, 0).recv(1, 350, 365, 0, 0).leave(1, 400, "main");
    let (trace, correction) = check(&script);
    assert_eq!(correction.offsets[1].ticks, 297, "bounds: at least 290, at most 305");
    // 8 to the upper bound, 1 because clocks are read in whole ticks, and less than 1 for drift.
    assert_eq!((trace.first_tick(), correction.offsets[1].uncertainty), (0, Some(10)));
}

#[test]
fn one_direction_gives_one_bound() {
    let mut script = Script::processes(2);
    script.enter(0, 1000, "main").send(0, 2000, 2001, 1, 0).send(0, 3000, 3001, 1, 0).leave(0, 4000, "main");
    script.enter(1, 1000, "main").recv(1, 1500, 1600, 0, 0).recv(1, 2500, 2700, 0, 0).leave(1, 4000, "main");
    let (_, correction) = check(&script);
    assert_eq!((correction.offsets[1].ticks, correction.offsets[1].uncertainty), (-400, None));
}

/// 0 and 1 exchange messages; the barriers leave ±400 between 0 and 2; 2 only receives from 1, and waits each time. The
/// clocks of 1 and 2 are 5000 ahead.
#[test]
fn a_clock_is_set_by_waiting_receives_and_bounded_by_another_process() {
    const AHEAD: u64 = 5_000;
    let mut script = Script::processes(3);
    script.enter(0, 0, "main").send(0, 1000, 1001, 1, 0).recv(0, 1100, 1210, 1, 0);
    script.enter(1, AHEAD, "main").recv(1, AHEAD + 900, AHEAD + 1010, 0, 0);
    script.send(1, AHEAD + 1200, AHEAD + 1201, 0, 0).send(1, AHEAD + 2000, AHEAD + 2001, 2, 0);
    script.enter(2, AHEAD, "main").recv(2, AHEAD + 1500, AHEAD + 2010, 1, 0);
    for round in [0, 1000] {
        script.barrier(0, 3000 + round, 3500 + round);
        script.barrier(1, AHEAD + 3100 + round, AHEAD + 3500 + round);
        script.barrier(2, AHEAD + 3200 + round, AHEAD + 3500 + round);
    }
    script.leave(0, 6000, "main").leave(1, AHEAD + 6000, "main").leave(2, AHEAD + 6000, "main");
    let (_, correction) = check(&script);
    let found = correction.offsets[2];
    assert!(found.ticks.abs_diff(AHEAD as i64) <= 20, "by the receives: {found:?}");
    assert!((480..550).contains(&found.uncertainty.unwrap()), "by the barriers: {found:?}");
    let between = correction.certainty.between(LocationId(1), LocationId(2));
    assert!(between > found.uncertainty, "{between:?}");
}

#[test]
fn collectives_alone_show_a_wrong_clock() {
    let mut script = Script::processes(2);
    for location in 0..2 {
        let ahead = location as u64 * 5_000;
        script.enter(location, 10_000 + ahead, "main");
        for round in 1..5 {
            let at = 10_000 + ahead + 1_000 * round;
            script.barrier(location, at, at + 20);
        }
        script.leave(location, 20_000 + ahead, "main");
    }
    let (_, correction) = check(&script);
    assert_eq!(correction.before, Violations { messages: 0, collectives: 4 });
    // 21 by the bounds, and 6 more at the end of the trace, 6000 after the last barrier, since clocks may drift.
    assert_eq!((correction.offsets[1].ticks, correction.offsets[1].uncertainty), (5_000, Some(27)));
}

/// Two processes whose clocks no line fits. The second has two threads: one hands a lock over to the other before both
/// enter a barrier.
fn threads_behind_a_jump() -> Script {
    let mut script = Script::processes(3);
    script.definitions.locations[2].process = ProcessId(1);
    script.define("barrier", RegionRole::Barrier, Paradigm::OpenMp);
    let (kind, lock) = (LockKind::Mutex, 1);
    let released = Event::ReleaseLock { kind, lock, order: 1 };
    let acquired = Event::AcquireLock { kind, lock, order: 2 };
    script.enter(0, 0, "main").send(0, 1000, 1001, 1, 0).recv(0, 4900, 4990, 1, 0).leave(0, 6000, "main");
    script.enter(1, 0, "main").recv(1, 800, 900, 0, 0).enter(1, 901, "pthread_mutex_unlock");
    script.event(1, 901, EventKind::ThreadReleaseLock, released).leave(1, 902, "pthread_mutex_unlock");
    script.call(1, 905, 910, "barrier").send(1, 5000, 5001, 0, 0).leave(1, 6000, "main");
    script.enter(2, 0, "main").enter(2, 700, "pthread_mutex_lock");
    script.event(2, 903, EventKind::ThreadAcquireLock, acquired).leave(2, 904, "pthread_mutex_lock");
    script.call(2, 904, 910, "barrier").leave(2, 6000, "main");
    script
}

#[test]
fn effects_of_a_moved_event_are_moved() {
    let (trace, correction) = check(&threads_behind_a_jump());
    assert!(correction.jumps > 0, "{correction:?}");
    let at = |location: usize, wanted: fn(&Event) -> bool| {
        trace.timelines[location].ops.iter().find(|op| wanted(&op.event())).unwrap().at
    };
    let release = at(1, |event| matches!(event, Event::ReleaseLock { .. }));
    let acquire = at(2, |event| matches!(event, Event::AcquireLock { .. }));
    assert!(release <= acquire, "{release} {acquire}");
    let [barrier] = &trace.links.barriers[..] else { panic!("{:?}", trace.links.barriers) };
    let last_in = barrier.iter().map(|&call| trace.enter(call)).max();
    assert!(last_in <= barrier.iter().map(|&call| trace.exit(call)).min(), "{last_in:?}");
}

#[test]
fn a_cycle_of_causes_is_cut_and_counted() {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").recv(0, 10, 20, 1, 0).send(0, 30, 31, 1, 0).leave(0, 100, "main");
    script.enter(1, 0, "main").recv(1, 10, 20, 0, 0).send(1, 40, 41, 0, 0).leave(1, 100, "main");
    let (mut trace, mut again) = (script.trace(), script.trace());
    let correction = correct(&mut trace, &Sequential);
    assert_eq!(correction.circular, 1);
    assert_eq!((correct(&mut again, &SeveralThreads), times(&again)), (correction, times(&trace)));
}

#[test]
fn a_cycle_through_a_collective_is_cut() {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").barrier(0, 10, 20).send(0, 30, 31, 1, 0).leave(0, 100, "main");
    script.enter(1, 0, "main").recv(1, 3, 5, 0, 0).barrier(1, 10, 20).leave(1, 100, "main");
    let mut trace = script.trace();
    assert_eq!(correct(&mut trace, &SeveralThreads).circular, 1);
    assert!(trace.timelines.iter().all(|timeline| timeline.at.is_sorted()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Timestamps are arbitrary, except that they never decrease on a location.
    #[test]
    fn arbitrary_timestamps_are_corrected(
        acts in prop::collection::vec(Act::any(4), 1..60),
        steps in prop::collection::vec(0_u64..2000, 50),
        starts in prop::collection::vec(0_u64..100_000, 4),
    ) {
        let script = Program { processes: 4, acts }.stamped(&starts, &steps);
        prop_assert_eq!(check(&script).1.circular, 0);
    }

    #[test]
    fn messages_of_one_direction_are_corrected(
        acts in prop::collection::vec(Act::downwards(4), 1..60),
        steps in prop::collection::vec(0_u64..500, 50),
        starts in prop::collection::vec(0_u64..100_000, 4),
    ) {
        let script = Program { processes: 4, acts }.stamped(&starts, &steps);
        prop_assert_eq!(check(&script).1.circular, 0);
    }

    #[test]
    fn wrong_clocks_are_corrected(
        acts in prop::collection::vec(Act::any(3), 1..80),
        offsets in prop::collection::vec(-1_000_000_i64..1_000_000, 3),
        drifts in prop::collection::vec(-2000_i64..2000, 3),
    ) {
        let clocks: Vec<GeneratedClock> =
            offsets.iter().zip(&drifts).map(|(&offset, &ppm)| GeneratedClock { offset, ppm }).collect();
        check(&Program { processes: 3, acts }.script(&clocks));
    }

    /// Even if processes leave late, the true clocks are within the stated uncertainty.
    #[test]
    fn the_truth_lies_within_the_uncertainty(
        acts in prop::collection::vec(Act::with_late_leaves(), 1..60),
        offsets in prop::collection::vec(-100_000_i64..100_000, 3),
        drifts in prop::array::uniform3(prop_oneof![Just(0_i64), -400_i64..400]),
        repeated in 1_usize..6,
    ) {
        let acts = acts.repeat(repeated);
        let clocks: Vec<GeneratedClock> =
            offsets.iter().zip(&drifts).map(|(&offset, &ppm)| GeneratedClock { offset, ppm }).collect();
        let program = Program { processes: 3, acts };
        let (trace, correction) = check(&program.script(&clocks));
        if correction.before.is_none() {
            return Ok(());
        }
        for (clock, found) in clocks.iter().zip(&correction.offsets) {
            // Processes that are not connected with the first have a reference of their own.
            let Some(uncertainty) = correction.certainty.between(LocationId(0), found.location) else { continue };
            prop_assert_eq!(found.uncertainty, Some(uncertainty));
            let off = (found.ticks - (clock.offset - clocks[0].offset)).unsigned_abs();
            prop_assert!(off <= uncertainty + ROUNDING, "{:?} {:?} {}", clocks, found, off);
        }
        times_are_within(&trace, &program.script(&[clocks[0]; 3]).trace(), &correction)?;
    }
}

/// Rounding error: clocks are recorded in whole ticks.
const ROUNDING: Ticks = 4;

/// Also after effects were moved after their causes, the error of each time is at most the stated uncertainty plus the
/// largest move.
fn times_are_within(trace: &Trace, truth: &Trace, correction: &Correction) -> Result<(), TestCaseError> {
    let between = |offset: &ClockOffset| correction.certainty.between(LocationId(0), offset.location);
    let known: Option<Vec<Ticks>> = correction.offsets.iter().map(between).collect();
    let Some(most) = known.and_then(|known| known.into_iter().max()) else { return Ok(()) };
    // All times may have been moved by the same amount, so that none is negative.
    let lifted = trace.timelines[0].first.wrapping_sub(truth.timelines[0].first);
    for ((corrected, ..), (right, ..)) in times(trace).iter().zip(&times(truth)) {
        for (corrected, right) in corrected.iter().zip(right) {
            let off = corrected.wrapping_sub(lifted).abs_diff(*right);
            prop_assert!(off <= most + correction.largest_move + ROUNDING, "{off} > {most}: {correction:?}");
        }
    }
    Ok(())
}
