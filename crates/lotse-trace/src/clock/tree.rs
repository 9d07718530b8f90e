//! From differences of pairs of clocks to one clock for all, by two shortest-path trees from the reference to each process.
//!
//! The first sets the clocks: the length of its edges is the likely error of a pair. The second gives their certainty: the
//! length of its edges is the maximum error of a pair with the clocks as they are set.
//!
//! ```text
//!      0 ── bounded from both sides, ±500 ── 2     2 is set from 1 (±40 at most likely),
//!       ╲                                   ╱      but its error is known from 0 (±500)
//!        ±20 ── 1 ── likely ±20, bounded from one side only
//! ```

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lotse_model::id::ProcessId;
use lotse_model::trace::Ticks;

use super::ClockOffset;
use super::band::{Band, ClockFit};
use super::bounds::Bands;
use super::certainty::{Certainty, ClockPath};
use super::line::ClockLine;
use crate::store::Trace;

/// The clocks of all locations.
#[derive(Debug)]
pub(super) struct Clocks {
    /// By location: the correction of its times.
    pub(super) lines: Vec<ClockLine>,
    /// By location.
    pub(super) offsets: Vec<ClockOffset>,
    pub(super) certainty: Certainty,
}

/// The clock of a process, once it is set.
#[derive(Debug, Clone, Copy)]
struct KnownClock {
    line: ClockLine,
    bounds: u64,
    reference: ProcessId,
}

/// A pair of processes and the difference of their clocks.
#[derive(Debug, Clone, Copy)]
struct Edge {
    first: ProcessId,
    second: ProcessId,
    fit: ClockFit,
    /// The likely error of `fit`; infinite if nothing is known.
    unknown: f64,
    bounds: u64,
}

/// Finds the clocks of all processes.
pub(super) fn clocks(trace: &Trace, bands: &Bands) -> Clocks {
    let neighbours = neighbours(bands);
    let mut known: Vec<Option<KnownClock>> = vec![None; bands.origins.len()];
    for location in trace.cpu_locations() {
        set_connected(trace.location(location).process, &neighbours, bands, &mut known);
    }
    let process = |location| trace.location(location).process;
    let unconnected = |location| KnownClock {
        line: ClockLine::identity(trace.timeline(location).first),
        bounds: 0,
        reference: process(location),
    };
    let paths = certain_paths(&neighbours, bands, &known);
    let clock_of = |location| known[process(location).index()].unwrap_or_else(|| unconnected(location));
    let offset = |location| {
        let path = paths[process(location).index()];
        clock_of(location).offset(location, path.map_or(f64::INFINITY, |path| path.sum))
    };
    let offsets = trace.locations().map(offset).collect();
    let lines = trace.locations().map(|location| clock_of(location).line).collect();
    let certainty = Certainty::new(trace.locations().map(process).collect(), paths);
    Clocks { lines: lifted(lines), offsets, certainty }
}

/// Moves all lines by the same amount, so that no time is negative.
fn lifted(mut lines: Vec<ClockLine>) -> Vec<ClockLine> {
    let lowest = lines.iter().map(|line| line.anchor).min().unwrap_or(0).min(0);
    lines.iter_mut().for_each(|line| line.lift(-lowest));
    lines
}

impl KnownClock {
    fn offset(&self, location: lotse_model::id::LocationId, uncertainty: f64) -> ClockOffset {
        let ticks = i128::from(self.line.origin) - self.line.anchor;
        ClockOffset {
            location,
            ticks: i64::try_from(ticks).unwrap_or(if ticks < 0 { i64::MIN } else { i64::MAX }),
            drift_ppm: self.line.drift() * 1e6,
            messages: self.bounds,
            uncertainty: uncertainty.is_finite().then_some(uncertainty.ceil() as Ticks),
        }
    }
}

/// By process: its pairs with other processes.
fn neighbours(bands: &Bands) -> Vec<Vec<Edge>> {
    let origin = |process: ProcessId| bands.origins[process.index()].unwrap_or(0);
    let mut neighbours = vec![Vec::new(); bands.origins.len()];
    for (&(first, second), band) in &bands.pairs {
        // Clocks without contradiction stay as they are: the middle of a wide band is a worse estimate.
        let equal = -((i128::from(origin(second)) - i128::from(origin(first))) as f64);
        let fit = if band.violated { band.fit() } else { band.fit_unless(equal) };
        let unknown = if fit.margin.is_finite() { fit.margin } else { band.slack() };
        let edge = Edge { first, second, fit, unknown, bounds: band.bounds };
        neighbours[first.index()].push(edge);
        neighbours[second.index()].push(edge);
    }
    neighbours
}

/// The uncertainty of a path: the number of pairs with a bound from one side only, then the sum of the errors of the other
/// pairs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct PathUncertainty {
    loose: u32,
    /// The bits of a non-negative `f64`, which have the same order as the number.
    sum: u64,
}

impl PathUncertainty {
    fn plus(self, error: f64) -> Self {
        if error.is_finite() {
            Self { sum: (f64::from_bits(self.sum) + error).to_bits(), ..self }
        } else {
            Self { loose: self.loose + 1, ..self }
        }
    }
}

/// Sets the clocks of all processes that are connected with a process, which is their reference.
fn set_connected(from: ProcessId, neighbours: &[Vec<Edge>], bands: &Bands, known: &mut [Option<KnownClock>]) {
    let origin = |process: ProcessId| bands.origins[process.index()].unwrap_or(0);
    if known[from.index()].is_some() {
        return;
    }
    known[from.index()] =
        Some(KnownClock { line: ClockLine::identity(origin(from)), bounds: 0, reference: from });
    for_each_shortest(
        from,
        neighbours,
        |edge| edge.unknown,
        |parent, edge, to| {
            let clock = known[parent.index()];
            known[to.index()] =
                clock.map(|clock| edge.clock_of_neighbour(clock, origin(to), edge.first == parent));
        },
    );
}

/// By process: the path from its reference on which the maximum error is smallest.
fn certain_paths(
    neighbours: &[Vec<Edge>],
    bands: &Bands,
    known: &[Option<KnownClock>],
) -> Vec<Option<ClockPath>> {
    let mut paths = vec![None; known.len()];
    let neighbours = with_reaches(neighbours, bands, known);
    for process in (0..known.len()).map(ProcessId::from) {
        let Some(clock) = known[process.index()].filter(|clock| clock.reference == process) else { continue };
        let reference = ClockPath::reference(clock.reference);
        paths[process.index()] = Some(reference);
        for_each_shortest(
            process,
            &neighbours,
            |pair| pair.1,
            |parent, &(_, reach), to| {
                let above: Option<ClockPath> = paths[parent.index()];
                paths[to.index()] = above.map(|path| path.step_from(parent, reach));
            },
        );
    }
    paths
}

/// By process: its pairs with other processes, and the maximum error of their corrected clocks.
fn with_reaches(
    neighbours: &[Vec<Edge>],
    bands: &Bands,
    known: &[Option<KnownClock>],
) -> Vec<Vec<(Edge, f64)>> {
    let mut found = vec![Vec::new(); neighbours.len()];
    for (number, edges) in neighbours.iter().enumerate() {
        // Each pair is in two lists.
        for &edge in edges.iter().filter(|edge| edge.first.index() == number) {
            let clocks = known[edge.first.index()].zip(known[edge.second.index()]);
            let band = bands.pairs.get(&(edge.first, edge.second));
            let reach =
                clocks.zip(band).map_or(f64::INFINITY, |(clocks, band)| reach(band, edge, bands, clocks));
            found[edge.first.index()].push((edge, reach));
            found[edge.second.index()].push((edge, reach));
        }
    }
    found
}

/// The maximum error between the corrected clocks of a pair; infinite if it is bounded from one side only.
fn reach(band: &Band, edge: Edge, bands: &Bands, (first, second): (KnownClock, KnownClock)) -> f64 {
    let length = |process: ProcessId| bands.lengths[process.index()] as f64;
    let fit = difference(first.line, second.line);
    let reach = band.reach(fit, (length(edge.first), length(edge.second)));
    // Ticks of the clocks differ in length by the drift.
    let fastest = first.line.drift().abs().max(second.line.drift().abs());
    reach * (1.0 + fastest) / (1.0 - fit.drift.abs())
}

/// The difference second minus first clock as a function of the second's time, both since their origins, if both lines are
/// right.
fn difference(first: ClockLine, second: ClockLine) -> ClockFit {
    let speed = 1.0 - first.drift();
    ClockFit {
        offset: (first.anchor - second.anchor) as f64 / speed,
        drift: (second.drift() - first.drift()) / speed,
        margin: 0.0,
    }
}

/// A pair of processes in a graph.
trait Pair {
    fn ends(&self) -> (ProcessId, ProcessId);
}

impl Pair for Edge {
    fn ends(&self) -> (ProcessId, ProcessId) {
        (self.first, self.second)
    }
}

impl Pair for (Edge, f64) {
    fn ends(&self) -> (ProcessId, ProcessId) {
        self.0.ends()
    }
}

/// Visits all processes that are connected with a process, the nearest first, with the last step of the shortest path to
/// each: the process before it and their pair (Dijkstra's algorithm).
fn for_each_shortest<P: Pair>(
    from: ProcessId,
    neighbours: &[Vec<P>],
    length: impl Fn(&P) -> f64,
    mut visit: impl FnMut(ProcessId, &P, ProcessId),
) {
    let mut is_visited = vec![false; neighbours.len()];
    let mut paths = BinaryHeap::from([Reverse((PathUncertainty::default(), from, from, usize::MAX))]);
    while let Some(Reverse((uncertainty, to, parent, number))) = paths.pop() {
        if std::mem::replace(&mut is_visited[to.index()], true) {
            continue;
        }
        if let Some(pair) = neighbours[parent.index()].get(number) {
            visit(parent, pair, to);
        }
        for (number, pair) in neighbours[to.index()].iter().enumerate() {
            let (first, second) = pair.ends();
            let next = if first == to { second } else { first };
            paths.push(Reverse((uncertainty.plus(length(pair)), next, to, number)));
        }
    }
}

impl Edge {
    /// The clock of one process of the pair, from that of the other.
    fn clock_of_neighbour(&self, parent: KnownClock, origin: Ticks, forwards: bool) -> KnownClock {
        let ClockFit { offset, drift, .. } = self.fit;
        // Backwards: x2 = x1 + offset + drift x2, solved for the difference as a function of x1.
        let (offset, drift) =
            if forwards { (offset, drift) } else { (-offset / (1.0 - drift), -drift / (1.0 - drift)) };
        let above = parent.line.drift();
        let anchor = parent.line.anchor - (offset * (1.0 - above)).round() as i128;
        KnownClock {
            line: ClockLine::new(origin, anchor, drift + above - drift * above),
            bounds: self.bounds,
            reference: parent.reference,
        }
    }
}
