//! Compiled expressions: a list of nodes, each computed from earlier ones, without duplicates.
//!
//! Equal subexpressions share a node, so that a definition that uses another one several times does not grow
//! exponentially.

use std::collections::HashMap;
use std::sync::Arc;

use super::expression::Operator;
use super::value::ExpressionValue;

/// A node; operands are positions of earlier nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ProgramNode {
    Number(ExpressionValue),
    /// A cost of the row.
    Event(usize),
    /// A cost of the whole profile.
    Total(usize),
    Calls,
    Negate(usize),
    Binary(Operator, usize, usize),
}

/// A finished program; the last node is the result.
pub(super) type Program = Arc<[ProgramNode]>;

/// Computes the result of a program for a row.
pub(super) fn evaluate(
    program: &[ProgramNode],
    cost: impl Fn(usize) -> i128,
    totals: &[i128],
    calls: Option<u64>,
) -> ExpressionValue {
    let mut values: Vec<ExpressionValue> = Vec::with_capacity(program.len());
    for node in program {
        values.push(match *node {
            ProgramNode::Number(value) => value,
            ProgramNode::Event(index) => ExpressionValue::exact(cost(index)),
            ProgramNode::Total(index) => ExpressionValue::exact(totals.get(index).copied().unwrap_or(0)),
            ProgramNode::Calls => {
                calls.map_or(ExpressionValue::ABSENT, |calls| ExpressionValue::exact(calls.into()))
            }
            ProgramNode::Negate(of) => values[of].negate(),
            ProgramNode::Binary(operator, left, right) => apply(operator, values[left], values[right]),
        });
    }
    values.last().copied().unwrap_or(ExpressionValue::ABSENT)
}

fn apply(operator: Operator, left: ExpressionValue, right: ExpressionValue) -> ExpressionValue {
    match operator {
        Operator::Add => left.add(right),
        Operator::Subtract => left.subtract(right),
        Operator::Multiply => left.multiply(right),
        Operator::Divide => left.divide(right),
        Operator::Min => left.min(right),
        Operator::Max => left.max(right),
    }
}

/// Builds a program.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    nodes: Vec<ProgramNode>,
    known: HashMap<ProgramNode, usize>,
}

impl Nodes {
    pub(super) fn push(&mut self, node: ProgramNode) -> usize {
        let next = self.nodes.len();
        let position = *self.known.entry(node).or_insert(next);
        if position == next {
            self.nodes.push(node);
        }
        position
    }

    pub(super) fn get(&self, position: usize) -> ProgramNode {
        self.nodes[position]
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Adds the nodes of another program; returns the position of its result.
    pub(super) fn splice(&mut self, program: &[ProgramNode]) -> usize {
        let mut moved = Vec::with_capacity(program.len());
        for node in program {
            let position = self.push(node.moved(&moved));
            moved.push(position);
        }
        moved.last().copied().unwrap_or(0)
    }

    /// Adds the nodes that compute a node for the whole profile; `None` if it depends on calls.
    pub(super) fn totalled(&mut self, root: usize) -> Option<usize> {
        let program: Option<Vec<ProgramNode>> =
            self.finish(root).iter().map(|node| node.totalled()).collect();
        program.map(|program| self.splice(&program))
    }

    /// The program that computes a node, without the nodes that it does not need.
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

impl ProgramNode {
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
