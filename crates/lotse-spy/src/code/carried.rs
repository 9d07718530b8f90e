//! Finds the variables that a loop carries from one iteration to the next in registers, where the recorder does not see them.
//!
//! A register or a stack slot is loop-carried if an iteration reads the value it had at the beginning of the iteration, and
//! changes it. For each such variable one iteration is interpreted abstractly, and the relation between its value at the end
//! and its value at the beginning decides:
//!
//! ```text
//! for i in 0..n { s += a[i]; h = 33 * h + a[i]; b[i] = h }
//!
//!      at the end of an iteration                              meaning
//! i    old value plus a loop-invariant amount                  counter or pointer: every iteration can compute it
//! s    old value combined with data, and not used otherwise    reduction (sum, product, maximum): any order will do
//! h    anything else                                           state: an iteration needs the previous one
//! ```
//!
//! A variable that is computed without data and used only in addresses, such as the position of `chunks`, is no obstacle
//! either. Where two control-flow paths add different amounts, the variable counts how often a condition held: a reduction.
//!
//! Atomic operations and thread-local variables in the instructions of the loop count as state. A loop with several exits is
//! marked, because an iteration may decide that there is no later one.

mod border;
mod data;
mod machine;
mod relation;
mod shared;
mod tracker;

use std::collections::{BTreeMap, BTreeSet};

use self::data::DataFlow;
pub(super) use self::machine::MachineCode;
use self::relation::{VariableRelation, joined};
use self::tracker::VariableTracker;
use lotse_formats::history::CarriedVariable;
use lotse_symbols::graph::NaturalLoop;
use lotse_symbols::{Flow, MemoryOperand, Operation, Register};

/// A loop with more candidate variables is not analysed.
const MOST_VARIABLES: usize = 48;

/// A register, or a stack slot given by the stack or frame pointer and the distance from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Variable {
    Register(Register),
    Slot(Register, i64),
}

/// The control-flow graph of a function, with the operations of each block.
struct OperationGraph<'a> {
    blocks: Vec<&'a [Operation]>,
    successors: Vec<Vec<u32>>,
    is_recorder: &'a dyn Fn(u64) -> bool,
}

impl OperationGraph<'_> {
    /// Classifies all loop-carried variables of a loop and returns the class that hinders parallel execution most; `None` if
    /// there are too many variables or the loop moves the stack pointer.
    fn worst_carried_variable(&self, natural: &NaturalLoop) -> Option<CarriedVariable> {
        let changed = self.changed(natural)?;
        let open = self.read_before_written(natural);
        let candidates: Vec<Variable> = changed.intersection(&open).copied().collect();
        if candidates.len() > MOST_VARIABLES {
            return None;
        }
        let data = DataFlow::new(self, natural, &candidates);
        let tracked: BTreeMap<Variable, TrackedVariable> =
            candidates.iter().map(|variable| (*variable, self.track(natural, *variable, &changed))).collect();
        let kinds = tracked.iter().map(|(variable, own)| match own.kind(data.is_position(*variable)) {
            CarriedVariable::State if own.is_reloaded() && !depends_on_itself(&tracked, *variable) => {
                CarriedVariable::None
            }
            kind => kind,
        });
        let shares_memory =
            self.members(natural).flat_map(|block| self.blocks[block]).any(|it| it.of_threads);
        let further = match (shares_memory, self.exits(natural) > 1) {
            (true, _) => CarriedVariable::State,
            (false, true) => CarriedVariable::Leaves,
            (false, false) => CarriedVariable::None,
        };
        kinds.chain([further]).max()
    }

    /// Number of blocks from which control leaves the loop and may return from the function. Exits that only lead to a panic
    /// (failed checks) do not count.
    fn exits(&self, natural: &NaturalLoop) -> usize {
        let returns = self.returning();
        let leaves = |block: &usize| {
            let mut next = self.successors[*block].iter().map(|next| *next as usize);
            next.any(|next| !natural.body[next] && returns[next])
        };
        self.members(natural).filter(leaves).count()
    }

    /// Blocks from which the function may return.
    fn returning(&self) -> Vec<bool> {
        // A jump into another function is a tail call: its return is the return of this function.
        let is_end = |block: usize| match self.blocks[block].last().map(|last| last.flow) {
            Some(Flow::Return) => true,
            Some(Flow::Jump { target: Some(_), .. }) => self.successors[block].is_empty(),
            _ => false,
        };
        let mut returns: Vec<bool> = (0..self.blocks.len()).map(is_end).collect();
        let mut again = true;
        while again {
            again = false;
            for block in (0..returns.len()).rev() {
                let reaches = self.successors[block].iter().any(|next| returns[*next as usize]);
                again |= reaches && !returns[block];
                returns[block] |= reaches;
            }
        }
        returns
    }

    fn members<'s>(&'s self, natural: &'s NaturalLoop) -> impl Iterator<Item = usize> + 's {
        (0..self.blocks.len()).filter(|&block| natural.body[block])
    }

    /// All variables that the loop writes; `None` if the stack pointer is among them.
    fn changed(&self, natural: &NaturalLoop) -> Option<BTreeSet<Variable>> {
        let mut changed = BTreeSet::new();
        for operation in self.members(natural).flat_map(|block| self.blocks[block]) {
            let is_call = matches!(operation.flow, Flow::Call { .. });
            if !is_call && operation.writes.iter().any(|register| register.is_stack()) {
                return None;
            }
            changed.extend(written(operation));
        }
        Some(changed)
    }

    /// Variables that an iteration may read before it writes them: those live at the header, by backward liveness analysis
    /// within one iteration, repeated until nothing changes.
    fn read_before_written(&self, natural: &NaturalLoop) -> BTreeSet<Variable> {
        let mut open: BTreeMap<usize, BTreeSet<Variable>> = BTreeMap::new();
        let members: Vec<usize> = self.members(natural).collect();
        let mut again = true;
        while again {
            again = false;
            for &block in members.iter().rev() {
                let inner = |next: &&u32| natural.body[**next as usize] && **next != natural.header;
                let mut live: BTreeSet<Variable> = BTreeSet::new();
                for next in self.successors[block].iter().filter(inner) {
                    live.extend(open.get(&(*next as usize)).into_iter().flatten());
                }
                for operation in self.blocks[block].iter().rev() {
                    written(operation).into_iter().for_each(|variable| {
                        live.remove(&variable);
                    });
                    live.extend(read(operation));
                }
                again |= open.get(&block) != Some(&live);
                open.insert(block, live);
            }
        }
        open.remove(&(natural.header as usize)).into_iter().flatten().collect()
    }

    /// Interprets one iteration for one variable.
    fn track(
        &self,
        natural: &NaturalLoop,
        variable: Variable,
        changed: &BTreeSet<Variable>,
    ) -> TrackedVariable {
        let mut tracker = VariableTracker::new(changed, self.is_recorder);
        let ended = self.relations_at_latches(natural, variable, &mut tracker);
        let own = ended.values().map(|state| relation(state, variable)).reduce(joined);
        let others = ended.values().flatten().filter(|(_, value)| **value != VariableRelation::Unrelated);
        let VariableTracker { used, in_data, in_address, compared, selected, decides, .. } = tracker;
        let reaches = others.map(|(variable, _)| *variable).collect();
        TrackedVariable { own, reaches, used, in_data, in_address, compared, selected, decides }
    }
}

/// How an iteration changes a variable, and what it uses it for.
struct TrackedVariable {
    /// Its value at the end of the iteration relative to the beginning; `None` if there is no next iteration.
    own: Option<VariableRelation>,
    /// Variables that depend on it at the end of the iteration.
    reaches: BTreeSet<Variable>,
    used: bool,
    in_data: bool,
    in_address: bool,
    compared: bool,
    selected: bool,
    decides: bool,
}

impl TrackedVariable {
    fn kind(&self, is_position: bool) -> CarriedVariable {
        match self.own {
            None | Some(VariableRelation::Offset(_)) => CarriedVariable::None,
            Some(_) if !self.in_data && is_position => CarriedVariable::None,
            // A counter that is also compared, such as a budget that runs out, is not a reduction.
            Some(_) if self.compared && !self.selected => CarriedVariable::State,
            Some(VariableRelation::Counted | VariableRelation::Combined) if !self.used => {
                CarriedVariable::Combined
            }
            _ => CarriedVariable::State,
        }
    }

    /// Whether it is set anew in each iteration and only compared to leave the loop, such as the length of the next row that
    /// indices are checked against.
    fn is_reloaded(&self) -> bool {
        self.own == Some(VariableRelation::Unrelated) && !self.in_data && !self.in_address && !self.decides
    }
}

/// Whether a variable depends on itself over several iterations: whether it is on a cycle of the `reaches` relation.
fn depends_on_itself(tracked: &BTreeMap<Variable, TrackedVariable>, variable: Variable) -> bool {
    let mut seen = BTreeSet::new();
    let mut worklist = vec![variable];
    while let Some(at) = worklist.pop() {
        for next in tracked.get(&at).into_iter().flat_map(|own| &own.reaches) {
            if *next == variable {
                return true;
            }
            if seen.insert(*next) {
                worklist.push(*next);
            }
        }
    }
    false
}

impl OperationGraph<'_> {
    /// The relations to the initial value of `variable` at the end of an iteration, for each block that jumps back to the
    /// header. A worklist propagates relations through the loop body until nothing changes.
    fn relations_at_latches(
        &self,
        natural: &NaturalLoop,
        variable: Variable,
        tracker: &mut VariableTracker<'_>,
    ) -> BTreeMap<usize, Relations> {
        let start = Relations::from([(variable, VariableRelation::Offset(Some(0)))]);
        let mut before: BTreeMap<usize, Relations> = BTreeMap::from([(natural.header as usize, start)]);
        let mut worklist = vec![natural.header as usize];
        let mut ended = BTreeMap::new();
        while let Some(block) = worklist.pop() {
            let Some(mut state) = before.get(&block).cloned() else { continue };
            let compared = std::mem::take(&mut tracker.compared);
            self.blocks[block].iter().for_each(|operation| tracker.execute(operation, &mut state));
            let leaves = self.successors[block].iter().any(|next| !natural.body[*next as usize]);
            tracker.decides |= tracker.compared && !leaves;
            tracker.compared |= compared;
            for &next in &self.successors[block] {
                let next = next as usize;
                if !natural.body[next] {
                    continue;
                }
                if next == natural.header as usize {
                    ended.insert(block, state.clone());
                } else if join(&mut before, next, &state) {
                    worklist.push(next);
                }
            }
        }
        ended
    }
}

/// Relations of variables to the tracked one; variables that are missing are unrelated.
type Relations = BTreeMap<Variable, VariableRelation>;

fn relation(state: &Relations, variable: Variable) -> VariableRelation {
    state.get(&variable).copied().unwrap_or(VariableRelation::Unrelated)
}

/// Joins relations into those known at a block; returns whether the latter changed.
fn join(before: &mut BTreeMap<usize, Relations>, block: usize, state: &Relations) -> bool {
    let Some(known) = before.get_mut(&block) else {
        before.insert(block, state.clone());
        return true;
    };
    let variables: BTreeSet<Variable> = known.keys().chain(state.keys()).copied().collect();
    let mut changed = false;
    for variable in variables {
        let own = relation(known, variable);
        let all = joined(own, relation(state, variable));
        changed |= all != own;
        known.insert(variable, all);
    }
    changed
}

/// The stack slot that an operand is, if its address is the stack or frame pointer plus a constant.
fn slot(memory: &MemoryOperand) -> Option<Variable> {
    match memory.terms.as_slice() {
        [(register, 1)] if register.is_stack() || register.is_frame() => {
            Some(Variable::Slot(*register, memory.displacement))
        }
        _ => None,
    }
}

/// The variables that an operation writes. A call writes the result registers; other registers that it clobbers are not read
/// afterwards.
fn written(operation: &Operation) -> Vec<Variable> {
    if matches!(operation.flow, Flow::Call { .. }) {
        return Register::results().map(Variable::Register).to_vec();
    }
    let registers = operation.writes.iter().map(|register| Variable::Register(*register));
    registers.chain(operation.store.as_ref().and_then(slot)).collect()
}

/// The variables that an operation reads, address registers included.
fn read(operation: &Operation) -> Vec<Variable> {
    if matches!(operation.flow, Flow::Call { .. }) {
        return Vec::new();
    }
    let memory = [&operation.load, &operation.store].into_iter().flatten();
    let addresses = memory.flat_map(|memory| memory.terms.iter().map(|(register, _)| *register));
    let registers = operation.reads.iter().copied().chain(addresses).filter(|register| !register.is_stack());
    registers.map(Variable::Register).chain(operation.load.as_ref().and_then(slot)).collect()
}

#[cfg(test)]
mod tests;
