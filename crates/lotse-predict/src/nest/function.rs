//! A function as a tree of loops, branches and statements.

use super::{Array, Expr, OperationKind, Statement, Symbol, Symbols};

/// A place in the source: line and column count from 1, 0 where nothing is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Place {
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
}

/// Something that could not be expressed, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Where.
    pub place: Place,
    /// Why, as a phrase that follows "because".
    pub reason: String,
    /// What is not covered.
    pub part: RefusedPart,
}

/// What is not covered by an analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RefusedPart {
    /// A whole loop with all that is in it.
    Loop,
    /// A call of a function.
    Call,
    /// A statement, a part of one, or a reason that bounds the rest.
    #[default]
    Other,
}

/// One function of the source.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where it begins.
    pub place: Place,
    /// Names of parameters and loop variables.
    pub symbols: Symbols,
    /// Values that the source gives to parameters, such as those of macros; a user may choose others.
    pub defaults: Vec<(Symbol, i64)>,
    /// What the front end assumes because the source does not say it, as sentences.
    pub assumptions: Vec<String>,
    /// Arrays that it touches.
    pub arrays: Vec<Array>,
    /// What it does, in order.
    pub body: Vec<Node>,
}

/// A part of a function.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// A loop with bounds.
    Loop(Loop),
    /// A statement.
    Statement(Statement),
    /// One of two lists of nodes.
    Branch(Branch),
    /// A part that was not understood. Its time is not covered by any analysis.
    Refused(Refusal),
}

/// A loop that counts: `variable` takes the values `first`, `first ± step`, … before it reaches `limit`.
#[derive(Debug, Clone, PartialEq)]
pub struct Loop {
    /// Where it is.
    pub place: Place,
    /// The variable.
    pub variable: Symbol,
    /// Its first value.
    pub first: Expr,
    /// The first value that it does not take, in the direction of the loop.
    pub limit: Expr,
    /// The distance between two values, positive.
    pub step: Expr,
    /// Whether values grow.
    pub direction: Direction,
    /// Why fewer iterations than these may be executed (`break`, `return`), with the place; empty if all are.
    pub early_exits: Vec<Refusal>,
    /// What every iteration does.
    pub body: Vec<Node>,
}

/// Whether the values of a loop variable grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// They grow; the loop runs while `variable < limit`.
    Up,
    /// They fall; the loop runs while `variable > limit`.
    Down,
}

/// A choice between two lists of nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// Where it is.
    pub place: Place,
    /// When `then` is executed.
    pub condition: Condition,
    /// What is executed if the condition holds.
    pub then: Vec<Node>,
    /// What is executed otherwise.
    pub otherwise: Vec<Node>,
}

/// When a branch is taken.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// All of these are at least 0.
    AllNonNegative(Vec<Expr>),
    /// It depends on data; the reason says on which.
    Unknown(Refusal),
}

impl Function {
    /// Keeps something that the answer rests on and says.
    pub(crate) fn assume(&mut self, assumption: String) {
        if !self.assumptions.contains(&assumption) {
            self.assumptions.push(assumption);
        }
    }

    /// Takes a branch that was just made, and that returns outside of loops, not to do so. Not where values that are known before
    /// decide about the whole body: then it is counted.
    pub(crate) fn assume_no_return(&mut self, nodes: &mut Vec<Node>, is_whole_body: bool) -> bool {
        let Some(Node::Branch(branch)) = nodes.last() else { return false };
        if is_whole_body && matches!(branch.condition, Condition::AllNonNegative(_)) {
            return false;
        }
        self.assume(format!("it does not return at line {}", branch.place.line));
        nodes.pop();
        true
    }

    /// What division or remainder of integers by this divisor becomes: compilers multiply or shift where they know it.
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
        let (place, early_exits) = (Place::default(), Vec::new());
        Self { place, variable, first, limit, step, direction, early_exits, body }
    }
}
