//! Phases: intervals of the run in which the program uses its time in different ways (IPS-2).
//!
//! 1. Each metric m becomes a curve `V[m]` over a grid of equal time steps (`curves`). It is smoothed by two passes of a
//!    sliding window, so that a sudden change is steepest in its middle, and scaled to 0..1.
//! 2. For each metric m and step i, `h[m,i]` is the difference between the extrema before and after i, and
//!    `B[m,i] = |dV[m,i]/dt| * h[m,i]`, with time counted in windows so that B does not depend on the grid. The boundary
//!    curve is `B[i]` = sum over m. A phase ends where B has a maximum within a window that reaches the threshold
//!    (`boundaries`).
//! 3. This border is moved by at most half a window to the time at which it cuts the fewest calls (`snap`).
//! 4. Neighbouring phases with a similar use of time are joined (`merge`), so that a run with uniform behaviour is one phase
//!    however noisy it is.
//! 5. Borders that remain inside of the program's loop are moved to the nearest begin of an iteration, because iterations
//!    are no phases; then similar neighbours are joined again.
//!
//! ```text
//! V[m]   ___________/‾‾‾‾‾‾‾‾‾‾\________
//! B      ___________^__________^________
//!        |  phase 1 | phase 2  | phase 3|
//! ```
//!
//! Phases are disjoint and cover the run. [`cut_with_waits`] cuts the part of a trace within a phase out, together with its
//! waits, for all other analyses.

use lotse_model::Workers;
use lotse_model::id::PathId;
use lotse_model::trace::Ticks;
use lotse_model::work;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::class::Class;
use crate::iterations;
use crate::store::{PathTimes, Trace};
use crate::waits::Waits;

mod boundaries;
mod curves;
mod cut;
mod merge;
mod snap;

use boundaries::Border;
pub use boundaries::LEAST_CHANGE;
pub use curves::Curve;
pub use cut::{cut, cut_with_waits};

/// How phases are searched for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Number of steps of the grid.
    pub steps: usize,
    /// Length of the sliding window, in steps.
    pub window: usize,
    /// The least height of the boundary curve at a border. Higher: fewer phases.
    pub threshold: Threshold,
}

/// The least height of the boundary curve at a border; peaks below [`LEAST_CHANGE`] are never borders.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Threshold {
    /// As a share of its maximum.
    Relative(f64),
    /// As an absolute height.
    Absolute(f64),
}

impl Default for Options {
    fn default() -> Self {
        Self { steps: 1000, window: 20, threshold: Threshold::Relative(0.2) }
    }
}

/// An interval of the run, without its end. A phase that reaches the end of the trace contains its last events too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Phase {
    pub begin: Ticks,
    pub end: Ticks,
}

impl Phase {
    /// The whole trace as one phase.
    pub fn whole_run(trace: &Trace) -> Self {
        Self { begin: trace.first_tick(), end: trace.last_tick() }
    }

    /// Its length.
    pub fn ticks(&self) -> Ticks {
        self.end.saturating_sub(self.begin)
    }
}

/// A phase and what the program mostly did in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PhaseAnswer {
    /// Its first tick.
    pub begin_tick: u64,
    /// The tick at which the next one begins.
    pub end_tick: u64,
    /// Seconds from the first event of the run to its begin.
    pub begin: f64,
    /// Seconds from the first event of the run to its end.
    pub end: f64,
    /// Its share of the run time.
    pub share: f64,
    /// The class of the time tree in which the locations spent most of the phase.
    pub dominant_class: &'static str,
    /// That class's share of the locations' time in it.
    pub dominant_class_share: f64,
    /// The call path in which the locations spent most of the phase.
    pub dominant_callpath: String,
    /// That path's share of the locations' time in it.
    pub dominant_callpath_share: f64,
    /// Height of the boundary curve where it begins; the first has none.
    pub change: Option<f64>,
    /// The metric whose change is the largest part of that height.
    pub changed_metric: Option<String>,
}

/// The phases of a trace, in their order.
pub fn phases(trace: &Trace, waits: &Waits, options: Options, workers: &dyn Workers) -> Vec<PhaseAnswer> {
    let grid = curves::Grid::new(trace, options.steps);
    let curves = curves::curves(trace, waits, &grid, workers);
    let borders = boundaries::find(&curves, options.window, options.threshold);
    let reach = grid.edge(options.window / 2) - trace.first_tick();
    let ticks = work::map(workers, borders.len(), |at| snap::snap(trace, grid.edge(borders[at].step), reach));
    let kept_numbers = kept_borders(trace, (&ticks, 2 * reach), workers);
    let (ticks, borders) = move_to_iterations(trace, &ticks, &borders, &kept_numbers);
    let kept_numbers = kept_borders(trace, (&ticks, 2 * reach), workers);
    let spans = spans(trace, &kept_numbers.iter().map(|&border| ticks[border]).collect::<Vec<_>>());
    work::map(workers, spans.len(), |number| {
        let border = number.checked_sub(1).map(|before| &borders[kept_numbers[before]]);
        describe(trace, spans[number], border.map(|it| (it.height, curves[it.metric].name.clone())))
    })
}

/// The positions of the borders between phases that differ; no phase is shorter than a window.
fn kept_borders(trace: &Trace, (borders, window): (&[Ticks], Ticks), workers: &dyn Workers) -> Vec<usize> {
    if borders.is_empty() {
        return Vec::new();
    }
    let found = spans(trace, borders);
    let candidates = work::map(workers, found.len(), |number| merge::PhaseCandidate {
        ticks: found[number].ticks(),
        times: times(trace, found[number]),
    });
    merge::kept_borders(candidates, window)
}

/// The kept borders, with those inside of the program's loop moved to the nearest begin of an iteration, because the steps
/// of an iteration are no phases. The loop is that of the first thread.
fn move_to_iterations(
    trace: &Trace,
    ticks: &[Ticks],
    borders: &[Border],
    kept_numbers: &[usize],
) -> (Vec<Ticks>, Vec<Border>) {
    let first = trace.cpu_locations().next().filter(|_| !kept_numbers.is_empty());
    let begins = first.map_or_else(Vec::new, |first| iterations::iteration_borders(trace, first));
    let nearest = |at: Ticks| match (begins.first(), begins.last()) {
        (Some(&from), Some(&to)) if (from..to).contains(&at) => {
            begins.iter().copied().min_by_key(|begin| begin.abs_diff(at)).unwrap_or(at)
        }
        _ => at,
    };
    let mut candidates: Vec<(Ticks, Border)> =
        kept_numbers.iter().map(|&border| (nearest(ticks[border]), borders[border])).collect();
    // Within the first or last iteration the nearest border may be that of the loop itself, so both are candidates.
    let moved =
        kept_numbers.iter().find(|&&border| nearest(ticks[border]) != ticks[border]).map(|&it| borders[it]);
    candidates.extend(
        moved
            .into_iter()
            .flat_map(|border| begins.first().into_iter().chain(begins.last()).map(move |&at| (at, border))),
    );
    candidates.retain(|(at, _)| (trace.first_tick() + 1..trace.last_tick()).contains(at));
    candidates.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.height.total_cmp(&a.1.height)));
    candidates.dedup_by_key(|(at, _)| *at);
    candidates.into_iter().unzip()
}

/// The phases between borders.
fn spans(trace: &Trace, borders: &[Ticks]) -> Vec<Phase> {
    let inner = borders.iter().copied();
    let edges: Vec<Ticks> =
        std::iter::once(trace.first_tick()).chain(inner).chain([trace.last_tick()]).collect();
    edges.windows(2).map(|pair| Phase { begin: pair[0], end: pair[1] }).collect()
}

impl PhaseAnswer {
    /// Its interval.
    pub fn phase(&self) -> Phase {
        Phase { begin: self.begin_tick, end: self.end_tick }
    }
}

/// Describes a phase by the class and the call path in which its locations spent most time; `change` is the height of the
/// boundary curve at its begin, and the metric that contributes most.
fn describe(trace: &Trace, phase: Phase, change: Option<(f64, String)>) -> PhaseAnswer {
    let times = times(trace, phase);
    let total: u128 = times.iter().sum();
    let (path, in_path) = longest(trace.paths.ids().map(|path| (path, times[path.index()])), PathId(0));
    let class_time = |class: Class| {
        trace.paths.ids().filter(|&path| trace.class_of(path) == class).map(|path| times[path.index()]).sum()
    };
    let by_class = Class::ALL.iter().map(|&class| (class, class_time(class)));
    let (class, in_class) = longest(by_class, Class::Computation);
    let share = |part: u128, total: u128| if total == 0 { 0.0 } else { part as f64 / total as f64 };
    let (change, changed_metric) = change.unzip();
    PhaseAnswer {
        begin_tick: phase.begin,
        end_tick: phase.end,
        begin: trace.seconds(phase.begin - trace.first_tick()),
        end: trace.seconds(phase.end - trace.first_tick()),
        share: share(phase.ticks().into(), trace.runtime().into()),
        dominant_class: class.id(),
        dominant_class_share: share(in_class, total),
        dominant_callpath: trace.path_name(path),
        dominant_callpath_share: share(in_path, total),
        change,
        changed_metric,
    }
}

/// The time of all CPU locations in each call path within a phase.
fn times(trace: &Trace, phase: Phase) -> Vec<u128> {
    let mut sums = vec![0; trace.paths.len()];
    let mut times = PathTimes::new(trace.paths.len());
    for location in trace.cpu_locations() {
        let timeline = trace.timeline(location);
        if phase.begin <= timeline.first && timeline.last <= phase.end {
            let uses = &trace.uses[location.index()];
            uses.iter().for_each(|used| sums[used.path.index()] += u128::from(used.exclusive));
            continue;
        }
        timeline.sum(phase.begin, phase.end.min(timeline.last), &mut times);
        times.touched().for_each(|path| sums[path.index()] += u128::from(times.get(path)));
        times.clear();
    }
    sums
}

/// The item with the longest time; the first of equals.
fn longest<T>(mut times: impl Iterator<Item = (T, u128)>, otherwise: T) -> (T, u128) {
    let first = times.next().unwrap_or((otherwise, 0));
    times.fold(first, |best, next| if next.1 > best.1 { next } else { best })
}

#[cfg(test)]
mod tests;
