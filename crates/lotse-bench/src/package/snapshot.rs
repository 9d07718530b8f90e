//! Copies of a measurement's files from before its first run, because runs may change the files and make new ones.
//!
//! ```text
//! before the runs          after the runs                    packed
//! seed.bin  1 kB           seed.bin  1 kB                    seed.bin, 1 kB
//! log.bin   0 bytes        log.bin   changed, 1200 kB        log.bin, 0 bytes
//!                          out.gz    made by the runs        nothing
//! ```

use std::path::{Path, PathBuf};

use lotse_host::Scratch;
use lotse_host::package::{self, PackedFile};

use super::collect::{self, CollectError, Collected};
use crate::options::ProgramSpec;

/// The files of a measurement as they were before its first run.
#[derive(Debug)]
pub struct Snapshot {
    /// The files and what they need of the system.
    pub collected: Collected,
    copies: Scratch,
}

/// What runs did to the files that commands, hooks and inputs name. Paths are relative to the folder of the measurement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileChanges {
    /// Files with other content than before, and files that are gone.
    pub changed: Vec<String>,
    /// Files that were not there before.
    pub made: Vec<String>,
}

impl Snapshot {
    /// Copies all files that commands, hooks and inputs name and the files that the user adds into a temporary folder.
    pub fn take(programs: &[ProgramSpec], base: &Path, added: &[PathBuf]) -> Result<Self, CollectError> {
        let copies = Scratch::create().map_err(|source| CollectError::Copies { source })?;
        let collected = collect::collect_copies(programs, base, added, copies.path())?;
        Ok(Self { collected, copies })
    }

    /// The folder of the copies.
    pub fn folder(&self) -> &Path {
        self.copies.path()
    }

    /// What changed since.
    pub fn changes(
        &self,
        programs: &[ProgramSpec],
        base: &Path,
        added: &[PathBuf],
    ) -> Result<FileChanges, CollectError> {
        // What the user added may be gone.
        let added: Vec<PathBuf> = added.iter().filter(|path| path.exists()).cloned().collect();
        let now = collect::file_names(programs, base, &added)?;
        let before = &self.collected.files;
        let differs = |file: &&PackedFile| {
            package::packed_file(base, &file.path).map_or(true, |now| now.sha256 != file.sha256)
        };
        let changed = before.iter().filter(differs).map(|file| file.path.clone()).collect();
        let is_new = |name: &String| before.iter().all(|file| file.path != *name);
        Ok(FileChanges { changed, made: now.into_iter().filter(is_new).collect() })
    }
}
