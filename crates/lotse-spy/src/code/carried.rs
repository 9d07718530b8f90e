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
//! Where two ways meet that differ in the amount, the variable counts how often a condition held: a sum.

mod data;
mod relation;

use std::collections::{BTreeMap, BTreeSet};

use self::data::Data;
use self::relation::{Relation, beside, combined, joined, matters, moved, selected, together};
use lotse_formats::history::{CarriedVariable, StoredFlow};
use lotse_symbols::graph::{NaturalLoop, natural_loops};
use lotse_symbols::{Effect, Flow, Memory, Operation, Register, blocks};

/// Variables of one loop that are looked at; a loop with more is not understood.
const MOST_VARIABLES: usize = 48;
/// Operations of a function that are looked at.
const MOST_OPERATIONS: usize = 20_000;

/// A register, or a place on the stack by a register that points there and the distance from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Variable {
    Register(Register),
    Slot(Register, i64),
}

/// Finds what each loop of a function carries, by the number of its header.
///
/// `is_recorder` tells calls that record an access, which use nothing.
pub(super) fn carried(
    flow: &StoredFlow,
    operations: &[Operation],
    is_recorder: &dyn Fn(u64) -> bool,
) -> Vec<(u32, CarriedVariable)> {
    if operations.len() > MOST_OPERATIONS || !has_frame_pointer(operations) {
        return Vec::new();
    }
    // The compiler's table has no jumps that were made of selections later on.
    let (starts, successors): (Vec<u64>, Vec<Vec<u32>>) = blocks(operations).into_iter().unzip();
    let block_of = |address: u64| starts.partition_point(|start| *start <= address).checked_sub(1);
    let Some(entry) = block_of(flow.function) else { return Vec::new() };
    let position = |address: u64| operations.partition_point(|it| it.address < address);
    let ends = starts.iter().skip(1).map(|next| position(*next)).chain([operations.len()]);
    let parts = starts.iter().zip(ends).map(|(start, end)| &operations[position(*start)..end]).collect();
    let code = Code { blocks: parts, successors, is_recorder };
    let natural = natural_loops(&code.successors, u32::try_from(entry).unwrap_or(0));
    let smallest = |header: u32| {
        let at = block_of(flow.blocks.get(header as usize)?.0)?;
        let around = natural.iter().filter(|natural| natural.body[at]).min_by_key(|natural| natural.size);
        Some((header, code.of_loop(around?)?))
    };
    headers(flow).into_iter().filter_map(smallest).collect()
}

/// The blocks that begin iterations, by the compiler's table.
fn headers(flow: &StoredFlow) -> Vec<u32> {
    let (starts, successors): (Vec<u64>, Vec<Vec<u32>>) = flow.blocks.iter().cloned().unzip();
    let Ok(entry) = starts.binary_search(&flow.function) else { return Vec::new() };
    let entry = u32::try_from(entry).unwrap_or(0);
    natural_loops(&successors, entry).iter().map(|natural| natural.header).collect()
}

/// Whether the frame pointer points to the frame, if it is used at all: programs are recorded with frame pointers.
fn has_frame_pointer(operations: &[Operation]) -> bool {
    let is_set = |operation: &Operation| match &operation.effect {
        Effect::Sum { to, terms, .. } => {
            to.is_frame() && matches!(terms.as_slice(), [(from, 1)] if from.is_stack())
        }
        _ => false,
    };
    let writes = |operation: &Operation| operation.writes.iter().any(|register| register.is_frame());
    let changes = operations.iter().filter(|operation| writes(operation)).count();
    let restored = operations.iter().filter(|operation| writes(operation) && restores(operation)).count();
    let set = operations.iter().filter(|operation| is_set(operation)).count();
    changes == set + restored
}

/// Whether an operation takes registers back from the stack: `pop`, `leave`.
fn restores(operation: &Operation) -> bool {
    operation.writes.iter().any(|register| register.is_stack()) && operation.load.is_some()
}

struct Code<'a> {
    blocks: Vec<&'a [Operation]>,
    successors: Vec<Vec<u32>>,
    is_recorder: &'a dyn Fn(u64) -> bool,
}

impl Code<'_> {
    /// The worst of the variables of a loop; nothing if it has more than can be looked at, or moves the stack.
    fn of_loop(&self, natural: &NaturalLoop) -> Option<CarriedVariable> {
        let changed = self.changed(natural)?;
        let open = self.read_before_written(natural);
        let candidates: Vec<Variable> = changed.intersection(&open).copied().collect();
        if candidates.len() > MOST_VARIABLES {
            return None;
        }
        let data = Data::of(self, natural, &candidates);
        let kinds = candidates.iter().map(|variable| self.follow(natural, *variable, &changed, &data));
        Some(kinds.max().unwrap_or(CarriedVariable::None))
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
    fn follow(
        &self,
        natural: &NaturalLoop,
        variable: Variable,
        changed: &BTreeSet<Variable>,
        data: &Data,
    ) -> CarriedVariable {
        let mut follower = Follower {
            changed,
            is_recorder: self.is_recorder,
            used: false,
            in_data: false,
            compared: false,
            selected: false,
        };
        let start = State::from([(variable, Relation::Moved(Some(0)))]);
        let mut before: BTreeMap<usize, State> = BTreeMap::from([(natural.header as usize, start)]);
        let mut waiting = vec![natural.header as usize];
        let mut ended: Option<Relation> = None;
        while let Some(block) = waiting.pop() {
            let Some(mut state) = before.get(&block).cloned() else { continue };
            self.blocks[block].iter().for_each(|operation| follower.execute(operation, &mut state));
            for &next in &self.successors[block] {
                let next = next as usize;
                if !natural.body[next] {
                    continue;
                }
                if next == natural.header as usize {
                    let own = relation(&state, variable);
                    ended = Some(ended.map_or(own, |known| joined(known, own)));
                } else if join(&mut before, next, &state) {
                    waiting.push(next);
                }
            }
        }
        match ended {
            None | Some(Relation::Moved(_)) => CarriedVariable::None,
            Some(_) if !follower.in_data && data.is_position(variable) => CarriedVariable::None,
            // What counts and decides, such as a budget that is used up, is no sum.
            Some(_) if follower.compared && !follower.selected => CarriedVariable::State,
            Some(Relation::Counted | Relation::Combined) if !follower.used => CarriedVariable::Combined,
            _ => CarriedVariable::State,
        }
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

struct Follower<'a> {
    changed: &'a BTreeSet<Variable>,
    is_recorder: &'a dyn Fn(u64) -> bool,
    /// Whether the variable, or what is computed from it, is used for anything but being combined or compared.
    used: bool,
    /// Whether it becomes part of other data than addresses.
    in_data: bool,
    /// Whether it is compared as it was at the beginning, or moved.
    compared: bool,
    /// Whether it is the greatest or least of itself and something else, which needs comparing.
    selected: bool,
}

impl Follower<'_> {
    fn execute(&mut self, operation: &Operation, state: &mut State) {
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
    fn load(&mut self, memory: &Memory, state: &State) -> Relation {
        if let Some(slot) = slot(memory) {
            return relation(state, slot);
        }
        self.address(memory, state);
        Relation::Free
    }

    fn store(&mut self, memory: &Memory, value: Relation, state: &mut State) {
        if let Some(slot) = slot(memory) {
            set(state, slot, value);
            return;
        }
        self.address(memory, state);
        self.used |= value != Relation::Free;
        self.in_data |= value != Relation::Free;
    }

    fn address(&mut self, memory: &Memory, state: &State) {
        let mut terms = memory.terms.iter();
        self.used |=
            terms.any(|(register, _)| relation(state, Variable::Register(*register)) != Relation::Free);
    }

    fn call(&mut self, records: bool, state: &mut State) {
        let lost = |variable: &Variable| matches!(variable, Variable::Register(it) if it.is_lost_by_calls());
        let handed = |variable: &Variable| matches!(variable, Variable::Register(it) if it.is_argument());
        let used = !records && state.iter().any(|(variable, value)| handed(variable) && matters(*value));
        self.used |= used;
        self.in_data |= used;
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

/// The place on the stack that memory is, if the pointer to the stack or to the frame alone tells.
fn slot(memory: &Memory) -> Option<Variable> {
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
