//! The longest loop-carried dependence of a machine loop: cycles per pass on a core with unlimited execution units.
//!
//! Passes are simulated; an instruction starts as soon as its operands are ready. After some passes the longest dependence
//! determines the cycles per pass.

use std::collections::BTreeMap;

use lotse_symbols::{Effect, OperationClass, Register};

use super::MachineLoop;
use super::values::{RegisterSum, RegisterValues};
use crate::machine::Core;

/// Passes before the measurement, until the longest dependence determines the cycles per pass.
const BEFORE: u32 = 16;
/// Passes over which the cycles are averaged.
const COUNTED: u32 = 32;

/// Cycles per pass if every instruction waits only for its operands. Conditional instructions are left out, because cores predict
/// branches and do not wait for the conditions.
pub(super) fn cycles(code: &MachineLoop, core: &Core) -> f64 {
    let mut schedule = DataflowSchedule {
        ready: BTreeMap::new(),
        stored: BTreeMap::new(),
        values: RegisterValues::default(),
        last: 0.0,
    };
    for _ in 0..BEFORE {
        schedule.pass(code, core);
    }
    let before = schedule.last;
    for _ in 0..COUNTED {
        schedule.pass(code, core);
    }
    (schedule.last - before) / f64::from(COUNTED)
}

/// The simulated times, in cycles, at which values are ready.
struct DataflowSchedule {
    /// When the value of each register is ready, and the class of the instruction that computes it.
    ready: BTreeMap<Register, (f64, OperationClass)>,
    /// When the value at each address can be loaded.
    stored: BTreeMap<RegisterSum, f64>,
    values: RegisterValues,
    /// When the last value so far is ready.
    last: f64,
}

impl DataflowSchedule {
    /// Simulates one pass.
    fn pass(&mut self, code: &MachineLoop, core: &Core) {
        for instruction in code.instructions.iter().filter(|it| it.always) {
            let operation = &instruction.operation;
            let (mut start, before) = self.last_of(operation.reads.iter().copied());
            if let Some(memory) = &operation.load {
                let (addressed, _) = self.last_of(memory.terms.iter().map(|(register, _)| *register));
                let addressed = addressed + core.load;
                let stored = self.values.address(memory).and_then(|address| self.stored.get(&address));
                start = start.max(addressed).max(stored.copied().unwrap_or(0.0));
            }
            let own = match operation.effect {
                Effect::Load(_) | Effect::Store(_) => 0.0,
                _ if operation.class == OperationClass::FloatAdd && !forwards_to_addition(before) => {
                    core.fp_add_other
                }
                _ => latency(operation.class, core),
            };
            let done = start + own;
            if let Some(address) = operation.store.as_ref().and_then(|memory| self.values.address(memory)) {
                self.stored.insert(address, done + core.store_forward);
            }
            self.values.execute(operation);
            // A copied value counts as the result of the instruction that computed it.
            let class = if operation.class == OperationClass::Move { before } else { operation.class };
            self.ready.extend(operation.writes.iter().map(|register| (*register, (done, class))));
            self.last = self.last.max(done);
        }
    }

    /// When the last one of some registers is ready, and the class of the instruction that computes it.
    fn last_of(&self, registers: impl Iterator<Item = Register>) -> (f64, OperationClass) {
        let known = registers.filter_map(|register| self.ready.get(&register)).copied();
        known.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, OperationClass::Nothing))
    }
}

/// Whether an addition of this result has the shorter latency of an addition that follows an addition.
fn forwards_to_addition(before: OperationClass) -> bool {
    matches!(before, OperationClass::FloatAdd | OperationClass::Nothing)
}

fn latency(class: OperationClass, core: &Core) -> f64 {
    use OperationClass as Class;
    match class {
        Class::Move | Class::Branch | Class::Call | Class::Nothing => 0.0,
        Class::Integer | Class::VectorInteger | Class::Shuffle => core.integer,
        Class::IntegerMultiply => core.integer_multiply,
        Class::IntegerDivide => core.integer_divide,
        Class::FloatAdd => core.fp_add,
        Class::FloatSelect | Class::Convert => core.fp_select,
        Class::FloatMultiply => core.fp_multiply,
        // Cores that multiply in three cycles need four for a fused multiply and add; for other cores the latencies are similar.
        Class::FloatFused => core.fp_multiply.max(4.0),
        Class::VectorMultiply => 2.0 * core.fp_multiply,
        Class::FloatDivide32 => core.fp_divide32,
        Class::FloatDivide64 => core.fp_divide64,
        Class::SquareRoot => core.square_root,
    }
}
