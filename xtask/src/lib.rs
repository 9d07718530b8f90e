//! The checks of the repository, for `cargo xtask` and for tests.
//!
//! [`Repository::load`] reads all files; every check is a pure function of the result, so that it can be tested on a small
//! synthetic repository. Nothing here prints; the commands of the binary do.

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
