//! The content of the repository, read once for all checks.
//!
//! It contains the files that git tracks and new files that are not ignored, so that new files are checked before they are
//! committed.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use crate::Error;
use crate::programs::output_of;
use crate::source::RustSource;
use crate::workspace::{self, Crate};

/// The folders of Rust code that is checked; fuzz targets are a separate workspace.
const RUST_FOLDERS: &[&str] = &["crates/", "runtime/", "xtask/", "benchmarks/", "examples/"];

/// The files, Rust sources and crates of the repository.
#[derive(Debug)]
pub struct Repository {
    /// Each file by its path from the root; `None` for files that are not UTF-8.
    pub(crate) files: BTreeMap<String, Option<String>>,
    pub(crate) sources: Vec<RustSource>,
    pub(crate) crates: Vec<Crate>,
}

impl Repository {
    /// Reads the repository at `root`.
    pub fn load(root: &Path) -> Result<Self, Error> {
        let line = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let listing = output_of(root, &line)?;
        let listing = String::from_utf8_lossy(&listing);
        let mut files = BTreeMap::new();
        for path in listing.split('\0').filter(|path| !path.is_empty()) {
            if let Some(bytes) = read_if_present(&root.join(path))? {
                files.insert(path.to_owned(), String::from_utf8(bytes).ok());
            }
        }
        Ok(Self::new(files, workspace::load(root)?))
    }

    fn new(files: BTreeMap<String, Option<String>>, crates: Vec<Crate>) -> Self {
        let is_ours = |path: &str| RUST_FOLDERS.iter().any(|folder| path.starts_with(folder));
        let sources = files
            .iter()
            .filter(|(path, _)| path.ends_with(".rs") && is_ours(path))
            .filter_map(|(path, text)| Some(RustSource::new(path, text.as_deref()?)))
            .collect();
        Self { files, sources, crates }
    }

    /// All text files, with their paths.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|(path, text)| Some((path.as_str(), text.as_deref()?)))
    }

    /// Whether there is a file or a non-empty folder with this path.
    pub(crate) fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        path.is_empty() || self.files.contains_key(path) || self.under(path).next().is_some()
    }

    /// The paths of all files in a folder and its subfolders.
    pub(crate) fn under(&self, folder: &str) -> impl Iterator<Item = &str> {
        let start = format!("{}/", folder.trim_end_matches('/'));
        let paths = self.files.range(start.clone()..).map(|(path, _)| path.as_str());
        paths.take_while(move |path| path.starts_with(&start))
    }

    /// The Rust source with this path.
    pub(crate) fn source(&self, path: &str) -> Option<&RustSource> {
        self.sources.iter().find(|source| source.path == path)
    }
}

/// The bytes of a file. `None` for a tracked file that was deleted, or a link to a folder or to nothing.
fn read_if_present(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::IsADirectory) => {
            Ok(None)
        }
        Err(source) => Err(Error::File { path: path.to_owned(), source }),
    }
}

#[cfg(test)]
impl Repository {
    /// A synthetic repository without crates.
    pub(crate) fn from_files(files: &[(&str, &str)]) -> Self {
        Self::with_crates(files, Vec::new())
    }

    /// A synthetic repository.
    pub(crate) fn with_crates(files: &[(&str, &str)], crates: Vec<Crate>) -> Self {
        let owned = files.iter().map(|(path, text)| ((*path).to_owned(), Some((*text).to_owned())));
        Self::new(owned.collect(), crates)
    }
}

#[cfg(test)]
mod tests {
    use super::Repository;

    #[test]
    fn folders_exist_through_their_files() {
        let repository = Repository::from_files(&[("docs/a/b.md", ""), ("docs/a.md", "")]);
        assert!(repository.has("docs/a") && repository.has("docs/a/") && repository.has("docs/a/b.md"));
        assert!(!repository.has("docs/a/c.md") && !repository.has("doc"));
        assert_eq!(repository.under("docs/a").collect::<Vec<_>>(), ["docs/a/b.md"]);
    }

    #[test]
    fn only_our_own_rust_files_are_sources() {
        let repository =
            Repository::from_files(&[("crates/a/src/lib.rs", ""), ("fuzz/b.rs", ""), ("docs/c.md", "")]);
        assert!(repository.source("crates/a/src/lib.rs").is_some());
        assert_eq!(repository.sources.len(), 1);
    }
}
