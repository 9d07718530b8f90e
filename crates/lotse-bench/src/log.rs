//! The result file, written block by block so that a kill loses at most the block under way.

use std::path::Path;
use std::time::{Duration, Instant};

use lotse_formats::bench::lotse_log::{BlockRecord, EndRecord, LogHeader, LookRecord, NotFinite, PartRecord};
use lotse_host::{AppendFile, Existing, FileError};

/// Interval between two syncs of the file to the disk. Every line is written to the kernel at once, so a killed process
/// loses nothing; syncing more often would only help against a loss of power, and it disturbs short runs.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// An open result file, or none.
#[derive(Debug, Default)]
pub struct Log {
    file: Option<AppendFile>,
    synced: Option<Instant>,
}

/// The result file cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The system refused.
    #[error("cannot keep results")]
    File(#[from] FileError),
    /// A runner gave a value that is not a finite number.
    #[error("cannot keep results")]
    NotFinite(#[from] NotFinite),
}

impl Log {
    /// A log that writes nothing.
    pub fn none() -> Self {
        Self { file: None, synced: None }
    }

    /// Creates the file. An existing file is replaced only if `replace` is set.
    pub fn create(path: &Path, replace: bool) -> Result<Self, LogError> {
        let existing = if replace { Existing::Replace } else { Existing::Refuse };
        Ok(Self { file: Some(AppendFile::open(path, existing)?), synced: None })
    }

    /// Appends to an existing file.
    pub fn resume(path: &Path) -> Result<Self, LogError> {
        Ok(Self { file: Some(AppendFile::open(path, Existing::Continue)?), synced: None })
    }

    pub(crate) fn part(&mut self, part: &PartRecord) -> Result<(), LogError> {
        self.line(&part.to_line())
    }

    pub(crate) fn header(&mut self, header: &LogHeader) -> Result<(), LogError> {
        self.line(&header.to_line())
    }

    pub(crate) fn block(&mut self, block: &BlockRecord) -> Result<(), LogError> {
        self.line(&block.to_line()?)
    }

    pub(crate) fn look(&mut self, look: &LookRecord) -> Result<(), LogError> {
        self.line(&look.to_line())
    }

    pub(crate) fn end(&mut self, end: &EndRecord) -> Result<(), LogError> {
        self.synced = None;
        self.line(&end.to_line())
    }

    fn line(&mut self, line: &str) -> Result<(), LogError> {
        let Some(file) = &mut self.file else { return Ok(()) };
        file.append(line.trim_end().as_bytes())?;
        if self.synced.is_none_or(|synced| synced.elapsed() > SYNC_EVERY) {
            file.flush()?;
            self.synced = Some(Instant::now());
        }
        Ok(())
    }
}
