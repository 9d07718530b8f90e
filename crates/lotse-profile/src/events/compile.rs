//! From the steps of an expression to a program, with units checked and brought together.

use std::ops::Range;

use super::column::Column;
use super::error::{EventError, Place, short};
use super::expression::{Expression, Operation, Operator};
use super::names::nearest;
use super::program::{Node, Nodes, Program};
use super::quantity::Quantity;
use super::value::Value;

/// More than any formula of a person, less than hurts for every row of a table.
const MOST_NODES: usize = 4096;

/// What names mean.
pub(super) trait Scope {
    /// The event type of a name.
    fn column(&self, name: &str) -> Option<&Column>;
    /// All names.
    fn known(&self) -> Vec<String>;
}

/// A program and what it is a number of.
#[derive(Debug, Clone)]
pub(super) struct Compiled {
    pub(super) program: Program,
    pub(super) quantity: Quantity,
}

/// Compiles an expression.
pub(super) fn compile(expression: &Expression, scope: &dyn Scope) -> Result<Compiled, EventError> {
    let mut compiler = Compiler { expression, scope, nodes: Nodes::default(), stack: Vec::new() };
    for step in &expression.steps {
        compiler.step(&step.operation, step.span.clone())?;
    }
    let Operand { node, quantity, .. } = compiler.pop();
    Ok(Compiled { program: compiler.nodes.finish(node), quantity })
}

struct Compiler<'a> {
    expression: &'a Expression,
    scope: &'a dyn Scope,
    nodes: Nodes,
    stack: Vec<Operand>,
}

#[derive(Debug, Clone)]
struct Operand {
    node: usize,
    quantity: Quantity,
    span: Range<usize>,
}

impl Compiler<'_> {
    fn step(&mut self, operation: &Operation, span: Range<usize>) -> Result<(), EventError> {
        let (node, quantity) = match operation {
            Operation::Number(value) => (self.nodes.push(Node::Number(*value)), Quantity::NUMBER),
            Operation::Name(name) => self.name(name, &span)?,
            Operation::Negate => {
                let of = self.pop();
                (self.negate(of.node), of.quantity)
            }
            Operation::Binary(operator) => self.binary(*operator, &span)?,
            Operation::Total => {
                let of = self.pop();
                (self.total(of.node, &span)?, of.quantity)
            }
            Operation::Percent => self.percent(&span)?,
            Operation::PerCall => {
                let of = self.pop();
                let calls = self.nodes.push(Node::Calls);
                (self.nodes.push(Node::Binary(Operator::Divide, of.node, calls)), of.quantity.per_call())
            }
        };
        if self.nodes.len() > MOST_NODES {
            return Err(self.error(span, format!("more than {MOST_NODES} steps to work out")));
        }
        self.stack.push(Operand { node, quantity, span });
        Ok(())
    }

    fn name(&mut self, name: &str, span: &Range<usize>) -> Result<(usize, Quantity), EventError> {
        match self.scope.column(name) {
            Some(column) => Ok((self.nodes.splice(&column.program), column.quantity)),
            None if name == "calls" => Ok((self.nodes.push(Node::Calls), Quantity::COUNT)),
            None => {
                let known = self.scope.known();
                let nearest = nearest(name, &known);
                Err(EventError::Unknown {
                    at: self.place(span.clone()),
                    name: name.to_owned(),
                    nearest,
                    known,
                })
            }
        }
    }

    fn binary(&mut self, operator: Operator, span: &Range<usize>) -> Result<(usize, Quantity), EventError> {
        let (right, left) = (self.pop(), self.pop());
        let quantity = match operator {
            Operator::Multiply => left.quantity.product(right.quantity),
            Operator::Divide if self.nodes.get(right.node) == Node::Calls => Some(left.quantity.per_call()),
            Operator::Divide => left.quantity.ratio(right.quantity),
            _ => Some(self.like(operator, &left, &right, span)?),
        };
        let quantity =
            quantity.ok_or_else(|| self.error(span.clone(), "the unit is out of range".to_owned()))?;
        let (left, right) = match operator {
            Operator::Multiply => (left.node, right.node),
            Operator::Divide if self.nodes.get(right.node) == Node::Calls => (left.node, right.node),
            Operator::Divide if !left.quantity.is_like(right.quantity) => (left.node, right.node),
            _ => self.aligned(&left, &right),
        };
        Ok((self.nodes.push(Node::Binary(operator, left, right)), quantity))
    }

    /// The unit of a sum, a least or a greatest. A bare 0 is 0 of everything.
    fn like(
        &self,
        operator: Operator,
        left: &Operand,
        right: &Operand,
        span: &Range<usize>,
    ) -> Result<Quantity, EventError> {
        if self.is_zero(left) {
            return Ok(right.quantity);
        }
        if self.is_zero(right) {
            return Ok(left.quantity);
        }
        if left.quantity.is_like(right.quantity) {
            return Ok(left.quantity.sum(right.quantity));
        }
        let verb = match operator {
            Operator::Add => "add",
            Operator::Subtract => "subtract",
            _ => "compare",
        };
        let (left, right) = (self.described(left), self.described(right));
        Err(EventError::Units { at: self.place(span.clone()), verb, left, right })
    }

    /// Both in the finer unit.
    fn aligned(&mut self, left: &Operand, right: &Operand) -> (usize, usize) {
        if self.is_zero(left) || self.is_zero(right) {
            return (left.node, right.node);
        }
        let finest = left.quantity.exponent().min(right.quantity.exponent());
        (self.refined(left, finest), self.refined(right, finest))
    }

    fn refined(&mut self, operand: &Operand, exponent: i8) -> usize {
        let power = operand.quantity.exponent().abs_diff(exponent);
        if power == 0 {
            return operand.node;
        }
        let factor = self.nodes.push(Node::Number(Value::power_of_ten(power.into())));
        self.nodes.push(Node::Binary(Operator::Multiply, operand.node, factor))
    }

    fn percent(&mut self, span: &Range<usize>) -> Result<(usize, Quantity), EventError> {
        let of = self.pop();
        let total = self.total(of.node, span)?;
        let hundred = self.nodes.push(Node::Number(Value::exact(100)));
        let hundredfold = self.nodes.push(Node::Binary(Operator::Multiply, hundred, of.node));
        Ok((self.nodes.push(Node::Binary(Operator::Divide, hundredfold, total)), Quantity::PERCENT))
    }

    fn total(&mut self, node: usize, span: &Range<usize>) -> Result<usize, EventError> {
        let total = self.nodes.totalled(node);
        total.ok_or_else(|| self.error(span.clone(), "the number of calls has no total".to_owned()))
    }

    /// A number is negated at once, so that -0 is 0 of everything too.
    fn negate(&mut self, node: usize) -> usize {
        match self.nodes.get(node) {
            Node::Number(value) => self.nodes.push(Node::Number(value.negate())),
            _ => self.nodes.push(Node::Negate(node)),
        }
    }

    fn is_zero(&self, operand: &Operand) -> bool {
        matches!(self.nodes.get(operand.node), Node::Number(value) if value.is_zero())
    }

    fn pop(&mut self) -> Operand {
        self.stack.pop().expect("the parser leaves an operand for every operator")
    }

    fn described(&self, operand: &Operand) -> String {
        let text = &self.expression.text[operand.span.clone()];
        format!("{} ({})", short(text), operand.quantity.label())
    }

    fn place(&self, span: Range<usize>) -> Place {
        Place { text: self.expression.text.clone(), span }
    }

    fn error(&self, span: Range<usize>, problem: String) -> EventError {
        EventError::Syntax { at: self.place(span), problem }
    }
}
