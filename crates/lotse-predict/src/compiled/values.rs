//! Symbolic execution of a loop: register values as linear forms of the values before the loop, such as `rdi + 8*rcx + 16`.

use std::collections::BTreeMap;

use lotse_symbols::{Effect, MemoryOperand, Operation, Register};

/// A linear form of the values that registers had before the loop.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RegisterSum {
    terms: BTreeMap<Register, i64>,
    constant: i64,
}

/// The current values of registers.
#[derive(Debug, Default)]
pub(super) struct RegisterValues {
    /// Registers that were written; `None` if the value is unknown.
    changed: BTreeMap<Register, Option<RegisterSum>>,
}

impl RegisterValues {
    /// The value of a register, if it is known.
    fn register(&self, register: Register) -> Option<RegisterSum> {
        let unchanged = || Some(RegisterSum { terms: BTreeMap::from([(register, 1)]), constant: 0 });
        self.changed.get(&register).map_or_else(unchanged, Clone::clone)
    }

    /// The value of a sum of registers with factors and a constant, if all of them are known.
    fn sum(&self, terms: &[(Register, i64)], constant: i64) -> Option<RegisterSum> {
        let mut total = RegisterSum { terms: BTreeMap::new(), constant };
        for (register, factor) in terms {
            let value = self.register(*register)?;
            total.constant = total.constant.checked_add(value.constant.checked_mul(*factor)?)?;
            for (register, times) in value.terms {
                let known = total.terms.entry(register).or_insert(0);
                *known = known.checked_add(times.checked_mul(*factor)?)?;
            }
        }
        total.terms.retain(|_, factor| *factor != 0);
        Some(total)
    }

    /// The address of a memory operand, if it is known.
    pub(super) fn address(&self, memory: &MemoryOperand) -> Option<RegisterSum> {
        self.sum(&memory.terms, memory.displacement)
    }

    /// Executes an instruction: registers that it writes get their new value, which is known only for additions of registers and
    /// constants.
    pub(super) fn execute(&mut self, operation: &Operation) {
        let written = match &operation.effect {
            Effect::Sum { to, terms, constant } => Some((*to, self.sum(terms, *constant))),
            _ => None,
        };
        self.changed.extend(operation.writes.iter().map(|register| (*register, None)));
        self.changed.extend(written);
    }
}

impl RegisterSum {
    /// The difference to an earlier value, if it is a constant.
    pub(super) fn distance(&self, earlier: &Self) -> Option<i64> {
        (self.terms == earlier.terms).then(|| self.constant.checked_sub(earlier.constant)).flatten()
    }
}
