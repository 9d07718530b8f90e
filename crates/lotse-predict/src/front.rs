//! Front ends: source text into [`crate::nest::Function`]s, one for each function of the source.
//!
//! A front end never fails as a whole. What it does not understand becomes a refusal with line and reason, in the place in
//! the tree where it stands.

pub mod c;
mod reason;
pub mod rust;
