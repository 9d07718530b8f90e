//! How much of the run time a finding is about.
//!
//! Two quantities, both shares of the run:
//!
//! - **Cost of accesses**: each access costs what the table below models; the sum is compared with the run time of the
//!   *unrecorded* program. Where the modelled cost of all structures exceeds the run time, it is scaled down to it. No kind of
//!   access at one site counts for more than the whole run in that sum, so that one bad estimate (a sort of a part, modelled as
//!   one of the whole) does not hide everything else. Rules whose advice makes accesses cheaper (another structure, a
//!   reserved capacity) use it.
//! - **Time in phases**: the time from the first access of a phase to its last, in which pauses count up to the threshold
//!   `gap`, compared with the length of the *recorded* run. It contains the work between the accesses, which is
//!   what gets faster when a loop runs in parallel. Where the loop that makes the phases is known, and no iteration of it
//!   uses what another one wrote, it is the whole time in that loop. Rules about parallel
//!   execution use it.
//!
//! Where the loops are known and the unrecorded run was sampled, the time in them is that of the samples
//! ([`crate::samples`]): recording weighs on loops unevenly. Phases that are a part of their loops' time in the recording are taken to be the same part of
//! it.
//!
//! Where all loops around the accesses are known, neither is more than the time in these loops: phases of several structures
//! that one loop makes at the same time are not added up, and a model does not outweigh what was measured.
//!
//! | access | modelled cost |
//! |---|---|
//! | read, write | 1 ns |
//! | insert, delete | 2 ns, and 1 ns for each 16 bytes of elements moved |
//! | insert many at once (resize, extend) | 1 ns for each 16 bytes |
//! | insert, delete, search in a hash map | 20 ns |
//! | the same in a tree | 5 ns for each halving of its length |
//! | the same in a heap | 2 ns for each halving of its length |
//! | search elsewhere | 0.5 ns for each element up to the one found, or for half of all |
//! | for-each, reverse | 0.5 ns for each element that is passed |
//! | copy | 1 ns for each 16 bytes |
//! | sort | 2 ns for each element and each halving of the length |
//! | clear | 2 ns |
//! | reallocation | 50 ns, and 1 ns for each 16 bytes |
//!
//! The figures are those of a desktop processor of the 2020s with the structure in its caches, to one digit. They rank; they do not
//! predict. Without an unrecorded run there is no severity.

use lotse_model::finding::Severity;
use lotse_report::number::format_count;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::access::{Access, AccessRun};
use crate::container::{Container, Kind};
use crate::instance::Instance;
use crate::nesting::LoopRun;
use crate::observe::growth::Growth;
use crate::protocol::PhaseSum;
use crate::samples::Sampled;

/// How long the program ran, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunTime {
    /// Without recording.
    pub unrecorded: Option<f64>,
    /// While it was recorded: from its first event to its last.
    pub recorded: Option<f64>,
}

impl RunTime {
    /// By how much a time of the recorded run is to be multiplied for one without recording; 1 where that is not known.
    pub(crate) fn unrecorded_share(self) -> f64 {
        let both = self.unrecorded.zip(self.recorded.filter(|seconds| *seconds > 0.0));
        both.map_or(1.0, |(without, with)| (without / with).min(1.0))
    }
}

/// What a match costs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Nanoseconds of accesses by the model.
    pub accesses: f64,
    /// Time in phases or loops; nothing for rules that are not about them.
    pub busy: Option<Busy>,
    /// Nanoseconds of the recorded run in the loops that make the accesses, which cannot take longer; nothing where not all of
    /// these loops are known.
    pub within: Option<u64>,
    /// The same by samples of the unrecorded run, for the loops that `busy` is about, else for all of them.
    #[serde(skip)]
    pub sampled: Option<Sampled>,
}

impl Cost {
    pub(crate) fn of_accesses(accesses: f64) -> Self {
        Self { accesses, ..Self::default() }
    }

    pub(crate) fn in_phases(accesses: f64, busy: Busy) -> Self {
        Self { busy: Some(busy), ..Self::of_accesses(accesses) }
    }
}

/// Time of the recorded run that would be divided among threads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Busy {
    /// Nanoseconds.
    pub time: u64,
    /// Phases, or executions of a loop: threads begin and end with each of them.
    pub parts: u64,
    /// Whether something else than threads may help too.
    pub has_alternative: bool,
}

impl Busy {
    pub(crate) fn of_phases(phases: &PhaseSum) -> Self {
        Self { time: phases.busy, parts: phases.phases, has_alternative: false }
    }

    /// The time of a loop in the recorded run.
    ///
    /// What recording added to it is not taken off: accesses to the stack take time and leave no trace, and where recording took
    /// most of the time the rest is a small difference of large numbers. The text of a severity says how much slower the
    /// recorded run was.
    pub(crate) fn of_loop(run: &LoopRun, time: RunTime) -> Self {
        let whole = time.recorded.map_or(f64::INFINITY, |seconds| seconds * 1e9);
        let spent = (run.spent as f64).min(whole) as u64;
        Self { time: spent, parts: run.executions, has_alternative: false }
    }

    /// Both together.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self { time: self.time + other.time, parts: self.parts + other.parts, ..other }
    }

    /// Nanoseconds of one part without recording, by samples where there are some.
    pub(crate) fn of_each(self, sampled: Option<Sampled>, time: RunTime) -> f64 {
        let all = sampled.map_or(self.time as f64 * time.unrecorded_share(), |sampled| sampled.nanoseconds());
        all / self.parts.max(1) as f64
    }
}

/// Bytes that are moved in a nanosecond.
const BYTES_PER_NS: f64 = 16.0;

/// The modelled nanoseconds of a run of accesses.
pub(crate) fn run_cost(instance: &Instance, run: &AccessRun) -> f64 {
    if run.at_once {
        return move_cost(instance, run.count);
    }
    run.mean(|access| cost(instance, access)) * run.count as f64
}

fn cost(instance: &Instance, access: &Access) -> f64 {
    let length = access.length as f64;
    let halvings = || (length + 1.0).log2().max(1.0);
    let size = f64::from(instance.element_size.max(1));
    match (instance.container, access.kind) {
        (_, Kind::Clear) => 2.0,
        (_, Kind::Copy) => length * size / BYTES_PER_NS,
        (_, Kind::Sort) => 2.0 * length * halvings(),
        (_, Kind::ForEach) => 0.5 * access.passed.map_or(length, |passed| passed as f64),
        (_, Kind::Reverse) => 0.5 * length,
        (_, Kind::Read | Kind::Write) => 1.0,
        (Container::HashMap | Container::HashSet, _) => 20.0,
        (Container::BTreeMap | Container::BTreeSet, _) => 5.0 * halvings(),
        (Container::BinaryHeap, Kind::Insert | Kind::Delete) => 2.0 * halvings(),
        (_, Kind::Search) => 0.5 * access.index.map_or(length / 2.0, |index| index as f64 + 1.0),
        (container, Kind::Insert | Kind::Delete) => {
            let moved = if container.is_contiguous() { behind(access) } else { 0.0 };
            2.0 + moved * size / BYTES_PER_NS
        }
    }
}

/// Elements behind the position of an insertion or deletion.
fn behind(access: &Access) -> f64 {
    let index = access.index.unwrap_or(access.length);
    let index = if access.kind == Kind::Delete { index.saturating_add(1) } else { index };
    access.length.saturating_sub(index) as f64
}

/// The modelled nanoseconds of moving elements out of the way at the front.
pub(crate) fn move_cost(instance: &Instance, moved: u64) -> f64 {
    moved as f64 * f64::from(instance.element_size.max(1)) / BYTES_PER_NS
}

/// The modelled nanoseconds of reallocations.
pub(crate) fn growth_cost(instance: &Instance, growth: &Growth) -> f64 {
    growth.reallocations as f64 * 50.0 + move_cost(instance, growth.copied)
}

/// The share of the run that a cost is; nothing if the run time is not known. `samples` is how many there are.
pub(crate) fn share(cost: &Cost, all_accesses: f64, time: RunTime, samples: u64) -> Option<Severity> {
    let unrecorded = time.unrecorded.filter(|seconds| *seconds > 0.0)? * 1e9;
    let accesses = cost.accesses / unrecorded.max(all_accesses);
    if let Some(sampled) = cost.sampled {
        return Some(match cost.busy.is_none() && accesses < sampled.share() {
            true => Severity::of(accesses, MODELLED),
            false => Severity::of(sampled.share(), &by_samples(&sampled)),
        });
    }
    let recorded = time.recorded.filter(|seconds| *seconds > 0.0);
    let of_recording = |nanoseconds: u64| Some(nanoseconds as f64 / (recorded? * 1e9));
    let within = cost.within.and_then(of_recording);
    let accesses = within.map_or(accesses, |within| accesses.min(within));
    let (share, is_recorded) = match cost.busy.and_then(|busy| of_recording(busy.time)) {
        // What was measured, and not what is modelled.
        Some(busy) if within.is_some() || busy > accesses => (busy, true),
        _ => (accesses, false),
    };
    let slower = recorded.map_or(1.0, |recorded| recorded * 1e9 / unrecorded);
    Some(Severity::of(share, &basis(slower, is_recorded, samples)))
}

const MODELLED: &str = "of the run time, by a model";

/// What a share by samples is of, and how well it is known.
fn by_samples(sampled: &Sampled) -> String {
    let (low, high) = sampled.interval();
    let part = if sampled.part < 1.0 { ", as a part of its loops like that in the recording" } else { "" };
    format!(
        "of the processor time without recording, by {} samples ({:.0} to {:.0} %){part}",
        format_count(sampled.all as f64),
        100.0 * low,
        100.0 * high
    )
}

/// What a share is of.
fn basis(slower: f64, is_recorded: bool, samples: u64) -> String {
    /// A recording that is less slow gives nearly the shares of the program.
    const SLOW: f64 = 2.0;
    match is_recorded {
        true if slower >= SLOW => {
            let few = match samples {
                0 => String::new(),
                samples => {
                    format!(" ({} of the unrecorded run do not tell its share)", counted_samples(samples))
                }
            };
            format!(
                "of the recorded run, which took {slower:.0} times as long; recording weighs on loops unevenly{few}"
            )
        }
        true => "of the recorded run".to_owned(),
        false => MODELLED.to_owned(),
    }
}

fn counted_samples(samples: u64) -> String {
    match samples {
        1 => "1 sample".to_owned(),
        samples => format!("{} samples", format_count(samples as f64)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Busy, Cost, RunTime, cost, run_cost, share};
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
        let modelled = Cost { busy: None, ..cost };
        assert_eq!(share(&modelled, 0.0, time, 900).unwrap().of, "of the run time, by a model");
        let bounded = Cost { accesses: 9e8, ..modelled };
        assert_eq!(share(&bounded, 0.0, time, 900).unwrap().share.get(), 0.2);
        let untold = Cost { sampled: None, ..cost };
        assert!(
            share(&untold, 0.0, time, 31)
                .unwrap()
                .of
                .ends_with("(31 samples of the unrecorded run do not tell its share)")
        );
    }
}
