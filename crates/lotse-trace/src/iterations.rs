//! Iterations of the program's main loop, and which of them took longer than the others.
//!
//! On the first thread of each process, between starting and ending MPI there, a repeating sequence of calls is searched for
//! (`loops`). More than half of these threads must have the same number of repetitions; the others are ignored.
//!
//! The n-th iteration lasts from its first begin to its last end on any of the threads. Its duration is that of the thread
//! that took longest, because threads need not begin together and their clocks may differ.

use lotse_model::Workers;
use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;
use lotse_model::work;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::focus::Focus;
use crate::store::Trace;

mod durations;
mod loops;
mod periods;

pub use durations::{Durations, SlowIteration};
use loops::Loop;

/// A loop has at least this many iterations.
pub const LEAST_COUNT: usize = 3;

/// The iterations of a program.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Iterations {
    /// Whether an iteration is a region or a sequence of calls.
    pub kind: IterationKind,
    /// The call path of the region, or the call paths of the calls of one iteration.
    pub callpaths: Vec<String>,
    /// Number of iterations.
    pub count: usize,
    /// Number of processes with these iterations; the others repeat something else, or another number of times.
    pub processes: usize,
    /// Number of all processes.
    pub all_processes: usize,
    /// An outer loop around this one; null where there is none. The trace does not show which of both is the program's
    /// main loop.
    pub outer: Option<OuterLoop>,
    /// Share of the run time that is spent in iterations.
    pub coverage: f64,
    /// Share of the iterations with the most frequent sequence of calls.
    pub regularity: f64,
    /// The iterations, in the order of time.
    pub iterations: Vec<Iteration>,
    /// Statistics of their durations.
    pub durations: Durations,
    /// The iterations that took notably longer than the others.
    pub slow: Vec<SlowIteration>,
}

/// What an iteration consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", schemars(rename = "Kind"))]
pub enum IterationKind {
    /// A region that is entered once in each iteration.
    Region,
    /// A sequence of calls.
    Pattern,
}

/// A loop around the iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Outer"))]
pub struct OuterLoop {
    /// Number of its iterations.
    pub count: usize,
    /// Number of calls in one of its iterations.
    pub calls: usize,
}

/// One iteration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Iteration {
    /// Time when the first thread began it.
    pub begin_tick: u64,
    /// Time when the last thread ended it.
    pub end_tick: u64,
    /// The longest time that a thread took for it.
    pub seconds: f64,
    /// The thread that took longest.
    pub longest_location: u32,
}

/// The iterations of one location: begins and ends.
type IterationSpans = Vec<(Ticks, Ticks)>;

/// The iterations of the program; none if nothing repeats on most processes.
pub fn iterations(trace: &Trace, workers: &dyn Workers) -> Option<Iterations> {
    let leaders: Vec<LocationId> = trace.processes().iter().map(|(_, threads)| threads[0]).collect();
    let loops = work::map(workers, leaders.len(), |at| loop_of(trace, leaders[at]));
    let found = leaders.iter().copied().zip(loops).filter_map(|(location, it)| Some((location, it?)));
    let agreeing_loops = agreeing(found.collect(), leaders.len())?;
    let (body, outer) = (&agreeing_loops[0].1.body, agreeing_loops[0].1.outer);
    let is_region = matches!(body[..], [path] if !trace.class_of(path).is_primitive());
    let regular_share = |(_, it): &(LocationId, Loop)| it.regular as f64 / it.spans.len().max(1) as f64;
    let (callpaths, regularity) = (
        body.iter().map(|&path| trace.path_name(path)).collect(),
        agreeing_loops.iter().map(regular_share).fold(1.0, f64::min),
    );
    let spans: Vec<(LocationId, IterationSpans)> =
        agreeing_loops.into_iter().map(|(at, it)| (at, it.spans)).collect();
    let (iterations, ticks) = join(trace, &spans);
    let (durations, slow) = durations::describe(trace, &ticks);
    Some(Iterations {
        kind: if is_region { IterationKind::Region } else { IterationKind::Pattern },
        callpaths,
        count: iterations.len(),
        coverage: covered(&iterations) as f64 / trace.runtime().max(1) as f64,
        regularity,
        processes: spans.len(),
        all_processes: leaders.len(),
        outer: outer.map(|(count, calls)| OuterLoop { count, calls }),
        iterations,
        durations,
        slow,
    })
}

/// The loop of one location, between starting and ending MPI there.
fn loop_of(trace: &Trace, location: LocationId) -> Option<Loop> {
    loops::find(trace, location, Focus::of_location(trace, location))
}

/// When the iterations of one location begin, and when the last one ends; empty if it has no loop.
pub(crate) fn iteration_borders(trace: &Trace, location: LocationId) -> Vec<Ticks> {
    let spans = loop_of(trace, location).map_or_else(Vec::new, |it| it.spans);
    let last = spans.last().map(|(_, end)| *end);
    spans.iter().map(|(begin, _)| *begin).chain(last).collect()
}

/// The loops with the most frequent number of iterations, if they are more than half of all.
fn agreeing(found: Vec<(LocationId, Loop)>, all: usize) -> Option<Vec<(LocationId, Loop)>> {
    let often = |count: usize| found.iter().filter(|(_, it)| it.spans.len() == count).count();
    let count = found.iter().map(|(_, it)| it.spans.len()).max_by_key(|&count| (often(count), count))?;
    if 2 * often(count) <= all {
        return None;
    }
    Some(found.into_iter().filter(|(_, it)| it.spans.len() == count).collect())
}

/// Joins the n-th iterations of all locations; also gives their durations.
fn join(trace: &Trace, spans: &[(LocationId, IterationSpans)]) -> (Vec<Iteration>, Vec<Ticks>) {
    let count = spans.iter().map(|(_, spans)| spans.len()).min().unwrap_or(0);
    let one = |number: usize| {
        let all = || spans.iter().map(move |(location, spans)| (*location, spans[number]));
        let longest = all().map(|(location, (begin, end))| (end - begin, std::cmp::Reverse(location))).max();
        let (ticks, location) = longest.map_or((0, 0), |(ticks, location)| (ticks, location.0.0));
        let iteration = Iteration {
            begin_tick: all().map(|(_, (begin, _))| begin).min().unwrap_or(0),
            end_tick: all().map(|(_, (_, end))| end).max().unwrap_or(0),
            seconds: trace.seconds(ticks),
            longest_location: location,
        };
        (iteration, ticks)
    };
    (0..count).map(one).unzip()
}

/// The length of the union of all iterations.
fn covered(iterations: &[Iteration]) -> Ticks {
    let mut covered_until = 0;
    let add = |it: &Iteration| {
        let from = it.begin_tick.max(covered_until);
        covered_until = covered_until.max(it.end_tick);
        it.end_tick.saturating_sub(from)
    };
    iterations.iter().map(add).sum()
}

#[cfg(test)]
mod tests;
