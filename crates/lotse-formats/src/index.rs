//! The side-car index: a profile as columns that lie in the file as they lie in memory.
//!
//! One walk over the profile serves both directions: [`Save`] writes each column, [`Load`] reads it back. The
//! head (names, functions, event types, parts without their costs) can be read without the rest, so that a list of
//! functions is there at once.
//!
//! Promises: an index of another version, byte order or file is refused, as is one whose columns do not fit; a
//! length found in it never makes more memory than the file has bytes.

mod columns;
mod head;
mod rest;

pub use columns::{Columns, IndexError, Load, Save, costs};
pub use head::head;
pub use rest::rest;

/// Raised when anything about the layout or the costs that are kept changes.
pub const VERSION: u64 = 8;

/// The first bytes; read as a number they also tell the byte order.
pub const MAGIC: u64 = u64::from_le_bytes(*b"lotseidx");

#[cfg(test)]
mod tests;
