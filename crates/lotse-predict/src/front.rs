//! Front ends translate source text into [`crate::nest::Function`]s, one for each function of the source.
//!
//! A front end fails only if the source cannot be parsed. Code that it does not understand becomes a refusal with line and reason at
//! its position in the tree.

pub mod c;
mod reason;
pub mod rust;
