//! Moves the heaps of programs: the shared object of `lotse-heap` as a file, and the variables that let a program load it.
//!
//! What a program starts inherits the variables, so that a script's programs are moved too. A user's own `LD_PRELOAD` stays.

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

/// Why no program can load the object.
#[derive(Debug, thiserror::Error)]
pub enum HeapShimError {
    /// There is none.
    #[error("Lotse can move heaps on Linux on x86-64 and aarch64 only")]
    Unsupported,
    /// There is no place for it.
    #[error(
        "there is no folder to load a shared object from: {problem}; let TMPDIR name one that is not mounted noexec"
    )]
    NoPlace {
        /// What is wrong with the last one.
        problem: String,
    },
}

/// The object in a place from which programs can load it.
#[derive(Debug)]
pub struct HeapShim {
    path: PathBuf,
    /// Deleted when dropped, unless the object is in the user's cache.
    _temporary: Option<TempPath>,
}

impl HeapShim {
    /// In the user's cache, or else in a temporary file. Both have names of the same length every time: that length is part
    /// of the environment, and a layout is to be the same tomorrow.
    pub fn place() -> Result<Self, HeapShimError> {
        if !lotse_heap::SUPPORTED {
            return Err(HeapShimError::Unsupported);
        }
        if let Some(Ok(path)) = Cache::of_user(0).map(|cache| kept_in(cache.directory())) {
            return Ok(Self { path, _temporary: None });
        }
        let no_place = |source: io::Error| HeapShimError::NoPlace { problem: source.to_string() };
        let temporary = temporary().map_err(no_place)?;
        Ok(Self { path: temporary.to_path_buf(), _temporary: Some(temporary) })
    }

    /// Lets a job load the object, with this seed.
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

fn kept_in(directory: &Path) -> io::Result<PathBuf> {
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

/// Whether the loader can read this name in a list and map the file.
fn check(path: &Path) -> io::Result<()> {
    if let Some(&letter) = path.as_os_str().as_bytes().iter().find(|letter| b" :;$\t\n".contains(letter)) {
        let problem = format!("{} has {:?} in its name", path.display(), char::from(letter));
        return Err(io::Error::new(io::ErrorKind::InvalidFilename, problem));
    }
    let file = File::open(path)?;
    // SAFETY: nothing is read or executed; the mapping ends here.
    unsafe { MmapOptions::new().map_exec(&file) }.map(drop)
}

#[cfg(test)]
mod tests;
