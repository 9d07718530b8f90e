//! Numbers in, numbers out: the statistics behind Lotse's answers.
//!
//! Every function is pure: it takes slices of numbers and gives back numbers or
//! a [`StatsError`]. Nothing here reads files, starts processes, asks the clock
//! or prints, and nothing gives back NaN: input without an answer (empty, too
//! short, constant, not finite) is a typed error instead.

pub mod error;
pub mod walsh;

pub use error::StatsError;
