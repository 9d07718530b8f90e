//! From differences of pairs to one clock for all: from the reference to each process on the way that adds up the
//! least uncertainty.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lotse_model::id::ProcessId;
use lotse_model::trace::Ticks;

use super::Offset;
use super::band::Fit;
use super::bounds::Bands;
use super::certainty::{Certainty, Way};
use super::line::Line;
use crate::store::Trace;

/// The clocks of all locations.
#[derive(Debug)]
pub(super) struct Clocks {
    /// By location, how to correct its times.
    pub(super) lines: Vec<Line>,
    /// By location, what was found.
    pub(super) offsets: Vec<Offset>,
    /// How far they may still be apart.
    pub(super) certainty: Certainty,
}

/// What is known of a process's clock.
#[derive(Debug, Clone, Copy)]
struct Known {
    line: Line,
    bounds: u64,
    way: Way,
}

/// A pair of processes and the difference of their clocks.
#[derive(Debug, Clone, Copy)]
struct Edge {
    first: ProcessId,
    second: ProcessId,
    fit: Fit,
    /// How far off that is likely to be; infinite where nothing is known.
    unknown: f64,
    /// How far off that may be, by the bounds alone; infinite where they bound it from one side.
    reach: f64,
    bounds: u64,
}

/// Finds the clocks of all processes.
pub(super) fn clocks(trace: &Trace, bands: &Bands) -> Clocks {
    let neighbours = neighbours(bands);
    let mut known: Vec<Option<Known>> = vec![None; bands.origins.len()];
    for location in trace.cpu_locations() {
        spread(trace.location(location).process, &neighbours, bands, &mut known);
    }
    let process = |location| trace.location(location).process;
    let right = |location| Known {
        line: Line::right(trace.timeline(location).first),
        bounds: 0,
        way: Way::reference(process(location)).then(process(location), f64::INFINITY),
    };
    let of = |location| known[process(location).index()].unwrap_or_else(|| right(location));
    let offsets = trace.locations().map(|location| of(location).offset(location)).collect();
    let lines = trace.locations().map(|location| of(location).line).collect();
    let ways = known.iter().map(|known| known.map(|known| known.way)).collect();
    let certainty = Certainty::new(trace.locations().map(process).collect(), ways);
    Clocks { lines: lifted(lines), offsets, certainty }
}

/// Time begins at 0: where a correction leads before it, everybody is moved.
fn lifted(mut lines: Vec<Line>) -> Vec<Line> {
    let lowest = lines.iter().map(|line| line.anchor).min().unwrap_or(0).min(0);
    lines.iter_mut().for_each(|line| line.lift(-lowest));
    lines
}

impl Known {
    fn offset(&self, location: lotse_model::id::LocationId) -> Offset {
        let ticks = i128::from(self.line.origin) - self.line.anchor;
        let uncertainty = self.way.sum;
        Offset {
            location,
            ticks: i64::try_from(ticks).unwrap_or(if ticks < 0 { i64::MIN } else { i64::MAX }),
            drift_ppm: self.line.drift() * 1e6,
            messages: self.bounds,
            uncertainty: uncertainty.is_finite().then_some(uncertainty.ceil() as Ticks),
        }
    }
}

/// By process, the pairs it is in.
fn neighbours(bands: &Bands) -> Vec<Vec<Edge>> {
    let origin = |process: ProcessId| bands.origins[process.index()].unwrap_or(0);
    let mut neighbours = vec![Vec::new(); bands.origins.len()];
    for (&(first, second), band) in &bands.pairs {
        // Clocks that nothing contradicts are left alone: the middle of a wide band is a worse guess.
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

/// How much is not known on the way to a process: pairs of which nothing is known beyond a bound from one side, then
/// the sum of what is unknown of the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Doubt {
    loose: u32,
    /// The bits of a number that is not negative, which are ordered as it is.
    sum: u64,
}

impl Doubt {
    fn with(self, unknown: f64) -> Self {
        if unknown.is_finite() {
            Self { sum: (f64::from_bits(self.sum) + unknown).to_bits(), ..self }
        } else {
            Self { loose: self.loose + 1, ..self }
        }
    }
}

/// Sets the clocks of all that are connected with a process, which is their reference.
fn spread(from: ProcessId, neighbours: &[Vec<Edge>], bands: &Bands, known: &mut [Option<Known>]) {
    let origin = |process: ProcessId| bands.origins[process.index()].unwrap_or(0);
    let reference = Known { line: Line::right(origin(from)), bounds: 0, way: Way::reference(from) };
    let mut ways = BinaryHeap::from([Reverse((Doubt::default(), from, from, usize::MAX))]);
    while let Some(Reverse((doubt, to, over, number))) = ways.pop() {
        if known[to.index()].is_some() {
            continue;
        }
        let edge = neighbours[over.index()].get(number);
        let follow = |edge: &Edge| Some(edge.follow(known[over.index()]?, origin(to), edge.first == over));
        known[to.index()] = edge.and_then(follow).or(Some(reference));
        for (number, edge) in neighbours[to.index()].iter().enumerate() {
            let next = if edge.first == to { edge.second } else { edge.first };
            ways.push(Reverse((doubt.with(edge.unknown), next, to, number)));
        }
    }
}

impl Edge {
    /// The clock of one end, from that of the other.
    fn follow(&self, parent: Known, origin: Ticks, forwards: bool) -> Known {
        let Fit { offset, drift, .. } = self.fit;
        // The other way round: x2 = x1 + offset + drift x2 solved for the difference as a function of x1.
        let (offset, drift) =
            if forwards { (offset, drift) } else { (-offset / (1.0 - drift), -drift / (1.0 - drift)) };
        let above = parent.line.drift();
        let anchor = parent.line.anchor - (offset * (1.0 - above)).round() as i128;
        // Ticks of one clock are longer than those of another by as much as they drift.
        let margin = self.reach * (1.0 + above.abs()) / (1.0 - drift.abs());
        Known {
            line: Line::new(origin, anchor, drift + above - drift * above),
            bounds: self.bounds,
            way: parent.way.then(if forwards { self.first } else { self.second }, margin),
        }
    }
}
