//! Compiles the steps of an expression to a program, and checks and converts units.

use std::ops::Range;

use super::column::Column;
use super::error::{EventError, ExpressionSpan, short};
use super::expression::{Expression, Operation, Operator};
use super::names::nearest;
use super::program::{Nodes, Program, ProgramNode};
use super::quantity::Quantity;
use super::value::ExpressionValue;

/// More nodes than anyone writes by hand, and few enough to evaluate for every row of a table.
const MOST_NODES: usize = 4096;

/// Gives names their meaning.
pub(super) trait Scope {
    /// The event type with a name.
    fn column(&self, name: &str) -> Option<&Column>;
    /// All names.
    fn known(&self) -> Vec<String>;
}

/// A program and the unit of its result.
#[derive(Debug, Clone)]
pub(super) struct Compiled {
    pub(super) program: Program,
    pub(super) quantity: Quantity,
}

/// Compiles an expression by simulating its stack with nodes instead of values.
pub(super) fn compile(expression: &Expression, scope: &dyn Scope) -> Result<Compiled, EventError> {
    let mut compiler = Compiler { expression, scope, nodes: Nodes::default(), stack: Vec::new() };
    for step in &expression.steps {
        compiler.compile_step(&step.operation, step.span.clone())?;
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
    /// Pops the operands of a step, and pushes the node and unit of its result.
    fn compile_step(&mut self, operation: &Operation, span: Range<usize>) -> Result<(), EventError> {
        let (node, quantity) = match operation {
            Operation::Number(value) => (self.nodes.push(ProgramNode::Number(*value)), Quantity::NUMBER),
            Operation::Name(name) => self.name(name, &span)?,
            Operation::Negate => {
                let operand = self.pop();
                (self.negate(operand.node), operand.quantity)
            }
            Operation::Binary(operator) => self.binary(*operator, &span)?,
            Operation::Total => {
                let operand = self.pop();
                (self.total(operand.node, &span)?, operand.quantity)
            }
            Operation::Percent => self.percent(&span)?,
            Operation::PerCall => {
                let operand = self.pop();
                let calls = self.nodes.push(ProgramNode::Calls);
                (
                    self.nodes.push(ProgramNode::Binary(Operator::Divide, operand.node, calls)),
                    operand.quantity.per_call(),
                )
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
            None if name == "calls" => Ok((self.nodes.push(ProgramNode::Calls), Quantity::COUNT)),
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

    /// Combines two operands: derives the unit of the result, and converts operands to a common unit where needed.
    fn binary(&mut self, operator: Operator, span: &Range<usize>) -> Result<(usize, Quantity), EventError> {
        let (right, left) = (self.pop(), self.pop());
        let quantity = match operator {
            Operator::Multiply => left.quantity.product(right.quantity),
            Operator::Divide if self.nodes.get(right.node) == ProgramNode::Calls => {
                Some(left.quantity.per_call())
            }
            Operator::Divide => left.quantity.ratio(right.quantity),
            _ => Some(self.common_unit(operator, &left, &right, span)?),
        };
        let quantity =
            quantity.ok_or_else(|| self.error(span.clone(), "the unit is out of range".to_owned()))?;
        let (left, right) = match operator {
            Operator::Multiply => (left.node, right.node),
            Operator::Divide if self.nodes.get(right.node) == ProgramNode::Calls => (left.node, right.node),
            Operator::Divide if !left.quantity.is_like(right.quantity) => (left.node, right.node),
            _ => self.aligned(&left, &right),
        };
        Ok((self.nodes.push(ProgramNode::Binary(operator, left, right)), quantity))
    }

    /// The unit of a sum, difference, minimum or maximum. The number 0 fits every unit.
    fn common_unit(
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

    /// Both operands converted to the finer of their units.
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
        let factor = self.nodes.push(ProgramNode::Number(ExpressionValue::power_of_ten(power.into())));
        self.nodes.push(ProgramNode::Binary(Operator::Multiply, operand.node, factor))
    }

    fn percent(&mut self, span: &Range<usize>) -> Result<(usize, Quantity), EventError> {
        let operand = self.pop();
        let total = self.total(operand.node, span)?;
        let hundred = self.nodes.push(ProgramNode::Number(ExpressionValue::exact(100)));
        let times_hundred = self.nodes.push(ProgramNode::Binary(Operator::Multiply, hundred, operand.node));
        Ok((self.nodes.push(ProgramNode::Binary(Operator::Divide, times_hundred, total)), Quantity::PERCENT))
    }

    fn total(&mut self, node: usize, span: &Range<usize>) -> Result<usize, EventError> {
        let total = self.nodes.totalled(node);
        total.ok_or_else(|| self.error(span.clone(), "the number of calls has no total".to_owned()))
    }

    /// Negates a number at once, so that `-0` is a 0 that fits every unit.
    fn negate(&mut self, node: usize) -> usize {
        match self.nodes.get(node) {
            ProgramNode::Number(value) => self.nodes.push(ProgramNode::Number(value.negate())),
            _ => self.nodes.push(ProgramNode::Negate(node)),
        }
    }

    fn is_zero(&self, operand: &Operand) -> bool {
        matches!(self.nodes.get(operand.node), ProgramNode::Number(value) if value.is_zero())
    }

    fn pop(&mut self) -> Operand {
        self.stack.pop().expect("the parser leaves an operand for every operator")
    }

    fn described(&self, operand: &Operand) -> String {
        let text = &self.expression.text[operand.span.clone()];
        format!("{} ({})", short(text), operand.quantity.label())
    }

    fn place(&self, span: Range<usize>) -> ExpressionSpan {
        ExpressionSpan { text: self.expression.text.clone(), span }
    }

    fn error(&self, span: Range<usize>, problem: String) -> EventError {
        EventError::Syntax { at: self.place(span), problem }
    }
}
