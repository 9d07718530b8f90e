//! Exact arithmetic: rational numbers and polynomials with rational coefficients.
//!
//! Counts of iterations are polynomials such as N^2/2 + N/2, so the coefficients are rational although every count is an integer.
//! Numbers have 128 bits; a result that does not fit is the error [`Overflow`], never a wrapped value.

mod polynomial;
mod power_sum;
mod rational;

pub use polynomial::Polynomial;
pub(crate) use power_sum::sum_between;
pub use rational::Rational;
pub(crate) use rational::gcd;

/// A number grew beyond 128 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a count does not fit into 128 bits")]
pub struct Overflow;
