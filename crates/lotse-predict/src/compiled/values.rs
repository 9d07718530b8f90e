//! Values of registers while a loop is executed, as sums of what the registers held before it.

use std::collections::BTreeMap;

use lotse_symbols::{Effect, MemoryOperand, Operation, Register};

/// A sum of registers as they were before the loop, each with its factor, and a constant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Value {
    terms: BTreeMap<Register, i64>,
    constant: i64,
}

/// What registers hold; nothing is known about those that are `None`, and others are as they were.
#[derive(Debug, Default)]
pub(super) struct Values {
    changed: BTreeMap<Register, Option<Value>>,
}

impl Values {
    fn of(&self, register: Register) -> Option<Value> {
        let unchanged = || Some(Value { terms: BTreeMap::from([(register, 1)]), constant: 0 });
        self.changed.get(&register).map_or_else(unchanged, Clone::clone)
    }

    /// The value of a sum, if all of it is known.
    fn sum(&self, terms: &[(Register, i64)], constant: i64) -> Option<Value> {
        let mut total = Value { terms: BTreeMap::new(), constant };
        for (register, factor) in terms {
            let value = self.of(*register)?;
            total.constant = total.constant.checked_add(value.constant.checked_mul(*factor)?)?;
            for (register, times) in value.terms {
                let known = total.terms.entry(register).or_insert(0);
                *known = known.checked_add(times.checked_mul(*factor)?)?;
            }
        }
        total.terms.retain(|_, factor| *factor != 0);
        Some(total)
    }

    /// The address of memory.
    pub(super) fn address(&self, memory: &MemoryOperand) -> Option<Value> {
        self.sum(&memory.terms, memory.displacement)
    }

    /// What an operation changes.
    pub(super) fn execute(&mut self, operation: &Operation) {
        let written = match &operation.effect {
            Effect::Sum { to, terms, constant } => Some((*to, self.sum(terms, *constant))),
            _ => None,
        };
        self.changed.extend(operation.writes.iter().map(|register| (*register, None)));
        self.changed.extend(written);
    }
}

impl Value {
    /// How far it is behind another one, if only a constant is between them.
    pub(super) fn distance(&self, earlier: &Self) -> Option<i64> {
        (self.terms == earlier.terms).then(|| self.constant.checked_sub(earlier.constant)).flatten()
    }
}
