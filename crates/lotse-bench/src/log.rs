//! The result file, written block by block so that a kill loses at most the block under way.

use std::path::Path;

use lotse_formats::bench::lotse_log::{BlockRecord, EndRecord, LogHeader, NotFinite};
use lotse_host::{AppendFile, Existing, FileError};

/// An open result file, or none.
#[derive(Debug, Default)]
pub struct Log(Option<AppendFile>);

/// The result file cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The system refused.
    #[error("cannot keep results")]
    File(#[from] FileError),
    /// A runner gave a value that is no number.
    #[error("cannot keep results")]
    NotFinite(#[from] NotFinite),
}

impl Log {
    /// Keeps nothing.
    pub fn none() -> Self {
        Self(None)
    }

    /// Creates the file. One that exists is replaced only when told so.
    pub fn create(path: &Path, replace: bool) -> Result<Self, LogError> {
        let existing = if replace { Existing::Replace } else { Existing::Refuse };
        Ok(Self(Some(AppendFile::open(path, existing)?)))
    }

    pub(crate) fn header(&mut self, header: &LogHeader) -> Result<(), LogError> {
        self.line(&header.to_line())
    }

    pub(crate) fn block(&mut self, block: &BlockRecord) -> Result<(), LogError> {
        self.line(&block.to_line()?)
    }

    pub(crate) fn end(&mut self, end: &EndRecord) -> Result<(), LogError> {
        self.line(&end.to_line())
    }

    fn line(&mut self, line: &str) -> Result<(), LogError> {
        let Some(file) = &mut self.0 else { return Ok(()) };
        file.append(line.trim_end().as_bytes())?;
        Ok(file.flush()?)
    }
}
