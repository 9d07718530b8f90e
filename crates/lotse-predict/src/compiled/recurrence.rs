//! The longest dependence from one pass of a loop to the next: cycles of a pass on a core without other limits.

use std::collections::BTreeMap;

use lotse_symbols::{Effect, OperationClass, Register};

use super::MachineLoop;
use super::values::{Value, Values};
use crate::machine::Core;

/// Passes until the longest dependence decides about the pace.
const BEFORE: u32 = 16;
/// Passes that are looked at.
const COUNTED: u32 = 32;

/// Cycles of a pass if everything waits for nothing but its operands. What a condition decides about is left out: cores go on
/// with what they expect.
pub(super) fn cycles(code: &MachineLoop, core: &Core) -> f64 {
    let mut run =
        Run { ready: BTreeMap::new(), stored: BTreeMap::new(), values: Values::default(), last: 0.0 };
    for _ in 0..BEFORE {
        run.pass(code, core);
    }
    let before = run.last;
    for _ in 0..COUNTED {
        run.pass(code, core);
    }
    (run.last - before) / f64::from(COUNTED)
}

struct Run {
    /// When registers have their value, and which kind of work gives it.
    ready: BTreeMap<Register, (f64, OperationClass)>,
    /// When memory has its value, by address.
    stored: BTreeMap<Value, f64>,
    values: Values,
    last: f64,
}

impl Run {
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
                _ if operation.class == OperationClass::FloatAdd && !hands_sums_on(before) => {
                    core.fp_add_other
                }
                _ => latency(operation.class, core),
            };
            let done = start + own;
            if let Some(address) = operation.store.as_ref().and_then(|memory| self.values.address(memory)) {
                self.stored.insert(address, done + core.store_forward);
            }
            self.values.execute(operation);
            // A copy between registers is as good as what is copied.
            let class = if operation.class == OperationClass::Move { before } else { operation.class };
            self.ready.extend(operation.writes.iter().map(|register| (*register, (done, class))));
            self.last = self.last.max(done);
        }
    }

    /// When the last of some registers has its value, and which kind of work gives it.
    fn last_of(&self, registers: impl Iterator<Item = Register>) -> (f64, OperationClass) {
        let known = registers.filter_map(|register| self.ready.get(&register)).copied();
        known.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, OperationClass::Nothing))
    }
}

/// Whether an addition that follows is as fast as one after an addition.
fn hands_sums_on(before: OperationClass) -> bool {
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
        // The cores that multiply in three cycles need four for both; for others it makes little difference.
        Class::FloatFused => core.fp_multiply.max(4.0),
        Class::VectorMultiply => 2.0 * core.fp_multiply,
        Class::FloatDivide32 => core.fp_divide32,
        Class::FloatDivide64 => core.fp_divide64,
        Class::SquareRoot => core.square_root,
    }
}
