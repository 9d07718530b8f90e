//! Where what is made of a file is kept, and whether the file is still the same.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lotse_model::bytes::Source as _;

use crate::cache::Cache;
use crate::source::{FileError, FileSource, FileStamp};

/// Where the index of a file lies, and what the file must be like.
#[derive(Debug, Clone)]
pub struct IndexPlace {
    cache: Cache,
    path: PathBuf,
    original: String,
    stamp: [u64; 3],
}

impl IndexPlace {
    /// The place of a file's index in a cache; `None` for a file of fewer bytes than an index is worth, or without a path.
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

    /// Where the index is or would be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file's full path.
    pub fn original(&self) -> &str {
        &self.original
    }

    /// Size, time of change and a sample of the bytes: if they are the same, so is the file.
    pub fn stamp(&self) -> [u64; 3] {
        self.stamp
    }

    /// Writes the index, and keeps the cache below its limit.
    pub fn put(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), FileError> {
        self.cache.put(&self.path, write)
    }
}

/// A number that changes when the running program is built anew: what it computed before may be computed otherwise now.
/// Nothing where the program's file is not known.
pub fn program_stamp() -> Option<u64> {
    let FileStamp { size, modified } = FileSource::open(&std::env::current_exe().ok()?).ok()?.stamp()?;
    let numbers = [size.to_ne_bytes(), modified.to_ne_bytes()];
    Some(crate::cache::hash(numbers.as_flattened()))
}

/// A number that changes when the beginning, the middle or the end does.
fn sample(bytes: &[u8]) -> u64 {
    const BLOCK: usize = 4096;
    let starts = [0, bytes.len() / 2, bytes.len().saturating_sub(BLOCK)];
    let blocks = starts.map(|start| &bytes[start..(start + BLOCK).min(bytes.len())]);
    crate::cache::hash(&blocks.concat())
}
