//! Errors that prevent the checks from running.

use std::io;
use std::path::PathBuf;

/// Why the checks could not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No folder from here upwards is the repository.
    #[error("no folder from {start} upwards holds xtask/Cargo.toml: start this inside the repository")]
    NoRepository {
        /// Where the search began.
        start: PathBuf,
    },
    /// A file or folder could not be read or made.
    #[error("cannot use {path}")]
    File { path: PathBuf, source: io::Error },
    /// A program could not be started.
    #[error("cannot start {program}: is it installed?")]
    Start { program: String, source: io::Error },
    /// A program whose answer was needed failed.
    #[error("{program} failed: {stderr}")]
    Failed {
        /// The command line.
        program: String,
        stderr: String,
    },
    /// The answer of `cargo metadata` had another shape than expected.
    #[error("cannot understand the answer of cargo metadata")]
    Metadata(#[from] serde_json::Error),
}
