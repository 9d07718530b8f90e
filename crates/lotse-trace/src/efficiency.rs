//! The efficiencies of POP: how well the CPUs were used.
//!
//! u_i is the time of process i outside MPI: that of its first thread on a CPU, without the recorder's own time. Functions
//! called from within MPI count as inside MPI. T is the run time, T_id the run time re-timed on an ideal network; events of
//! accelerators and metrics before or after those of CPUs extend neither.
//!
//! - load balance = mean(u) / max(u); communication efficiency = max(u) / T; their product is MPI's parallel
//!   efficiency, mean(u) / T.
//! - serialisation efficiency = max(u) / T_id; transfer efficiency = T_id / T; their product is the communication
//!   efficiency again. Time outside MPI keeps its length on an ideal network, even if a thread waits for another thread of
//!   its process that communicates: T_id lies between max(u) and T.
//! - Where processes have several threads: OpenMP's parallel efficiency = mean over all threads of computing time,
//!   divided by the mean of u. The parallel efficiency is the product of MPI's and OpenMP's: the computing time of all
//!   threads / (number of threads x T). If threads compute more than u on average, because the first thread is inside
//!   MPI meanwhile, this division is not possible: OpenMP's part is unknown.
//! - Computation scaling = sum u(reference) / sum u; global efficiency = parallel efficiency x computation scaling.
//!
//! Time in calls that sleep is outside MPI and so part of u, although it is no work: its share is given beside the others.
//!
//! For the efficiencies of a phase, pass the trace that [`crate::phases::cut()`] returns.

use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::Facts;
use crate::metric::Bound;
use crate::store::Trace;
use crate::unrecorded::Hidden;

mod known;
mod useful;

pub use known::Unknown;
use useful::Useful;

/// The efficiencies of a run. A ratio is absent where its divisor is 0, or where the trace does not determine it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Efficiency {
    /// Seconds from the first to the last event on a CPU.
    pub runtime: f64,
    /// Seconds outside MPI, by process.
    pub useful: Vec<f64>,
    /// Mean divided by longest time outside MPI.
    pub load_balance: Option<f64>,
    /// Longest time outside MPI divided by the run time.
    pub communication_efficiency: Option<f64>,
    /// Longest time outside MPI divided by the run time on an ideal network.
    pub serialisation_efficiency: Option<f64>,
    /// Run time on an ideal network divided by the run time.
    pub transfer_efficiency: Option<f64>,
    /// The product of the others: the share of the CPUs' time spent in computation.
    pub parallel_efficiency: Option<f64>,
    /// Load balance x communication efficiency.
    pub mpi_parallel_efficiency: Option<f64>,
    /// Efficiency of threads within their processes; absent where every process has one thread, and where threads compute
    /// while the first thread of their process is inside MPI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omp_parallel_efficiency: Option<f64>,
    /// Share of the CPUs' time in calls that sleep, which the parallel efficiency contains as time outside MPI; absent where
    /// no thread sleeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sleeping: Option<f64>,
    /// Number of threads on CPUs.
    pub threads: usize,
    /// Whether the parallel efficiency is only an upper bound (waiting that was not recorded counts as computation) or a
    /// lower bound (the work of lost events does not count); absent where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// Why no efficiency is known; absent where some are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<Unknown>,
}

/// The times from which efficiencies are computed, in ticks.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Times {
    /// By process: time outside MPI.
    outside_mpi: Vec<Ticks>,
    /// By process and thread: computing time.
    computing: Vec<Vec<Ticks>>,
    /// By process and thread: time in calls that sleep.
    sleeping: Vec<Vec<Ticks>>,
}

/// The efficiencies of a trace; `ideal` is the run time on an ideal network, where known. Absent where the trace has
/// no CPU locations.
pub fn efficiency(trace: &Trace, ideal: Option<Ticks>) -> Option<Efficiency> {
    efficiency_within(trace, ends(trace), ideal)
}

/// The efficiencies within an interval of the run; `ideal` is the length of that interval on an ideal network.
pub fn efficiency_within(
    trace: &Trace,
    (begin, end): (Ticks, Ticks),
    ideal: Option<Ticks>,
) -> Option<Efficiency> {
    let times = times(trace, (begin, end));
    if times.outside_mpi.is_empty() {
        return None;
    }
    let longest = times.outside_mpi.iter().copied().max().unwrap_or(0);
    let sum: u128 = times.outside_mpi.iter().copied().map(u128::from).sum();
    let processes = times.outside_mpi.len() as u128;
    let span = end - begin;
    let (longest, runtime) = (u128::from(longest), u128::from(span));
    let ideal = ideal.map(|ideal| u128::from(ideal).min(runtime).max(longest));
    let mpi = ratio(sum, processes * runtime);
    let omp = times.omp_parallel_efficiency(sum);
    let all = Efficiency {
        runtime: trace.seconds(span),
        useful: times.outside_mpi.iter().map(|&ticks| trace.seconds(ticks)).collect(),
        load_balance: ratio(sum, processes * longest),
        communication_efficiency: ratio(longest, runtime),
        serialisation_efficiency: ideal.and_then(|ideal| ratio(longest, ideal)),
        transfer_efficiency: ideal.and_then(|ideal| ratio(ideal, runtime)),
        parallel_efficiency: mpi.map(|mpi| (mpi * omp.unwrap_or(1.0)).min(1.0)),
        mpi_parallel_efficiency: mpi,
        omp_parallel_efficiency: omp.filter(|omp| *omp <= 1.0 + ROUNDING).map(|omp| omp.min(1.0)),
        sleeping: times.sleeping_share(span),
        threads: times.computing.iter().map(Vec::len).sum(),
        bound: None,
        unknown: None,
    };
    Some(all.only_known(trace))
}

/// Tolerance for rounding errors of ratios.
const ROUNDING: f64 = 1e-9;

/// The times of the first and the last event on a CPU.
fn ends(trace: &Trace) -> (Ticks, Ticks) {
    let ends = |it: LocationId| (trace.timeline(it).first, trace.timeline(it).last);
    let join =
        |(first, last): (Ticks, Ticks), (one, other): (Ticks, Ticks)| (first.min(one), last.max(other));
    trace.cpu_locations().map(ends).reduce(join).unwrap_or((0, 0))
}

fn ratio(part: u128, total: u128) -> Option<f64> {
    (total > 0).then(|| part as f64 / total as f64)
}

fn times(trace: &Trace, within: (Ticks, Ticks)) -> Times {
    let inside = useful::inside_mpi(trace);
    let mut useful = Useful::new(trace, &inside, within);
    let mut threads = |threads: &Vec<LocationId>| {
        let first = threads[0];
        let outside_mpi = useful.outside_mpi(first);
        (outside_mpi, threads.iter().map(|&it| useful.computing(it, it != first)).collect())
    };
    let processes = trace.processes();
    let (outside_mpi, computing) = processes.iter().map(|(_, all)| threads(all)).unzip();
    let mut sleeping = |all: &Vec<LocationId>| all.iter().map(|&it| useful.sleeping(it)).collect();
    let sleeping = processes.iter().map(|(_, all)| sleeping(all)).collect();
    Times { outside_mpi, computing, sleeping }
}

impl Times {
    /// The mean over all threads of computing time divided by the mean over processes of time outside MPI. Each thread
    /// counts as much, however many threads its process has.
    fn omp_parallel_efficiency(&self, outside_mpi: u128) -> Option<f64> {
        if outside_mpi == 0 || self.computing.iter().all(|threads| threads.len() == 1) {
            return None;
        }
        Some(mean_of_threads(&self.computing) / (outside_mpi as f64 / self.outside_mpi.len() as f64))
    }

    /// Share of the time of all threads in calls that sleep.
    fn sleeping_share(&self, span: Ticks) -> Option<f64> {
        let sleeping = mean_of_threads(&self.sleeping);
        (sleeping > 0.0 && span > 0).then(|| sleeping / span as f64)
    }
}

/// The mean over the threads of all processes.
fn mean_of_threads(times: &[Vec<Ticks>]) -> f64 {
    let all = || times.iter().flatten();
    all().map(|&ticks| ticks as f64).sum::<f64>() / all().count().max(1) as f64
}

impl Efficiency {
    /// The parallel efficiency without the time that threads sleep; absent where none sleeps.
    pub fn without_sleeping(&self) -> Option<f64> {
        Some((self.parallel_efficiency? - self.sleeping?).max(0.0))
    }

    /// Adds the efficiencies that need the run time on an ideal network; `gain` is how much shorter the run is on it.
    pub(crate) fn with_ideal_gain(self, gain: Option<f64>) -> Self {
        if self.communication_efficiency.is_none() {
            return self;
        }
        let longest = self.useful.iter().copied().fold(0.0, f64::max);
        let ideal = gain.map(|gain| (self.runtime - gain).min(self.runtime).max(longest));
        let ratio = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
        Self {
            serialisation_efficiency: ideal.and_then(|ideal| ratio(longest, ideal)),
            transfer_efficiency: ideal.and_then(|ideal| ratio(ideal, self.runtime)),
            ..self
        }
    }

    /// Removes the factors that are unknown if unrecorded waiting counts as computation, or if events were lost; the
    /// parallel efficiency is then a bound.
    pub(crate) fn only_bounds(self, facts: &Facts) -> Self {
        let lost = facts.incomplete_locations.len();
        let bound = match facts.hidden {
            Hidden::Waits => Some(Bound::Upper),
            // If all locations lost events, the run may have gone on without any of them.
            _ => (0 < lost && lost < facts.locations).then_some(Bound::Lower),
        };
        let is_known = facts.hidden != Hidden::Waits && lost == 0;
        let if_known = |value: Option<f64>| value.filter(|_| is_known);
        Self {
            bound: bound.filter(|_| self.parallel_efficiency.is_some()),
            load_balance: if_known(self.load_balance),
            communication_efficiency: if_known(self.communication_efficiency),
            serialisation_efficiency: if_known(self.serialisation_efficiency),
            transfer_efficiency: if_known(self.transfer_efficiency),
            ..self
        }
    }

    /// Seconds outside MPI of all processes.
    pub fn total_useful(&self) -> f64 {
        self.useful.iter().sum()
    }

    /// Computing time of the reference divided by that of this run; above 1 if this run computes less. Valid only for the
    /// same problem.
    pub fn computation_scaling(&self, reference: &Self) -> Option<f64> {
        let total = self.total_useful();
        (total > 0.0).then(|| reference.total_useful() / total)
    }

    /// Parallel efficiency x computation scaling.
    pub fn global_efficiency(&self, reference: &Self) -> Option<f64> {
        Some(self.parallel_efficiency? * self.computation_scaling(reference)?)
    }
}

#[cfg(test)]
mod tests;
