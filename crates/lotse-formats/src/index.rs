//! The side-car index of a profile: a file with the profile's columns as they are in memory.
//!
//! One function describes the layout for both directions. It visits the fields in order; a [`ColumnWriter`] writes each
//! field that it visits, a [`ColumnReader`] replaces the field by what it reads:
//!
//! ```text
//! fn visit(columns: &mut impl ColumnVisitor, event: &mut EventType) {
//!     columns.text(&mut event.name)?;        // writer: writes the name    reader: sets the name
//!     columns.number(&mut event.scale)       // writer: writes the scale   reader: sets the scale
//! }
//! ```
//!
//! The head (names, functions, event types, parts without their costs) can be read without the rest, so that a list of
//! functions is available quickly.
//!
//! Guarantees: an index of another version, byte order or file is refused, and so is one whose columns do not fit
//! together; a length read from the index never allocates more memory than the file has bytes.

mod columns;
mod head;
mod rest;

pub use columns::{ColumnReader, ColumnVisitor, ColumnWriter, IndexError, visit_costs};
pub use head::visit_head;
pub use rest::{visit_rest, write_rest};

/// Increased whenever the layout changes, or the costs that are stored.
pub const VERSION: u64 = 11;

/// The first bytes. Read as a number, they also show the byte order.
pub const MAGIC: u64 = u64::from_le_bytes(*b"lotseidx");

#[cfg(test)]
mod tests;
