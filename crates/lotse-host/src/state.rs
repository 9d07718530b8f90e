//! The user's state: small files that are worth keeping, but only on this machine.

use std::fs;
use std::path::PathBuf;

use lotse_model::bytes::Sink as _;

use crate::source::{FileError, FileSink};

/// A file of the user's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateFile {
    path: PathBuf,
}

impl StateFile {
    /// `$XDG_STATE_HOME/lotse/NAME`, else `~/.local/state/lotse/NAME`; `None` if neither variable is set.
    pub fn of_user(name: &str) -> Option<Self> {
        let absolute =
            |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let base = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
        Some(Self { path: base.join("lotse").join(name) })
    }

    /// The path of the file.
    pub fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// The text of the file; `None` if it does not exist.
    pub fn read(&self) -> Result<Option<String>, FileError> {
        match fs::read_to_string(&self.path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(FileError::new("read", &self.path)(error)),
        }
    }

    /// Writes the file atomically: a reader sees either the old or the new text.
    pub fn write(&self, text: &str) -> Result<(), FileError> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(FileError::new("create", folder))?;
        }
        FileSink::new(&self.path).put(text.as_bytes()).map_err(FileError::new("write", &self.path))
    }
}
