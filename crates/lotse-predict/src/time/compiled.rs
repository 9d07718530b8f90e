//! A loop whose compiled instructions are known.

use std::ops::RangeInclusive;

use super::body::{Body, Work};
use super::throughput::{Throughput, Unit};
use super::tree::{LoopId, Tree};
use super::vector::{Lanes, widest};
use crate::compiled::{Bytes, Match, Wanted};
use crate::concrete::Instance;
use crate::machine::Core;
use crate::nest::{NumberType, OperationKind};

/// Lines that a statement may have; the places of statements are where they begin.
const STATEMENT: u32 = 12;

/// The lines of a loop: up to the next loop, or as far as its last statement may go.
pub(super) fn lines(tree: &Tree<'_>, id: LoopId) -> RangeInclusive<u32> {
    let row = &tree.loops[id];
    let first = row.source.place.line;
    let statements = row.statements.iter().map(|(statement, _)| statement.source.place.line);
    let last = statements.fold(first, u32::max);
    let later = tree.loops.iter().map(|other| other.source.place.line).filter(|line| *line > last);
    let next = later.min().map_or(u32::MAX, |line| line - 1);
    first..=last.saturating_add(STATEMENT).min(next)
}

/// What the source says about the loop that is looked for.
pub(super) fn wanted<'a>(instance: &'a Instance<'_>, lines: RangeInclusive<u32>, body: &Body) -> Wanted<'a> {
    let strides = body.accesses.iter().filter_map(|access| i64::try_from(access.stride).ok());
    let float = |number: &NumberType| matches!(number, NumberType::F32 | NumberType::F64);
    let results = body.nodes.iter().map(|node| match &node.work {
        Work::Compute(OperationKind::Call(_) | OperationKind::Convert | OperationKind::Bits, _) => 0.0,
        Work::Compute(_, number) if float(number) => node.weight,
        _ => 0.0,
    });
    // A function that was inlined has results that the source of the loop does not show.
    let calls = body.nodes.iter().any(|node| matches!(&node.work, Work::Compute(OperationKind::Call(_), _)));
    Wanted {
        function: &instance.function.name,
        lines,
        strides: strides.filter(|stride| *stride != 0).collect(),
        results: if calls { 0.0 } else { results.sum() },
        bytes: Bytes::of(body),
        overlaps: false,
    }
}

impl Bytes {
    /// What one iteration moves, without what stands still.
    fn of(body: &Body) -> Self {
        let mut all = Self::default();
        for node in &body.nodes {
            let (Work::Load(index) | Work::Store(index)) = node.work else { continue };
            let access = &body.accesses[index];
            if access.stride != 0 {
                let to = if access.is_store() { &mut all.stored } else { &mut all.loaded };
                *to += node.weight * access.width as f64;
            }
        }
        all
    }
}

/// Cycles of one iteration of the source.
pub(super) fn throughput(found: &Match, source: &Throughput, core: &Core, wrong: f64) -> Throughput {
    let Match { iterations, occupation, .. } = found;
    let front_end = core.issued(occupation.instructions);
    let calls =
        if occupation.calls > 0.0 && source.unit == Unit::Calls { source.cycles * iterations } else { 0.0 };
    let units = [
        (Unit::Loads, occupation.loads),
        (Unit::Stores, occupation.stores),
        (Unit::FloatingPoint, occupation.floating_point),
        (Unit::Division, occupation.division),
        (Unit::Integer, occupation.integer.max(occupation.multiplication)),
        (Unit::Calls, calls),
        // A pass is not begun more than once in a cycle.
        (Unit::FrontEnd, front_end.max(1.0)),
    ];
    let busiest = units.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let (unit, cycles) = busiest.unwrap_or((Unit::FrontEnd, front_end));
    Throughput {
        cycles: cycles / iterations,
        unit,
        instructions: occupation.instructions / iterations,
        operations: source.operations,
        mispredicted: occupation.conditions * wrong * core.mispredict / iterations,
    }
}

/// Iterations that one instruction does.
pub(super) fn lanes(found: &Match, body: &Body) -> Lanes {
    if found.outer > 1.0 {
        return Lanes { count: found.outer, refused: None, library: false, outer: true };
    }
    let count = (found.occupation.vector / widest(body)).min(found.iterations);
    match count > 1.0 {
        true => Lanes { count, refused: None, library: false, outer: false },
        false => Lanes::one("the compiled loop has no vectors"),
    }
}
