//! From differences of pairs of clocks to one clock for all: a shortest-path tree from the reference to each process, with
//! the uncertainty of each pair as the length of its edge.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lotse_model::id::ProcessId;
use lotse_model::trace::Ticks;

use super::ClockOffset;
use super::band::ClockFit;
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
    path: ClockPath,
}

/// A pair of processes and the difference of their clocks.
#[derive(Debug, Clone, Copy)]
struct Edge {
    first: ProcessId,
    second: ProcessId,
    fit: ClockFit,
    /// The likely error of `fit`; infinite if nothing is known.
    unknown: f64,
    /// The maximum error of `fit`; infinite if it is bounded from one side only.
    reach: f64,
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
        path: ClockPath::reference(process(location)).step_from(process(location), f64::INFINITY),
    };
    let clock_of = |location| known[process(location).index()].unwrap_or_else(|| unconnected(location));
    let offsets = trace.locations().map(|location| clock_of(location).offset(location)).collect();
    let lines = trace.locations().map(|location| clock_of(location).line).collect();
    let paths = known.iter().map(|known| known.map(|known| known.path)).collect();
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
    fn offset(&self, location: lotse_model::id::LocationId) -> ClockOffset {
        let ticks = i128::from(self.line.origin) - self.line.anchor;
        let uncertainty = self.path.sum;
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
        let length = |process: ProcessId| bands.lengths[process.index()] as f64;
        let reach = band.reach(fit, (length(first), length(second)));
        let edge = Edge { first, second, fit, unknown, reach, bounds: band.bounds };
        neighbours[first.index()].push(edge);
        neighbours[second.index()].push(edge);
    }
    neighbours
}

/// The uncertainty of a path: the number of pairs with a bound from one side only, then the sum of the likely errors of the
/// other pairs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct PathUncertainty {
    loose: u32,
    /// The bits of a non-negative `f64`, which have the same order as the number.
    sum: u64,
}

impl PathUncertainty {
    fn plus(self, unknown: f64) -> Self {
        if unknown.is_finite() {
            Self { sum: (f64::from_bits(self.sum) + unknown).to_bits(), ..self }
        } else {
            Self { loose: self.loose + 1, ..self }
        }
    }
}

/// Sets the clocks of all processes that are connected with a process, which is their reference (Dijkstra's algorithm).
fn set_connected(from: ProcessId, neighbours: &[Vec<Edge>], bands: &Bands, known: &mut [Option<KnownClock>]) {
    let origin = |process: ProcessId| bands.origins[process.index()].unwrap_or(0);
    let reference =
        KnownClock { line: ClockLine::identity(origin(from)), bounds: 0, path: ClockPath::reference(from) };
    let mut paths = BinaryHeap::from([Reverse((PathUncertainty::default(), from, from, usize::MAX))]);
    while let Some(Reverse((uncertainty, to, parent, number))) = paths.pop() {
        if known[to.index()].is_some() {
            continue;
        }
        let edge = neighbours[parent.index()].get(number);
        let clock_of_neighbour = |edge: &Edge| {
            Some(edge.clock_of_neighbour(known[parent.index()]?, origin(to), edge.first == parent))
        };
        known[to.index()] = edge.and_then(clock_of_neighbour).or(Some(reference));
        for (number, edge) in neighbours[to.index()].iter().enumerate() {
            let next = if edge.first == to { edge.second } else { edge.first };
            paths.push(Reverse((uncertainty.plus(edge.unknown), next, to, number)));
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
        // Ticks of the clocks differ in length by the drift.
        let margin = self.reach * (1.0 + above.abs()) / (1.0 - drift.abs());
        KnownClock {
            line: ClockLine::new(origin, anchor, drift + above - drift * above),
            bounds: self.bounds,
            path: parent.path.step_from(if forwards { self.first } else { self.second }, margin),
        }
    }
}
