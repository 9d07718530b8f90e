//! One event type to show, and its value for a row of costs.

use lotse_model::Unit;
use lotse_model::profile::EventType;

use super::Cost;
use super::compile::Compiled;
use super::expression::Operator;
use super::program::{Node, Program, evaluate};
use super::quantity::Quantity;

/// What costs a row has.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// Its costs, in the order of the profile's event types.
    pub costs: &'a [u64],
    /// Whether they are two's complement.
    pub signed: bool,
    /// The totals of the profile, in the same order.
    pub totals: &'a [i128],
    /// How often it was called, where that is known.
    pub calls: Option<u64>,
}

impl Row<'_> {
    /// One cost; what is missing at the end of a row is 0.
    fn cost(&self, event: usize) -> i128 {
        let cell = self.costs.get(event).copied().unwrap_or(0);
        if self.signed { i128::from(cell as i64) } else { i128::from(cell) }
    }
}

/// An event type to show: one of the file's, or derived.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name; the expression where it has none.
    pub name: String,
    /// In words.
    pub title: Option<String>,
    /// What a cost of 1 is: `ns`, `count`, `%`, `ns/call`.
    pub unit: String,
    /// What it is a number of.
    pub base: Unit,
    /// A cost of 1 is ten to this power of `base`.
    pub exponent: i8,
    /// How it is worked out, if it is derived.
    pub formula: Option<String>,
    pub(super) quantity: Quantity,
    pub(super) program: Program,
    pub(super) event: Option<usize>,
    /// Whether rows are ranked by it, whatever column comes first.
    pub(super) ranks: bool,
    /// Whether a good part of its costs is below zero, as in the difference of two profiles.
    pub(super) mixed: bool,
}

/// The place of the column that rows are ranked by: the default event type where nothing was chosen, else the first.
pub fn ranking(columns: &[Column]) -> usize {
    columns.iter().position(|column| column.ranks).unwrap_or(0)
}

impl Column {
    /// One of the profile's own.
    pub(super) fn own(index: usize, event: &EventType) -> Self {
        Self {
            name: event.name.clone(),
            title: event.title.clone(),
            unit: event.unit_label(),
            base: event.unit,
            exponent: event.exponent,
            formula: None,
            quantity: Quantity::of(event.unit, event.exponent),
            program: [Node::Event(index)].into(),
            event: Some(index),
            ranks: false,
            mixed: false,
        }
    }

    /// One that is worked out.
    pub(super) fn derived(name: &str, title: Option<String>, formula: String, compiled: Compiled) -> Self {
        let Compiled { program, quantity } = compiled;
        Self {
            name: name.to_owned(),
            title,
            unit: quantity.label(),
            base: quantity.base(),
            exponent: quantity.exponent(),
            formula: Some(formula),
            quantity,
            program,
            event: None,
            ranks: false,
            mixed: false,
        }
    }

    /// Whether costs are shares of the whole. Ratios do not add up to one, and neither do costs of both signs, so that
    /// they have no shares.
    pub fn adds_up(&self) -> bool {
        !self.mixed && !self.is_ratio()
    }

    /// Whether it is a ratio of costs, or of a cost and a number of calls.
    pub fn is_ratio(&self) -> bool {
        let by_number = |node: usize| matches!(self.program[node], Node::Number(_));
        let is_ratio = |node: &Node| match *node {
            Node::Calls | Node::Total(_) => true,
            Node::Binary(Operator::Divide, _, divisor) => !by_number(divisor),
            _ => false,
        };
        self.program.iter().any(is_ratio)
    }

    /// Whether a good part of its costs is below zero, as in the difference of two profiles. Rows are then ranked by
    /// the magnitude of their costs.
    pub fn is_mixed(&self) -> bool {
        self.mixed
    }

    /// Whether it has no value where calls are not counted.
    pub fn needs_calls(&self) -> bool {
        self.program.contains(&Node::Calls)
    }

    /// Notes whether any of the event types that it is made of has costs of both signs.
    pub(super) fn with_signs(mut self, mixed: &[bool]) -> Self {
        let is_mixed = |node: &Node| matches!(*node, Node::Event(event) if mixed.get(event) == Some(&true));
        self.mixed = self.program.iter().any(is_mixed);
        self
    }

    /// Its cost in a row.
    pub fn value(&self, row: &Row<'_>) -> Cost {
        match self.event {
            Some(index) => Cost::Exact(row.cost(index)),
            None => evaluate(&self.program, |event| row.cost(event), row.totals, row.calls).cost(),
        }
    }

    /// What a row is ranked by: its cost, or the magnitude of the cost where costs have both signs.
    pub fn rank(&self, row: &Row<'_>) -> Cost {
        self.ranked(self.value(row))
    }

    /// What a cost is ranked by.
    pub(crate) fn ranked(&self, cost: Cost) -> Cost {
        if self.mixed { cost.magnitude() } else { cost }
    }

    /// Its cost of the whole profile; absent where it depends on calls.
    pub fn total(&self, totals: &[i128]) -> Cost {
        let total = |event: usize| totals.get(event).copied().unwrap_or(0);
        match self.event {
            Some(index) => Cost::Exact(total(index)),
            None => evaluate(&self.program, total, totals, None).cost(),
        }
    }

    /// The index among the profile's event types, if it is one of them.
    pub fn event(&self) -> Option<usize> {
        self.event
    }
}
