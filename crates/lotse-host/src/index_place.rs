//! The index of a file in the cache, and whether the file is still the same.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lotse_model::bytes::Source as _;

use crate::cache::Cache;
use crate::source::{FileError, FileSource, FileStamp};

/// The path of a file's index, and the stamp that tells whether the index is up to date.
#[derive(Debug, Clone)]
pub struct IndexPlace {
    cache: Cache,
    path: PathBuf,
    original: String,
    stamp: [u64; 3],
}

impl IndexPlace {
    /// The place of a file's index in a cache; `None` for files below `worth_from` bytes and for those without a path.
    pub fn new(source: &FileSource, cache: &Cache, worth_from: usize) -> Option<Self> {
        let FileStamp { size, modified } = source.stamp()?;
        let bytes = source.bytes();
        if bytes.len() < worth_from {
            return None;
        }
        let (path, original) = cache.place(Path::new(source.name()))?;
        let original = original.to_string_lossy().into_owned();
        Some(Self { cache: cache.clone(), path, original, stamp: [size, modified, sample(bytes)] })
    }

    /// The path of the index, whether it exists or not.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file's full path.
    pub fn original(&self) -> &str {
        &self.original
    }

    /// Size, modification time and a hash of some bytes. If they are equal, the file is taken to be unchanged.
    pub fn stamp(&self) -> [u64; 3] {
        self.stamp
    }

    /// Writes the index and keeps the cache within its limit.
    pub fn put(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), FileError> {
        self.cache.put(&self.path, write)
    }
}

/// A number that changes when the running program is rebuilt, since another version may compute another result. `None` if
/// the program's file is not known.
pub fn program_stamp() -> Option<u64> {
    let FileStamp { size, modified } = FileSource::open(&std::env::current_exe().ok()?).ok()?.stamp()?;
    let numbers = [size.to_ne_bytes(), modified.to_ne_bytes()];
    Some(crate::cache::hash(numbers.as_flattened()))
}

/// A hash of bytes from the beginning, the middle and the end.
fn sample(bytes: &[u8]) -> u64 {
    const BLOCK: usize = 4096;
    let starts = [0, bytes.len() / 2, bytes.len().saturating_sub(BLOCK)];
    let blocks = starts.map(|start| &bytes[start..(start + BLOCK).min(bytes.len())]);
    crate::cache::hash(&blocks.concat())
}
