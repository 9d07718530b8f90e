//! The body of a loop after optimisation by the compiler: the remaining loads and stores, and the data dependences.
//!
//! ```text
//! for k { c[i][j] += a[i][k] * b[k][j]; }        load a, load b, multiply ──> add ──┐ carried, one iteration
//!                                                                             ^─────┘ c[i][j] stays in a register
//! ```
//!
//! A value that an earlier access of the same iteration has loaded or stored is not loaded again. An element with a loop-invariant
//! address is kept in a register if no other access of the loop may alias it. A value that was stored in the previous iteration
//! stays in a register, too. A store that may alias prevents all of this; the body records which one.

use std::collections::BTreeMap;

use super::access::{BodyAccess, Relation, accesses};
use super::case::DataCase;
use crate::concrete::{ConcreteStatement, Instance};
use crate::nest::{ArrayId, NumberType, Operand, OperationKind, Symbol};

/// Dependences over more iterations than this are ignored, because they do not limit the loop.
const MAX_DISTANCE: i128 = 64;

/// The dependence graph of one loop body, without the loops inside it.
#[derive(Debug, Clone, Default)]
pub(super) struct Body {
    /// In topological order: the inputs of a node come before it.
    pub(super) nodes: Vec<BodyNode>,
    pub(super) carried: Vec<CarriedValue>,
    pub(super) accesses: Vec<BodyAccess>,
    /// The array whose store cannot be replaced by a register, and the array that may overlap it.
    pub(super) blocked: Option<(ArrayId, ArrayId)>,
}

/// A node of the graph: a load, a store, an operation or a value in a register.
#[derive(Debug, Clone)]
pub(super) struct BodyNode {
    pub(super) work: Work,
    pub(super) inputs: Vec<usize>,
    /// Average number of executions in one iteration.
    pub(super) weight: f64,
}

/// What a node does.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Work {
    /// No instruction: the value is already in a register.
    Register,
    /// Has the position in `accesses`.
    Load(usize),
    /// Has the position in `accesses`.
    Store(usize),
    Compute(OperationKind, NumberType),
}

/// A loop-carried dependence: a value of one iteration that a later iteration needs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CarriedValue {
    /// The node that computes the value.
    pub(super) from: usize,
    /// The node that receives it in the later iteration.
    pub(super) to: usize,
    /// Number of iterations between both.
    pub(super) distance: i128,
    /// Whether the value is stored and loaded again.
    pub(super) through_memory: bool,
    /// The scalar that holds the value; `None` for an array element.
    pub(super) scalar: Option<String>,
    /// The array whose element holds the value; `None` for a scalar.
    pub(super) array: Option<ArrayId>,
}

/// Builds a body statement by statement.
struct Builder<'a> {
    instance: &'a Instance<'a>,
    statements: &'a [(&'a ConcreteStatement, f64)],
    body: Body,
    /// The node that has the loaded value, by access.
    nodes: BTreeMap<usize, usize>,
    /// The node that has the stored value, by access.
    stored: BTreeMap<usize, usize>,
    /// The node that has the current value of each assigned scalar.
    scalars: BTreeMap<String, usize>,
    /// Scalars that are read before they are assigned; the node stands for the value of the previous iteration.
    read_before_assigned: BTreeMap<String, usize>,
    /// Loads that get the value of a store of an earlier iteration: load node, store access, iterations, through memory.
    pending: Vec<(usize, usize, i128, bool)>,
    /// Whether data-dependent subscripts are assumed to select the same element in every iteration.
    assume_collisions: bool,
}

impl Body {
    /// The body that consists of these statements, each with its average number of executions in one iteration of the loop over
    /// `variable`.
    pub(super) fn new(
        instance: &Instance<'_>,
        variable: Option<Symbol>,
        statements: &[(&ConcreteStatement, f64)],
        case: DataCase,
    ) -> Self {
        let body = Self { accesses: accesses(statements, variable), ..Self::default() };
        let mut builder = Builder {
            instance,
            statements,
            body,
            nodes: BTreeMap::new(),
            stored: BTreeMap::new(),
            scalars: BTreeMap::new(),
            read_before_assigned: BTreeMap::new(),
            pending: Vec::new(),
            assume_collisions: case == DataCase::Most,
        };
        (0..statements.len()).for_each(|position| builder.statement(position));
        builder.connect_carried();
        builder.body
    }
}

impl Builder<'_> {
    /// Adds the nodes of one statement: loads, operations, stores, then assigned scalars.
    fn statement(&mut self, position: usize) {
        let (statement, weight) = self.statements[position];
        let own = |(_, access): &(usize, &BodyAccess)| access.statement == position;
        let (loads, stores): (Vec<usize>, Vec<usize>) = {
            let all: Vec<(usize, &BodyAccess)> = self.body.accesses.iter().enumerate().filter(own).collect();
            let (stores, loads): (Vec<_>, Vec<_>) =
                all.into_iter().partition(|(_, access)| access.is_store());
            (
                loads.iter().map(|(index, _)| *index).collect(),
                stores.iter().map(|(index, _)| *index).collect(),
            )
        };
        let mut results = Vec::with_capacity(statement.source.operations.len());
        for index in loads {
            let reference = statement.source.references.get(self.body.accesses[index].reference);
            let address = reference.map_or(&[][..], |reference| reference.index.as_slice());
            // A computed address depends on these operations, so they come first.
            for operation in address.iter().filter_map(Operand::result) {
                self.operations(position, operation + 1, &mut results);
            }
            let inputs =
                address.iter().filter_map(|operand| self.operand(operand, position, &results)).collect();
            let node = self.load(index, inputs, weight);
            self.nodes.insert(index, node);
        }
        self.operations(position, statement.source.operations.len(), &mut results);
        for index in stores {
            self.store(index, position, &results, weight);
        }
        for (name, operand) in &statement.source.assigned {
            let value = self.operand(operand, position, &results);
            let value = value.unwrap_or_else(|| self.push(Work::Register, Vec::new(), weight));
            self.scalars.insert(name.clone(), value);
        }
    }

    /// Adds the first `count` operations of a statement, except for those that were added before.
    fn operations(&mut self, position: usize, count: usize, results: &mut Vec<usize>) {
        let (statement, weight) = self.statements[position];
        for operation in statement.source.operations.iter().take(count).skip(results.len()) {
            let operands = operation.operands.iter();
            let inputs = operands.filter_map(|operand| self.operand(operand, position, results)).collect();
            let work = Work::Compute(operation.kind.clone(), operation.number);
            results.push(self.push(work, inputs, weight));
        }
    }

    fn push(&mut self, work: Work, inputs: Vec<usize>, weight: f64) -> usize {
        self.body.nodes.push(BodyNode { work, inputs, weight });
        self.body.nodes.len() - 1
    }

    /// The node that has the value of an operand; `None` for a constant. A scalar that is read before the body assigns it becomes a
    /// register that holds the value of the previous iteration.
    fn operand(&mut self, operand: &Operand, statement: usize, results: &[usize]) -> Option<usize> {
        match operand {
            Operand::Result(position) => results.get(*position).copied(),
            Operand::Loaded(reference) => {
                let same =
                    |access: &BodyAccess| access.statement == statement && access.reference == *reference;
                let index = self.body.accesses.iter().position(same)?;
                self.nodes.get(&index).copied()
            }
            Operand::Scalar(name) => {
                Some(match (self.scalars.get(name), self.read_before_assigned.get(name)) {
                    (Some(node), _) | (None, Some(node)) => *node,
                    (None, None) => {
                        let node = self.push(Work::Register, Vec::new(), 0.0);
                        self.read_before_assigned.insert(name.clone(), node);
                        node
                    }
                })
            }
            Operand::Constant => None,
        }
    }

    /// The node that has the value of a load: a value of this iteration or of an earlier one that is still in a register, or a
    /// load instruction.
    fn load(&mut self, index: usize, inputs: Vec<usize>, weight: f64) -> usize {
        if let Some(known) = self.available_value(index) {
            return known;
        }
        let access = self.body.accesses[index].clone();
        if access.address.is_none() {
            let node = self.push(Work::Load(index), inputs, weight);
            let changed = self.body.accesses.iter().position(|other| {
                other.is_store() && other.element == access.element && other.array == access.array
            });
            self.pending
                .extend(changed.filter(|_| self.assume_collisions).map(|store| (node, store, 1, true)));
            return node;
        }
        let others = self.aliasing_stores(&access, index);
        if access.is_loop_invariant() {
            let own = self.body.accesses.iter().position(|other| {
                other.is_store() && access.relation(other, self.instance) == Relation::Same
            });
            return match (own, others.is_empty()) {
                (None, true) => self.push(Work::Register, Vec::new(), 0.0),
                (None, false) => self.push(Work::Load(index), Vec::new(), weight),
                (Some(store), in_register) => self.carried_load(index, store, 1, !in_register, weight),
            };
        }
        match self.earlier_store(&access) {
            Some((store, distance)) => {
                let is_known = access.has_known_distance_to(&self.body.accesses[store], self.instance);
                let in_register = distance == 1 && others.is_empty() && is_known;
                self.carried_load(index, store, distance, !in_register, weight)
            }
            None => self.push(Work::Load(index), Vec::new(), weight),
        }
    }

    /// A load that gets the value that `store` stored `distance` iterations earlier.
    fn carried_load(
        &mut self,
        index: usize,
        store: usize,
        distance: i128,
        memory: bool,
        weight: f64,
    ) -> usize {
        let work = if memory { Work::Load(index) } else { Work::Register };
        let node = self.push(work, Vec::new(), weight);
        self.pending.push((node, store, distance, memory));
        node
    }

    /// The node that has the value of an access, if this iteration stored or loaded the same address before and no store in between
    /// may have changed it.
    fn available_value(&self, index: usize) -> Option<usize> {
        let access = &self.body.accesses[index];
        for earlier in (0..index).rev() {
            let other = &self.body.accesses[earlier];
            match access.relation(other, self.instance) {
                Relation::Same if other.is_store() => return self.stored.get(&earlier).copied(),
                Relation::Same => return self.nodes.get(&earlier).copied(),
                Relation::Unknown if other.is_store() => return None,
                _ => {}
            }
        }
        None
    }

    /// Other stores of the loop that may change the value at the address.
    fn aliasing_stores(&self, access: &BodyAccess, index: usize) -> Vec<usize> {
        let may = |(position, other): &(usize, &BodyAccess)| {
            let unknown = access.relation(other, self.instance) == Relation::Unknown;
            *position != index && other.is_store() && unknown
        };
        self.body.accesses.iter().enumerate().filter(may).map(|(position, _)| position).collect()
    }

    /// The store that wrote this element in an earlier iteration, and how many iterations earlier; the nearest of several.
    fn earlier_store(&self, access: &BodyAccess) -> Option<(usize, i128)> {
        let distance = |other: &BodyAccess| match access.relation(other, self.instance) {
            Relation::Distance(bytes) if other.stride == access.stride && access.stride != 0 => {
                (bytes % access.stride == 0).then_some(bytes / access.stride)
            }
            _ => None,
        };
        let stores = self.body.accesses.iter().enumerate().filter(|(_, other)| other.is_store());
        let found = stores.filter_map(|(index, other)| Some((index, distance(other)?)));
        found
            .filter(|(_, distance)| (1..=MAX_DISTANCE).contains(distance))
            .min_by_key(|(_, distance)| *distance)
    }

    /// Adds a store. A store to a loop-invariant address becomes a register if nothing may alias it.
    fn store(&mut self, index: usize, statement: usize, results: &[usize], weight: f64) {
        let access = self.body.accesses[index].clone();
        let stored = self.statements[statement].0.source.references.get(access.reference);
        let stored = stored.and_then(|reference| reference.stored.clone());
        let value = stored.and_then(|operand| self.operand(&operand, statement, results));
        let unknown = |other: &&BodyAccess| access.relation(other, self.instance) == Relation::Unknown;
        let blocking = self.body.accesses.iter().find(unknown).map(|other| other.array);
        let work = match blocking {
            None if access.is_loop_invariant() => Work::Register,
            _ => Work::Store(index),
        };
        if let Some(other) = blocking.filter(|_| access.is_loop_invariant()) {
            self.body.blocked.get_or_insert((access.array, other));
        }
        let node = self.push(work, value.into_iter().collect(), weight);
        self.stored.insert(index, value.unwrap_or(node));
    }

    /// Adds the loop-carried dependences once all nodes are known.
    fn connect_carried(&mut self) {
        for (to, store, distance, through_memory) in std::mem::take(&mut self.pending) {
            if let Some(from) = self.stored.get(&store).copied() {
                let array = Some(self.body.accesses[store].array);
                self.body.carried.push(CarriedValue {
                    from,
                    to,
                    distance,
                    through_memory,
                    scalar: None,
                    array,
                });
            }
        }
        for (name, to) in std::mem::take(&mut self.read_before_assigned) {
            if let Some(from) = self.scalars.get(&name).copied().filter(|from| *from != to) {
                let (scalar, distance, through_memory) = (Some(name), 1, false);
                self.body.carried.push(CarriedValue {
                    from,
                    to,
                    distance,
                    through_memory,
                    scalar,
                    array: None,
                });
            }
        }
    }
}
