//! The body of a loop as the compiler leaves it: which loads and stores remain, and what depends on what.
//!
//! ```text
//! for k { c[i][j] += a[i][k] * b[k][j]; }        load a, load b, multiply ──> add ──┐ carried, one iteration
//!                                                                             ^─────┘ c[i][j] stays in a register
//! ```
//!
//! A load that an earlier access of the iteration already has is not repeated. An address that stands still is kept in a
//! register if no other access of the loop may touch it. A value that was stored one iteration before stays in a register,
//! too. All of this is blocked by a store that may alias, and the body remembers which.

use std::collections::BTreeMap;

use super::access::{BodyAccess, Relation, accesses};
use super::case::Case;
use crate::concrete::{ConcreteStatement, Instance};
use crate::nest::{ArrayId, NumberType, Operand, OperationKind, Symbol};

/// Dependences over more iterations than this do not limit anything.
const FARTHEST: i128 = 64;

/// The body of one loop without its inner loops.
#[derive(Debug, Clone, Default)]
pub(super) struct Body {
    /// Inputs come first.
    pub(super) nodes: Vec<Node>,
    pub(super) carried: Vec<Carried>,
    pub(super) accesses: Vec<BodyAccess>,
    /// The array whose store cannot be kept in a register, and the one that may overlap it.
    pub(super) blocked: Option<(ArrayId, ArrayId)>,
}

/// Something that one iteration does.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) work: Work,
    pub(super) inputs: Vec<usize>,
    /// Executions in one iteration.
    pub(super) weight: f64,
}

/// What a node does.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Work {
    /// A value that is in a register already.
    Register,
    /// A load; the position in `accesses`.
    Load(usize),
    /// A store; the position in `accesses`.
    Store(usize),
    Compute(OperationKind, NumberType),
}

/// A value of one iteration that a later one needs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Carried {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Iterations between.
    pub(super) distance: i128,
    /// Whether it goes through memory.
    pub(super) through_memory: bool,
    /// Whether the value is that of a scalar; `None` for an element of an array.
    pub(super) scalar: Option<String>,
    /// The array whose element it is.
    pub(super) array: Option<ArrayId>,
}

struct Builder<'a> {
    instance: &'a Instance<'a>,
    statements: &'a [(&'a ConcreteStatement, f64)],
    body: Body,
    /// The node of each access so far.
    nodes: BTreeMap<usize, usize>,
    /// The node that stored a value last, by access.
    stored: BTreeMap<usize, usize>,
    scalars: BTreeMap<String, usize>,
    /// Scalars that were read before they were assigned.
    early: BTreeMap<String, usize>,
    /// Loads that get the value of a store of an earlier iteration: load, store, iterations, through memory.
    pending: Vec<(usize, usize, i128, bool)>,
    /// Whether data are taken to select the same element again and again.
    collides: bool,
}

impl Body {
    /// The body of statements, each with its executions in one iteration of the loop of `variable`.
    pub(super) fn new(
        instance: &Instance<'_>,
        variable: Option<Symbol>,
        statements: &[(&ConcreteStatement, f64)],
        case: Case,
    ) -> Self {
        let body = Self { accesses: accesses(statements, variable), ..Self::default() };
        let mut builder = Builder {
            instance,
            statements,
            body,
            nodes: BTreeMap::new(),
            stored: BTreeMap::new(),
            scalars: BTreeMap::new(),
            early: BTreeMap::new(),
            pending: Vec::new(),
            collides: case == Case::Most,
        };
        (0..statements.len()).for_each(|position| builder.statement(position));
        builder.close();
        builder.body
    }
}

impl Builder<'_> {
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
            // An address that is computed needs those operations first.
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

    /// The operations of a statement up to a number of them, as far as they are not there yet.
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
        self.body.nodes.push(Node { work, inputs, weight });
        self.body.nodes.len() - 1
    }

    fn operand(&mut self, operand: &Operand, statement: usize, results: &[usize]) -> Option<usize> {
        match operand {
            Operand::Result(position) => results.get(*position).copied(),
            Operand::Loaded(reference) => {
                let same =
                    |access: &BodyAccess| access.statement == statement && access.reference == *reference;
                let index = self.body.accesses.iter().position(same)?;
                self.nodes.get(&index).copied()
            }
            Operand::Scalar(name) => Some(match (self.scalars.get(name), self.early.get(name)) {
                (Some(node), _) | (None, Some(node)) => *node,
                (None, None) => {
                    let node = self.push(Work::Register, Vec::new(), 0.0);
                    self.early.insert(name.clone(), node);
                    node
                }
            }),
            Operand::Constant => None,
        }
    }

    /// The node that has the value of a load.
    fn load(&mut self, index: usize, inputs: Vec<usize>, weight: f64) -> usize {
        if let Some(known) = self.known(index) {
            return known;
        }
        let access = self.body.accesses[index].clone();
        if access.address.is_none() {
            let node = self.push(Work::Load(index), inputs, weight);
            let changed = self.body.accesses.iter().position(|other| {
                other.is_store() && other.element == access.element && other.array == access.array
            });
            self.pending.extend(changed.filter(|_| self.collides).map(|store| (node, store, 1, true)));
            return node;
        }
        let others = self.stores_that_may_touch(&access, index);
        if access.stands_still() {
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
                let is_known = access.is_known_from(&self.body.accesses[store], self.instance);
                let in_register = distance == 1 && others.is_empty() && is_known;
                self.carried_load(index, store, distance, !in_register, weight)
            }
            None => self.push(Work::Load(index), Vec::new(), weight),
        }
    }

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

    /// The value, if this iteration stored or loaded the same address before and nothing since may have changed it.
    fn known(&self, index: usize) -> Option<usize> {
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

    /// Other stores of the loop that may change what is at the address.
    fn stores_that_may_touch(&self, access: &BodyAccess, index: usize) -> Vec<usize> {
        let may = |(position, other): &(usize, &BodyAccess)| {
            let unknown = access.relation(other, self.instance) == Relation::Unknown;
            *position != index && other.is_store() && unknown
        };
        self.body.accesses.iter().enumerate().filter(may).map(|(position, _)| position).collect()
    }

    /// The store that wrote this element so many iterations before.
    fn earlier_store(&self, access: &BodyAccess) -> Option<(usize, i128)> {
        let distance = |other: &BodyAccess| match access.relation(other, self.instance) {
            Relation::Apart(bytes) if other.stride == access.stride && access.stride != 0 => {
                (bytes % access.stride == 0).then_some(bytes / access.stride)
            }
            _ => None,
        };
        let stores = self.body.accesses.iter().enumerate().filter(|(_, other)| other.is_store());
        let found = stores.filter_map(|(index, other)| Some((index, distance(other)?)));
        found.filter(|(_, distance)| (1..=FARTHEST).contains(distance)).min_by_key(|(_, distance)| *distance)
    }

    fn store(&mut self, index: usize, statement: usize, results: &[usize], weight: f64) {
        let access = self.body.accesses[index].clone();
        let stored = self.statements[statement].0.source.references.get(access.reference);
        let stored = stored.and_then(|reference| reference.stored.clone());
        let value = stored.and_then(|operand| self.operand(&operand, statement, results));
        let unknown = |other: &&BodyAccess| access.relation(other, self.instance) == Relation::Unknown;
        let blocking = self.body.accesses.iter().find(unknown).map(|other| other.array);
        let work = match blocking {
            None if access.stands_still() => Work::Register,
            _ => Work::Store(index),
        };
        if let Some(other) = blocking.filter(|_| access.stands_still()) {
            self.body.blocked.get_or_insert((access.array, other));
        }
        let node = self.push(work, value.into_iter().collect(), weight);
        self.stored.insert(index, value.unwrap_or(node));
    }

    fn close(&mut self) {
        for (to, store, distance, through_memory) in std::mem::take(&mut self.pending) {
            if let Some(from) = self.stored.get(&store).copied() {
                let array = Some(self.body.accesses[store].array);
                self.body.carried.push(Carried { from, to, distance, through_memory, scalar: None, array });
            }
        }
        for (name, to) in std::mem::take(&mut self.early) {
            if let Some(from) = self.scalars.get(&name).copied().filter(|from| *from != to) {
                let (scalar, distance, through_memory) = (Some(name), 1, false);
                self.body.carried.push(Carried { from, to, distance, through_memory, scalar, array: None });
            }
        }
    }
}
