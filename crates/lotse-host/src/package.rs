//! Packages of measurements: an archive of files, what they need of the system, and unpacking that trusts nothing.

mod archive;
mod digest;
mod needs;

use std::path::PathBuf;

pub use archive::{unpack, write};
pub use digest::{PackedFile, digest, packed_file};
pub use needs::{Need, libraries, need};

/// Why a package cannot be made or read.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// A file refused.
    #[error("cannot {doing} `{}`", path.display())]
    File {
        /// What was being done.
        doing: &'static str,
        /// To which file.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
    /// The archive holds something that a package does not.
    #[error("`{}` is no package of Lotse: {problem}", path.display())]
    Foreign {
        /// The archive.
        path: PathBuf,
        /// What is in it.
        problem: String,
    },
}

impl PackageError {
    fn file(doing: &'static str, path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::File { doing, path, source }
    }
}
