//! Packages of measurements: an archive of files, the system files that they need, and unpacking of untrusted archives.

mod archive;
mod digest;
mod needs;

use std::path::PathBuf;

pub use archive::{unpack, write};
pub use digest::{PackedFile, copied_file, digest, packed_file};
pub use needs::{Need, libraries, need};

/// Why a package cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    #[error("cannot {doing} `{}`", path.display())]
    File { doing: &'static str, path: PathBuf, source: std::io::Error },
    /// The archive contains something that is not allowed in a package.
    #[error("`{}` is no package of Lotse: {problem}", path.display())]
    Foreign { path: PathBuf, problem: String },
}

impl PackageError {
    fn file(doing: &'static str, path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::File { doing, path, source }
    }
}
