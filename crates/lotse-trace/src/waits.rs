//! Who waited for whom, and how long: runs every pattern over the store.
//!
//! A pattern is asked about records, calls or whole locations and books what it finds. Locations are searched
//! independently and joined in their order.

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
use crate::retime::SendsOfRun;
use crate::signals::Signals;
use crate::store::{CallRef, OpRef, Trace};

pub(crate) mod gathered;
mod overlaps;
mod rounds;
mod trees;

pub use gathered::{Arrival, Gathered, Member};
pub use rounds::Rounds;
pub use trees::{Below, Trees};

/// One wait, or one dependency that CP and re-timing follow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wait {
    /// What it is booked as; `None` for a dependency that is not a wait of its own.
    pub metric: Option<&'static Metric>,
    /// The waiting call.
    pub call: CallRef,
    /// From when.
    pub begin: Ticks,
    /// Until when.
    pub end: Ticks,
    /// Who ended it.
    pub cause: Option<Cause>,
    /// Whether the path of what bounds the run time leads from its end to its cause.
    pub causal: bool,
    /// Whether the same call waits longer for something else meanwhile, as MPI_Sendrecv does for one of its two
    /// messages: tables and blame count such time once, at the wait that ends last.
    pub is_overlapped: bool,
}

/// Who ended a wait, by doing what it was waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cause {
    /// Where.
    pub location: LocationId,
    /// When, by that location's clock.
    pub at: Ticks,
}

impl Wait {
    /// How long.
    pub fn ticks(&self) -> Ticks {
        self.end - self.begin
    }
}

/// A sum of the cube: pattern, call path, location.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CubeRow {
    /// The pattern's metric.
    pub metric: &'static Metric,
    /// The call path.
    pub path: PathId,
    /// The location.
    pub location: LocationId,
    /// The time.
    pub ticks: Ticks,
}

/// Everything that was found.
#[derive(Debug, Default)]
pub struct Waits {
    /// Waits and dependencies by location, in the order of their ends.
    pub by_location: Vec<Vec<Wait>>,
    /// Sums, in the order of metrics, paths and locations.
    pub cube: Vec<CubeRow>,
    /// Where they are those of a phase, what the whole run tells of its sends: records that tell of waits may lie
    /// beyond the borders.
    pub(crate) of_phase: Option<SendsOfRun>,
}

/// What a pattern sees.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// The store.
    pub trace: &'a Trace,
    /// The part of it that shares of time are asked of: a phase, or all.
    pub part: &'a Trace,
    /// When the members of each collective came and went.
    pub gathered: &'a [Gathered],
    /// Who came last to calls that no record ties together.
    pub rounds: &'a Rounds,
    /// Who waited for whom inside collectives that have a root.
    pub trees: &'a Trees,
    /// When processes attend to their messages.
    pub attention: &'a Attention,
    /// By location: the threads of its process where it is the first of them, nothing elsewhere.
    pub led: &'a [Vec<LocationId>],
    /// Who signalled conditions, and when.
    pub signals: &'a Signals,
    /// Changed limits.
    pub thresholds: &'a Thresholds,
}

/// Where a pattern books what it finds on one location.
#[derive(Debug)]
pub struct Book {
    /// Time outside of it counts in no sum.
    within: (Ticks, Ticks),
    waits: Vec<Wait>,
    sums: BTreeMap<(usize, PathId, LocationId), (Ticks, Option<&'static Metric>)>,
}

impl Book {
    fn new(within: (Ticks, Ticks)) -> Self {
        Self { within, waits: Vec::new(), sums: BTreeMap::new() }
    }

    /// The span whose time is summed.
    pub fn within(&self) -> (Ticks, Ticks) {
        self.within
    }

    fn ticks_within(&self, from: Ticks, to: Ticks) -> Ticks {
        to.min(self.within.1).saturating_sub(from.max(self.within.0))
    }

    /// A wait from the enter of a call until `until`, cut to the call; its cause leads the critical path on.
    pub fn wait(
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
            self.book(trace, wait);
        }
    }

    /// A wait as it is; nothing where it lasts no time. A call that completes several things waits once, for the
    /// longest of them.
    pub fn book(&mut self, trace: &Trace, wait: Wait) {
        if wait.end <= wait.begin {
            return;
        }
        let mut replaced = None;
        match self.of_same_call(&wait) {
            Some(known) if known.ticks() >= wait.ticks() => return,
            Some(known) => replaced = Some(std::mem::replace(known, wait)),
            None => self.waits.push(wait),
        }
        if let Some(metric) = wait.metric {
            let (location, path) = (wait.call.location, trace.path(wait.call));
            self.amount(metric, location, path, self.ticks_within(wait.begin, wait.end));
            let before = replaced.map_or(0, |known| self.ticks_within(known.begin, known.end));
            if before > 0 {
                self.sums.entry(key(metric, path, location)).and_modify(|sum| sum.0 -= before);
            }
        }
    }

    /// A wait of a call that waits several times, each time for something else: all of them count.
    pub fn one_of_several(&mut self, trace: &Trace, wait: Wait) {
        if wait.end > wait.begin {
            self.waits.push(wait);
            let (location, path) = (wait.call.location, trace.path(wait.call));
            let ticks = self.ticks_within(wait.begin, wait.end);
            wait.metric.into_iter().for_each(|metric| self.amount(metric, location, path, ticks));
        }
    }

    /// A wait of the same kind in the same call. Records of a call come one after the other.
    fn of_same_call(&mut self, wait: &Wait) -> Option<&mut Wait> {
        let of_call = self.waits.iter_mut().rev().take_while(|known| known.call == wait.call);
        of_call.into_iter().find(|known| match (known.metric, wait.metric) {
            (Some(one), Some(other)) => std::ptr::eq(one, other),
            _ => false,
        })
    }

    /// A dependency that is no wait of its own: the path of what bounds the run time leads to `location`.
    pub fn depends(&mut self, trace: &Trace, call: CallRef, until: Ticks, location: LocationId) {
        let (begin, end) = (trace.enter(call), until.min(trace.exit(call)));
        let cause = Some(Cause { location, at: end });
        let wait = Wait { metric: None, call, begin, end, cause, causal: true, is_overlapped: false };
        self.book(trace, wait);
    }

    /// Books a span without a wait of its own: a part of a wait booked elsewhere, or time of another kind.
    pub fn span(
        &mut self,
        metric: &'static Metric,
        location: LocationId,
        path: PathId,
        (from, to): (Ticks, Ticks),
    ) {
        self.amount(metric, location, path, self.ticks_within(from, to));
    }

    /// The same, by who has looked at [`Book::within`].
    pub fn amount(&mut self, metric: &'static Metric, location: LocationId, path: PathId, ticks: Ticks) {
        if ticks > 0 {
            let sum = self.sums.entry(key(metric, path, location)).or_insert((0, Some(metric)));
            sum.0 += ticks;
        }
    }
}

fn key(metric: &'static Metric, path: PathId, location: LocationId) -> (usize, PathId, LocationId) {
    (std::ptr::from_ref(metric) as usize, path, location)
}

/// Patterns sorted by what they want to be asked about.
struct Table {
    /// By kind of record.
    records: Vec<Vec<OnRecord>>,
    /// By region.
    calls: Vec<Vec<OnCall>>,
    locations: Vec<OnLocation>,
}

impl Table {
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

    fn search(&self, scene: &Scene<'_>, location: LocationId, within: (Ticks, Ticks)) -> Book {
        let mut book = Book::new(within);
        let timeline = scene.trace.timeline(location);
        let mut ahead = Prefetch::new(scene.trace, location);
        for number in 0..timeline.ops.len() {
            ahead.advance_to(number);
            for search in &self.records[timeline.ops.kind(number) as usize] {
                search(scene, OpRef { location, op: number as u32 }, &mut book);
            }
        }
        if self.calls.iter().any(|searches| !searches.is_empty()) {
            for number in 0..timeline.calls.len() as u32 {
                let region = scene.trace.paths.region(timeline.call_path(number));
                for search in &self.calls[region.index()] {
                    search(scene, CallRef { location, call: number }, &mut book);
                }
            }
        }
        self.locations.iter().for_each(|search| search(scene, location, &mut book));
        book.waits.sort_by_key(|wait| (wait.end, wait.call, wait.begin));
        overlaps::mark(&mut book.waits);
        book
    }
}

/// Asks all patterns.
pub fn search(trace: &Trace, thresholds: &Thresholds, workers: &dyn Workers) -> Waits {
    search_within(trace, (trace, (0, Ticks::MAX)), thresholds, workers)
}

/// Asks all patterns about a trace; sums are those of a part of it, waits and dependencies are all as they are.
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
    let table = Table::new(trace, PATTERNS);
    let books =
        work::map(workers, trace.timelines.len(), |at| table.search(&scene, LocationId::from(at), within));
    let order: BTreeMap<usize, usize> = crate::patterns::metrics()
        .enumerate()
        .map(|(number, metric)| (std::ptr::from_ref(metric) as usize, number))
        .collect();
    let mut sums: BTreeMap<(usize, PathId, LocationId), CubeRow> = BTreeMap::new();
    let mut by_location = Vec::with_capacity(books.len());
    for book in books {
        by_location.push(book.waits);
        for ((key, path, location), (ticks, metric)) in book.sums {
            let (Some(metric), Some(&number)) = (metric, order.get(&key)) else { continue };
            let empty = CubeRow { metric, path, location, ticks: 0 };
            sums.entry((number, path, location)).or_insert(empty).ticks += ticks;
        }
    }
    Waits { by_location, cube: sums.into_values().collect(), of_phase: None }
}

impl Waits {
    /// All waits of a metric together.
    pub fn total(&self, metric: &Metric) -> Ticks {
        self.cube.iter().filter(|row| row.metric == metric).map(|row| row.ticks).sum()
    }
}
