//! What the collector needs of the system: a file that grows, and its parent's last message.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
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
    /// Bytes of complete writes.
    length: u64,
}

impl GrowingFile {
    /// Makes the file; one that is there is emptied.
    pub fn create(path: &Path) -> Result<Self, FileError> {
        let file = File::create(path).map_err(FileError::new("create", path))?;
        Self::new(file, path, 0)
    }

    /// Goes on at the end of a file.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let file = File::options().append(true).open(path).map_err(FileError::new("write", path))?;
        let length = file.metadata().map_err(FileError::new("read", path))?.len();
        Self::new(file, path, length)
    }

    fn new(file: File, path: &Path, length: u64) -> Result<Self, FileError> {
        // Writing beyond a limit of file sizes shall be an error, not the end of Lotse.
        let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        signal_hook::flag::register(signal_hook::consts::SIGXFSZ, flag)
            .map_err(FileError::new("write", path))?;
        Ok(Self { file, path: path.to_path_buf(), length })
    }

    /// Appends bytes. Where that fails, none of them stay in the file.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        let written = self.file.write_all(bytes);
        if written.is_err() {
            self.shorten(self.length)?;
        }
        written.map_err(FileError::new("write", &self.path))?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Cuts the file.
    pub fn shorten(&mut self, length: u64) -> Result<(), FileError> {
        self.length = length;
        self.file.set_len(length).map_err(FileError::new("shorten", &self.path))?;
        self.file.seek(SeekFrom::End(0)).map(drop).map_err(FileError::new("shorten", &self.path))
    }
}

/// The process of Lotse that started the collector: its last word comes through standard input.
#[derive(Debug)]
pub struct Parent {
    message: Receiver<Vec<u8>>,
}

impl Parent {
    /// Begins to listen.
    pub fn listen() -> Self {
        let (send, message) = mpsc::channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            // A parent that was killed leaves the pipe without a message: so does an error.
            let complete = io::stdin().read_to_end(&mut bytes).is_ok();
            // The receiver is gone only when the collector ends.
            drop(send.send(if complete { bytes } else { Vec::new() }));
        });
        Self { message }
    }

    /// What the parent sent, once it closed the pipe; empty if it died.
    pub fn final_message(&self) -> Option<Vec<u8>> {
        match self.message.try_recv() {
            Ok(bytes) => Some(bytes),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Vec::new()),
        }
    }
}

/// Asks a recorded process to end.
pub fn terminate(process: u32) {
    send(process, rustix::process::Signal::TERM);
}

/// Ends a recorded process.
pub fn kill(process: u32) {
    send(process, rustix::process::Signal::KILL);
}

fn send(process: u32, signal: rustix::process::Signal) {
    let number = i32::try_from(process).ok().filter(|number| *number > 1);
    if let Some(process) = number.and_then(rustix::process::Pid::from_raw) {
        let sent = rustix::process::kill_process(process, signal);
        debug_assert!(matches!(sent, Ok(()) | Err(rustix::io::Errno::SRCH)), "the process is ours, or gone");
    }
}

/// Waits until there may be something new.
pub fn pause(duration: Duration) {
    thread::sleep(duration);
}
