//! Costs of accesses, and shares of the run time.

use super::{CallPart, FindingCost, ParallelTime, RunTime, access_cost, run_cost, severity};
use crate::access::{Access, AccessRun};
use crate::container::{AccessKind, Container};
use crate::instance::{CodeId, Instance};
use crate::nesting::{IterationOrder, LoopStats};
use crate::samples::SampledTime;

fn instance_of(container: Container) -> Instance {
    Instance::new(0, container, 16, CodeId(0))
}

#[test]
fn the_table_of_the_module() {
    let costs = |container, access: Access| access_cost(&instance_of(container), &access);
    assert_eq!(costs(Container::Vec, Access::at(AccessKind::Read, 5, 100, 0)), 1.0);
    assert_eq!(costs(Container::Vec, Access::at(AccessKind::Insert, 100, 100, 0)), 2.0);
    assert_eq!(costs(Container::Vec, Access::at(AccessKind::Insert, 0, 100, 0)), 102.0);
    assert_eq!(costs(Container::Vec, Access::at(AccessKind::Delete, 0, 100, 0)), 101.0);
    assert_eq!(costs(Container::VecDeque, Access::at(AccessKind::Insert, 0, 100, 0)), 2.0);
    assert_eq!(costs(Container::Vec, Access::without_index(AccessKind::Search, 100, 0)), 25.0);
    assert_eq!(costs(Container::Vec, Access::at(AccessKind::Search, 9, 100, 0)), 5.0);
    assert_eq!(costs(Container::HashMap, Access::without_index(AccessKind::Search, 100, 0)), 20.0);
    assert_eq!(costs(Container::BTreeMap, Access::without_index(AccessKind::Search, 1023, 0)), 50.0);
    assert_eq!(costs(Container::Vec, Access::without_index(AccessKind::Sort, 1023, 0)), 20460.0);
    let all = Access::without_index(AccessKind::ForEach, 1000, 0);
    assert_eq!(costs(Container::Vec, all), 500.0);
    assert_eq!(costs(Container::Vec, Access { passed: Some(6), ..all }), 3.0, "a sum of six of them");
}

#[test]
fn a_loop_takes_no_longer_than_the_recording() {
    let ran = |seconds: f64| {
        let spent = (seconds * 1e9) as u64;
        LoopStats {
            executions: 2,
            iterations: 9,
            longest: 9,
            spent,
            order: IterationOrder::Any,
            carried: None,
            unclear: None,
            grows_several: false,
        }
    };
    let time = RunTime { unrecorded: Some(1.0), recorded: Some(4.0) };
    let nanoseconds = |seconds, time| ParallelTime::from_loop(&ran(seconds), time).time;
    assert_eq!(nanoseconds(2.0, time), 2_000_000_000);
    assert_eq!(nanoseconds(9.0, time), 4_000_000_000);
    assert_eq!(nanoseconds(9.0, RunTime::default()), 9_000_000_000);
    assert_eq!(
        ParallelTime::from_loop(&ran(2.0), time).per_part(None, time),
        2.5e8,
        "of one execution without recording"
    );
}

#[test]
fn a_much_slower_recording_is_mentioned() {
    let busy = FindingCost::from_phases(0.0, ParallelTime { time: 1_000_000_000, ..ParallelTime::default() });
    let basis = |recorded| {
        let time = RunTime { unrecorded: Some(1.0), recorded: Some(recorded) };
        severity(&busy, 0.0, time, 0).unwrap().of
    };
    assert_eq!(basis(1.9), "of the recorded run");
    assert_eq!(
        basis(12.4),
        "of the recorded run, which took 12 times as long; recording slows loops down unevenly"
    );
}

#[test]
fn a_run_costs_as_much_as_its_accesses() {
    let first = Access::at(AccessKind::Insert, 0, 10, 0);
    let run = AccessRun { count: 100, length_stride: 1, ..AccessRun::single(first) };
    let single: f64 = (0..100).map(|i| access_cost(&instance_of(Container::Vec), &run.nth(i))).sum();
    assert!((run_cost(&instance_of(Container::Vec), &run) - single).abs() < 1e-6);
    let at_once = AccessRun { at_once: true, ..run };
    assert_eq!(run_cost(&instance_of(Container::Vec), &at_once), 100.0, "16 bytes each");
}

#[test]
fn shares_need_the_unrecorded_run_and_never_exceed_it() {
    let cost = FindingCost::from_accesses(5e8);
    let time = RunTime { unrecorded: Some(1.0), recorded: Some(4.0) };
    assert_eq!(severity(&cost, 1e9, RunTime { unrecorded: None, ..time }, 0), None);
    assert_eq!(severity(&cost, 1e9, time, 0).unwrap().share.get(), 0.5);
    assert_eq!(severity(&cost, 2e9, time, 0).unwrap().share.get(), 0.25);
    let phases =
        FindingCost { busy: Some(ParallelTime { time: 3_000_000_000, ..ParallelTime::default() }), ..cost };
    assert_eq!(severity(&phases, 1e9, time, 0).unwrap().share.get(), 0.75);
    assert_eq!(severity(&phases, 1e9, RunTime { recorded: None, ..time }, 0).unwrap().share.get(), 0.5);
}

#[test]
fn accesses_take_no_longer_than_their_loops() {
    let time = RunTime { unrecorded: Some(1.0), recorded: Some(4.0) };
    let busy = |time| Some(ParallelTime { time, ..ParallelTime::default() });
    let share = |cost: FindingCost| severity(&cost, 0.0, time, 0).unwrap().share.get();
    let modelled = FindingCost::from_accesses(5e8);
    assert_eq!(share(FindingCost { within: Some(400_000_000), ..modelled }), 0.1);
    assert_eq!(share(FindingCost { within: Some(4_000_000_000), ..modelled }), 0.5);
    let measured = FindingCost { busy: busy(800_000_000), ..modelled };
    assert_eq!(share(FindingCost { within: Some(800_000_000), ..measured }), 0.2);
    assert_eq!(share(measured), 0.5);
}

#[test]
fn samples_of_the_unrecorded_run_replace_the_recording() {
    let time = RunTime { unrecorded: Some(1.0), recorded: Some(10.0) };
    let sampled = SampledTime { samples: 900, time: 180, total: 900, cut: 0, part: 1.0 };
    let busy = ParallelTime { time: 7_000_000_000, parts: 2, has_alternative: false };
    let cost = FindingCost { sampled: Some(sampled), ..FindingCost::from_phases(1e8, busy) };
    let found = severity(&cost, 0.0, time, 900).unwrap();
    assert_eq!(found.share.get(), 0.2);
    assert_eq!(found.of, "of the processor time without recording, by 900 samples (18 to 23 %)");
    assert_eq!(busy.per_part(Some(sampled), time), 90.0);
    let part = FindingCost { sampled: Some(sampled.with_part(0.5)), ..cost };
    assert_eq!(severity(&part, 0.0, time, 900).unwrap().share.get(), 0.1);
    // Findings about loops that must run in order have a severity, too.
    let needed = FindingCost { busy: None, ..cost };
    assert_eq!(severity(&needed, 0.0, time, 900).unwrap().share.get(), 0.2);
    let unsampled = FindingCost { sampled: None, ..cost };
    assert!(
        severity(&unsampled, 0.0, time, 31)
            .unwrap()
            .of
            .ends_with("(31 samples of the unrecorded run do not show its share)")
    );
}

#[test]
fn samples_of_calls_replace_the_model() {
    let time = RunTime { unrecorded: Some(1.0), recorded: Some(10.0) };
    let sampled = SampledTime { samples: 900, time: 180, total: 900, cut: 0, part: 1.0 };
    let modelled = FindingCost::from_calls(9.6e8, CallPart::Whole);
    let severity_of = |cost: FindingCost| severity(&cost, 0.0, time, 900).unwrap();
    let sampled_severity = severity_of(FindingCost { in_calls: Some(sampled), ..modelled });
    assert_eq!(sampled_severity.share.get(), 0.2);
    assert_eq!(sampled_severity.of, "of the processor time without recording, by 900 samples (18 to 23 %)");
    let part = severity_of(FindingCost { in_calls: Some(sampled.with_part(0.5)), ..modelled });
    assert_eq!(part.share.get(), 0.1);
    assert!(part.of.ends_with("(9 to 23 %), as its part of these calls by a model"), "{}", part.of);
    assert_eq!(severity_of(modelled).of, "of the run time, by a model");
}

/// A vague interval is not printed as if it were precise.
#[test]
fn shares_that_are_hardly_known() {
    let time = RunTime { unrecorded: Some(1.0), recorded: Some(10.0) };
    let basis_of = |sampled: SampledTime| {
        let busy = ParallelTime { time: 7_000_000_000, parts: 2, has_alternative: false };
        severity(
            &FindingCost { sampled: Some(sampled), ..FindingCost::from_phases(1e8, busy) },
            0.0,
            time,
            900,
        )
        .unwrap()
        .of
    };
    let cut = basis_of(SampledTime { samples: 90, time: 2, total: 90, cut: 80, part: 1.0 });
    assert!(cut.ends_with("by 90 samples (at least 1 %; the stacks of many are cut)"), "{cut}");
    let few = basis_of(SampledTime { samples: 5, time: 2, total: 5, cut: 0, part: 1.0 });
    assert!(few.ends_with("%, too few to tell)"), "{few}");
}

#[test]
fn calls_that_no_sample_is_in_though_they_should_take_long_were_not_found_again() {
    let time = RunTime { unrecorded: Some(1.0), recorded: None };
    let none = SampledTime { samples: 900, time: 0, total: 900, cut: 0, part: 1.0 };
    let severity_of = |accesses| {
        let cost = FindingCost { in_calls: Some(none), ..FindingCost::from_calls(accesses, CallPart::Whole) };
        severity(&cost, 0.0, time, 900).unwrap()
    };
    assert_eq!(
        (severity_of(3e8).share.get(), severity_of(3e8).of.as_str()),
        (0.3, "of the run time, by a model")
    );
    assert_eq!(severity_of(4e6).share.get(), 0.0, "samples may miss it, and it is little");
    assert!(severity_of(4e6).of.ends_with("by 900 samples (0 to 0 %)"), "{}", severity_of(4e6).of);
}
