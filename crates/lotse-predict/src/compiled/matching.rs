//! Matches source loops with machine loops, and finds how many source iterations one pass executes.
//!
//! ```text
//! source:    for i { a[i] *= x; }   of doubles:  strides 8 (load) and 8 (store), 1 floating-point result per iteration
//! machine:   both addresses move by 16 bytes per pass, one mulpd with 2 results:  16 / 8 = 2 iterations per pass, 2 / 1 results
//! ```
//!
//! Every pair of an address step and a source stride votes for a number of iterations. The number of floating-point results (or,
//! without them, the bytes loaded and stored) must agree with it. If a pass has more results than its addresses account for, by
//! the number of vector lanes, the enclosing loop was vectorised.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::values::RegisterValues;
use super::{Compiled, MachineLoop, UnitOccupancy, recurrence};
use crate::machine::Core;

/// Upper limit on the iterations per pass.
const MOST: i64 = 256;
/// Accepted factor between the floating-point results of a pass and those of the source: compilers eliminate common
/// subexpressions, move invariants out of the loop, or compute values again.
const DEVIATION: f64 = 2.6;
/// Accepted factor between the number of results and that of a vectorised enclosing loop.
const NEARLY: f64 = 1.3;

/// Bytes of the smallest vectors.
const VECTOR: u32 = 16;
/// If at least this share of a machine loop's instructions belongs to the lines of a source loop, it is the loop of these lines.
const OWN: f64 = 0.9;

/// The properties of a source loop by which it is recognised in the compiled code.
#[derive(Debug, Clone)]
pub(crate) struct LoopSignature<'a> {
    pub(crate) function: &'a str,
    pub(crate) lines: RangeInclusive<u32>,
    /// Strides of the accesses in bytes per iteration, without loop-invariant ones.
    pub(crate) strides: Vec<i64>,
    /// Floating-point results of one iteration.
    pub(crate) results: f64,
    /// Bytes that one iteration accesses, without loop-invariant elements.
    pub(crate) bytes: AccessedBytes,
    /// Whether a store overlaps with other accesses of the loop, so that the run-time checks before a vectorised version fail.
    pub(crate) overlaps: bool,
}

/// Bytes loaded and stored in one iteration or in one pass.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct AccessedBytes {
    pub(crate) loaded: f64,
    pub(crate) stored: f64,
}

impl AccessedBytes {
    /// The ratio to another number of bytes: that of stored bytes, because compilers do not repeat stores, else of loaded bytes.
    fn ratio(self, other: Self) -> Option<f64> {
        let quotient = |own: f64, other: f64| (own > 0.0 && other > 0.0).then(|| own / other);
        quotient(self.stored, other.stored).or_else(|| quotient(self.loaded, other.loaded))
    }
}

/// The machine loop of a source loop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CompiledMatch {
    /// Address of the loop in the binary.
    pub(crate) header: u64,
    /// Source iterations per pass.
    pub(crate) iterations: f64,
    /// Number of iterations of the enclosing loop that a pass executes at once; more than 1 if that loop is vectorised.
    pub(crate) outer: f64,
    /// Occupancy of execution units in one pass.
    pub(crate) occupancy: UnitOccupancy,
    /// Cycles that a pass waits for the previous one.
    pub(crate) recurrence: f64,
    /// Whether it has vector loads or stores.
    moves_vectors: bool,
}

impl Compiled {
    /// The machine loop of these lines with most iterations per pass, or why there is none, as a phrase that could follow
    /// "because". If accesses overlap, vectorised versions are not executed and do not count, provided there is a scalar one.
    /// `weight` is the probability of conditional instructions.
    pub(crate) fn find(
        &self,
        signature: &LoopSignature<'_>,
        core: &Core,
        weight: f64,
    ) -> Result<CompiledMatch, &'static str> {
        let here: Vec<&MachineLoop> = self.loops.iter().filter(|code| code.is_at(signature)).collect();
        if here.is_empty() {
            return Err("no compiled loop belongs to its lines");
        }
        let matches: Vec<CompiledMatch> =
            here.iter().filter_map(|code| code.matched(signature, core, weight)).collect();
        let only_scalar = signature.overlaps && matches.iter().any(|found| !found.moves_vectors);
        let executed = matches.into_iter().filter(|found| !only_scalar || !found.moves_vectors);
        let best = executed.max_by(|a, b| a.iterations.total_cmp(&b.iterations));
        best.ok_or("what the compiled loop computes does not agree with the source")
    }
}

impl Compiled {
    /// Whether some lines of a function have a machine loop of their own and are not merely part of another loop; `None` if no loop
    /// has instructions of these lines.
    pub(crate) fn has_loop(&self, function: &str, lines: &RangeInclusive<u32>) -> Option<bool> {
        let is_here = |(name, line): &(String, u32)| name == function && lines.contains(line);
        let share = |code: &MachineLoop| {
            let known = code.instructions.iter().filter(|it| !it.lines.is_empty());
            let here = known.clone().filter(|it| it.lines.iter().any(is_here)).count();
            here as f64 / known.count().max(1) as f64
        };
        let most = self.loops.iter().map(share).reduce(f64::max).filter(|most| *most > 0.0);
        most.map(|most| most >= OWN)
    }
}

/// The number of iterations of the enclosing loop that a pass executes at once. It is the number of vector lanes if the pass has
/// that many times the results that its addresses account for, else 1.
fn outer(own: f64, signature: &LoopSignature<'_>, occupancy: &UnitOccupancy) -> f64 {
    if signature.results < 0.5 || occupancy.lanes <= 1.0 {
        return 1.0;
    }
    let times = occupancy.results / signature.results / own;
    if (times / occupancy.lanes).ln().abs() < NEARLY.ln() { occupancy.lanes } else { 1.0 }
}

impl MachineLoop {
    /// Whether more than half of its instructions belong to the lines of the source loop.
    fn is_at(&self, signature: &LoopSignature<'_>) -> bool {
        let is_here = |(function, line): &(String, u32)| {
            function == signature.function && signature.lines.contains(line)
        };
        let known = self.instructions.iter().filter(|it| !it.lines.is_empty());
        let (mut inside, mut all) = (0, 0);
        for instruction in known {
            all += 1;
            inside += usize::from(instruction.lines.iter().any(is_here));
        }
        2 * inside > all
    }

    /// The match with a source loop; `None` if results or bytes do not agree.
    fn matched(&self, signature: &LoopSignature<'_>, core: &Core, weight: f64) -> Option<CompiledMatch> {
        let occupancy = UnitOccupancy::from_loop(self, core, weight);
        let steps = self.steps();
        let own = iterations(&steps, signature, &occupancy)?;
        let outer = outer(own, signature, &occupancy);
        let recurrence = recurrence::cycles(self, core);
        let moves_vectors = steps.iter().any(|it| it.width >= VECTOR);
        Some(CompiledMatch {
            header: self.header,
            iterations: own * outer,
            outer,
            occupancy,
            recurrence,
            moves_vectors,
        })
    }

    /// The accesses whose addresses move by a known constant in one pass. Two passes are executed symbolically and the addresses
    /// of each access compared.
    fn steps(&self) -> Vec<AddressStep> {
        let mut values = RegisterValues::default();
        let mut first = Vec::new();
        let path = self.pass();
        for pass in 0..2 {
            let mut at = 0;
            for instruction in &path {
                let operation = &instruction.operation;
                let accesses = [(&operation.load, false), (&operation.store, true)];
                for (memory, stores) in
                    accesses.into_iter().filter_map(|(it, stores)| Some((it.as_ref()?, stores)))
                {
                    let address = values.address(memory);
                    if pass == 0 {
                        first.push((address, AddressStep { bytes: 0, width: memory.bytes, stores }));
                    } else if let Some((before, step)) = first.get_mut(at) {
                        step.bytes = address.and_then(|it| it.distance(before.as_ref()?)).unwrap_or(0);
                    }
                    at += 1;
                }
                values.execute(operation);
            }
        }
        first.into_iter().map(|(_, step)| step).filter(|step| step.bytes != 0).collect()
    }
}

/// A memory access whose address moves by a constant with every pass.
#[derive(Debug, Clone, Copy)]
struct AddressStep {
    /// Bytes from one pass to the next.
    bytes: i64,
    /// Bytes accessed.
    width: u32,
    stores: bool,
}

/// The number of source iterations per pass; `None` if the machine loop does not agree with the source (see the module's example).
fn iterations(
    steps: &[AddressStep],
    signature: &LoopSignature<'_>,
    occupancy: &UnitOccupancy,
) -> Option<f64> {
    let moved = moved(steps);
    // The machine loop stores although the source loop does not: the stores belong to an enclosing loop.
    if signature.bytes.stored == 0.0 && moved.stored > 0.0 {
        return None;
    }
    let mut votes: BTreeMap<i64, usize> = BTreeMap::new();
    for step in steps {
        for stride in &signature.strides {
            let whole = *stride != 0 && step.bytes % stride == 0;
            let times = if whole { step.bytes / stride } else { 0 };
            if (1..=MOST).contains(&times) {
                *votes.entry(times).or_default() += 1;
            }
        }
    }
    if signature.results < 0.5 {
        let (times, _) = votes.into_iter().max_by_key(|(_, votes)| *votes)?;
        let agrees = moved
            .ratio(signature.bytes)
            .is_none_or(|moved| (moved / times as f64).ln().abs() < DEVIATION.ln());
        return agrees.then_some(times as f64);
    }
    let own = occupancy.results / signature.results;
    let distance = |times: f64| (own / times).ln().abs();
    // Without a constant address step, the number of results decides.
    let candidates: Vec<f64> = match votes.is_empty() {
        true => vec![own.round().max(1.0)],
        false => votes.keys().map(|times| *times as f64).collect(),
    };
    let best = candidates.into_iter().min_by(|a, b| distance(*a).total_cmp(&distance(*b)))?;
    let lanes = occupancy.lanes.max(1.0);
    (distance(best).min(distance(best * lanes)) < DEVIATION.ln()).then_some(best)
}

/// Total bytes of the accesses whose addresses move.
fn moved(steps: &[AddressStep]) -> AccessedBytes {
    let bytes = |stores: bool| {
        let own = steps.iter().filter(|step| step.stores == stores);
        own.map(|step| f64::from(step.width)).sum()
    };
    AccessedBytes { loaded: bytes(false), stored: bytes(true) }
}
