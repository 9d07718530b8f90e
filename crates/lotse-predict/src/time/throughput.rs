//! Throughput: cycles of one iteration if no instruction waits for operands, that is, those of the busiest execution unit.
//!
//! ```text
//! loads | stores | floating point | division | integers and addresses | branches | front end: all instructions
//! ```

use std::collections::BTreeSet;

use super::body::{Body, Work};
use super::chain::call_cycles;
use super::vector::Lanes;
use crate::machine::Core;
use crate::nest::{NumberType, OperationKind};

/// A group of execution units, or the front end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ExecutionUnit {
    Loads,
    Stores,
    FloatingPoint,
    Division,
    Integer,
    Calls,
    FrontEnd,
}

/// The throughput of a loop per source iteration.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Throughput {
    /// Cycles of the busiest unit.
    pub(super) cycles: f64,
    pub(super) unit: ExecutionUnit,
    /// Instructions of one iteration.
    pub(super) instructions: f64,
    /// Arithmetic operations of one iteration in the source.
    pub(super) operations: f64,
    /// Cycles lost by mispredicted branches.
    pub(super) mispredicted: f64,
}

/// Busy cycles of each unit in one iteration, and counts.
#[derive(Default)]
struct BodyOccupancy {
    loads: f64,
    stores: f64,
    fp: f64,
    division: f64,
    integer: f64,
    multiplication: f64,
    calls: f64,
    instructions: f64,
    operations: f64,
}

/// The throughput of a loop body with the assumed vectorisation and unrolling; `checks` is the number of bounds checks in an
/// iteration, `branches` the number of conditions on data, and `wrong` the share of these that are mispredicted.
pub(super) fn throughput(
    body: &Body,
    core: &Core,
    lanes: &Lanes,
    unrolled: f64,
    (checks, branches, wrong): (f64, f64, f64),
) -> Throughput {
    let mut occupancy = BodyOccupancy::default();
    let fused = loads_that_fuse(body, lanes.count > 1.0);
    for (index, node) in body.nodes.iter().enumerate() {
        occupancy.add(&node.work, node.weight / lanes.count, core);
        let instruction = !matches!(node.work, Work::Register) && !fused.contains(&index);
        occupancy.instructions += if instruction { node.weight / lanes.count } else { 0.0 };
    }
    let overhead = counters(body) / lanes.count / unrolled;
    occupancy.integer += (overhead + checks + branches) * core.integer_cost;
    occupancy.instructions += overhead + checks + branches;
    let BodyOccupancy {
        loads,
        stores,
        fp,
        division,
        integer,
        multiplication,
        calls,
        instructions,
        operations,
    } = occupancy;
    let pass = lanes.count * unrolled;
    let front_end = core.issued(instructions * pass) / pass;
    let units = [
        (ExecutionUnit::Loads, loads),
        (ExecutionUnit::Stores, stores),
        (ExecutionUnit::FloatingPoint, fp),
        (ExecutionUnit::Division, division),
        (ExecutionUnit::Integer, integer.max(multiplication)),
        (ExecutionUnit::Calls, calls),
        // At most one pass starts per cycle.
        (ExecutionUnit::FrontEnd, front_end.max(1.0 / pass)),
    ];
    let busiest = units.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let (unit, cycles) = busiest.unwrap_or((ExecutionUnit::FrontEnd, front_end));
    let mispredicted = branches * wrong * core.mispredict;
    let operations = operations * lanes.count;
    Throughput { cycles, unit, instructions, operations, mispredicted }
}

/// Loads that are fused as memory operands into the instruction that uses them. A two-operand instruction overwrites its other
/// operand, so that one must be an intermediate result or a loop-carried value. Vectors may be unaligned and are loaded separately.
fn loads_that_fuse(body: &Body, vectors: bool) -> BTreeSet<usize> {
    let is_load = |index: &usize| matches!(body.nodes[*index].work, Work::Load(_));
    let mut fused = BTreeSet::new();
    let computing = body.nodes.iter().filter(|node| matches!(node.work, Work::Compute(..)));
    for node in computing.filter(|_| !vectors) {
        let loads: Vec<usize> = node.inputs.iter().copied().filter(is_load).collect();
        let carried = |input: &usize| body.carried.iter().any(|carried| carried.to == *input);
        let computed = |input: &usize| matches!(body.nodes[*input].work, Work::Compute(..));
        let register = node.inputs.iter().any(|input| computed(input) || carried(input));
        // One operand may come from memory; the other must be in a register.
        let fusing = if register || loads.len() > 1 { loads.last() } else { None };
        fused.extend(fusing.copied());
    }
    fused
}

/// Instructions of the loop control: one addition for each different stride, and a fused compare and jump.
fn counters(body: &Body) -> f64 {
    let moving = body.accesses.iter().filter(|access| access.stride != 0);
    let strides: BTreeSet<i128> = moving.map(|access| access.stride).collect();
    strides.len().max(1) as f64 + 1.0
}

impl BodyOccupancy {
    fn add(&mut self, work: &Work, times: f64, core: &Core) {
        match work {
            Work::Register => {}
            Work::Load(_) => self.loads += times * core.load_cost,
            Work::Store(_) => self.stores += times * core.store_cost,
            Work::Compute(kind, number) => {
                self.operations += times;
                self.compute(kind, *number, times, core);
            }
        }
    }

    fn compute(&mut self, kind: &OperationKind, number: NumberType, times: f64, core: &Core) {
        use OperationKind::{Add, Bits, Call, Convert, Divide, Multiply, Remainder, Select, SquareRoot};
        let integer = matches!(number, NumberType::Integer(_));
        match (kind, integer) {
            (Add | Bits | Select, true) => self.integer += times * core.integer_cost,
            // Only one of the integer units multiplies; the others stay available.
            (Multiply, true) => {
                self.integer += times * core.integer_cost;
                self.multiplication += times * core.integer_multiply_cost;
            }
            (Divide | Remainder, true) => self.division += times * core.integer_divide_cost,
            (Add | Multiply | Bits | Select, false) => self.fp += times * core.fp_cost,
            (Divide | Remainder, false) if number == NumberType::F32 => {
                self.division += times * core.fp_divide32_cost;
            }
            (Divide | Remainder, false) => self.division += times * core.fp_divide64_cost,
            (SquareRoot, _) => self.division += times * core.square_root_cost_for(number == NumberType::F32),
            (Convert, _) => self.fp += 2.0 * times * core.fp_cost,
            (Call(name), _) => self.calls += times * call_cycles(name),
        }
    }
}
