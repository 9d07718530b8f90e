//! Seconds of a nest: dependence chains, throughput and transfers, loop by loop.
//!
//! ```text
//! body        what the compiler leaves of one iteration: loads, stores, operations, and what depends on what
//! chain       cycles that an iteration must wait for the one before
//! throughput  cycles of the busiest unit of the core
//! vector      how many iterations one instruction does, by the assumed compiler
//! transfers   lines that move between caches, and their cost
//!
//! seconds(loop) = longer + serial share * shorter      of computing and transferring
//! computing     = entries * max(iterations of one entry * throughput + entry, iterations that cannot overlap * chain)
//! ```
//!
//! The chain of a loop that is entered again overlaps with the next one, as far as the core looks ahead, if the two
//! do not depend on each other. All constants are those of [`crate::machine::Machine`].

mod access;
mod body;
mod bounds;
mod case;
mod chain;
mod compiled;
mod compiler;
mod estimate;
mod limit;
mod outer;
mod sentence;
mod throughput;
mod transfers;
mod tree;
mod unroll;
mod vector;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

pub use compiler::Compiler;
pub use limit::Limit;

use crate::compiled::Compiled;
use crate::concrete::Instance;
use crate::count;
use crate::locality::{Classes, LocalityError, Start, loop_footprints};
use crate::machine::Machine;
use crate::nest::{ArrayId, Place, Refusal, RefusedPart};
use case::Case;
use estimate::Estimator;
use unroll::unrolled;

/// What a prediction assumes.
#[derive(Debug, Clone, Copy)]
pub struct Assumptions<'m> {
    /// The machine.
    pub machine: &'m Machine,
    /// The compiler.
    pub compiler: Compiler,
    /// What is in the caches before.
    pub start: Start,
    /// The compiled loops; without them the compiler's work is assumed.
    pub compiled: Option<&'m Compiled>,
}

impl<'m> Assumptions<'m> {
    /// The compiler that made the loops, or that is assumed.
    pub fn compiler_name(&self) -> &'m str {
        self.compiled.map_or(self.compiler.name(), |compiled| compiled.name.as_str())
    }
}

/// The probability with which an interval should hold the measured time.
pub const LEVEL: f64 = 0.8;
/// The normal quantile of that level.
const QUANTILE: f64 = 1.281_551_565_5;
/// Relative deviation that constants which nobody measured add. Processors of the last ten years run at 2.0 to 5.5 GHz and
/// add floating-point numbers in 2 to 5 cycles, so that four of five are within a factor of 1.9 of the typical one.
const UNCALIBRATED: f64 = 0.5;
/// Relative deviation that a loop adds of which the compiler made something that is not recognised.
const UNMATCHED: f64 = 0.4;
/// Cycles that a part that is not analysed is taken to need, only to say how much is covered.
const NOMINAL_LOOP: f64 = 1000.0;
const NOMINAL_PART: f64 = 20.0;

/// How long a function takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Seconds of all that was analysed.
    pub seconds: f64,
    /// Bounds of the interval at [`LEVEL`].
    pub interval: (f64, f64),
    /// Seconds if data decide for the best and for the worst, with the same constants; both are the estimate where data decide
    /// about nothing.
    pub range: (f64, f64),
    /// Relative deviation of the estimate, as the deviation of its logarithm.
    pub deviation: f64,
    /// Share of the time, refused parts at a nominal time included, that comes from loops that were analysed exactly.
    pub coverage: f64,
    /// What limits the loop that takes most of the time.
    pub limit: Option<Limit>,
    /// Every loop in the order of the source.
    pub loops: Vec<LoopTime>,
    /// Seconds as a formula of parameters, with the regime of these values.
    pub formula: String,
}

/// How long a loop takes, without the loops in it.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopTime {
    /// Where it is.
    pub place: Place,
    /// Its variable.
    pub variable: String,
    /// Loops around it.
    pub depth: usize,
    /// Whether it has no loops in it.
    pub is_innermost: bool,
    /// Iterations in all.
    pub iterations: f64,
    /// The same as a formula.
    pub iterations_formula: String,
    /// How often it is started.
    pub entries: f64,
    /// Arithmetic operations in all.
    pub operations: f64,
    /// Different bytes that one execution touches.
    pub footprint_bytes: f64,
    /// Different lines that one execution touches.
    pub footprint_lines: f64,
    /// Misses of each cache, the nearest first.
    pub misses: Vec<f64>,
    /// Seconds in all.
    pub seconds: f64,
    /// Seconds of computing alone.
    pub computing: f64,
    /// Seconds of transferring alone.
    pub transferring: f64,
    /// Seconds if data decide for the best and for the worst.
    pub range: (f64, f64),
    /// What data decide about, with the lines; empty where they do not change the time.
    pub because: Vec<(Place, String)>,
    /// What takes them.
    pub limit: Limit,
    /// A sentence that says why.
    pub why: String,
    /// Iterations that one instruction does.
    pub lanes: f64,
    /// Why it is not vectorised, as a phrase that follows "because".
    pub not_vectorised: Option<&'static str>,
    /// The chain of floating-point operations that limits it: cycles, and the name of what is accumulated.
    pub reduction: Option<(f64, String)>,
    /// Why it is predicted from the source although something was compiled, as a phrase that follows "because".
    pub unmatched: Option<&'static str>,
    /// Lines whose calls are in its time, because what was compiled of it has none.
    pub inlined: Option<RangeInclusive<u32>>,
    /// A store that stays in the loop because another array may overlap.
    pub blocked: Option<(ArrayId, ArrayId)>,
}

/// The time of an instance.
pub fn predict(
    instance: &Instance<'_>,
    classes: &Classes,
    assumptions: Assumptions<'_>,
) -> Result<Prediction, LocalityError> {
    let mut loops = as_compiled(instance, classes, assumptions)?;
    let line = assumptions.machine.caches.first().map_or(64, |cache| cache.line);
    let footprints = loop_footprints(instance, classes, line)?;
    for time in &mut loops {
        if let Some((_, footprint)) = footprints.iter().find(|(place, _)| *place == time.place) {
            (time.footprint_bytes, time.footprint_lines) = (footprint.bytes, footprint.lines);
        }
    }
    let loops = merged(loops);
    // The sum of nothing is -0.
    let seconds = loops.iter().map(|time| time.seconds).sum::<f64>() + 0.0;
    let add = |(low, high): (f64, f64), time: &LoopTime| (low + time.range.0, high + time.range.1);
    let range = loops.iter().fold((0.0, 0.0), add);
    let (deviation, interval) = interval(&loops, seconds, range, assumptions.machine);
    let most = loops.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let limit = most.map(|time| time.limit.clone());
    let coverage = coverage(instance, &loops, assumptions.machine);
    let formula = formula(&loops);
    Ok(Prediction { seconds, interval, range, deviation, coverage, limit, loops, formula })
}

/// The loops as the compiler leaves them. Whether it left a short loop the lines of its instructions do not always tell: where no
/// compiled loop agrees with one, it is looked for in the loop around.
fn as_compiled(
    instance: &Instance<'_>,
    classes: &Classes,
    assumptions: Assumptions<'_>,
) -> Result<Vec<LoopTime>, LocalityError> {
    let estimated = |gone: &[Place]| match unrolled(instance, assumptions, gone) {
        Some(flat) => {
            let other = Instance::new(&flat.function, instance.values);
            let loops = all_cases(&other, &Classes::new(&other), assumptions)?;
            with_unrolled(instance, loops, &flat.places)
        }
        None => all_cases(instance, classes, assumptions),
    };
    let loops = estimated(&[])?;
    let unmatched = |loops: &[LoopTime]| -> Vec<Place> {
        loops.iter().filter(|time| time.unmatched.is_some()).map(|time| time.place).collect()
    };
    let places = unmatched(&loops);
    if places.is_empty() {
        return Ok(loops);
    }
    let other = estimated(&places)?;
    Ok(if unmatched(&other).len() < places.len() { other } else { loops })
}

/// The loops of the source: those that were unrolled have their time in the loop around them.
fn with_unrolled(
    instance: &Instance<'_>,
    loops: Vec<LoopTime>,
    places: &[Place],
) -> Result<Vec<LoopTime>, LocalityError> {
    let tree = tree::Tree::new(instance)?;
    let mut all: Vec<LoopTime> = Vec::with_capacity(tree.loops.len());
    let mut left = loops.into_iter().peekable();
    for row in &tree.loops {
        let gone = places.contains(&row.source.place);
        // A loop of several cases is in the list several times, one after the other.
        match left.peek().filter(|_| !gone) {
            Some(time) if time.place == row.source.place => all.extend(left.next()),
            _ => {
                let Some(around) = all.iter().rev().find(|time| time.depth < row.depth) else { continue };
                all.push(around.unrolled_inner(row, instance));
            }
        }
    }
    all.extend(left);
    Ok(all)
}

/// All loops with the times of the typical case, and of the best and the worst where data decide.
fn all_cases(
    instance: &Instance<'_>,
    classes: &Classes,
    assumptions: Assumptions<'_>,
) -> Result<Vec<LoopTime>, LocalityError> {
    let estimator = Estimator::new(instance, classes, assumptions, Case::Typical)?;
    let loops = estimator.loops();
    if loops.iter().all(|time| time.because.is_empty()) && !estimator.has_conditional_loops() {
        return Ok(loops);
    }
    let least = Estimator::new(instance, classes, assumptions, Case::Least)?.loops();
    let most = Estimator::new(instance, classes, assumptions, Case::Most)?.loops();
    let cases = loops.into_iter().zip(least.iter().zip(&most)).enumerate();
    Ok(cases
        .map(|(id, (time, (least, most)))| time.with_range(least, most, estimator.has_only_bounds(id)))
        .collect())
}

/// Loops that bounds divide into cases are one loop of the source.
fn merged(loops: Vec<LoopTime>) -> Vec<LoopTime> {
    let mut all: Vec<LoopTime> = Vec::with_capacity(loops.len());
    for time in loops {
        let same = |other: &&mut LoopTime| other.place == time.place && other.variable == time.variable;
        match all.iter_mut().find(same) {
            Some(known) => known.absorb(time),
            None => all.push(time),
        }
    }
    all
}

impl LoopTime {
    /// Whether a call that is not analysed is in its time.
    pub(crate) fn has_inlined(&self, refusal: &Refusal) -> bool {
        let lines = self.inlined.as_ref().filter(|_| refusal.part == RefusedPart::Call);
        lines.is_some_and(|lines| lines.contains(&refusal.place.line))
    }

    /// The deviation of the logarithm of its time.
    fn deviation(&self) -> f64 {
        let own = self.limit.deviation();
        if self.unmatched.is_some() { own.hypot(UNMATCHED) } else { own }
    }

    /// A loop that was unrolled into this one.
    fn unrolled_inner(&self, row: &tree::Row<'_>, instance: &Instance<'_>) -> Self {
        let symbols = &instance.function.symbols;
        Self {
            place: row.source.place,
            variable: symbols.name(row.source.source_variable).to_owned(),
            depth: row.depth,
            is_innermost: true,
            iterations: row.iterations(),
            iterations_formula: row.points.display(symbols),
            entries: row.entries,
            operations: 0.0,
            misses: vec![0.0; self.misses.len()],
            seconds: 0.0,
            range: (0.0, 0.0),
            because: Vec::new(),
            computing: 0.0,
            transferring: 0.0,
            why: "the compiler unrolls it completely; its time is that of the loop around it".to_owned(),
            reduction: None,
            unmatched: None,
            inlined: None,
            blocked: None,
            ..self.clone()
        }
    }

    fn absorb(&mut self, other: Self) {
        self.misses.iter_mut().zip(&other.misses).for_each(|(sum, more)| *sum += more);
        let (iterations, operations) =
            (self.iterations + other.iterations, self.operations + other.operations);
        let (computing, transferring) =
            (self.computing + other.computing, self.transferring + other.transferring);
        let (seconds, misses) = (self.seconds + other.seconds, std::mem::take(&mut self.misses));
        let formulas = match (self.iterations > 0.0, other.iterations > 0.0) {
            (true, true) => format!("{} + {}", self.iterations_formula, other.iterations_formula),
            (true, false) => self.iterations_formula.clone(),
            (false, _) => other.iterations_formula.clone(),
        };
        let range = (self.range.0 + other.range.0, self.range.1 + other.range.1);
        let mut because = std::mem::take(&mut self.because);
        because.extend(
            other.because.iter().filter(|reason| !because.contains(reason)).cloned().collect::<Vec<_>>(),
        );
        if other.seconds > self.seconds {
            *self = other;
        }
        (self.iterations, self.operations, self.iterations_formula) = (iterations, operations, formulas);
        (self.computing, self.transferring, self.seconds, self.misses) =
            (computing, transferring, seconds, misses);
        (self.range, self.because) = (range, because);
    }
}

/// The deviation of the logarithm and the interval. Errors of loops are taken to go together, since the constants do.
fn interval(
    loops: &[LoopTime],
    seconds: f64,
    (least, most): (f64, f64),
    machine: &Machine,
) -> (f64, (f64, f64)) {
    let weighed: f64 = loops.iter().map(|time| time.seconds * time.deviation()).sum();
    let own = if seconds > 0.0 { weighed / seconds } else { 0.0 };
    let deviation = if machine.calibration.is_some() { own } else { own.hypot(UNCALIBRATED) };
    let factor = (QUANTILE * deviation).exp();
    let (low, high) = (least / factor, most * factor);
    if least >= most || seconds <= 0.0 {
        return (deviation, (low, high));
    }
    // What data decide widens the distribution; a loop that may do nothing makes it as wide as the estimate allows.
    let spread = (high / low.max(seconds * 1e-3)).ln() / (2.0 * QUANTILE);
    (deviation.max(spread), (low, high))
}

fn coverage(instance: &Instance<'_>, loops: &[LoopTime], machine: &Machine) -> f64 {
    let of = |bounded: bool| {
        loops.iter().filter(move |time| time.is_bounded() == bounded).map(|time| time.seconds)
    };
    let (exact, bounded) = (of(false).sum::<f64>() + 0.0, of(true).sum::<f64>());
    let left_out = instance.refusals.iter().zip(&instance.uncovered);
    let left_out = left_out.filter(|(refusal, _)| !loops.iter().any(|time| time.has_inlined(refusal)));
    let nominal = left_out.map(|(refusal, domain)| {
        let times = count::points_of(instance, domain).map_or(1.0, |points| points.number as f64);
        // How long a loop takes of which nothing is known, nobody knows: as long as all others is as good a guess as any.
        match refusal.part {
            RefusedPart::Loop => machine.core.seconds(times * NOMINAL_LOOP).max(exact + bounded),
            RefusedPart::Call | RefusedPart::Other => machine.core.seconds(times * NOMINAL_PART),
        }
    });
    let all = exact + bounded + nominal.sum::<f64>();
    if all > 0.0 { exact / all } else { 0.0 }
}

/// Nanoseconds for each iteration times the formula of iterations, loops with the same formula together.
fn formula(loops: &[LoopTime]) -> String {
    let mut terms: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for time in loops.iter().filter(|time| time.iterations > 0.0 && time.seconds > 0.0) {
        let term = terms.entry(&time.iterations_formula).or_insert((0.0, time.iterations));
        term.0 += time.seconds;
    }
    let mut terms: Vec<(&str, f64, f64)> = terms.into_iter().map(|(text, (s, n))| (text, s, n)).collect();
    terms.sort_by(|a, b| b.1.total_cmp(&a.1));
    let text = |(formula, seconds, iterations): &(&str, f64, f64)| {
        format!("{:.4} ns * ({formula})", 1e9 * seconds / iterations)
    };
    terms.iter().map(text).collect::<Vec<_>>().join(" + ")
}

#[cfg(test)]
mod data_tests;
#[cfg(test)]
mod tests;
