//! Phases: when the program began to do something else (IPS-2).
//!
//! Curves of the metrics over time (`curves`) are laid on a grid of equal steps, smoothed with a sliding window that
//! is passed over them twice (so that a sudden change has its steepest place in the middle), and scaled to 0..1. For
//! each metric m and step i, `h[m,i]` is the difference between the extrema before and after i, and
//! `B[m,i] = |dV[m,i]/dt| * h[m,i]`, with time counted in windows so that B does not depend on the grid;
//! `B[i]` = sum over m. A phase ends where B is highest within a window and at least the threshold; the end is moved, by
//! half a window at most, to where the fewest calls would be cut in two. Phases that use their time alike are then joined
//! (`merge`), so that a run that behaves alike throughout is one phase however noisy it is. Where that leaves borders
//! inside of the program's loop, they are moved to the nearest begin of an iteration first: iterations are no phases.
//!
//! Phases are disjoint and cover the run. [`cut_with_waits`] gives the part of a trace that lies in one and its
//! waits, for every other analysis to read.

use lotse_model::Workers;
use lotse_model::id::PathId;
use lotse_model::trace::Ticks;
use lotse_model::work;
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

/// How phases are looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Steps of the grid.
    pub steps: usize,
    /// Steps of the sliding window.
    pub window: usize,
    /// How high the boundary curve must be. Higher: fewer phases.
    pub threshold: Threshold,
}

/// How high the boundary curve must be; below [`LEAST_CHANGE`] nothing is a boundary.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Threshold {
    /// As a share of its maximum.
    Relative(f64),
    /// As it is.
    Absolute(f64),
}

impl Default for Options {
    fn default() -> Self {
        Self { steps: 1000, window: 20, threshold: Threshold::Relative(0.2) }
    }
}

/// From one tick up to another. A phase that reaches the end of the trace has its last events too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Phase {
    /// From.
    pub begin: Ticks,
    /// Up to.
    pub end: Ticks,
}

impl Phase {
    /// All of a trace.
    pub fn whole(trace: &Trace) -> Self {
        Self { begin: trace.first_tick(), end: trace.last_tick() }
    }

    /// How long.
    pub fn ticks(&self) -> Ticks {
        self.end.saturating_sub(self.begin)
    }
}

/// What is said of a phase.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
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
    /// Where the locations spent most of its time: a class of the time tree.
    pub dominant_class: &'static str,
    /// That class's share of the locations' time in it.
    pub dominant_class_share: f64,
    /// The call path in which the locations spent most of its time.
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
    let kept = kept_borders(trace, (&ticks, 2 * reach), workers);
    let (ticks, borders) = whole_iterations(trace, &ticks, &borders, &kept);
    let kept = kept_borders(trace, (&ticks, 2 * reach), workers);
    let spans = spans(trace, &kept.iter().map(|&border| ticks[border]).collect::<Vec<_>>());
    work::map(workers, spans.len(), |number| {
        let border = number.checked_sub(1).map(|before| &borders[kept[before]]);
        describe(trace, spans[number], border.map(|it| (it.height, curves[it.metric].name.clone())))
    })
}

/// The borders between phases that differ, by their positions; no phase is shorter than a window.
fn kept_borders(trace: &Trace, (borders, window): (&[Ticks], Ticks), workers: &dyn Workers) -> Vec<usize> {
    let found = spans(trace, borders);
    let stretches = work::map(workers, found.len(), |number| merge::Stretch {
        ticks: found[number].ticks(),
        times: times(trace, found[number]),
    });
    merge::kept_borders(stretches, window)
}

/// The borders kept, those inside of the loop moved to where an iteration begins: what a loop does in each turn is no
/// phase. The loop is that of the first thread.
fn whole_iterations(
    trace: &Trace,
    ticks: &[Ticks],
    borders: &[Border],
    kept: &[usize],
) -> (Vec<Ticks>, Vec<Border>) {
    let first = trace.cpu_locations().next().filter(|_| !kept.is_empty());
    let begins = first.map_or_else(Vec::new, |first| iterations::begins_of(trace, first));
    let nearest = |at: Ticks| match (begins.first(), begins.last()) {
        (Some(&from), Some(&to)) if (from..to).contains(&at) => {
            begins.iter().copied().min_by_key(|begin| begin.abs_diff(at)).unwrap_or(at)
        }
        _ => at,
    };
    let mut candidates: Vec<(Ticks, Border)> =
        kept.iter().map(|&border| (nearest(ticks[border]), borders[border])).collect();
    // A border amid the first or the last iteration is as near to the loop's own border.
    let moved = kept.iter().find(|&&border| nearest(ticks[border]) != ticks[border]).map(|&it| borders[it]);
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

/// From border to border.
fn spans(trace: &Trace, borders: &[Ticks]) -> Vec<Phase> {
    let inner = borders.iter().copied();
    let edges: Vec<Ticks> =
        std::iter::once(trace.first_tick()).chain(inner).chain([trace.last_tick()]).collect();
    edges.windows(2).map(|pair| Phase { begin: pair[0], end: pair[1] }).collect()
}

impl PhaseAnswer {
    /// Its span.
    pub fn phase(&self) -> Phase {
        Phase { begin: self.begin_tick, end: self.end_tick }
    }
}

fn describe(trace: &Trace, phase: Phase, change: Option<(f64, String)>) -> PhaseAnswer {
    let times = times(trace, phase);
    let total: u128 = times.iter().sum();
    let (path, in_path) = longest(trace.paths.ids().map(|path| (path, times[path.index()])), PathId(0));
    let class_time = |class: Class| {
        trace.paths.ids().filter(|&path| trace.class_of(path) == class).map(|path| times[path.index()]).sum()
    };
    let by_class = Class::ALL.iter().map(|&class| (class, class_time(class)));
    let (class, in_class) = longest(by_class, Class::Computation);
    let share = |part: u128, whole: u128| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
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

/// The time of all CPU locations in each call path.
fn times(trace: &Trace, phase: Phase) -> Vec<u128> {
    let mut sums = vec![0; trace.paths.len()];
    let mut times = PathTimes::new(trace.paths.len());
    for timeline in trace.cpu_locations().map(|location| trace.timeline(location)) {
        timeline.sum(phase.begin, phase.end.min(timeline.last), &mut times);
        times.touched().for_each(|path| sums[path.index()] += u128::from(times.get(path)));
        times.clear();
    }
    sums
}

/// Of equals the first.
fn longest<T>(mut times: impl Iterator<Item = (T, u128)>, otherwise: T) -> (T, u128) {
    let first = times.next().unwrap_or((otherwise, 0));
    times.fold(first, |best, next| if next.1 > best.1 { next } else { best })
}

#[cfg(test)]
mod tests;
