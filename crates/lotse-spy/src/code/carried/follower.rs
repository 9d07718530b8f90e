//! One iteration of a loop, followed in the abstract for one variable.

use std::collections::BTreeSet;

use lotse_symbols::{Effect, Flow, MemoryOperand, Operation, Register};

use super::relation::{Relation, beside, combined, matters, moved, selected, together};
use super::{State, Variable, relation, slot};

/// Takes what operations do to one variable, and to those that depend on it.
pub(super) struct Follower<'a> {
    changed: &'a BTreeSet<Variable>,
    is_recorder: &'a dyn Fn(u64) -> bool,
    /// Whether the variable, or what is computed from it, is used for anything but being combined or compared.
    pub(super) used: bool,
    /// Whether it becomes part of other data than addresses.
    pub(super) in_data: bool,
    /// Whether it is part of an address, or handed to a function.
    pub(super) in_address: bool,
    /// Whether it is compared as it was at the beginning, or moved.
    pub(super) compared: bool,
    /// Whether it is compared for anything but leaving the loop.
    pub(super) decides: bool,
    /// Whether it is the greatest or least of itself and something else, which needs comparing.
    pub(super) selected: bool,
}

impl<'a> Follower<'a> {
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

impl Follower<'_> {
    pub(super) fn execute(&mut self, operation: &Operation, state: &mut State) {
        if let Flow::Call { target } = operation.flow {
            self.call(target.is_some_and(self.is_recorder), state);
            return;
        }
        let loaded = operation.load.as_ref().map(|memory| self.load(memory, state));
        let read: Vec<Relation> =
            operation.reads.iter().map(|register| relation(state, Variable::Register(*register))).collect();
        let result = match &operation.effect {
            Effect::Sum { terms, constant, .. } => self.sum(terms, *constant, state),
            Effect::Load(_) => loaded.unwrap_or(Relation::Free),
            Effect::Store(from) => relation(state, Variable::Register(*from)),
            Effect::Combine(_) => {
                let free = operation.load.as_ref().is_some_and(|memory| slot(memory).is_none());
                self.in_data |= free && read.iter().any(|value| *value != Relation::Free);
                combined(read.iter().copied().chain(loaded))
            }
            Effect::Select { to, from } => {
                let both = [to, from].map(|register| relation(state, Variable::Register(*register)));
                self.selected |= both.iter().any(|value| *value != Relation::Free);
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

    /// What is loaded from memory: a variable, or something that is not followed. An address that depends on the variable is a
    /// use of it.
    fn load(&mut self, memory: &MemoryOperand, state: &State) -> Relation {
        if let Some(slot) = slot(memory) {
            return relation(state, slot);
        }
        self.address(memory, state);
        Relation::Free
    }

    fn store(&mut self, memory: &MemoryOperand, value: Relation, state: &mut State) {
        if let Some(slot) = slot(memory) {
            set(state, slot, value);
            return;
        }
        self.address(memory, state);
        self.used |= value != Relation::Free;
        self.in_data |= value != Relation::Free;
    }

    fn address(&mut self, memory: &MemoryOperand, state: &State) {
        let mut terms = memory.terms.iter();
        let part =
            terms.any(|(register, _)| relation(state, Variable::Register(*register)) != Relation::Free);
        self.used |= part;
        self.in_address |= part;
    }

    fn call(&mut self, records: bool, state: &mut State) {
        let lost = |variable: &Variable| matches!(variable, Variable::Register(it) if it.is_lost_by_calls());
        let handed = |variable: &Variable| matches!(variable, Variable::Register(it) if it.is_argument());
        let used = !records && state.iter().any(|(variable, value)| handed(variable) && matters(*value));
        self.used |= used;
        self.in_data |= used;
        // What the function does with it is not known.
        self.in_address |= !records && state.keys().any(handed);
        state.retain(|variable, _| !lost(variable));
    }

    /// A sum of registers.
    fn sum(&self, terms: &[(Register, i64)], constant: i64, state: &State) -> Relation {
        let mut total = Relation::Moved(Some(constant));
        let mut own = 0;
        for (register, factor) in terms {
            let variable = Variable::Register(*register);
            match relation(state, variable) {
                Relation::Free => {
                    let still = !self.changed.contains(&variable);
                    total = if still { moved(total) } else { beside(total) };
                }
                value if *factor == 1 => {
                    own += 1;
                    total = together(total, value);
                }
                _ => return Relation::Dependent,
            }
        }
        match own {
            0 => Relation::Free,
            1 => total,
            _ => Relation::Dependent,
        }
    }

    /// Another operation: what it computes from the variable depends on it. What it only compares decides about the way, not
    /// about the value, but is a use.
    fn other(&mut self, operation: &Operation, values: impl Iterator<Item = Relation>) -> Relation {
        let mut compared = false;
        let worst = values.fold(Relation::Free, |worst, value| match (worst, value) {
            (worst, Relation::Free) => worst,
            (Relation::Free, Relation::Moved(_)) if is_comparison(operation) => {
                compared = true;
                Relation::Free
            }
            _ => Relation::Dependent,
        });
        self.compared |= compared;
        self.used |= worst == Relation::Dependent;
        worst
    }
}

/// Whether nothing but flags is written.
fn is_comparison(operation: &Operation) -> bool {
    operation.store.is_none() && operation.writes.len() == 1 && operation.effect == Effect::Other
}

fn set(state: &mut State, variable: Variable, value: Relation) {
    match value {
        Relation::Free => state.remove(&variable),
        other => state.insert(variable, other),
    };
}
