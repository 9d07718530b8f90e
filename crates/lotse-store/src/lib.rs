//! History of results in one file: an embedded SQLite database that any tool can read.
//!
//! A result is kept as the file it was (packed), and beside it one row for each program and metric, so that a history of
//! years is read without opening the results. Nothing here decides anything.

mod entry;
mod error;
mod schema;
mod store;

pub use entry::{StoredResult, NewResult, SourceOrigin, MetricPoint, ResultFile, ResultId};
pub use error::StoreError;
pub use store::Store;
