//! A function with parameter values: iteration domains and byte addresses as linear forms.
//!
//! ```text
//! nest::Function + Values ──> Instance: loops, statements and touched bytes, each with the Domain it is executed on
//!                                 a Domain is a list of variables and linear forms that must all be >= 0
//! ```
//!
//! Steps become factors (`i = first + step * t`). Floor divisions and remainders become auxiliary variables with exactly
//! one value (`2 q <= i <= 2 q + 1`). Bounds with several cases (`max` in an upper bound) become several disjoint domains.
//! Parameters stay symbolic in the constant part of a form, so that counts can be written as formulas; where a parameter
//! multiplies a loop variable, its value is used.
//!
//! ```text
//! for (i = 0; i < N; i += 3) a[2*i] = 0;      i = 3 t, domain { t >= 0, N - 3 t - 1 >= 0 }, address 8 * 2 * 3 t = 48 t
//! ```

mod domain;
mod error;
mod instance;
mod linear;
mod lower;
mod node;
mod number;
mod scattered;
mod system;
mod values;

pub(crate) use domain::Domain;
pub use error::ConcreteError;
pub use instance::Instance;
pub(crate) use linear::Linear;
pub use node::{ConcreteLoop, ConcreteNode, ConcreteStatement, Scattered, Touch};
pub(crate) use system::System;
pub use values::Values;
