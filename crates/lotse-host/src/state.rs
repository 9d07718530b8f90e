//! The user's state: small files that are worth keeping but belong to one machine.

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
    /// `$XDG_STATE_HOME/lotse/NAME`, else `~/.local/state/lotse/NAME`; `None` where the user has neither.
    pub fn of_user(name: &str) -> Option<Self> {
        let absolute =
            |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let base = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
        Some(Self { path: base.join("lotse").join(name) })
    }

    /// Where it is.
    pub fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// Its text; `None` if there is no such file.
    pub fn read(&self) -> Result<Option<String>, FileError> {
        match fs::read_to_string(&self.path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(FileError::new("read", &self.path)(error)),
        }
    }

    /// Writes it; a reader sees the whole old or the whole new text.
    pub fn write(&self, text: &str) -> Result<(), FileError> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(FileError::new("create", folder))?;
        }
        FileSink::new(&self.path).put(text.as_bytes()).map_err(FileError::new("write", &self.path))
    }
}
