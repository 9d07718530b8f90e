//! An event type to show, and its value for a row of costs.

use lotse_model::Unit;
use lotse_model::profile::EventType;

use super::Cost;
use super::compile::Compiled;
use super::expression::Operator;
use super::program::{Program, ProgramNode, evaluate};
use super::quantity::Quantity;

/// The input of a column's value: one row of costs.
#[derive(Debug, Clone, Copy)]
pub struct CostRow<'a> {
    /// Its costs, in the order of the profile's event types.
    pub costs: &'a [u64],
    /// Whether costs are signed (two's complement).
    pub signed: bool,
    /// The totals of the profile, in the same order.
    pub totals: &'a [i128],
    /// The number of calls, if known.
    pub calls: Option<u64>,
}

impl CostRow<'_> {
    /// The cost of an event type; 0 beyond the end of the row.
    fn cost(&self, event: usize) -> i128 {
        let cell = self.costs.get(event).copied().unwrap_or(0);
        if self.signed { i128::from(cell as i64) } else { i128::from(cell) }
    }
}

/// An event type to show: one of the file's, or derived.
#[derive(Debug, Clone)]
pub struct Column {
    /// The expression if it has no name.
    pub name: String,
    /// A description in words.
    pub title: Option<String>,
    /// The unit of a cost of 1: `ns`, `count`, `%`, `ns/call`.
    pub unit: String,
    /// The base unit, without a power of ten.
    pub base: Unit,
    /// A cost of 1 is ten to this power of `base`.
    pub exponent: i8,
    /// The expression, if it is derived.
    pub formula: Option<String>,
    pub(super) quantity: Quantity,
    pub(super) program: Program,
    pub(super) event: Option<usize>,
    /// Whether rows are ranked by it instead of by the first column.
    pub(super) ranks: bool,
    /// Whether a considerable part of its costs is negative, as in the difference of two profiles.
    pub(super) mixed: bool,
    /// Whether it depends on an event type that callers do not inherit.
    pub(super) self_only: bool,
}

/// What holds for each event type of a profile.
#[derive(Debug, Clone, Default)]
pub(super) struct EventTraits {
    /// Whether it has costs of both signs.
    pub(super) mixed: Vec<bool>,
    /// Whether callers do not inherit it.
    pub(super) self_only: Vec<bool>,
}

/// The index of the column that rows are ranked by: the default event type if none was chosen, else the first.
pub fn ranking(columns: &[Column]) -> usize {
    columns.iter().position(|column| column.ranks).unwrap_or(0)
}

impl Column {
    /// The same column, which ranks rows if it has this name.
    pub fn ranked_by(self, name: &str) -> Self {
        Self { ranks: self.name == name, ..self }
    }

    /// A column of one of the profile's event types.
    pub(super) fn own(index: usize, event: &EventType) -> Self {
        Self {
            name: event.name.clone(),
            title: event.title.clone(),
            unit: event.unit_label(),
            base: event.unit,
            exponent: event.exponent,
            formula: None,
            quantity: Quantity::new(event.unit, event.exponent),
            program: [ProgramNode::Event(index)].into(),
            event: Some(index),
            ranks: false,
            mixed: false,
            self_only: event.self_only,
        }
    }

    /// A column of a derived event type.
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
            self_only: false,
        }
    }

    /// Whether costs add up to the total, so that they have shares. Ratios do not, and neither do costs of both signs and
    /// formulas whose value for a sum is not the sum of their values, such as `Ir - 1000` and `max(Dr, Dw)`.
    pub fn adds_up(&self) -> bool {
        !self.mixed && !self.is_ratio() && self.is_linear()
    }

    /// Whether it is a sum of event types, each times a number.
    fn is_linear(&self) -> bool {
        // For every node whether it is a number (`Some(0)`), a sum of event types (`Some(1)`) or something else.
        let mut degrees: Vec<Option<u8>> = Vec::with_capacity(self.program.len());
        for node in &*self.program {
            degrees.push(match *node {
                ProgramNode::Number(_) => Some(0),
                ProgramNode::Event(_) => Some(1),
                ProgramNode::Total(_) | ProgramNode::Calls => None,
                ProgramNode::Negate(of) => degrees[of],
                ProgramNode::Binary(operator, left, right) => match (operator, degrees[left], degrees[right])
                {
                    (_, Some(0), Some(0)) => Some(0),
                    (Operator::Add | Operator::Subtract, Some(1), Some(1))
                    | (Operator::Multiply, Some(1), Some(0))
                    | (Operator::Multiply, Some(0), Some(1))
                    | (Operator::Divide, Some(1), Some(0)) => Some(1),
                    _ => None,
                },
            });
        }
        degrees.last() == Some(&Some(1))
    }

    /// Whether it is a ratio of costs, or of a cost and a number of calls.
    pub fn is_ratio(&self) -> bool {
        let by_number = |node: usize| matches!(self.program[node], ProgramNode::Number(_));
        let is_ratio = |node: &ProgramNode| match *node {
            ProgramNode::Calls | ProgramNode::Total(_) => true,
            ProgramNode::Binary(Operator::Divide, _, divisor) => !by_number(divisor),
            _ => false,
        };
        self.program.iter().any(is_ratio)
    }

    /// Whether a considerable part of its costs is negative, as in the difference of two profiles. Rows are then ranked
    /// by the magnitude of their costs.
    pub fn is_mixed(&self) -> bool {
        self.mixed
    }

    /// Whether its value depends on the number of calls, so that it has none where calls are not counted.
    pub fn needs_calls(&self) -> bool {
        self.program.contains(&ProgramNode::Calls)
    }

    /// Sets what holds for any of the event types that it is computed from.
    pub(super) fn with_traits(mut self, traits: &EventTraits) -> Self {
        let any = |flags: &[bool]| {
            let is_set = |node: &ProgramNode| matches!(*node, ProgramNode::Event(event) if flags.get(event) == Some(&true));
            self.program.iter().any(is_set)
        };
        let (mixed, self_only) = (any(&traits.mixed), any(&traits.self_only));
        let inherited: Vec<bool> = traits.self_only.iter().map(|self_only| !self_only).collect();
        // Inclusive time per call is a cost of the function itself.
        let is_per_call = self.is_ratio() && any(&inherited);
        (self.mixed, self.self_only) = (mixed, self_only && !is_per_call);
        self
    }

    /// Whether functions have inclusive costs of it.
    pub fn has_inclusive(&self) -> bool {
        !self.self_only
    }

    /// Its inclusive cost in a row of inclusive costs; absent if callers do not inherit it.
    pub fn inclusive_value(&self, row: &CostRow<'_>) -> Cost {
        if self.self_only { Cost::ABSENT } else { self.value(row) }
    }

    /// Its inclusive cost in a row of inclusive costs that are only bounds; absent unless it is a bound of the same kind.
    pub(crate) fn bound_value(&self, row: &CostRow<'_>) -> Cost {
        if self.keeps_bounds() { self.inclusive_value(row) } else { Cost::ABSENT }
    }

    /// Whether a bound of each cost gives a bound of the value: not for ratios and differences of costs.
    fn keeps_bounds(&self) -> bool {
        // For every node whether it is a positive number (`Some(false)`), is never negative and grows with the costs
        // (`Some(true)`), or may do something else.
        let mut grows: Vec<Option<bool>> = Vec::with_capacity(self.program.len());
        for node in &*self.program {
            grows.push(match *node {
                ProgramNode::Number(number) => (number.cost().as_f64() > 0.0).then_some(false),
                ProgramNode::Event(_) => Some(true),
                ProgramNode::Total(_) | ProgramNode::Calls => Some(false),
                ProgramNode::Negate(_) => None,
                ProgramNode::Binary(operator, left, right) => match (operator, grows[left], grows[right]) {
                    (Operator::Divide, left, Some(false)) => left,
                    (Operator::Subtract | Operator::Divide, ..) => None,
                    (_, Some(left), Some(right)) => Some(left || right),
                    _ => None,
                },
            });
        }
        grows.last() == Some(&Some(true))
    }

    /// Its cost in a row.
    pub fn value(&self, row: &CostRow<'_>) -> Cost {
        match self.event {
            Some(index) => Cost::Exact(row.cost(index)),
            None => evaluate(&self.program, |event| row.cost(event), row.totals, row.calls).cost(),
        }
    }

    /// The sort key of a row: its cost, or the magnitude of the cost if costs have both signs.
    pub fn rank(&self, row: &CostRow<'_>) -> Cost {
        self.rank_of_cost(self.value(row))
    }

    /// The sort key of a cost.
    pub(crate) fn rank_of_cost(&self, cost: Cost) -> Cost {
        if self.mixed { cost.magnitude() } else { cost }
    }

    /// Its cost of the whole profile; absent if it depends on calls.
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
