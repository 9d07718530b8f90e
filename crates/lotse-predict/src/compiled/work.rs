//! Occupancy of the execution units in one pass of a machine loop.

use lotse_symbols::{Effect, MemoryOperand, Operation, OperationClass};

use super::MachineLoop;
use crate::machine::Core;

/// Busy cycles of the execution units in one pass, and counts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct UnitOccupancy {
    pub(crate) loads: f64,
    pub(crate) stores: f64,
    pub(crate) floating_point: f64,
    pub(crate) division: f64,
    pub(crate) integer: f64,
    /// The only unit that multiplies integers.
    pub(crate) multiplication: f64,
    /// Number of instructions; a comparison with its jump is one.
    pub(crate) instructions: f64,
    /// Number of floating-point results; a vector instruction has several.
    pub(crate) results: f64,
    /// Number of jumps that depend on data.
    pub(crate) conditions: f64,
    /// Bytes of the widest vector; 0 without vectors.
    pub(crate) vector: f64,
    /// Elements of a floating-point vector; 0 without such vectors.
    pub(crate) lanes: f64,
    pub(crate) calls: f64,
}

/// Cost of a shuffle relative to an addition: fewer units execute shuffles.
const SHUFFLE: f64 = 2.0;
/// Bytes of the widest vectors, for which cores have fewer units: two instead of three, and only one for shuffles.
const WIDEST: u32 = 64;
const WIDEST_COST: f64 = 1.5;

/// Cost of an access relative to that of a scalar. Allocated memory is aligned to 16 bytes, so some accesses of wider vectors cross
/// a line boundary and need two lines.
fn access_cost(memory: &MemoryOperand) -> f64 {
    match memory.bytes {
        // Spilled registers are aligned.
        _ if memory.terms.iter().any(|(register, _)| register.is_stack()) => 1.0,
        64.. => 1.75,
        32..64 => 1.25,
        _ => 1.0,
    }
}

impl UnitOccupancy {
    /// The occupancy of one pass; `weight` is the probability of conditional instructions.
    pub(crate) fn from_loop(code: &MachineLoop, core: &Core, weight: f64) -> Self {
        let mut all = Self::default();
        for instruction in &code.instructions {
            all.add(&instruction.operation, if instruction.always { 1.0 } else { weight }, core);
        }
        all.conditions = code.conditions() as f64;
        all
    }

    /// Adds one instruction that is executed `weight` times per pass.
    fn add(&mut self, operation: &Operation, weight: f64, core: &Core) {
        use OperationClass as Class;
        let cost = |memory: &Option<MemoryOperand>| memory.as_ref().map_or(0.0, access_cost);
        self.loads += weight * core.load_cost * cost(&operation.load);
        self.stores += weight * core.store_cost * cost(&operation.store);
        let vector = operation.is_vector() && operation.width >= 16;
        let lanes = if vector { f64::from(operation.width / operation.number.max(1)) } else { 1.0 };
        let halves = (f64::from(operation.width) / 16.0).max(1.0);
        let results = match operation.class {
            Class::FloatFused => 2.0,
            Class::FloatAdd
            | Class::FloatSelect
            | Class::FloatMultiply
            | Class::FloatDivide32
            | Class::FloatDivide64
            | Class::SquareRoot => 1.0,
            _ => 0.0,
        };
        let is_float = results > 0.0;
        self.lanes = if is_float && vector { self.lanes.max(lanes) } else { self.lanes };
        self.results += weight * lanes * results;
        self.vector = if vector && (is_float || operation.class == Class::VectorInteger) {
            self.vector.max(f64::from(operation.width))
        } else {
            self.vector
        };
        let wide = if operation.width >= WIDEST { WIDEST_COST } else { 1.0 };
        let fp_cost = wide * core.fp_cost;
        let (unit, cycles) = match operation.class {
            Class::FloatAdd
            | Class::FloatSelect
            | Class::FloatMultiply
            | Class::FloatFused
            | Class::VectorInteger => (&mut self.floating_point, fp_cost),
            Class::VectorMultiply | Class::Convert => (&mut self.floating_point, 2.0 * fp_cost),
            Class::Shuffle => (&mut self.floating_point, SHUFFLE * fp_cost),
            Class::FloatDivide32 => (&mut self.division, halves * core.fp_divide32_cost),
            Class::FloatDivide64 => (&mut self.division, halves * core.fp_divide64_cost),
            Class::SquareRoot => {
                (&mut self.division, halves * core.square_root_cost_for(operation.number == 4))
            }
            Class::IntegerDivide => (&mut self.division, core.integer_divide_cost),
            Class::IntegerMultiply => {
                self.multiplication += weight * core.integer_multiply_cost;
                (&mut self.integer, core.integer_cost)
            }
            Class::Integer => (&mut self.integer, core.integer_cost),
            Class::Call => (&mut self.calls, 1.0),
            Class::Branch | Class::Move | Class::Nothing => (&mut self.integer, 0.0),
        };
        *unit += weight * cycles;
        let counts = !matches!(operation.class, Class::Branch | Class::Nothing);
        let copies = operation.load.is_none() && matches!(operation.effect, Effect::Sum { .. });
        // Copies between registers need no execution unit (register renaming), but they are decoded.
        self.instructions += if counts || copies { weight } else { 0.0 };
    }
}
