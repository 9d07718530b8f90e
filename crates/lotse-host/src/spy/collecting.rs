//! What the collector needs of the system: a file that grows, and its parent's last word.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;
use std::time::Duration;

use crate::source::FileError;

/// A file that only grows. Every write goes to the system at once, so a killed collector loses nothing it wrote.
#[derive(Debug)]
pub struct GrowingFile {
    file: File,
    path: PathBuf,
}

impl GrowingFile {
    /// Makes the file; one that is there is emptied.
    pub fn create(path: &Path) -> Result<Self, FileError> {
        let file = File::create(path).map_err(FileError::new("create", path))?;
        Ok(Self { file, path: path.to_path_buf() })
    }

    /// Goes on at the end of a file.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let file = File::options().append(true).open(path).map_err(FileError::new("write", path))?;
        Ok(Self { file, path: path.to_path_buf() })
    }

    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.file.write_all(bytes).map_err(FileError::new("write", &self.path))
    }
}

/// The process of Lotse that started the collector: its last word comes through standard input.
#[derive(Debug)]
pub struct Parent {
    word: Receiver<Vec<u8>>,
}

impl Parent {
    /// Begins to listen.
    pub fn listen() -> Self {
        let (send, word) = mpsc::channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            // A parent that was killed leaves the pipe without a word: so does an error.
            let whole = io::stdin().read_to_end(&mut bytes).is_ok();
            // The receiver is gone only when the collector ends.
            drop(send.send(if whole { bytes } else { Vec::new() }));
        });
        Self { word }
    }

    /// What the parent sent, once it closed the pipe; empty if it died.
    pub fn last_word(&self) -> Option<Vec<u8>> {
        match self.word.try_recv() {
            Ok(bytes) => Some(bytes),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Vec::new()),
        }
    }
}

/// Waits until there may be something new.
pub fn pause(duration: Duration) {
    thread::sleep(duration);
}
