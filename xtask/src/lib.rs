//! What `cargo xtask` and the repository's own tests know about the repository.
//!
//! [`Repository::load`] does all reading; every check is a pure function over what it read, so each can be
//! tried on a made-up repository of a few lines. Nothing here prints: the commands of the binary do.

pub mod checks;
mod complaint;
mod error;
pub mod licences;
mod markdown;
mod measure;
pub mod programs;
mod repository;
mod source;
mod workspace;

pub use complaint::Complaint;
pub use error::Error;
pub use measure::{CodeMeasure, Quantiles};
pub use repository::Repository;
