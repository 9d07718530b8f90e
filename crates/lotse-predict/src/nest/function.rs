//! A function as a tree of loops, branches and statements.

use super::{Array, Expr, OperationKind, Statement, Symbol, Symbols};

/// A position in the source. Lines and columns count from 1; 0 means unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SourcePosition {
    pub line: u32,
    pub column: u32,
}

/// A part of the source that could not be analysed, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub place: SourcePosition,
    /// A phrase that could follow "because".
    pub reason: String,
    pub part: RefusedPart,
}

/// The kind of code that a refusal excludes from the analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RefusedPart {
    /// A loop including its body.
    Loop,
    /// A function call.
    Call,
    /// A statement, a part of one, or a reason why a time is only a bound.
    #[default]
    Other,
}

/// One function of the source.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Function {
    pub name: String,
    pub place: SourcePosition,
    /// Parameters and loop variables.
    pub symbols: Symbols,
    /// Values of parameters that the source defines, for example by a macro; the user may override them.
    pub defaults: Vec<(Symbol, i64)>,
    /// What the front end assumes because the source does not state it, as sentences.
    pub assumptions: Vec<String>,
    /// Arrays that the function accesses.
    pub arrays: Vec<Array>,
    pub body: Vec<Node>,
}

/// A node of a function's tree.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    Loop(Loop),
    Statement(Statement),
    Branch(Branch),
    /// Code that the front end does not understand. No analysis covers its time.
    Refused(Refusal),
}

/// A counting loop: `variable` takes the values `first`, `first ± step`, … until it reaches or passes `limit`.
#[derive(Debug, Clone, PartialEq)]
pub struct Loop {
    pub place: SourcePosition,
    pub variable: Symbol,
    pub first: Expr,
    /// Exclusive: the loop runs while `variable < limit`, or `variable > limit` if it counts down.
    pub limit: Expr,
    /// The distance between two consecutive values; positive for both directions.
    pub step: Expr,
    pub direction: Direction,
    /// Statements such as `break` and `return` that may end the loop before `limit`; empty if there are none.
    pub early_exits: Vec<Refusal>,
    pub body: Vec<Node>,
}

/// Whether a loop variable counts up or down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The loop runs while `variable < limit`.
    Up,
    /// The loop runs while `variable > limit`.
    Down,
}

/// A choice between two lists of nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    pub place: SourcePosition,
    pub condition: Condition,
    /// Executed if the condition holds.
    pub then: Vec<Node>,
    /// Executed if it does not hold.
    pub otherwise: Vec<Node>,
}

/// When a branch is taken.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// All of these expressions are at least 0.
    AllNonNegative(Vec<Expr>),
    /// The condition depends on data; the reason names the data.
    Unknown(Refusal),
}

impl Function {
    /// Records an assumption that the answer will list, unless it is already recorded.
    pub(crate) fn assume(&mut self, assumption: String) {
        if !self.assumptions.contains(&assumption) {
            self.assumptions.push(assumption);
        }
    }

    /// Removes the last node, a branch that returns from the function outside of loops, and records the assumption that it does not
    /// return. Gives `false` and keeps the branch if `is_at_top_level` and the condition is known from the parameters: then both
    /// sides can be counted.
    pub(crate) fn assume_no_return(&mut self, nodes: &mut Vec<Node>, is_at_top_level: bool) -> bool {
        let Some(Node::Branch(branch)) = nodes.last() else { return false };
        if is_at_top_level && matches!(branch.condition, Condition::AllNonNegative(_)) {
            return false;
        }
        self.assume(format!("it does not return at line {}", branch.place.line));
        nodes.pop();
        true
    }

    /// The operation that a compiler uses for an integer division or remainder by this divisor: a shift for a known power of two,
    /// a multiplication for any other known number, else `division`.
    pub(crate) fn division_by(&self, divisor: &Expr, division: OperationKind) -> OperationKind {
        let value = match divisor {
            Expr::Constant(value) => Some(*value),
            Expr::Symbol(symbol) => {
                self.defaults.iter().find(|(known, _)| known == symbol).map(|(_, value)| *value)
            }
            _ => None,
        };
        match value {
            Some(value) if value > 0 && value & (value - 1) == 0 => OperationKind::Bits,
            Some(_) => OperationKind::Multiply,
            None => division,
        }
    }
}

impl Loop {
    /// An ascending loop with step 1 from `first` to `limit - 1`.
    pub fn counting(variable: Symbol, first: Expr, limit: Expr, body: Vec<Node>) -> Self {
        let (step, direction) = (Expr::Constant(1), Direction::Up);
        let (place, early_exits) = (SourcePosition::default(), Vec::new());
        Self { place, variable, first, limit, step, direction, early_exits, body }
    }
}
