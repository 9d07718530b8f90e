//! Finds the loop-carried variables that are computed without data: from each other and from loop-invariant values.

use std::collections::{BTreeMap, BTreeSet};

use lotse_symbols::graph::NaturalLoop;
use lotse_symbols::{Flow, Operation, Register};

use super::{OperationGraph, Variable, read, slot, written};

/// Where values loaded from memory or returned by calls ("data") flow within a loop.
pub(super) struct DataFlow {
    /// Loop-carried variables that depend on data at the end of an iteration.
    with_data: BTreeSet<Variable>,
    /// Whether a branch within the loop depends on data.
    decides: bool,
}

impl DataFlow {
    /// Starts with no variable depending on data, and repeats passes over the loop until no further one is found.
    pub(super) fn new(code: &OperationGraph<'_>, natural: &NaturalLoop, carried: &[Variable]) -> Self {
        let mut all = Self { with_data: BTreeSet::new(), decides: false };
        loop {
            let found = all.pass(code, natural);
            let new: BTreeSet<Variable> =
                carried.iter().copied().filter(|variable| found.contains(variable)).collect();
            if new.is_subset(&all.with_data) {
                return all;
            }
            all.with_data.extend(new);
        }
    }

    /// Whether each iteration could compute a variable by itself, without the previous iteration.
    pub(super) fn is_position(&self, variable: Variable) -> bool {
        !self.decides && !self.with_data.contains(&variable)
    }

    /// One forward pass: the variables that depend on data at the end of an iteration.
    fn pass(&mut self, code: &OperationGraph<'_>, natural: &NaturalLoop) -> BTreeSet<Variable> {
        let header = natural.header as usize;
        let mut before: BTreeMap<usize, BTreeSet<Variable>> =
            BTreeMap::from([(header, self.with_data.clone())]);
        let mut worklist = vec![header];
        let mut seen = BTreeSet::from([header]);
        let mut at_end = BTreeSet::new();
        while let Some(block) = worklist.pop() {
            let Some(mut with_data) = before.get(&block).cloned() else { continue };
            code.blocks[block].iter().for_each(|operation| execute(code, operation, &mut with_data));
            let inside = code.successors[block].iter().filter(|next| natural.body[**next as usize]);
            let inside: Vec<usize> = inside.map(|next| *next as usize).collect();
            let jump = code.blocks[block].last();
            let on_data =
                jump.is_some_and(|jump| read(jump).iter().any(|variable| with_data.contains(variable)));
            self.decides |= inside.len() > 1 && on_data;
            for next in inside {
                if next == header {
                    at_end.extend(with_data.iter().copied());
                    continue;
                }
                let known = before.entry(next).or_default();
                let count = known.len();
                known.extend(with_data.iter().copied());
                if seen.insert(next) || known.len() > count {
                    worklist.push(next);
                }
            }
        }
        at_end
    }
}

/// Propagates dependence on data through one operation.
fn execute(code: &OperationGraph<'_>, operation: &Operation, with_data: &mut BTreeSet<Variable>) {
    if let Flow::Call { target } = operation.flow {
        with_data.retain(|variable| !matches!(variable, Variable::Register(it) if it.is_lost_by_calls()));
        // The result of a call is data.
        if !target.is_some_and(code.is_recorder) {
            with_data.extend(Register::results().map(Variable::Register));
        }
        return;
    }
    let loads = operation.load.as_ref().is_some_and(|memory| slot(memory).is_none());
    let has_data = loads || read(operation).iter().any(|variable| with_data.contains(variable));
    for variable in written(operation) {
        if has_data {
            with_data.insert(variable);
        } else {
            with_data.remove(&variable);
        }
    }
}
