//! The history of benchmark results in one file: an embedded SQLite database that any tool can read.
//!
//! A result is stored as its original file (compressed) and as one row per program and metric, so that a long history can
//! be read without opening the result files. This crate only stores; it does not evaluate results.

mod entry;
mod error;
mod schema;
mod store;

pub use entry::{MetricPoint, NewResult, ResultFile, ResultId, SourceOrigin, StoredResult};
pub use error::StoreError;
pub use store::Store;
