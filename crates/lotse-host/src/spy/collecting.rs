//! System access of the collector: an append-only file, and the final message of its parent process.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;
use std::time::Duration;

use crate::source::FileError;

/// An append-only file. Writes are not buffered, so that a killed collector loses nothing.
#[derive(Debug)]
pub struct GrowingFile {
    file: File,
    path: PathBuf,
    /// Number of bytes after the last complete write.
    length: u64,
}

impl GrowingFile {
    /// Creates the file, or truncates an existing one.
    pub fn create(path: &Path) -> Result<Self, FileError> {
        let file = File::create(path).map_err(FileError::new("create", path))?;
        Self::new(file, path, 0)
    }

    /// Opens an existing file to append to it.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let file = File::options().append(true).open(path).map_err(FileError::new("write", path))?;
        let length = file.metadata().map_err(FileError::new("read", path))?.len();
        Self::new(file, path, length)
    }

    fn new(file: File, path: &Path, length: u64) -> Result<Self, FileError> {
        // Handling SIGXFSZ makes a write beyond the file size limit an error instead of the end of Lotse.
        let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        signal_hook::flag::register(signal_hook::consts::SIGXFSZ, flag)
            .map_err(FileError::new("write", path))?;
        Ok(Self { file, path: path.to_path_buf(), length })
    }

    /// Appends bytes. If that fails, the file is truncated to its previous length.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        let written = self.file.write_all(bytes);
        if written.is_err() {
            self.shorten(self.length)?;
        }
        written.map_err(FileError::new("write", &self.path))?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Truncates the file.
    pub fn shorten(&mut self, length: u64) -> Result<(), FileError> {
        self.length = length;
        self.file.set_len(length).map_err(FileError::new("shorten", &self.path))?;
        self.file.seek(SeekFrom::End(0)).map(drop).map_err(FileError::new("shorten", &self.path))
    }
}

/// The process of Lotse that started the collector. It sends one final message through standard input.
#[derive(Debug)]
pub struct Parent {
    message: Receiver<Vec<u8>>,
}

impl Parent {
    /// Starts a thread that reads standard input.
    pub fn listen() -> Self {
        let (send, message) = mpsc::channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            // If the parent was killed, the message is empty; an error is treated alike.
            let complete = io::stdin().read_to_end(&mut bytes).is_ok();
            // Sending fails only if the collector is ending.
            drop(send.send(if complete { bytes } else { Vec::new() }));
        });
        Self { message }
    }

    /// The final message once the parent has closed the pipe; empty if the parent died.
    pub fn final_message(&self) -> Option<Vec<u8>> {
        match self.message.try_recv() {
            Ok(bytes) => Some(bytes),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Vec::new()),
        }
    }
}

/// Sends SIGTERM to a recorded process.
pub fn terminate(process: u32) {
    send(process, rustix::process::Signal::TERM);
}

/// Sends SIGKILL to a recorded process.
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

/// Sleeps before the next look for new records.
pub fn pause(duration: Duration) {
    thread::sleep(duration);
}
