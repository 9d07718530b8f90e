//! Curves of metrics over time: sums over all locations on a grid of time steps.

use lotse_model::Workers;
use lotse_model::id::{LocationId, PathId, RegionId};
use lotse_model::trace::{Event, Ticks};
use lotse_model::work;

use crate::class::Class;
use crate::store::Trace;
use crate::waits::Waits;

/// At most this many regions get a curve of their own.
const MOST_REGIONS: usize = 8;

/// Number of tables for each thread: several balance locations with different numbers of events.
const TABLES_PER_THREAD: usize = 4;

/// Regions with less than 1/20 of all time get no curve.
const LEAST_REGION_SHARE: u64 = 20;

/// A metric over time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Curve {
    /// The metric: `computing`, `mpi`, `waiting`, `messages`, `in solve`…
    pub name: String,
    /// Its sum in each step.
    pub sums: Vec<u64>,
    /// The sum that is scaled to 1: the time of all locations in a step, or the maximum of the curve.
    pub full: u64,
}

/// Equal steps over the whole run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grid {
    span: Ticks,
    steps: usize,
    /// The begins of all steps, and the end of the last.
    edges: Vec<Ticks>,
}

impl Grid {
    /// A grid in which no step is shorter than a tick.
    pub(super) fn new(trace: &Trace, steps: usize) -> Self {
        let span = trace.runtime();
        let most = usize::try_from(span.max(1)).unwrap_or(usize::MAX);
        Self::over(trace.first_tick(), span, steps.clamp(1, 1 << 20).min(most))
    }

    fn over(first: Ticks, span: Ticks, steps: usize) -> Self {
        let edge = |step: usize| first + (u128::from(span) * step as u128 / steps as u128) as Ticks;
        Self { span, steps, edges: (0..=steps).map(edge).collect() }
    }

    /// The begin of a step.
    pub(super) fn edge(&self, step: usize) -> Ticks {
        self.edges[step.min(self.steps)]
    }

    /// The step that contains a time.
    fn step_of(&self, at: Ticks) -> usize {
        self.edges[1..self.steps].partition_point(|&edge| edge <= at)
    }

    /// The step that contains a time, searched from a step that is not after it: most times are near the previous one.
    fn step_from(&self, mut step: usize, at: Ticks) -> usize {
        while step + 1 < self.steps && self.edges[step + 1] <= at {
            step += 1;
        }
        step
    }

    /// The end of a step; the last one has none.
    fn end(&self, step: usize) -> Ticks {
        if step + 1 < self.steps { self.edges[step + 1] } else { Ticks::MAX }
    }

    /// Adds an interval that begins in `step` to the sums of all steps that it overlaps.
    fn add(&self, sums: &mut [u64], step: usize, from: Ticks, to: Ticks) {
        if from >= to {
            return;
        }
        let mut at = from;
        for (step, sum) in sums.iter_mut().enumerate().skip(step) {
            let until = if step + 1 == self.steps { to } else { self.edges[step + 1].min(to) };
            *sum = sum.saturating_add(until - at);
            at = until;
            if at >= to {
                break;
            }
        }
    }
}

/// A curve's name and the classes whose time it sums.
type ClassCurve = (&'static str, fn(Class) -> bool);

const BY_CLASS: [ClassCurve; 7] = [
    ("computing", |class| class == Class::Computation),
    ("sleeping", |class| class == Class::Sleep),
    ("outside", |class| class == Class::Outside),
    ("mpi", Class::is_mpi),
    ("threads", |class| {
        matches!(
            class,
            Class::OpenMpBarrier | Class::ThreadBarrier | Class::OpenMp | Class::Lock | Class::Threading
        )
    }),
    ("io", |class| class == Class::Io),
    ("accelerator calls", Class::is_accelerator),
];

const WAITING: usize = BY_CLASS.len();
const MESSAGES: usize = WAITING + 1;
const BYTES: usize = MESSAGES + 1;
const REGIONS: usize = BYTES + 1;

/// All curves: those of time first, then counts, then the regions that take most time.
pub(super) fn curves(trace: &Trace, waits: &Waits, grid: &Grid, workers: &dyn Workers) -> Vec<Curve> {
    let regions = long_regions(trace);
    let locations: Vec<LocationId> = trace.cpu_locations().collect();
    let groups = PathGroups::new(trace, &regions);
    // A few tables for each thread and not one for each location, because there may be ten thousand locations.
    let pieces: Vec<&[LocationId]> = locations
        .chunks(locations.len().div_ceil(TABLES_PER_THREAD * workers.threads().max(1)).max(1))
        .collect();
    let parts = work::map(workers, pieces.len(), |at| {
        let mut sums = vec![vec![0_u64; grid.steps]; REGIONS + regions.len()];
        for &location in pieces[at] {
            add_times(trace, grid, location, &groups, &mut sums);
            add_waits(waits, grid, location, &mut sums[WAITING]);
            add_messages(trace, grid, location, &mut sums);
        }
        sums
    });
    let mut sums = vec![vec![0_u64; grid.steps]; REGIONS + regions.len()];
    for (into, from) in parts.iter().flat_map(|part| part.iter().enumerate()) {
        sums[into].iter_mut().zip(from).for_each(|(sum, part)| *sum = sum.saturating_add(*part));
    }
    let all_time = (grid.span / grid.steps as u64).max(1).saturating_mul(locations.len() as u64);
    let full = |number: usize, sums: &[u64]| match number {
        MESSAGES | BYTES => sums.iter().copied().max().unwrap_or(0),
        _ => all_time,
    };
    let names = names(trace, &regions);
    let curve = |(number, (name, sums)): (usize, (String, Vec<u64>))| Curve {
        full: full(number, &sums).max(1),
        name,
        sums,
    };
    names.into_iter().zip(sums).enumerate().map(curve).collect()
}

fn names(trace: &Trace, regions: &[RegionId]) -> Vec<String> {
    let fixed = BY_CLASS.iter().map(|(name, _)| *name).chain(["waiting", "messages", "bytes"]);
    let fixed = fixed.map(str::to_owned);
    fixed.chain(regions.iter().map(|&region| format!("in {}", trace.region_name(region)))).collect()
}

/// The program's own regions in which most time is spent, the longest first.
fn long_regions(trace: &Trace) -> Vec<RegionId> {
    let mut times = vec![0_u64; trace.definitions.regions.len()];
    let (mut total, cpu): (u64, Vec<LocationId>) = (0, trace.cpu_locations().collect());
    for used in cpu.iter().flat_map(|location| &trace.uses[location.index()]) {
        total = total.saturating_add(used.exclusive);
        if trace.class_of(used.path).is_program() {
            let time = &mut times[trace.paths.region(used.path).index()];
            *time = time.saturating_add(used.exclusive);
        }
    }
    let mut long: Vec<RegionId> =
        (1..times.len()).filter(|&it| times[it] > total / LEAST_REGION_SHARE).map(RegionId::from).collect();
    long.sort_by_key(|region| (std::cmp::Reverse(times[region.index()]), *region));
    long.truncate(MOST_REGIONS);
    long
}

/// Groups of call paths whose time belongs to the same curves.
struct PathGroups {
    /// By path: its group.
    group_of_path: Vec<u32>,
    /// By group: the numbers of its curves.
    curves: Vec<Vec<usize>>,
}

impl PathGroups {
    fn new(trace: &Trace, regions: &[RegionId]) -> Self {
        let mut groups = Self { group_of_path: Vec::new(), curves: Vec::new() };
        for path in trace.paths.ids() {
            let curves = curves_of(trace, path, regions);
            let known = groups.curves.iter().position(|known| *known == curves);
            groups.group_of_path.push(known.unwrap_or(groups.curves.len()) as u32);
            if known.is_none() {
                groups.curves.push(curves);
            }
        }
        groups
    }
}

/// Adds the time of a location to the curves. Most intervals lie within one step of the grid: their time is first summed by
/// group.
fn add_times(trace: &Trace, grid: &Grid, location: LocationId, groups: &PathGroups, sums: &mut [Vec<u64>]) {
    let timeline = trace.timeline(location);
    let mut times = vec![0_u64; groups.curves.len()];
    let (mut step, mut until) = (0, grid.end(0));
    let mut add = |from: Ticks, to: Ticks, path: PathId| {
        if from >= until {
            flush_times(&mut times, groups, step, sums);
            step = grid.step_from(step, from);
            until = grid.end(step);
        }
        let group = groups.group_of_path[path.index()] as usize;
        if to <= until {
            times[group] = times[group].saturating_add(to.saturating_sub(from));
            return;
        }
        for &curve in &groups.curves[group] {
            grid.add(&mut sums[curve], step, from, to);
        }
    };
    let Some((&last_path, before)) = timeline.path.split_last() else { return };
    for (span, &path) in timeline.at.windows(2).zip(before) {
        add(span[0], span[1], path);
    }
    add(timeline.at[before.len()], timeline.last, last_path);
    flush_times(&mut times, groups, step, sums);
}

/// Adds the times of groups to a step of their curves, and resets them to 0.
fn flush_times(times: &mut [u64], groups: &PathGroups, step: usize, sums: &mut [Vec<u64>]) {
    for (time, curves) in times.iter_mut().zip(&groups.curves).filter(|(time, _)| **time > 0) {
        for &curve in curves {
            sums[curve][step] = sums[curve][step].saturating_add(*time);
        }
        *time = 0;
    }
}

/// The curves to which the time of a call path belongs.
fn curves_of(trace: &Trace, path: PathId, regions: &[RegionId]) -> Vec<usize> {
    let (class, region) = (trace.class_of(path), trace.paths.region(path));
    let classes = (0..BY_CLASS.len()).filter(|&number| BY_CLASS[number].1(class));
    let own = regions.iter().position(|&it| it == region).map(|number| REGIONS + number);
    classes.chain(own).collect()
}

fn add_waits(waits: &Waits, grid: &Grid, location: LocationId, sums: &mut [u64]) {
    let own = waits.by_location.get(location.index()).into_iter().flatten();
    for wait in own.filter(|wait| wait.metric.is_some_and(|metric| metric.is_wait)) {
        grid.add(sums, grid.step_of(wait.begin), wait.begin, wait.end);
    }
}

/// The numbers of messages and bytes that a record sends.
fn messages_and_bytes(event: &Event) -> Option<(u64, u64)> {
    match *event {
        Event::MpiSend { length, .. } | Event::MpiIsend { length, .. } => Some((1, length)),
        Event::CollectiveEnd { sent, .. } | Event::CollectiveComplete { sent, .. } => Some((0, sent)),
        Event::RmaOperation { bytes, .. } => Some((1, bytes)),
        Event::IoComplete { bytes } => Some((0, bytes)),
        _ => None,
    }
}

fn add_messages(trace: &Trace, grid: &Grid, location: LocationId, sums: &mut [Vec<u64>]) {
    let ops = &trace.timeline(location).ops;
    for (_, op) in ops.with_shape(|shape| messages_and_bytes(shape).is_some()) {
        let Some((messages, bytes)) = messages_and_bytes(&op.event()) else { continue };
        let step = grid.step_of(op.at);
        sums[MESSAGES][step] = sums[MESSAGES][step].saturating_add(messages);
        sums[BYTES][step] = sums[BYTES][step].saturating_add(bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use lotse_model::Workers;
    use lotse_model::rule::Thresholds;
    use lotse_model::work::Sequential;

    use super::{Grid, TABLES_PER_THREAD, curves};
    use crate::fixture::Script;

    /// A number of threads, and the number of jobs they were given.
    struct CountingWorkers(usize, AtomicUsize);

    impl Workers for CountingWorkers {
        fn threads(&self) -> usize {
            self.0
        }

        fn each(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
            self.1.fetch_add(count, Ordering::Relaxed);
            (0..count).for_each(job);
        }
    }

    #[test]
    fn the_number_of_tables_depends_on_threads_and_not_on_locations() {
        let mut script = Script::processes(100);
        for rank in 0..100 {
            let end = 50 + 13 * rank as u64 % 50;
            script.enter(rank, 0, "main").call(rank, 5, end, "work").barrier(rank, end, 101);
            script.leave(rank, 110, "main");
        }
        let trace = script.trace();
        let waits = crate::waits::search(&trace, &Thresholds::default(), &Sequential);
        let grid = Grid::new(&trace, 20);
        let curves_with = |threads| {
            let workers = CountingWorkers(threads, AtomicUsize::new(0));
            let curves = curves(&trace, &waits, &grid, &workers);
            assert!(workers.1.into_inner() <= TABLES_PER_THREAD * threads);
            curves
        };
        let alone = curves_with(1);
        assert_eq!((curves_with(3), curves_with(64)), (alone.clone(), alone));
    }

    #[test]
    fn a_span_is_spread_over_its_steps_and_nothing_is_lost() {
        let grid = Grid::over(100, 10, 4);
        let edges: Vec<u64> = (0..5).map(|step| grid.edge(step)).collect();
        assert_eq!(edges, [100, 102, 105, 107, 110]);
        let mut sums = vec![0; 4];
        grid.add(&mut sums, grid.step_of(101), 101, 110);
        assert_eq!(sums, [1, 3, 2, 3]);
        for at in 100..110 {
            let step = grid.step_of(at);
            assert!(grid.edge(step) <= at && at < grid.edge(step + 1), "{at} in {step}");
        }
        assert_eq!(grid.step_of(110), 3);
    }
}
