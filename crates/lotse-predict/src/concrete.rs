//! A function with values for its parameters: iteration domains and byte addresses as linear forms.
//!
//! ```text
//! nest::Function + Values ──> Instance: loops, statements and touched bytes, each with the Domain it is executed on
//!                                 a Domain is a list of variables and linear forms that must all be >= 0
//! ```
//!
//! Steps become factors (`i = first + step * t`), floor divisions and remainders become auxiliary variables with exactly
//! one value (`2 q <= i <= 2 q + 1`), and bounds with several cases (`max` in an upper bound) become several disjoint
//! domains. Parameters stay symbolic in the constant part of a form, so that counts can be written as formulas; where a
//! parameter multiplies a loop variable, its value is used.

mod domain;
mod error;
mod instance;
mod item;
mod linear;
mod lower;
mod number;
mod scattered;
mod system;
mod values;

pub(crate) use domain::Domain;
pub use error::ConcreteError;
pub use instance::Instance;
pub use item::{ConcreteLoop, ConcreteStatement, Item, Scattered, Touch};
pub(crate) use linear::Linear;
pub(crate) use system::System;
pub use values::Values;
