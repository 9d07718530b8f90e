//! The predicted time of a nest: dependence chains, throughput and transfers, loop by loop.
//!
//! ```text
//! body        one iteration after optimisation by the compiler: loads, stores, operations and their dependences
//! chain       cycles that an iteration must wait for the previous one (loop-carried dependence)
//! throughput  cycles of the busiest execution unit of the core
//! vector      how many iterations one instruction executes with the assumed compiler
//! transfers   lines that move between caches, and their cost
//!
//! seconds(loop) = longer + serial share * shorter      of computing and transferring
//! computing     = entries * max(iterations of one entry * throughput + entry, iterations that cannot overlap * chain)
//! ```
//!
//! If two consecutive executions of a loop do not depend on each other, the chain of the first overlaps with the second, as far
//! as the core can look ahead. All constants are in [`crate::machine::Machine`].

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
use crate::nest::{ArrayId, Refusal, RefusedPart, SourcePosition};
use case::DataCase;
use estimate::Estimator;
use unroll::unrolled;

/// What a prediction assumes.
#[derive(Debug, Clone, Copy)]
pub struct Assumptions<'m> {
    pub machine: &'m Machine,
    pub compiler: Compiler,
    /// The state of the caches before the function starts.
    pub start: Start,
    /// The compiled loops; if `None`, the optimisations of `compiler` are assumed.
    pub compiled: Option<&'m Compiled>,
}

impl<'m> Assumptions<'m> {
    /// The name of the compiler that compiled the loops, or of the assumed one.
    pub fn compiler_name(&self) -> &'m str {
        self.compiled.map_or(self.compiler.name(), |compiled| compiled.name.as_str())
    }
}

/// The probability with which an interval should contain the measured time.
pub const LEVEL: f64 = 0.8;
/// The two-sided normal quantile of that level.
const QUANTILE: f64 = 1.281_551_565_5;
/// Additional relative deviation if the constants of the machine were not measured. Processors of the last ten years run at 2.0 to
/// 5.5 GHz and add floating-point numbers in 2 to 5 cycles, so that four of five are within a factor of 1.9 of the typical one.
const UNCALIBRATED: f64 = 0.5;
/// Additional relative deviation of a loop that is not recognised in the compiled code.
const UNMATCHED: f64 = 0.4;
/// Assumed cycles of a part that is not analysed; used only for the coverage.
const NOMINAL_LOOP: f64 = 1000.0;
const NOMINAL_PART: f64 = 20.0;

/// The predicted time of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Seconds of all parts that were analysed.
    pub seconds: f64,
    /// The interval that contains the measured time with the probability [`LEVEL`].
    pub interval: (f64, f64),
    /// Seconds with the best and with the worst data, without the uncertainty of the constants; both equal `seconds` if the time
    /// does not depend on data.
    pub range: (f64, f64),
    /// Standard deviation of the logarithm of the estimate.
    pub deviation: f64,
    /// Share of the time that comes from loops that were analysed exactly; refused parts count with a nominal time.
    pub coverage: f64,
    /// The limit of the loop that takes most of the time.
    pub limit: Option<Limit>,
    /// Every loop in the order of the source.
    pub loops: Vec<LoopTime>,
    /// Seconds as a formula of the parameters, valid near the given values.
    pub formula: String,
}

/// The predicted time of a loop without the loops inside it.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopTime {
    pub place: SourcePosition,
    pub variable: String,
    /// Number of enclosing loops.
    pub depth: usize,
    /// Whether it contains no other loop.
    pub is_innermost: bool,
    /// Total number of iterations.
    pub iterations: f64,
    /// The number of iterations as a formula of the parameters.
    pub iterations_formula: String,
    /// How often the loop is started.
    pub entries: f64,
    /// Total number of arithmetic operations.
    pub operations: f64,
    /// Distinct bytes that one execution touches.
    pub footprint_bytes: f64,
    /// Distinct lines that one execution touches.
    pub footprint_lines: f64,
    /// Misses in each cache, the first-level cache first.
    pub misses: Vec<f64>,
    /// Total seconds.
    pub seconds: f64,
    /// Seconds of computing alone.
    pub computing: f64,
    /// Seconds of transferring lines alone.
    pub transferring: f64,
    /// Seconds with the best and with the worst data.
    pub range: (f64, f64),
    /// Where and why the time depends on data; empty if it does not.
    pub because: Vec<(SourcePosition, String)>,
    pub limit: Limit,
    /// A sentence that explains the limit.
    pub why: String,
    /// Iterations that one instruction executes.
    pub lanes: f64,
    /// Why it is not vectorised, as a phrase that could follow "because".
    pub not_vectorised: Option<&'static str>,
    /// The floating-point reduction that limits the loop: cycles per iteration, and the name of the accumulator.
    pub reduction: Option<(f64, String)>,
    /// Why the loop is predicted from the source although compiled code was given, as a phrase that could follow "because".
    pub unmatched: Option<&'static str>,
    /// Lines whose calls are included in the time, because the compiled loop contains no calls.
    pub inlined: Option<RangeInclusive<u32>>,
    /// The array whose store stays in the loop, and the array that may overlap it.
    pub blocked: Option<(ArrayId, ArrayId)>,
}

/// Predicts the time of an instance.
pub fn predict(
    instance: &Instance<'_>,
    classes: &Classes,
    assumptions: Assumptions<'_>,
) -> Result<Prediction, LocalityError> {
    let mut loops = loops_as_compiled(instance, classes, assumptions)?;
    let line = assumptions.machine.caches.first().map_or(64, |cache| cache.line);
    let footprints = loop_footprints(instance, classes, line)?;
    for time in &mut loops {
        if let Some((_, footprint)) = footprints.iter().find(|(place, _)| *place == time.place) {
            (time.footprint_bytes, time.footprint_lines) = (footprint.bytes, footprint.lines);
        }
    }
    let loops = merge_cases(loops);
    // The sum of an empty iterator is -0.
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

/// The times of all loops after the compiler has unrolled short ones. Line numbers do not always show whether a short loop was
/// unrolled; so if some loops match no compiled loop, the prediction is repeated with these loops unrolled, and the variant with
/// fewer unmatched loops is used.
fn loops_as_compiled(
    instance: &Instance<'_>,
    classes: &Classes,
    assumptions: Assumptions<'_>,
) -> Result<Vec<LoopTime>, LocalityError> {
    let estimated = |also_unrolled: &[SourcePosition]| match unrolled(instance, assumptions, also_unrolled) {
        Some(flat) => {
            let other = Instance::new(&flat.function, instance.values);
            let loops = all_cases(&other, &Classes::new(&other), assumptions)?;
            with_unrolled(instance, loops, &flat.places)
        }
        None => all_cases(instance, classes, assumptions),
    };
    let loops = estimated(&[])?;
    let unmatched = |loops: &[LoopTime]| -> Vec<SourcePosition> {
        loops.iter().filter(|time| time.unmatched.is_some()).map(|time| time.place).collect()
    };
    let places = unmatched(&loops);
    if places.is_empty() {
        return Ok(loops);
    }
    let other = estimated(&places)?;
    Ok(if unmatched(&other).len() < places.len() { other } else { loops })
}

/// Adds the loops that were unrolled, at `places`, to the list of loop times. Their time is part of the enclosing loop's time.
fn with_unrolled(
    instance: &Instance<'_>,
    loops: Vec<LoopTime>,
    places: &[SourcePosition],
) -> Result<Vec<LoopTime>, LocalityError> {
    let tree = tree::LoopTree::new(instance)?;
    let mut all: Vec<LoopTime> = Vec::with_capacity(tree.loops.len());
    let mut left = loops.into_iter().peekable();
    for row in &tree.loops {
        let is_unrolled = places.contains(&row.source.place);
        // A loop with several cases is in the list several times in a row.
        match left.peek().filter(|_| !is_unrolled) {
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

/// The times of all loops in the typical case and, if they depend on data, in the best and in the worst case.
fn all_cases(
    instance: &Instance<'_>,
    classes: &Classes,
    assumptions: Assumptions<'_>,
) -> Result<Vec<LoopTime>, LocalityError> {
    let estimator = Estimator::new(instance, classes, assumptions, DataCase::Typical)?;
    let loops = estimator.loops();
    if loops.iter().all(|time| time.because.is_empty()) && !estimator.has_conditional_loops() {
        return Ok(loops);
    }
    let least = Estimator::new(instance, classes, assumptions, DataCase::Least)?.loops();
    let most = Estimator::new(instance, classes, assumptions, DataCase::Most)?.loops();
    let cases = loops.into_iter().zip(least.iter().zip(&most)).enumerate();
    Ok(cases
        .map(|(id, (time, (least, most)))| time.with_range(least, most, estimator.has_only_bounds(id)))
        .collect())
}

/// Adds up the cases of each source loop: bounds with `min` or `max` divide one loop into several.
fn merge_cases(loops: Vec<LoopTime>) -> Vec<LoopTime> {
    let mut all: Vec<LoopTime> = Vec::with_capacity(loops.len());
    for time in loops {
        let same = |other: &&mut LoopTime| other.place == time.place && other.variable == time.variable;
        match all.iter_mut().find(same) {
            Some(known) => known.add_case(time),
            None => all.push(time),
        }
    }
    all
}

impl LoopTime {
    /// Whether the refused part is a call that was inlined into this loop, so that its time is included.
    pub(crate) fn has_inlined(&self, refusal: &Refusal) -> bool {
        let lines = self.inlined.as_ref().filter(|_| refusal.part == RefusedPart::Call);
        lines.is_some_and(|lines| lines.contains(&refusal.place.line))
    }

    /// The standard deviation of the logarithm of the time.
    fn deviation(&self) -> f64 {
        let own = self.limit.deviation();
        if self.unmatched.is_some() { own.hypot(UNMATCHED) } else { own }
    }

    /// The entry of a loop that was unrolled into this one: without a time of its own.
    fn unrolled_inner(&self, row: &tree::LoopRow<'_>, instance: &Instance<'_>) -> Self {
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

    /// Adds another case of the same source loop. Times, counts and misses are added; limit and explanation are those of the case
    /// that takes longer.
    fn add_case(&mut self, other: Self) {
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

/// The standard deviation of the logarithm of the time, and the interval. The errors of all loops are assumed to be fully
/// correlated, because they share the machine's constants; so deviations are averaged, weighted by time.
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
    // Dependence on data widens the distribution. The lower end is limited to a thousandth of the estimate, because a loop that
    // may execute no iteration has a best case of 0.
    let spread = (high / low.max(seconds * 1e-3)).ln() / (2.0 * QUANTILE);
    (deviation.max(spread), (low, high))
}

/// The share of exactly analysed loops in the time of all loops and refused parts, which count with a nominal time.
fn coverage(instance: &Instance<'_>, loops: &[LoopTime], machine: &Machine) -> f64 {
    let seconds_of = |bounded: bool| {
        loops.iter().filter(move |time| time.is_bounded() == bounded).map(|time| time.seconds)
    };
    let (exact, bounded) = (seconds_of(false).sum::<f64>() + 0.0, seconds_of(true).sum::<f64>());
    let left_out = instance.refusals.iter().zip(&instance.uncovered);
    let left_out = left_out.filter(|(refusal, _)| !loops.iter().any(|time| time.has_inlined(refusal)));
    let nominal = left_out.map(|(refusal, domain)| {
        let times = count::points_of(instance, domain).map_or(1.0, |points| points.number as f64);
        // The time of a refused loop is unknown; the guess is that it takes as long as all other loops together.
        match refusal.part {
            RefusedPart::Loop => machine.core.seconds(times * NOMINAL_LOOP).max(exact + bounded),
            RefusedPart::Call | RefusedPart::Other => machine.core.seconds(times * NOMINAL_PART),
        }
    });
    let all = exact + bounded + nominal.sum::<f64>();
    if all > 0.0 { exact / all } else { 0.0 }
}

/// The time as a sum of nanoseconds per iteration times the formula of iterations. Loops with the same formula share a term.
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
