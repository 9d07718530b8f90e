//! Moves the heaps of programs: writes the shared object of `lotse-heap` to a file and sets the variables that make a program load it.
//!
//! Child processes inherit the variables, so that the programs of a script are moved too. A user's own `LD_PRELOAD` is preserved.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use memmap2::MmapOptions;
use tempfile::TempPath;

use crate::cache::{self, Cache};
use crate::job::Job;
use crate::source::FileSink;

mod loadable;

pub use loadable::{Unmovable, unmovable};

const PRELOAD: &str = "LD_PRELOAD";

/// Why programs cannot load the shared object.
#[derive(Debug, thiserror::Error)]
pub enum HeapShimError {
    /// There is no shared object for this platform.
    #[error("Lotse can move heaps on Linux on x86-64 and aarch64 only")]
    Unsupported,
    /// No directory is suitable for the file.
    #[error(
        "there is no folder to load a shared object from: {problem}; let TMPDIR name one that is not mounted noexec"
    )]
    NoPlace {
        /// The problem with the last directory that was tried.
        problem: String,
    },
}

/// The shared object as a file that programs can load.
#[derive(Debug)]
pub struct HeapShim {
    path: PathBuf,
    /// Deleted when dropped, unless the object is in the user's cache.
    _temporary: Option<TempPath>,
}

impl HeapShim {
    /// Writes the shared object to the user's cache, else to a temporary file. The length of its path is the same every time: the path
    /// is part of the environment, whose size moves the stack, and layouts must be reproducible.
    pub fn install() -> Result<Self, HeapShimError> {
        if !lotse_heap::SUPPORTED {
            return Err(HeapShimError::Unsupported);
        }
        if let Some(Ok(path)) = Cache::of_user(0).map(|cache| write_to_cache(cache.directory())) {
            return Ok(Self { path, _temporary: None });
        }
        let no_place = |source: io::Error| HeapShimError::NoPlace { problem: source.to_string() };
        let temporary = temporary().map_err(no_place)?;
        Ok(Self { path: temporary.to_path_buf(), _temporary: Some(temporary) })
    }

    /// Sets the variables of a job so that its program loads the shared object, with this seed.
    pub fn preload(&self, job: &mut Job, seed: u64) {
        let mut list = self.path.clone().into_os_string();
        if let Some(own) = job.environment.get(PRELOAD.as_ref()).filter(|own| !own.is_empty()) {
            list.push(":");
            list.push(own);
        }
        job.environment.set(PRELOAD, list);
        job.environment.set(lotse_heap::SEED_VARIABLE, OsString::from(format!("{seed:016x}")));
    }
}

fn write_to_cache(directory: &Path) -> io::Result<PathBuf> {
    let path = directory.join(format!("heap-{:016x}.so", cache::hash(lotse_heap::IMAGE)));
    let is_there = fs::read(&path).is_ok_and(|bytes| bytes == lotse_heap::IMAGE);
    if !is_there {
        cache::create(directory)?;
        FileSink::new(&path).stream(|out| out.write_all(lotse_heap::IMAGE)).map_err(io::Error::other)?;
    }
    check(&path).map(|()| path)
}

fn temporary() -> io::Result<TempPath> {
    let mut file = tempfile::Builder::new().prefix("lotse-heap").suffix(".so").tempfile()?;
    file.write_all(lotse_heap::IMAGE)?;
    let path = file.into_temp_path();
    check(&path).map(|()| path)
}

/// Checks that the loader can parse this path in a list, and can map the file.
fn check(path: &Path) -> io::Result<()> {
    if let Some(&letter) = path.as_os_str().as_bytes().iter().find(|letter| b" :;$\t\n".contains(letter)) {
        let problem = format!("{} has {:?} in its name", path.display(), char::from(letter));
        return Err(io::Error::new(io::ErrorKind::InvalidFilename, problem));
    }
    let file = File::open(path)?;
    // SAFETY: the mapping is neither read nor executed, and is dropped at once.
    unsafe { MmapOptions::new().map_exec(&file) }.map(drop)
}

#[cfg(test)]
mod tests;
