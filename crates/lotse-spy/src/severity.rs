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
//!   what gets faster when a loop runs in parallel. Where the loop that makes the phases is known, it is
//!   the whole time in that loop: that is what is at stake, whether or not it can be divided as it is. Rules about parallel
//!   execution use it.
//!
//! Where the unrecorded run was sampled, the model gives way to its samples (`samples.rs`): calls of methods of the library
//! that a finding is about have the share of the samples in them, and the model only divides it where other structures are
//! used by the same lines. Where the loops are known, the time in them is that of the samples: recording weighs on loops
//! unevenly. Phases that are a part of their loops' time in the recording are taken to be the same part of it.
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
//! The model remains for accesses that are no calls, for calls of which samples tell nothing, and for runs without samples. The figures are
//! those of a desktop processor of the 2020s with the structure in its caches, to one digit. They rank; they do not
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
    /// The calls of the library that it is the time of; nothing for rules that are about more or less than such calls.
    pub calls: Option<Calls>,
    /// The time in these calls by samples of the unrecorded run.
    #[serde(skip)]
    pub in_calls: Option<Sampled>,
}

/// What counts of the calls of the library that a finding names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Calls {
    /// All that they do.
    Whole,
    /// Only that they replace the memory of a structure by a larger block.
    Growth,
}

impl Cost {
    pub(crate) fn of_accesses(accesses: f64) -> Self {
        Self { accesses, ..Self::default() }
    }

    /// Accesses by calls of the library, whose time samples tell.
    pub(crate) fn of_calls(accesses: f64, calls: Calls) -> Self {
        Self { calls: Some(calls), ..Self::of_accesses(accesses) }
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
    if let Some(sampled) = told_calls(cost, all_accesses, time) {
        return Some(Severity::new(sampled.share(), &by_samples(&sampled, OF_CALLS)));
    }
    if let Some(sampled) = cost.sampled {
        return Some(Severity::new(sampled.share(), &by_samples(&sampled, OF_LOOPS)));
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
    Some(Severity::new(share, &basis(slower, is_recorded, samples)))
}

/// The time in calls by samples, if they tell it. Calls that no sample is in, though by the model they take more time than samples can
/// miss, were not found again in the unrecorded program.
pub(crate) fn told_calls(cost: &Cost, all_accesses: f64, time: RunTime) -> Option<Sampled> {
    let unrecorded = time.unrecorded? * 1e9;
    let modelled = cost.accesses / unrecorded.max(all_accesses);
    cost.in_calls.filter(|sampled| sampled.time > 0 || modelled <= sampled.interval().1)
}

const MODELLED: &str = "of the run time, by a model";

/// An interval of shares that is wider says little.
const VAGUE: f64 = 0.5;

/// A part from which on nothing is said about it: shares have two digits.
const WHOLE: f64 = 0.995;

/// What a part of the sampled time is.
const OF_LOOPS: &str = ", as a part of its loops like that in the recording";
const OF_CALLS: &str = ", as its part of these calls by a model";

/// What a share by samples is of, and how well it is known.
fn by_samples(sampled: &Sampled, what: &str) -> String {
    let (low, high) = sampled.interval();
    let part = if sampled.part < WHOLE { what } else { "" };
    let samples = format_count(sampled.all as f64);
    let known = match high - low > VAGUE {
        true if sampled.is_cut() => format!("at least {:.0} %; the stacks of many are cut", 100.0 * low),
        true => format!("{:.0} to {:.0} %, too few to tell", 100.0 * low, 100.0 * high),
        false => format!("{:.0} to {:.0} %", 100.0 * low, 100.0 * high),
    };
    format!("of the processor time without recording, by {samples} samples ({known}){part}")
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
mod tests;
