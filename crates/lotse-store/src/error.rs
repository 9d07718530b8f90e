//! Why a history cannot be read or written.

use std::path::PathBuf;

/// Why a history cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no such file.
    #[error("there is no history at `{}`", path.display())]
    Absent {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// Its folder cannot be created.
    #[error("cannot create `{}`", path.display())]
    Folder { path: PathBuf, source: std::io::Error },
    /// An operation of the database failed.
    #[error("history `{}`: cannot {doing}", path.display())]
    Database { path: PathBuf, doing: &'static str, source: rusqlite::Error },
    /// A newer Lotse wrote it.
    #[error("history `{}` was written by a newer Lotse (version {found} of its tables; this one knows {known})", path.display())]
    Newer {
        path: PathBuf,
        /// The version of its tables.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// It is a database of another application.
    #[error("`{}` is a database, but no history of Lotse", path.display())]
    Foreign { path: PathBuf },
    /// No result has that number.
    #[error("history `{}` has no result {id}", path.display())]
    NoResult { path: PathBuf, id: i64 },
    /// A row has invalid content.
    #[error("history `{}`, result {id}: {problem}", path.display())]
    Damaged { path: PathBuf, id: i64, problem: String },
}
