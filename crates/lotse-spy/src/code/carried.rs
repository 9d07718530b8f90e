//! Variables that a loop carries from one iteration to the next in registers, which no recorder sees.
//!
//! A register, or a place of the stack that a compiler keeps a variable in, is carried if an iteration reads what it held at the
//! beginning and changes it. For each such variable one iteration is followed in the abstract:
//!
//! ```text
//! at the end of an iteration the variable is …
//! what it was, and an amount that the loop does not change    a counter or a pointer: every iteration can compute it
//! what it was, combined with something else, and not used     a sum, a product, a greatest value: any order will do
//! computed without data, and used in addresses alone          a position, as those of `chunks`
//! anything else                                               state: iterations need the one before
//! ```
//!
//! Atomic operations and thread-local variables, where the instructions of the loop show them, are state, too. A loop that can be
//! left in several places is marked: an iteration may decide that there is no later one.
//!
//! Where two ways meet that differ in the amount, the variable counts how often a condition held: a sum.

mod border;
mod data;
mod follower;
mod machine;
mod relation;
mod shared;

use std::collections::{BTreeMap, BTreeSet};

use self::data::Data;
use self::follower::Follower;
pub(super) use self::machine::MachineCode;
use self::relation::{Relation, joined};
use lotse_formats::history::CarriedVariable;
use lotse_symbols::graph::NaturalLoop;
use lotse_symbols::{Flow, MemoryOperand, Operation, Register};

/// Variables of one loop that are looked at; a loop with more is not understood.
const MOST_VARIABLES: usize = 48;

/// A register, or a place on the stack by a register that points there and the distance from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Variable {
    Register(Register),
    Slot(Register, i64),
}

/// The blocks of a function with their operations.
struct Graph<'a> {
    blocks: Vec<&'a [Operation]>,
    successors: Vec<Vec<u32>>,
    is_recorder: &'a dyn Fn(u64) -> bool,
}

impl Graph<'_> {
    /// The worst of the variables of a loop; nothing if it has more than can be looked at, or moves the stack.
    fn of_loop(&self, natural: &NaturalLoop) -> Option<CarriedVariable> {
        let changed = self.changed(natural)?;
        let open = self.read_before_written(natural);
        let candidates: Vec<Variable> = changed.intersection(&open).copied().collect();
        if candidates.len() > MOST_VARIABLES {
            return None;
        }
        let data = Data::of(self, natural, &candidates);
        let followed: BTreeMap<Variable, Followed> = candidates
            .iter()
            .map(|variable| (*variable, self.follow(natural, *variable, &changed)))
            .collect();
        let kinds = followed.iter().map(|(variable, own)| match own.kind(data.is_position(*variable)) {
            CarriedVariable::State if own.is_reloaded() && !returns(&followed, *variable) => {
                CarriedVariable::None
            }
            kind => kind,
        });
        let of_threads = self.members(natural).flat_map(|block| self.blocks[block]).any(|it| it.of_threads);
        let further = match (of_threads, self.exits(natural) > 1) {
            (true, _) => CarriedVariable::State,
            (false, true) => CarriedVariable::Leaves,
            (false, false) => CarriedVariable::None,
        };
        kinds.chain([further]).max()
    }

    /// Blocks from which the function goes on outside of a loop. Checks that fail end it.
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
        // A jump into another function is a call whose return is that of this one.
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

    /// All variables that the loop writes; nothing if the stack pointer is among them.
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

    /// Variables that an iteration may read before it writes them.
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

    /// What becomes of one variable in an iteration.
    fn follow(&self, natural: &NaturalLoop, variable: Variable, changed: &BTreeSet<Variable>) -> Followed {
        let mut follower = Follower::new(changed, self.is_recorder);
        let ended = self.ended(natural, variable, &mut follower);
        let own = ended.values().map(|state| relation(state, variable)).reduce(joined);
        let others = ended.values().flatten().filter(|(_, value)| **value != Relation::Free);
        let Follower { used, in_data, in_address, compared, selected, decides, .. } = follower;
        let reaches = others.map(|(variable, _)| *variable).collect();
        Followed { own, reaches, used, in_data, in_address, compared, selected, decides }
    }
}

/// What became of a variable in an iteration, and what it was used for.
struct Followed {
    /// Nothing if the loop never goes on.
    own: Option<Relation>,
    /// Variables that depend on it when the iteration ends.
    reaches: BTreeSet<Variable>,
    used: bool,
    in_data: bool,
    in_address: bool,
    compared: bool,
    selected: bool,
    decides: bool,
}

impl Followed {
    fn kind(&self, is_position: bool) -> CarriedVariable {
        match self.own {
            None | Some(Relation::Moved(_)) => CarriedVariable::None,
            Some(_) if !self.in_data && is_position => CarriedVariable::None,
            // What counts and decides, such as a budget that is used up, is no sum.
            Some(_) if self.compared && !self.selected => CarriedVariable::State,
            Some(Relation::Counted | Relation::Combined) if !self.used => CarriedVariable::Combined,
            _ => CarriedVariable::State,
        }
    }

    /// Whether it is only looked at to leave the loop, and set anew for each iteration, as the length of the next row is that an
    /// index is checked against.
    fn is_reloaded(&self) -> bool {
        self.own == Some(Relation::Free) && !self.in_data && !self.in_address && !self.decides
    }
}

/// Whether a variable depends on itself over several iterations.
fn returns(followed: &BTreeMap<Variable, Followed>, variable: Variable) -> bool {
    let mut seen = BTreeSet::new();
    let mut waiting = vec![variable];
    while let Some(at) = waiting.pop() {
        for next in followed.get(&at).into_iter().flat_map(|own| &own.reaches) {
            if *next == variable {
                return true;
            }
            if seen.insert(*next) {
                waiting.push(*next);
            }
        }
    }
    false
}

impl Graph<'_> {
    /// What relates to what a variable was when an iteration began, at each block from which the loop goes on.
    fn ended(
        &self,
        natural: &NaturalLoop,
        variable: Variable,
        follower: &mut Follower<'_>,
    ) -> BTreeMap<usize, State> {
        let start = State::from([(variable, Relation::Moved(Some(0)))]);
        let mut before: BTreeMap<usize, State> = BTreeMap::from([(natural.header as usize, start)]);
        let mut waiting = vec![natural.header as usize];
        let mut ended = BTreeMap::new();
        while let Some(block) = waiting.pop() {
            let Some(mut state) = before.get(&block).cloned() else { continue };
            let compared = std::mem::take(&mut follower.compared);
            self.blocks[block].iter().for_each(|operation| follower.execute(operation, &mut state));
            let leaves = self.successors[block].iter().any(|next| !natural.body[*next as usize]);
            follower.decides |= follower.compared && !leaves;
            follower.compared |= compared;
            for &next in &self.successors[block] {
                let next = next as usize;
                if !natural.body[next] {
                    continue;
                }
                if next == natural.header as usize {
                    ended.insert(block, state.clone());
                } else if join(&mut before, next, &state) {
                    waiting.push(next);
                }
            }
        }
        ended
    }
}

/// Variables that relate to the one that is followed; all others are free.
type State = BTreeMap<Variable, Relation>;

fn relation(state: &State, variable: Variable) -> Relation {
    state.get(&variable).copied().unwrap_or(Relation::Free)
}

/// Joins a state with what is known at a block; whether that changed.
fn join(before: &mut BTreeMap<usize, State>, block: usize, state: &State) -> bool {
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

/// The place on the stack that memory is, if the pointer to the stack or to the frame alone tells.
fn slot(memory: &MemoryOperand) -> Option<Variable> {
    match memory.terms.as_slice() {
        [(register, 1)] if register.is_stack() || register.is_frame() => {
            Some(Variable::Slot(*register, memory.displacement))
        }
        _ => None,
    }
}

/// What an operation writes. A function that is called leaves its results; what else it changes is not read afterwards.
fn written(operation: &Operation) -> Vec<Variable> {
    if matches!(operation.flow, Flow::Call { .. }) {
        return Register::results().map(Variable::Register).to_vec();
    }
    let registers = operation.writes.iter().map(|register| Variable::Register(*register));
    registers.chain(operation.store.as_ref().and_then(slot)).collect()
}

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
