//! Costs of accesses, and shares of the run.

use super::{Busy, Calls, Cost, RunTime, cost, run_cost, share};
use crate::access::{Access, AccessRun};
use crate::container::{Container, Kind};
use crate::instance::{CodeId, Instance};
use crate::nesting::{LoopRun, Order};
use crate::samples::Sampled;

fn of(container: Container) -> Instance {
    Instance::new(0, container, 16, CodeId(0))
}

#[test]
fn the_table_of_the_module() {
    let costs = |container, access: Access| cost(&of(container), &access);
    assert_eq!(costs(Container::Vec, Access::at(Kind::Read, 5, 100, 0)), 1.0);
    assert_eq!(costs(Container::Vec, Access::at(Kind::Insert, 100, 100, 0)), 2.0);
    assert_eq!(costs(Container::Vec, Access::at(Kind::Insert, 0, 100, 0)), 102.0);
    assert_eq!(costs(Container::Vec, Access::at(Kind::Delete, 0, 100, 0)), 101.0);
    assert_eq!(costs(Container::VecDeque, Access::at(Kind::Insert, 0, 100, 0)), 2.0);
    assert_eq!(costs(Container::Vec, Access::whole(Kind::Search, 100, 0)), 25.0);
    assert_eq!(costs(Container::Vec, Access::at(Kind::Search, 9, 100, 0)), 5.0);
    assert_eq!(costs(Container::HashMap, Access::whole(Kind::Search, 100, 0)), 20.0);
    assert_eq!(costs(Container::BTreeMap, Access::whole(Kind::Search, 1023, 0)), 50.0);
    assert_eq!(costs(Container::Vec, Access::whole(Kind::Sort, 1023, 0)), 20460.0);
    let all = Access::whole(Kind::ForEach, 1000, 0);
    assert_eq!(costs(Container::Vec, all), 500.0);
    assert_eq!(costs(Container::Vec, Access { passed: Some(6), ..all }), 3.0, "a sum of six of them");
}

#[test]
fn a_loop_takes_no_longer_than_the_recording() {
    let ran = |seconds: f64| {
        let spent = (seconds * 1e9) as u64;
        LoopRun { executions: 2, iterations: 9, longest: 9, spent, order: Order::Any, carried: None }
    };
    let time = RunTime { unrecorded: Some(1.0), recorded: Some(4.0) };
    let nanoseconds = |seconds, time| Busy::of_loop(&ran(seconds), time).time;
    assert_eq!(nanoseconds(2.0, time), 2_000_000_000);
    assert_eq!(nanoseconds(9.0, time), 4_000_000_000);
    assert_eq!(nanoseconds(9.0, RunTime::default()), 9_000_000_000);
    assert_eq!(
        Busy::of_loop(&ran(2.0), time).of_each(None, time),
        2.5e8,
        "of one execution without recording"
    );
}

#[test]
fn a_recording_that_was_much_slower_is_told() {
    let busy = Cost::in_phases(0.0, Busy { time: 1_000_000_000, ..Busy::default() });
    let basis = |recorded| {
        let time = RunTime { unrecorded: Some(1.0), recorded: Some(recorded) };
        share(&busy, 0.0, time, 0).unwrap().of
    };
    assert_eq!(basis(1.9), "of the recorded run");
    assert_eq!(
        basis(12.4),
        "of the recorded run, which took 12 times as long; recording weighs on loops unevenly"
    );
}

#[test]
fn a_run_costs_as_much_as_its_accesses() {
    let first = Access::at(Kind::Insert, 0, 10, 0);
    let run = AccessRun { count: 100, length_stride: 1, ..AccessRun::single(first) };
    let single: f64 = (0..100).map(|i| cost(&of(Container::Vec), &run.nth(i))).sum();
    assert!((run_cost(&of(Container::Vec), &run) - single).abs() < 1e-6);
    let at_once = AccessRun { at_once: true, ..run };
    assert_eq!(run_cost(&of(Container::Vec), &at_once), 100.0, "16 bytes each");
}

#[test]
fn shares_need_the_unrecorded_run_and_never_exceed_it() {
    let cost = Cost::of_accesses(5e8);
    let time = RunTime { unrecorded: Some(1.0), recorded: Some(4.0) };
    assert_eq!(share(&cost, 1e9, RunTime { unrecorded: None, ..time }, 0), None);
    assert_eq!(share(&cost, 1e9, time, 0).unwrap().share.get(), 0.5);
    assert_eq!(share(&cost, 2e9, time, 0).unwrap().share.get(), 0.25);
    let phases = Cost { busy: Some(Busy { time: 3_000_000_000, ..Busy::default() }), ..cost };
    assert_eq!(share(&phases, 1e9, time, 0).unwrap().share.get(), 0.75);
    assert_eq!(share(&phases, 1e9, RunTime { recorded: None, ..time }, 0).unwrap().share.get(), 0.5);
}

#[test]
fn accesses_take_no_longer_than_their_loops() {
    let time = RunTime { unrecorded: Some(1.0), recorded: Some(4.0) };
    let busy = |time| Some(Busy { time, ..Busy::default() });
    let share = |cost: Cost| share(&cost, 0.0, time, 0).unwrap().share.get();
    let modelled = Cost::of_accesses(5e8);
    assert_eq!(share(Cost { within: Some(400_000_000), ..modelled }), 0.1);
    assert_eq!(share(Cost { within: Some(4_000_000_000), ..modelled }), 0.5);
    let measured = Cost { busy: busy(800_000_000), ..modelled };
    assert_eq!(share(Cost { within: Some(800_000_000), ..measured }), 0.2);
    assert_eq!(share(measured), 0.5);
}

#[test]
fn samples_of_the_unrecorded_run_tell_more_than_the_recording() {
    let time = RunTime { unrecorded: Some(1.0), recorded: Some(10.0) };
    let sampled = Sampled { all: 900, time: 180, whole: 900, cut: 0, part: 1.0 };
    let busy = Busy { time: 7_000_000_000, parts: 2, has_alternative: false };
    let cost = Cost { sampled: Some(sampled), ..Cost::in_phases(1e8, busy) };
    let severity = share(&cost, 0.0, time, 900).unwrap();
    assert_eq!(severity.share.get(), 0.2);
    assert_eq!(severity.of, "of the processor time without recording, by 900 samples (18 to 23 %)");
    assert_eq!(busy.of_each(Some(sampled), time), 90.0);
    let part = Cost { sampled: Some(sampled.part(0.5)), ..cost };
    assert_eq!(share(&part, 0.0, time, 900).unwrap().share.get(), 0.1);
    // Loops that need their order have advice, too, and their time is known.
    let needed = Cost { busy: None, ..cost };
    assert_eq!(share(&needed, 0.0, time, 900).unwrap().share.get(), 0.2);
    let untold = Cost { sampled: None, ..cost };
    assert!(
        share(&untold, 0.0, time, 31)
            .unwrap()
            .of
            .ends_with("(31 samples of the unrecorded run do not tell its share)")
    );
}

#[test]
fn samples_of_calls_tell_more_than_the_model() {
    let time = RunTime { unrecorded: Some(1.0), recorded: Some(10.0) };
    let sampled = Sampled { all: 900, time: 180, whole: 900, cut: 0, part: 1.0 };
    let modelled = Cost::of_calls(9.6e8, Calls::Whole);
    let severity = |cost: Cost| share(&cost, 0.0, time, 900).unwrap();
    let told = severity(Cost { in_calls: Some(sampled), ..modelled });
    assert_eq!(told.share.get(), 0.2);
    assert_eq!(told.of, "of the processor time without recording, by 900 samples (18 to 23 %)");
    let part = severity(Cost { in_calls: Some(sampled.part(0.5)), ..modelled });
    assert_eq!(part.share.get(), 0.1);
    assert!(part.of.ends_with("(9 to 23 %), as its part of these calls by a model"), "{}", part.of);
    assert_eq!(severity(modelled).of, "of the run time, by a model");
}

/// An interval that says nothing is not printed as if it did.
#[test]
fn shares_that_are_hardly_known() {
    let time = RunTime { unrecorded: Some(1.0), recorded: Some(10.0) };
    let of = |sampled: Sampled| {
        let busy = Busy { time: 7_000_000_000, parts: 2, has_alternative: false };
        share(&Cost { sampled: Some(sampled), ..Cost::in_phases(1e8, busy) }, 0.0, time, 900).unwrap().of
    };
    let cut = of(Sampled { all: 90, time: 2, whole: 90, cut: 80, part: 1.0 });
    assert!(cut.ends_with("by 90 samples (at least 1 %; the stacks of many are cut)"), "{cut}");
    let few = of(Sampled { all: 5, time: 2, whole: 5, cut: 0, part: 1.0 });
    assert!(few.ends_with("%, too few to tell)"), "{few}");
}

#[test]
fn calls_that_no_sample_is_in_though_they_should_take_long_were_not_found_again() {
    let time = RunTime { unrecorded: Some(1.0), recorded: None };
    let none = Sampled { all: 900, time: 0, whole: 900, cut: 0, part: 1.0 };
    let severity = |accesses| {
        let cost = Cost { in_calls: Some(none), ..Cost::of_calls(accesses, Calls::Whole) };
        share(&cost, 0.0, time, 900).unwrap()
    };
    assert_eq!((severity(3e8).share.get(), severity(3e8).of.as_str()), (0.3, "of the run time, by a model"));
    assert_eq!(severity(4e6).share.get(), 0.0, "samples may miss it, and it is little");
    assert!(severity(4e6).of.ends_with("by 900 samples (0 to 0 %)"), "{}", severity(4e6).of);
}
