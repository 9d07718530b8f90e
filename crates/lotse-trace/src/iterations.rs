//! Iterations: what the program does again and again, and which time it took longer.
//!
//! First a call path is looked for that the leading threads of all processes visit equally often, at least three times,
//! whose visits mostly look alike (as many primitive calls in each) and which together cover most of the
//! run time; of several the one that covers most, which is the outermost. Where there is none, the primitive calls of
//! each leading thread are read as a sequence of call paths, in which the smallest period is looked for (`pattern`).
//!
//! The n-th iteration lasts from its first begin to its last end on any of the threads. Its duration is the longest that
//! a thread took for it: threads need not begin together, and their clocks may disagree.

use lotse_model::Workers;
use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;
use schemars::JsonSchema;
use serde::Serialize;

use crate::store::Trace;

mod durations;
mod pattern;
mod region;

pub use durations::{Durations, Slow};

/// Fewer repetitions are no loop.
pub const LEAST_COUNT: usize = 3;

/// What repeats, and how.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Iterations {
    /// Whether it is a region or a sequence of calls.
    pub kind: Kind,
    /// The call path of the region, or those of the calls of one period.
    pub callpaths: Vec<String>,
    /// How often it repeats.
    pub count: usize,
    /// Share of the run time that lies in iterations.
    pub coverage: f64,
    /// Share of the iterations that look like most of them.
    pub regularity: f64,
    /// Each iteration.
    pub iterations: Vec<Iteration>,
    /// Their durations.
    pub durations: Durations,
    /// Those that took notably longer than the others.
    pub slow: Vec<Slow>,
}

/// What kind of thing repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A region.
    Region,
    /// A sequence of primitive calls.
    Pattern,
}

/// One iteration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Iteration {
    /// When the first thread began it.
    pub begin_tick: u64,
    /// When the last thread ended it.
    pub end_tick: u64,
    /// The longest that a thread took for it.
    pub seconds: f64,
    /// That thread.
    pub longest_location: u32,
}

/// The repetitions on one location: begins and ends.
type Spans = Vec<(Ticks, Ticks)>;

/// What was found before it is described.
struct Found {
    kind: Kind,
    callpaths: Vec<String>,
    regularity: f64,
    spans: Vec<(LocationId, Spans)>,
}

/// What the program does again and again; `None` where nothing repeats.
pub fn iterations(trace: &Trace, workers: &dyn Workers) -> Option<Iterations> {
    let leaders: Vec<LocationId> = trace.processes().iter().map(|(_, threads)| threads[0]).collect();
    let found = region::find(trace, &leaders).or_else(|| pattern::find(trace, &leaders, workers))?;
    let (iterations, ticks) = join(trace, &found.spans);
    let (durations, slow) = durations::describe(trace, &ticks);
    Some(Iterations {
        kind: found.kind,
        callpaths: found.callpaths,
        count: iterations.len(),
        coverage: covered(&iterations) as f64 / trace.runtime().max(1) as f64,
        regularity: found.regularity,
        iterations,
        durations,
        slow,
    })
}

/// The n-th of all locations together, and how long it took.
fn join(trace: &Trace, spans: &[(LocationId, Spans)]) -> (Vec<Iteration>, Vec<Ticks>) {
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

/// Time in any iteration, overlaps once.
fn covered(iterations: &[Iteration]) -> Ticks {
    let mut reached = 0;
    let add = |it: &Iteration| {
        let from = it.begin_tick.max(reached);
        reached = reached.max(it.end_tick);
        it.end_tick.saturating_sub(from)
    };
    iterations.iter().map(add).sum()
}

#[cfg(test)]
mod tests;
