//! The throughput of a source loop whose compiled instructions are known.

use std::ops::RangeInclusive;

use super::body::{Body, Work};
use super::throughput::{ExecutionUnit, Throughput};
use super::tree::{LoopId, LoopTree};
use super::vector::{Lanes, widest};
use crate::compiled::{AccessedBytes, CompiledMatch, LoopSignature};
use crate::concrete::Instance;
use crate::machine::Core;
use crate::nest::{NumberType, OperationKind};

/// Assumed upper limit on the lines of a statement; only the first line of a statement is known.
const STATEMENT: u32 = 12;

/// The lines of a loop: up to the next loop, at most [`STATEMENT`] lines beyond the beginning of its last statement.
pub(super) fn lines(tree: &LoopTree<'_>, id: LoopId) -> RangeInclusive<u32> {
    let row = &tree.loops[id];
    let first = row.source.place.line;
    let statements = row.statements.iter().map(|(statement, _)| statement.source.place.line);
    let last = statements.fold(first, u32::max);
    let later = tree.loops.iter().map(|other| other.source.place.line).filter(|line| *line > last);
    let next = later.min().map_or(u32::MAX, |line| line - 1);
    first..=last.saturating_add(STATEMENT).min(next)
}

/// The properties of a source loop by which it is recognised in the compiled code.
pub(super) fn signature<'a>(
    instance: &'a Instance<'_>,
    lines: RangeInclusive<u32>,
    body: &Body,
) -> LoopSignature<'a> {
    let strides = body.accesses.iter().filter_map(|access| i64::try_from(access.stride).ok());
    let float = |number: &NumberType| matches!(number, NumberType::F32 | NumberType::F64);
    let results = body.nodes.iter().map(|node| match &node.work {
        Work::Compute(OperationKind::Call(_) | OperationKind::Convert | OperationKind::Bits, _) => 0.0,
        Work::Compute(_, number) if float(number) => node.weight,
        _ => 0.0,
    });
    // An inlined function computes results that are not in the source of the loop.
    let calls = body.nodes.iter().any(|node| matches!(&node.work, Work::Compute(OperationKind::Call(_), _)));
    LoopSignature {
        function: &instance.function.name,
        lines,
        strides: strides.filter(|stride| *stride != 0).collect(),
        results: if calls { 0.0 } else { results.sum() },
        bytes: AccessedBytes::from_body(body),
        overlaps: false,
    }
}

impl AccessedBytes {
    /// Bytes that one iteration loads and stores, without loop-invariant addresses.
    fn from_body(body: &Body) -> Self {
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

/// The throughput of one source iteration in the compiled loop `found`; `source` is the throughput predicted from the source and
/// `wrong` the share of mispredicted branches.
pub(super) fn throughput(found: &CompiledMatch, source: &Throughput, core: &Core, wrong: f64) -> Throughput {
    let CompiledMatch { iterations, occupancy, .. } = found;
    let front_end = core.issued(occupancy.instructions);
    let calls = if occupancy.calls > 0.0 && source.unit == ExecutionUnit::Calls {
        source.cycles * iterations
    } else {
        0.0
    };
    let units = [
        (ExecutionUnit::Loads, occupancy.loads),
        (ExecutionUnit::Stores, occupancy.stores),
        (ExecutionUnit::FloatingPoint, occupancy.floating_point),
        (ExecutionUnit::Division, occupancy.division),
        (ExecutionUnit::Integer, occupancy.integer.max(occupancy.multiplication)),
        (ExecutionUnit::Calls, calls),
        // At most one pass starts per cycle.
        (ExecutionUnit::FrontEnd, front_end.max(1.0)),
    ];
    let busiest = units.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let (unit, cycles) = busiest.unwrap_or((ExecutionUnit::FrontEnd, front_end));
    Throughput {
        cycles: cycles / iterations,
        unit,
        instructions: occupancy.instructions / iterations,
        operations: source.operations,
        mispredicted: occupancy.conditions * wrong * core.mispredict / iterations,
    }
}

/// The vectorisation of a compiled loop.
pub(super) fn lanes(found: &CompiledMatch, body: &Body) -> Lanes {
    if found.outer > 1.0 {
        return Lanes { count: found.outer, refused: None, library: false, outer: true };
    }
    let count = (found.occupancy.vector / widest(body)).min(found.iterations);
    match count > 1.0 {
        true => Lanes { count, refused: None, library: false, outer: false },
        false => Lanes::scalar("the compiled loop has no vectors"),
    }
}
