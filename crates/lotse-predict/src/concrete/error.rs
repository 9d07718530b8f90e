//! Why a function with values could not be turned into linear forms.

use crate::algebra::Overflow;

/// Why a bound or a subscript is not a linear form. The message has no source position; the caller adds it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConcreteError {
    /// A parameter without a value.
    #[error("{0} has no value; give one with -D {0}=…")]
    NoValue(String),
    /// Two loop variables are multiplied, or a divisor is not a constant.
    #[error("{0} is not an affine function of the loop variables")]
    NotAffine(String),
    /// A step or divisor that is not positive.
    #[error("{0} must be positive, but is {1}")]
    NotPositive(String, i128),
    /// Minimum and maximum are nested so deeply that there are too many cases.
    #[error("the bounds have more than {0} cases")]
    TooManyCases(usize),
    /// A number grew beyond 128 bits.
    #[error(transparent)]
    Overflow(#[from] Overflow),
}
