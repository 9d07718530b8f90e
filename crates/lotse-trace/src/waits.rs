//! Searches all waits: which location waited for which, and how long. Runs every pattern over the trace.
//!
//! A pattern is called for records, calls or locations, and adds the waits that it finds to a [`WaitCollector`]. Locations are
//! searched in parallel, and the results are joined in the order of locations.

use std::collections::BTreeMap;

use lotse_model::Workers;
use lotse_model::id::{LocationId, PathId};
use lotse_model::rule::Thresholds;
use lotse_model::trace::{EventKind, Ticks};
use lotse_model::work;

use crate::attention::Attention;
use crate::metric::Metric;
use crate::patterns::{OnCall, OnLocation, OnRecord, PATTERNS, Pattern, Search};
use crate::prefetch::Prefetch;
use crate::retime::WholeTraceSends;
use crate::signals::Signals;
use crate::store::{CallRef, OpRef, Trace};

pub(crate) mod gathered;
mod overlaps;
mod rounds;
mod trees;

pub use gathered::{Arrival, Gathered, Member};
pub use rounds::Rounds;
pub use trees::{Below, Trees};

/// A wait, or a dependency for the critical path and re-timing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wait {
    /// The metric to which it is added; `None` for a dependency that is not a wait of its own.
    pub metric: Option<&'static Metric>,
    /// The waiting call.
    pub call: CallRef,
    pub begin: Ticks,
    pub end: Ticks,
    /// What ended it.
    pub cause: Option<Cause>,
    /// Whether the critical path continues from its end at its cause.
    pub causal: bool,
    /// Whether the same call waits longer for something else at the same time, as MPI_Sendrecv may for one of its two
    /// messages: tables and blame count such time once, for the wait that ends last.
    pub is_overlapped: bool,
}

/// The event that ended a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cause {
    pub location: LocationId,
    /// The time by that location's clock.
    pub at: Ticks,
}

impl Wait {
    /// The length of the wait.
    pub fn ticks(&self) -> Ticks {
        self.end - self.begin
    }
}

/// A sum of waiting time by metric, call path and location.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CubeRow {
    pub metric: &'static Metric,
    pub path: PathId,
    pub location: LocationId,
    pub ticks: Ticks,
}

/// All waits of a trace.
#[derive(Debug, Default)]
pub struct Waits {
    /// Waits and dependencies by location, in the order of their ends.
    pub by_location: Vec<Vec<Wait>>,
    /// Sums, in the order of metrics, paths and locations.
    pub cube: Vec<CubeRow>,
    /// For the waits of a phase: evidence from the whole trace about its sends, because records of these may be outside the
    /// phase.
    pub(crate) of_phase: Option<WholeTraceSends>,
}

/// The input of a pattern.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    pub trace: &'a Trace,
    /// The part of the trace to which fractions of time refer: a phase, or the whole trace.
    pub part: &'a Trace,
    /// By collective: when its members arrived and left.
    pub gathered: &'a [Gathered],
    /// The last arrivals at calls that belong together without a record of it.
    pub rounds: &'a Rounds,
    /// Waits inside collectives with a root.
    pub trees: &'a Trees,
    /// When processes attend to their messages.
    pub attention: &'a Attention,
    /// By location: the threads of its process if it is the first of them, else empty.
    pub led: &'a [Vec<LocationId>],
    /// Signals of conditions.
    pub signals: &'a Signals,
    pub thresholds: &'a Thresholds,
}

/// Collects the waits that patterns find on one location, and their sums.
#[derive(Debug)]
pub struct WaitCollector {
    /// The interval whose time is summed.
    within: (Ticks, Ticks),
    waits: Vec<Wait>,
    sums: BTreeMap<(usize, PathId, LocationId), (Ticks, Option<&'static Metric>)>,
}

impl WaitCollector {
    fn new(within: (Ticks, Ticks)) -> Self {
        Self { within, waits: Vec::new(), sums: BTreeMap::new() }
    }

    /// The interval whose time is summed.
    pub fn within(&self) -> (Ticks, Ticks) {
        self.within
    }

    fn ticks_within(&self, from: Ticks, to: Ticks) -> Ticks {
        to.min(self.within.1).saturating_sub(from.max(self.within.0))
    }

    /// Adds a wait from the enter of a call to `until`, clipped to the call. The critical path continues at its cause.
    pub fn add_wait_until(
        &mut self,
        trace: &Trace,
        metric: &'static Metric,
        call: CallRef,
        until: Ticks,
        cause: Option<LocationId>,
    ) {
        let begin = trace.enter(call);
        let end = until.min(trace.exit(call));
        if end > begin {
            let cause = cause.map(|location| Cause { location, at: end });
            let causal = cause.is_some();
            let wait = Wait { metric: Some(metric), call, begin, end, cause, causal, is_overlapped: false };
            self.add(trace, wait);
        }
    }

    /// Adds a wait unless it is empty. Of several waits of the same metric in a call only the longest counts.
    pub fn add(&mut self, trace: &Trace, wait: Wait) {
        if wait.end <= wait.begin {
            return;
        }
        let mut replaced = None;
        match self.wait_of_same_call(&wait) {
            Some(known) if known.ticks() >= wait.ticks() => return,
            Some(known) => replaced = Some(std::mem::replace(known, wait)),
            None => self.waits.push(wait),
        }
        if let Some(metric) = wait.metric {
            let (location, path) = (wait.call.location, trace.path(wait.call));
            self.add_time(metric, location, path, self.ticks_within(wait.begin, wait.end));
            let before = replaced.map_or(0, |known| self.ticks_within(known.begin, known.end));
            if before > 0 {
                self.sums.entry(key(metric, path, location)).and_modify(|sum| sum.0 -= before);
            }
        }
    }

    /// Adds a wait of a call that waits several times, one after the other: all of them count.
    pub fn add_one_of_several(&mut self, trace: &Trace, wait: Wait) {
        if wait.end > wait.begin {
            self.waits.push(wait);
            let (location, path) = (wait.call.location, trace.path(wait.call));
            let ticks = self.ticks_within(wait.begin, wait.end);
            wait.metric.into_iter().for_each(|metric| self.add_time(metric, location, path, ticks));
        }
    }

    /// The wait of the same metric in the same call. Waits of a call are adjacent.
    fn wait_of_same_call(&mut self, wait: &Wait) -> Option<&mut Wait> {
        let waits_of_call = self.waits.iter_mut().rev().take_while(|known| known.call == wait.call);
        waits_of_call.into_iter().find(|known| match (known.metric, wait.metric) {
            (Some(a), Some(b)) => std::ptr::eq(a, b),
            _ => false,
        })
    }

    /// Adds a dependency that is not a wait of its own: the critical path continues at `location`.
    pub fn add_dependency(&mut self, trace: &Trace, call: CallRef, until: Ticks, location: LocationId) {
        let (begin, end) = (trace.enter(call), until.min(trace.exit(call)));
        let cause = Some(Cause { location, at: end });
        let wait = Wait { metric: None, call, begin, end, cause, causal: true, is_overlapped: false };
        self.add(trace, wait);
    }

    /// Adds an interval to a sum without adding a wait: a part of another wait, or time of another kind.
    pub fn add_interval(
        &mut self,
        metric: &'static Metric,
        location: LocationId,
        path: PathId,
        (from, to): (Ticks, Ticks),
    ) {
        self.add_time(metric, location, path, self.ticks_within(from, to));
    }

    /// Adds time to a sum. The caller has clipped it to [`WaitCollector::within`].
    pub fn add_time(&mut self, metric: &'static Metric, location: LocationId, path: PathId, ticks: Ticks) {
        if ticks > 0 {
            let sum = self.sums.entry(key(metric, path, location)).or_insert((0, Some(metric)));
            sum.0 += ticks;
        }
    }
}

fn key(metric: &'static Metric, path: PathId, location: LocationId) -> (usize, PathId, LocationId) {
    (std::ptr::from_ref(metric) as usize, path, location)
}

/// Patterns by what they are called for.
struct PatternTable {
    /// By kind of record.
    records: Vec<Vec<OnRecord>>,
    /// By region.
    calls: Vec<Vec<OnCall>>,
    locations: Vec<OnLocation>,
}

impl PatternTable {
    /// Registers each pattern under the kinds of records or the regions that it wants.
    fn new(trace: &Trace, patterns: &[Pattern]) -> Self {
        let mut table = Self {
            records: vec![Vec::new(); EventKind::ALL.len()],
            calls: vec![Vec::new(); trace.classes.len()],
            locations: Vec::new(),
        };
        for pattern in patterns {
            match pattern.search {
                Search::Records(kinds, search) => {
                    kinds.iter().for_each(|&kind| table.records[kind as usize].push(search));
                }
                Search::Calls(wants, search) | Search::Meetings(wants, search) => {
                    let wanted = trace.classes.iter().zip(&mut table.calls).filter(|(class, _)| wants(class));
                    wanted.for_each(|(_, searches)| searches.push(search));
                }
                Search::Locations(search) => table.locations.push(search),
            }
        }
        table
    }

    /// Runs the patterns over the records, the calls and finally the whole of a location. The waits are sorted by their end.
    fn search(&self, scene: &Scene<'_>, location: LocationId, within: (Ticks, Ticks)) -> WaitCollector {
        let mut collector = WaitCollector::new(within);
        let timeline = scene.trace.timeline(location);
        let mut ahead = Prefetch::new(scene.trace, location);
        for number in 0..timeline.ops.len() {
            ahead.advance_to(number);
            for search in &self.records[timeline.ops.kind(number) as usize] {
                search(scene, OpRef { location, op: number as u32 }, &mut collector);
            }
        }
        if self.calls.iter().any(|searches| !searches.is_empty()) {
            for number in 0..timeline.calls.len() as u32 {
                let region = scene.trace.paths.region(timeline.call_path(number));
                for search in &self.calls[region.index()] {
                    search(scene, CallRef { location, call: number }, &mut collector);
                }
            }
        }
        self.locations.iter().for_each(|search| search(scene, location, &mut collector));
        collector.waits.sort_by_key(|wait| (wait.end, wait.call, wait.begin));
        overlaps::mark(&mut collector.waits);
        collector
    }
}

/// Runs all patterns over a trace.
pub fn search(trace: &Trace, thresholds: &Thresholds, workers: &dyn Workers) -> Waits {
    search_within(trace, (trace, (0, Ticks::MAX)), thresholds, workers)
}

/// Runs all patterns over a trace. Sums count only the part `within`; waits and dependencies are complete.
pub(crate) fn search_within(
    trace: &Trace,
    (part, within): (&Trace, (Ticks, Ticks)),
    thresholds: &Thresholds,
    workers: &dyn Workers,
) -> Waits {
    let gathered = gathered::gather(trace, workers);
    let led = rounds::led(trace);
    let rounds = rounds::pair(trace, &led, workers);
    let trees = trees::learn(trace);
    let attention = Attention::new(trace);
    let signals = Signals::new(trace);
    let scene = Scene {
        trace,
        part,
        gathered: &gathered,
        rounds: &rounds,
        trees: &trees,
        attention: &attention,
        led: &led,
        signals: &signals,
        thresholds,
    };
    let table = PatternTable::new(trace, PATTERNS);
    let collectors =
        work::map(workers, trace.timelines.len(), |at| table.search(&scene, LocationId::from(at), within));
    let order: BTreeMap<usize, usize> = crate::patterns::metrics()
        .enumerate()
        .map(|(number, metric)| (std::ptr::from_ref(metric) as usize, number))
        .collect();
    let mut sums: BTreeMap<(usize, PathId, LocationId), CubeRow> = BTreeMap::new();
    let mut by_location = Vec::with_capacity(collectors.len());
    for collector in collectors {
        by_location.push(collector.waits);
        for ((key, path, location), (ticks, metric)) in collector.sums {
            let (Some(metric), Some(&number)) = (metric, order.get(&key)) else { continue };
            let empty = CubeRow { metric, path, location, ticks: 0 };
            sums.entry((number, path, location)).or_insert(empty).ticks += ticks;
        }
    }
    Waits { by_location, cube: sums.into_values().collect(), of_phase: None }
}

impl Waits {
    /// The sum of all waits of a metric.
    pub fn total(&self, metric: &Metric) -> Ticks {
        self.cube.iter().filter(|row| row.metric == metric).map(|row| row.ticks).sum()
    }
}
