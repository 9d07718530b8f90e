//! Interprets one iteration of a loop abstractly for one variable.

use std::collections::BTreeSet;

use lotse_symbols::{Effect, Flow, MemoryOperand, Operation, Register};

use super::relation::{
    VariableRelation, combined, needs_earlier_iterations, plus_invariant, plus_varying, selected, sum_of,
};
use super::{Relations, Variable, relation, slot};

/// Tracks one variable and the values computed from it through the operations of an iteration.
pub(super) struct VariableTracker<'a> {
    changed: &'a BTreeSet<Variable>,
    is_recorder: &'a dyn Fn(u64) -> bool,
    /// Whether the variable, or a value computed from it, is used for anything but combining or comparing.
    pub(super) used: bool,
    /// Whether it flows into values other than addresses.
    pub(super) in_data: bool,
    /// Whether it is part of an address or passed to a function.
    pub(super) in_address: bool,
    /// Whether its initial value, possibly plus an offset, is compared.
    pub(super) compared: bool,
    /// Whether it is compared for anything but leaving the loop.
    pub(super) decides: bool,
    /// Whether it becomes the maximum or minimum of itself and another value, which requires a comparison.
    pub(super) selected: bool,
}

impl<'a> VariableTracker<'a> {
    pub(super) fn new(changed: &'a BTreeSet<Variable>, is_recorder: &'a dyn Fn(u64) -> bool) -> Self {
        Self {
            changed,
            is_recorder,
            used: false,
            in_data: false,
            in_address: false,
            compared: false,
            decides: false,
            selected: false,
        }
    }
}

impl VariableTracker<'_> {
    /// Applies one operation: computes the relation of its result to the tracked variable, assigns it to what the operation
    /// writes, and notes how the variable is used.
    pub(super) fn execute(&mut self, operation: &Operation, state: &mut Relations) {
        if let Flow::Call { target } = operation.flow {
            self.call(target.is_some_and(self.is_recorder), state);
            return;
        }
        let loaded = operation.load.as_ref().map(|memory| self.load(memory, state));
        let read: Vec<VariableRelation> =
            operation.reads.iter().map(|register| relation(state, Variable::Register(*register))).collect();
        let result = match &operation.effect {
            Effect::Sum { terms, constant, .. } => self.sum(terms, *constant, state),
            Effect::Load(_) => loaded.unwrap_or(VariableRelation::Unrelated),
            Effect::Store(from) => relation(state, Variable::Register(*from)),
            Effect::Combine(_) => {
                let free = operation.load.as_ref().is_some_and(|memory| slot(memory).is_none());
                self.in_data |= free && read.iter().any(|value| *value != VariableRelation::Unrelated);
                combined(read.iter().copied().chain(loaded))
            }
            Effect::Select { to, from } => {
                let both = [to, from].map(|register| relation(state, Variable::Register(*register)));
                self.selected |= both.iter().any(|value| *value != VariableRelation::Unrelated);
                selected(both[0], both[1])
            }
            Effect::Other => self.other(operation, read.iter().copied().chain(loaded)),
        };
        if let Some(memory) = &operation.store {
            self.store(memory, result, state);
        }
        for register in operation.writes.iter().filter(|register| !register.is_flags()) {
            set(state, Variable::Register(*register), result);
        }
    }

    /// The relation of a loaded value: that of a stack slot, otherwise unrelated. An address that depends on the variable is a
    /// use of it.
    fn load(&mut self, memory: &MemoryOperand, state: &Relations) -> VariableRelation {
        if let Some(slot) = slot(memory) {
            return relation(state, slot);
        }
        self.address(memory, state);
        VariableRelation::Unrelated
    }

    fn store(&mut self, memory: &MemoryOperand, value: VariableRelation, state: &mut Relations) {
        if let Some(slot) = slot(memory) {
            set(state, slot, value);
            return;
        }
        self.address(memory, state);
        self.used |= value != VariableRelation::Unrelated;
        self.in_data |= value != VariableRelation::Unrelated;
    }

    fn address(&mut self, memory: &MemoryOperand, state: &Relations) {
        let mut terms = memory.terms.iter();
        let part = terms.any(|(register, _)| {
            relation(state, Variable::Register(*register)) != VariableRelation::Unrelated
        });
        self.used |= part;
        self.in_address |= part;
    }

    fn call(&mut self, is_recorder: bool, state: &mut Relations) {
        let lost = |variable: &Variable| matches!(variable, Variable::Register(it) if it.is_lost_by_calls());
        let is_argument =
            |variable: &Variable| matches!(variable, Variable::Register(it) if it.is_argument());
        let used = !is_recorder
            && state
                .iter()
                .any(|(variable, value)| is_argument(variable) && needs_earlier_iterations(*value));
        self.used |= used;
        self.in_data |= used;
        // What the function does with its arguments is not known.
        self.in_address |= !is_recorder && state.keys().any(is_argument);
        state.retain(|variable, _| !lost(variable));
    }

    /// The relation of `constant + Σ factor · register`.
    fn sum(&self, terms: &[(Register, i64)], constant: i64, state: &Relations) -> VariableRelation {
        let mut total = VariableRelation::Offset(Some(constant));
        let mut own = 0;
        for (register, factor) in terms {
            let variable = Variable::Register(*register);
            match relation(state, variable) {
                VariableRelation::Unrelated => {
                    let is_invariant = !self.changed.contains(&variable);
                    total = if is_invariant { plus_invariant(total) } else { plus_varying(total) };
                }
                value if *factor == 1 => {
                    own += 1;
                    total = sum_of(total, value);
                }
                _ => return VariableRelation::Dependent,
            }
        }
        match own {
            0 => VariableRelation::Unrelated,
            1 => total,
            _ => VariableRelation::Dependent,
        }
    }

    /// Any other operation: its result depends on the variable if an operand does. A comparison influences only control flow,
    /// so that its result is unrelated; it is noted in `compared`.
    fn other(
        &mut self,
        operation: &Operation,
        values: impl Iterator<Item = VariableRelation>,
    ) -> VariableRelation {
        let mut compared = false;
        let worst = values.fold(VariableRelation::Unrelated, |worst, value| match (worst, value) {
            (worst, VariableRelation::Unrelated) => worst,
            (VariableRelation::Unrelated, VariableRelation::Offset(_)) if is_comparison(operation) => {
                compared = true;
                VariableRelation::Unrelated
            }
            _ => VariableRelation::Dependent,
        });
        self.compared |= compared;
        self.used |= worst == VariableRelation::Dependent;
        worst
    }
}

/// Whether an operation writes nothing but flags.
fn is_comparison(operation: &Operation) -> bool {
    operation.store.is_none() && operation.writes.len() == 1 && operation.effect == Effect::Other
}

fn set(state: &mut Relations, variable: Variable, value: VariableRelation) {
    match value {
        VariableRelation::Unrelated => state.remove(&variable),
        other => state.insert(variable, other),
    };
}
