//! What an expression comes down to: a list of nodes, each made of earlier ones, no two alike.
//!
//! Nodes are shared, so that definitions built upon each other cost what they are, not what they would be
//! written out.

use std::collections::HashMap;
use std::sync::Arc;

use super::expression::Operator;
use super::value::Value;

/// A node; numbers are positions of earlier nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Number(Value),
    /// A cost of the row.
    Event(usize),
    /// A cost of the whole profile.
    Total(usize),
    Calls,
    Negate(usize),
    Binary(Operator, usize, usize),
}

/// A finished program; the last node is the result.
pub(super) type Program = Arc<[Node]>;

/// Works out a program.
pub(super) fn evaluate(
    program: &[Node],
    cost: impl Fn(usize) -> i128,
    totals: &[i128],
    calls: Option<u64>,
) -> Value {
    let mut values: Vec<Value> = Vec::with_capacity(program.len());
    for node in program {
        values.push(match *node {
            Node::Number(value) => value,
            Node::Event(index) => Value::exact(cost(index)),
            Node::Total(index) => Value::exact(totals.get(index).copied().unwrap_or(0)),
            Node::Calls => calls.map_or(Value::ABSENT, |calls| Value::exact(calls.into())),
            Node::Negate(of) => values[of].negate(),
            Node::Binary(operator, left, right) => apply(operator, values[left], values[right]),
        });
    }
    values.last().copied().unwrap_or(Value::ABSENT)
}

fn apply(operator: Operator, left: Value, right: Value) -> Value {
    match operator {
        Operator::Add => left.add(right),
        Operator::Subtract => left.subtract(right),
        Operator::Multiply => left.multiply(right),
        Operator::Divide => left.divide(right),
        Operator::Min => left.min(right),
        Operator::Max => left.max(right),
    }
}

/// A program in the making.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    nodes: Vec<Node>,
    known: HashMap<Node, usize>,
}

impl Nodes {
    pub(super) fn push(&mut self, node: Node) -> usize {
        let next = self.nodes.len();
        let position = *self.known.entry(node).or_insert(next);
        if position == next {
            self.nodes.push(node);
        }
        position
    }

    pub(super) fn get(&self, position: usize) -> Node {
        self.nodes[position]
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Takes in another program.
    pub(super) fn splice(&mut self, program: &[Node]) -> usize {
        let mut moved = Vec::with_capacity(program.len());
        for node in program {
            let position = self.push(node.moved(&moved));
            moved.push(position);
        }
        moved.last().copied().unwrap_or(0)
    }

    /// What a node is for the whole profile; `None` where it depends on calls.
    pub(super) fn totalled(&mut self, root: usize) -> Option<usize> {
        let program: Option<Vec<Node>> = self.finish(root).iter().map(|node| node.totalled()).collect();
        program.map(|program| self.splice(&program))
    }

    /// The program that ends in a node, without what it does not need.
    pub(super) fn finish(&self, root: usize) -> Program {
        let mut needed = vec![false; root + 1];
        needed[root] = true;
        for position in (0..=root).rev() {
            if needed[position] {
                self.nodes[position].operands().for_each(|operand| needed[operand] = true);
            }
        }
        let mut program = Vec::new();
        let mut moved = vec![0; root + 1];
        for position in (0..=root).filter(|&position| needed[position]) {
            moved[position] = program.len();
            program.push(self.nodes[position].moved(&moved));
        }
        program.into()
    }
}

impl Node {
    fn operands(self) -> impl Iterator<Item = usize> {
        let (one, two) = match self {
            Self::Negate(of) => (Some(of), None),
            Self::Binary(_, left, right) => (Some(left), Some(right)),
            _ => (None, None),
        };
        one.into_iter().chain(two)
    }

    fn moved(self, moved: &[usize]) -> Self {
        match self {
            Self::Negate(of) => Self::Negate(moved[of]),
            Self::Binary(operator, left, right) => Self::Binary(operator, moved[left], moved[right]),
            leaf => leaf,
        }
    }

    fn totalled(self) -> Option<Self> {
        match self {
            Self::Event(index) => Some(Self::Total(index)),
            Self::Calls => None,
            other => Some(other),
        }
    }
}
