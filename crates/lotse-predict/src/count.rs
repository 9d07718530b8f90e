//! Counts the integer points of a domain exactly, as a formula and as a number, without enumerating them.
//!
//! The points are summed from the innermost variable outwards (Pugh, "Counting solutions to Presburger formulas",
//! PLDI 1994). For one variable x with lower bounds l1, l2, … and upper bounds u1, u2, … the cases "li is the largest lower
//! bound and uj the smallest upper bound" are disjoint. In each case the sum of a polynomial over x = li, …, uj is a polynomial
//! of the other variables, and "li >= lk", "uj <= uk", "li <= uj" are constraints on them.
//!
//! ```text
//! sum over 0 <= i < N, i <= j < N of 1   =   sum over 0 <= i < N of (N - i)   =   N (N + 1) / 2
//! ```
//!
//! A bound `a x >= e` with a > 1 needs the quotient e / a. If e has an outer variable v whose factor is not a multiple of a, v is
//! replaced by m v' + r for r = 0, …, m - 1, and each r is a case of its own. Quotients of parameters alone become new
//! symbols of the formula, such as floor(N/32).
//!
//! ```text
//! 0 <= i < 10, 0 <= 2 x <= i:     i = 2 i' + r, r = 0 or 1:     x = 0, …, i' for i' = 0, …, 4, twice:  2 * 15 = 30 points
//! ```
//!
//! All parameters have values, and comparisons of parameters are decided by these values. The number is exact. The formula
//! is valid for all parameter values for which the same comparisons hold.

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
    #[error("the iterations fall into more than {0} cases")]
    TooManyCases(usize),
    /// A number grew beyond 128 bits.
    #[error(transparent)]
    Overflow(#[from] Overflow),
}

/// How often a statement is executed; an upper bound if the statement is marked `at_most`.
pub fn executions(instance: &Instance<'_>, statement: &ConcreteStatement) -> Result<Points, CountError> {
    points_of(instance, &statement.domain)
}

/// How many iterations a loop executes in total; an upper bound if the loop is marked `at_most`.
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
