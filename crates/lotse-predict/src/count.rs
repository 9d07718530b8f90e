//! How many integer points a domain has, exactly, as a formula and as a number, without visiting them.
//!
//! The points are summed from the innermost variable outwards (Pugh, "Counting solutions to Presburger formulas",
//! PLDI 1994). For one variable x with lower bounds l1, l2, … and upper bounds u1, u2, … the cases "li is the largest lower
//! bound and uj the smallest upper bound" are disjoint; in each, the sum of a polynomial over x = li, …, uj is a polynomial
//! of the other variables, and "li >= lk", "uj <= uk", "li <= uj" are constraints of the others.
//!
//! ```text
//! sum over 0 <= i < N, i <= j < N of 1   =   sum over 0 <= i < N of (N - i)   =   N (N + 1) / 2
//! ```
//!
//! A bound `a x >= e` with a > 1 needs the quotient of e. If e has an outer variable v whose factor a does not divide, v is
//! written as m v' + r for r = 0, …, m - 1, and each r is a case of its own. Quotients of parameters alone become new
//! symbols of the formula, such as floor(N/32).
//!
//! Parameters have values throughout, and comparisons of parameters are decided by them. The number is exact; the formula
//! is that of the regime in which these values lie.

mod bounds;
mod counter;
mod points;

use std::collections::BTreeMap;

pub use points::{Points, Quotient};

use crate::algebra::Overflow;
use crate::concrete::{ConcreteLoop, ConcreteStatement, Domain, Instance};
use crate::nest::Symbol;

/// Why points could not be counted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CountError {
    /// A variable has no lower or no upper bound.
    #[error("a loop has no bound")]
    Unbounded,
    /// More cases than allowed.
    #[error("the iterations fall into more than {0} cases")]
    TooManyCases(usize),
    /// A number grew beyond 128 bits.
    #[error(transparent)]
    Overflow(#[from] Overflow),
}

/// How often a statement is executed; an upper bound if it is `at_most`.
pub fn executions(instance: &Instance<'_>, statement: &ConcreteStatement) -> Result<Points, CountError> {
    points_of(instance, &statement.domain)
}

/// How many iterations a loop has in all; an upper bound if it is `at_most`.
pub fn iterations(instance: &Instance<'_>, counted: &ConcreteLoop) -> Result<Points, CountError> {
    points_of(instance, &counted.domain)
}

/// The number of points of a domain of this instance.
pub(crate) fn points_of(instance: &Instance<'_>, domain: &Domain) -> Result<Points, CountError> {
    let values = instance.values.iter().map(|(symbol, value)| (symbol, i128::from(value)));
    points(domain, values.collect(), instance.free)
}

/// The number of points of a domain whose parameters have these values; `free` is the first unused symbol.
pub(crate) fn points(
    domain: &Domain,
    values: BTreeMap<Symbol, i128>,
    free: Symbol,
) -> Result<Points, CountError> {
    counter::Counter::new(values, free).count(domain)
}

#[cfg(test)]
mod tests;
