//! Iterations: what the program does again and again, and which time it took longer.
//!
//! The loop is looked for on the leading thread of each process (`loops`), between starting and ending MPI, as a sequence
//! of calls that repeats. Most of these threads must repeat something equally often; those count.
//!
//! The n-th iteration lasts from its first begin to its last end on any of the threads. Its duration is the longest that
//! a thread took for it: threads need not begin together, and their clocks may disagree.

use lotse_model::Workers;
use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;
use lotse_model::work;
use schemars::JsonSchema;
use serde::Serialize;

use crate::focus::{Focus, FocusOn};
use crate::store::Trace;

mod durations;
mod loops;
mod periods;

pub use durations::{Durations, Slow};
use loops::Loop;

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
    /// On how many processes; the others repeat something else, or another number of times.
    pub processes: usize,
    /// How many processes there are.
    pub all_processes: usize,
    /// A greater loop around this one; null where there is none. The trace does not tell which of both is the
    /// program's.
    pub outer: Option<Outer>,
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
    /// A region that is entered once in each iteration.
    Region,
    /// A sequence of calls.
    Pattern,
}

/// A loop around the iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Outer {
    /// How often it repeats.
    pub count: usize,
    /// How many calls one turn of it has.
    pub calls: usize,
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

/// What the program does again and again; `None` where nothing repeats on most processes.
pub fn iterations(trace: &Trace, workers: &dyn Workers) -> Option<Iterations> {
    let leaders: Vec<LocationId> = trace.processes().iter().map(|(_, threads)| threads[0]).collect();
    let focus = Focus::new(trace, FocusOn::Program);
    let loops = work::map(workers, leaders.len(), |at| loops::find(trace, leaders[at], focus));
    let found = leaders.iter().copied().zip(loops).filter_map(|(location, it)| Some((location, it?)));
    let kept = agreeing(found.collect(), leaders.len())?;
    let (body, outer) = (&kept[0].1.body, kept[0].1.outer);
    let is_region = matches!(body[..], [path] if !trace.class_of(path).is_primitive());
    let alike = |(_, it): &(LocationId, Loop)| it.regular as f64 / it.spans.len().max(1) as f64;
    let (callpaths, regularity) = (
        body.iter().map(|&path| trace.path_name(path)).collect(),
        kept.iter().map(alike).fold(1.0, f64::min),
    );
    let spans: Vec<(LocationId, Spans)> = kept.into_iter().map(|(at, it)| (at, it.spans)).collect();
    let (iterations, ticks) = join(trace, &spans);
    let (durations, slow) = durations::describe(trace, &ticks);
    Some(Iterations {
        kind: if is_region { Kind::Region } else { Kind::Pattern },
        callpaths,
        count: iterations.len(),
        coverage: covered(&iterations) as f64 / trace.runtime().max(1) as f64,
        regularity,
        processes: spans.len(),
        all_processes: leaders.len(),
        outer: outer.map(|(count, calls)| Outer { count, calls }),
        iterations,
        durations,
        slow,
    })
}

/// When the iterations of one location begin, and the last one ends; nothing where it has no loop.
pub(crate) fn begins_of(trace: &Trace, location: LocationId) -> Vec<Ticks> {
    let found = loops::find(trace, location, Focus::new(trace, FocusOn::Program));
    let spans = found.map_or_else(Vec::new, |it| it.spans);
    let last = spans.last().map(|(_, end)| *end);
    spans.iter().map(|(begin, _)| *begin).chain(last).collect()
}

/// Those that repeat something equally often, if they are more than half of all.
fn agreeing(found: Vec<(LocationId, Loop)>, all: usize) -> Option<Vec<(LocationId, Loop)>> {
    let often = |count: usize| found.iter().filter(|(_, it)| it.spans.len() == count).count();
    let count = found.iter().map(|(_, it)| it.spans.len()).max_by_key(|&count| (often(count), count))?;
    if 2 * often(count) <= all {
        return None;
    }
    Some(found.into_iter().filter(|(_, it)| it.spans.len() == count).collect())
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
