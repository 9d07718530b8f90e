//! The severity of a finding: the share of the run time that it concerns.
//!
//! Two quantities, both shares of the run:
//!
//! - **Cost of accesses**: each access has a cost by the model below; the sum is compared with the run time of the *unrecorded*
//!   program. If the modelled cost of all structures exceeds the run time, it is scaled down to it. In that sum no kind of
//!   access at one site counts for more than the whole run, so that one bad estimate (sorting a part, modelled as sorting the
//!   whole structure) does not hide everything else. It is used by rules whose advice makes accesses cheaper (another structure,
//!   a reserved capacity).
//! - **Time in phases**: the time from the first to the last access of a phase, in which a pause counts at most as the
//!   threshold `gap`, compared with the duration of the *recorded* run. It includes the work between the accesses, which is
//!   what gets faster when a loop runs in parallel. Where the loop that makes the phases is known, the whole time in that loop
//!   counts, whether or not its iterations can be divided as they are. It is used by rules about parallel execution.
//!
//! Where the unrecorded run was sampled, samples replace the model (`samples.rs`): a finding about library calls has the share
//! of the samples in these calls, and the model only divides this share if the same lines use other structures, too. Where the
//! loops are known, the time in them comes from the samples, because recording slows down loops by different factors. If phases
//! are a part of the time of their loops in the recording, the same part of the sampled time is assumed.
//!
//! Where all loops around the accesses are known, both quantities are limited by the time in these loops. Phases of several
//! structures that one loop makes at the same time are therefore not added up, and the model cannot exceed a measurement.
//!
//! | access | modelled cost |
//! |---|---|
//! | read, write | 1 ns |
//! | insert, delete | 2 ns, and 1 ns per 16 bytes of moved elements |
//! | insert many at once (resize, extend) | 1 ns per 16 bytes |
//! | insert, delete, search in a hash map | 20 ns |
//! | the same in a tree of n elements | 5 ns · log₂ n |
//! | insert, delete in a heap of n elements | 2 ns · log₂ n |
//! | search elsewhere | 0.5 ns per element up to the one found, or for half of all |
//! | for-each, reverse | 0.5 ns per element visited |
//! | copy | 1 ns per 16 bytes |
//! | sort n elements | 2 ns · n · log₂ n |
//! | clear | 2 ns |
//! | reallocation | 50 ns, and 1 ns per 16 bytes |
//!
//! The model is still used for accesses that are not calls, for calls that the samples do not cover, and for runs without
//! samples. The figures are those of a desktop processor of the 2020s with the structure in its caches, to one digit. They are
//! meant for ranking, not for prediction. Without an unrecorded run there is no severity.

use lotse_model::finding::Severity;
use lotse_report::number::format_count;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::access::{Access, AccessRun};
use crate::container::{AccessKind, Container};
use crate::instance::Instance;
use crate::nesting::LoopStats;
use crate::observe::growth::Growth;
use crate::protocol::PhaseSum;
use crate::samples::SampledTime;

/// How long the program ran, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RunTime {
    /// Without recording.
    pub unrecorded: Option<f64>,
    /// While it was recorded: from its first event to its last.
    pub recorded: Option<f64>,
}

impl RunTime {
    /// The factor from times of the recorded run to times without recording, at most 1; 1 if it is not known.
    pub(crate) fn unrecorded_factor(self) -> f64 {
        let both = self.unrecorded.zip(self.recorded.filter(|seconds| *seconds > 0.0));
        both.map_or(1.0, |(without, with)| (without / with).min(1.0))
    }
}

/// The cost of what a match is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct FindingCost {
    /// Modelled cost of the accesses in nanoseconds.
    pub accesses: f64,
    /// Time in phases or loops; `None` for rules that are not about them.
    pub busy: Option<ParallelTime>,
    /// Nanoseconds of the recorded run in the loops that make the accesses: an upper bound. `None` if not all of these loops are
    /// known.
    pub within: Option<u64>,
    /// The sampled time of the unrecorded run in the loops that `busy` is about, otherwise in all of these loops.
    #[serde(skip)]
    pub sampled: Option<SampledTime>,
    /// The library calls that the cost consists of; `None` for rules about more or less than such calls.
    pub calls: Option<CallPart>,
    /// The sampled time of the unrecorded run in these calls.
    #[serde(skip)]
    pub in_calls: Option<SampledTime>,
}

/// The part of a library call that a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallPart {
    /// The whole call.
    Whole,
    /// Only the replacement of the structure's memory by a larger block.
    Growth,
}

impl FindingCost {
    pub(crate) fn from_accesses(accesses: f64) -> Self {
        Self { accesses, ..Self::default() }
    }

    /// The cost of accesses made by library calls, whose time can be sampled.
    pub(crate) fn from_calls(accesses: f64, calls: CallPart) -> Self {
        Self { calls: Some(calls), ..Self::from_accesses(accesses) }
    }

    pub(crate) fn from_phases(accesses: f64, busy: ParallelTime) -> Self {
        Self { busy: Some(busy), ..Self::from_accesses(accesses) }
    }
}

/// The time of the recorded run that would be divided among threads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParallelTime {
    /// In nanoseconds.
    pub time: u64,
    /// Number of phases, or of executions of a loop: threads start and end with each of them.
    pub parts: u64,
    /// Whether there is other advice than threads.
    pub has_alternative: bool,
}

impl ParallelTime {
    pub(crate) fn from_phases(phases: &PhaseSum) -> Self {
        Self { time: phases.busy, parts: phases.phases, has_alternative: false }
    }

    /// The time of a loop in the recorded run.
    ///
    /// The overhead of recording is not subtracted: accesses to the stack take time but are not recorded, and where recording took
    /// most of the time the rest would be a small difference of large numbers. The text of a severity says how much slower
    /// the recorded run was.
    pub(crate) fn from_loop(stats: &LoopStats, time: RunTime) -> Self {
        let whole = time.recorded.map_or(f64::INFINITY, |seconds| seconds * 1e9);
        let spent = (stats.spent as f64).min(whole) as u64;
        Self { time: spent, parts: stats.executions, has_alternative: false }
    }

    /// The sum of both.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self { time: self.time + other.time, parts: self.parts + other.parts, ..other }
    }

    /// Nanoseconds of one part without recording, from samples if there are any.
    pub(crate) fn per_part(self, sampled: Option<SampledTime>, time: RunTime) -> f64 {
        let all =
            sampled.map_or(self.time as f64 * time.unrecorded_factor(), |sampled| sampled.nanoseconds());
        all / self.parts.max(1) as f64
    }
}

/// Bytes moved per nanosecond.
const BYTES_PER_NS: f64 = 16.0;

/// The modelled nanoseconds of a run of accesses.
pub(crate) fn run_cost(instance: &Instance, run: &AccessRun) -> f64 {
    if run.at_once {
        return move_cost(instance, run.count);
    }
    run.mean(|access| access_cost(instance, access)) * run.count as f64
}

/// The modelled nanoseconds of one access: the table of the module documentation.
fn access_cost(instance: &Instance, access: &Access) -> f64 {
    let length = access.length as f64;
    let halvings = || (length + 1.0).log2().max(1.0);
    let size = f64::from(instance.element_size.max(1));
    match (instance.container, access.kind) {
        (_, AccessKind::Clear) => 2.0,
        (_, AccessKind::Copy) => length * size / BYTES_PER_NS,
        (_, AccessKind::Sort) => 2.0 * length * halvings(),
        (_, AccessKind::ForEach) => 0.5 * access.passed.map_or(length, |passed| passed as f64),
        (_, AccessKind::Reverse) => 0.5 * length,
        (_, AccessKind::Read | AccessKind::Write) => 1.0,
        (Container::HashMap | Container::HashSet, _) => 20.0,
        (Container::BTreeMap | Container::BTreeSet, _) => 5.0 * halvings(),
        (Container::BinaryHeap, AccessKind::Insert | AccessKind::Delete) => 2.0 * halvings(),
        (_, AccessKind::Search) => 0.5 * access.index.map_or(length / 2.0, |index| index as f64 + 1.0),
        (container, AccessKind::Insert | AccessKind::Delete) => {
            let moved = if container.is_contiguous() { behind(access) } else { 0.0 };
            2.0 + moved * size / BYTES_PER_NS
        }
    }
}

/// Elements behind the position of an insertion or deletion.
fn behind(access: &Access) -> f64 {
    let index = access.index.unwrap_or(access.length);
    let index = if access.kind == AccessKind::Delete { index.saturating_add(1) } else { index };
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

/// The share of the run time that a cost is; `None` if the run time is not known. `all_accesses` is the modelled cost of all
/// accesses of the program, and `samples` the number of samples of the unrecorded run.
///
/// In this order: the sampled time in calls, the sampled time in loops, the measured time in phases of the recording, the model.
pub(crate) fn severity(
    cost: &FindingCost,
    all_accesses: f64,
    time: RunTime,
    samples: u64,
) -> Option<Severity> {
    let unrecorded = time.unrecorded.filter(|seconds| *seconds > 0.0)? * 1e9;
    let accesses = cost.accesses / unrecorded.max(all_accesses);
    if let Some(sampled) = sampled_calls(cost, all_accesses, time) {
        return Some(Severity::new(sampled.share(), &basis_of_samples(&sampled, OF_CALLS)));
    }
    if let Some(sampled) = cost.sampled {
        return Some(Severity::new(sampled.share(), &basis_of_samples(&sampled, OF_LOOPS)));
    }
    let recorded = time.recorded.filter(|seconds| *seconds > 0.0);
    let of_recording = |nanoseconds: u64| Some(nanoseconds as f64 / (recorded? * 1e9));
    let within = cost.within.and_then(of_recording);
    let accesses = within.map_or(accesses, |within| accesses.min(within));
    let (share, is_recorded) = match cost.busy.and_then(|busy| of_recording(busy.time)) {
        // A measured time takes precedence over the model.
        Some(busy) if within.is_some() || busy > accesses => (busy, true),
        _ => (accesses, false),
    };
    let slower = recorded.map_or(1.0, |recorded| recorded * 1e9 / unrecorded);
    Some(Severity::new(share, &basis(slower, is_recorded, samples)))
}

/// The sampled time in calls. `None` if no sample is in these calls although the model predicts more time than samples can miss:
/// then the calls were not recognised in the unrecorded program.
pub(crate) fn sampled_calls(cost: &FindingCost, all_accesses: f64, time: RunTime) -> Option<SampledTime> {
    let unrecorded = time.unrecorded? * 1e9;
    let modelled = cost.accesses / unrecorded.max(all_accesses);
    cost.in_calls.filter(|sampled| sampled.time > 0 || modelled <= sampled.interval().1)
}

const MODELLED: &str = "of the run time, by a model";

/// A confidence interval of a share that is wider than this is called vague.
const VAGUE: f64 = 0.5;

/// From this part on the text does not mention that it is a part: shares have two digits.
const WHOLE: f64 = 0.995;

/// How a part of the sampled time was determined.
const OF_LOOPS: &str = ", as a part of its loops like that in the recording";
const OF_CALLS: &str = ", as its part of these calls by a model";

/// The text of what a sampled share refers to, and how precise it is.
fn basis_of_samples(sampled: &SampledTime, what: &str) -> String {
    let (low, high) = sampled.interval();
    let part = if sampled.part < WHOLE { what } else { "" };
    let samples = format_count(sampled.samples as f64);
    let known = match high - low > VAGUE {
        true if sampled.is_cut() => format!("at least {:.0} %; the stacks of many are cut", 100.0 * low),
        true => format!("{:.0} to {:.0} %, too few to tell", 100.0 * low, 100.0 * high),
        false => format!("{:.0} to {:.0} %", 100.0 * low, 100.0 * high),
    };
    format!("of the processor time without recording, by {samples} samples ({known}){part}")
}

/// The text of what a share refers to, without samples.
fn basis(slower: f64, is_recorded: bool, samples: u64) -> String {
    /// Below this slowdown the shares of the recorded run are close to those of the program.
    const SLOW: f64 = 2.0;
    match is_recorded {
        true if slower >= SLOW => {
            let few = match samples {
                0 => String::new(),
                samples => {
                    format!(" ({} of the unrecorded run do not show its share)", counted_samples(samples))
                }
            };
            format!(
                "of the recorded run, which took {slower:.0} times as long; recording slows loops down unevenly{few}"
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
