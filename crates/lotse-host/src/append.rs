//! Files of results that grow by one line per record and stay readable however Lotse ends.
//!
//! Each line is passed to the kernel at once. After a kill at most the last line is incomplete; after a loss of power at
//! most the lines since the last [`AppendFile::flush`] are missing. Readers skip an incomplete last line.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::source::FileError;

/// What to do with a file that exists already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Leave it alone and fail.
    Refuse,
    /// Empty it.
    Replace,
    /// Append to it.
    Continue,
}

/// A file of lines that only grows.
#[derive(Debug)]
pub struct AppendFile {
    file: File,
    path: PathBuf,
}

impl AppendFile {
    /// Opens or makes the file.
    pub fn open(path: impl Into<PathBuf>, existing: Existing) -> Result<Self, FileError> {
        let path = path.into();
        let file = open(&path, existing).map_err(FileError::new("write", &path))?;
        Ok(Self { file, path })
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes one record, which must not contain a line feed, and a line feed.
    pub fn append(&mut self, record: &[u8]) -> Result<(), FileError> {
        debug_assert!(!record.contains(&b'\n'), "a record is one line");
        let line = [record, b"\n"].concat();
        self.file.write_all(&line).map_err(FileError::new("write", &self.path))
    }

    /// Waits until everything written is on the disk.
    pub fn flush(&mut self) -> Result<(), FileError> {
        match self.file.sync_data() {
            // A pipe or a terminal has no disk.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            result => result.map_err(FileError::new("write", &self.path)),
        }
    }
}

fn open(path: &Path, existing: Existing) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(existing == Existing::Continue).append(true);
    match existing {
        Existing::Refuse => options.create_new(true).open(path),
        Existing::Replace => {
            let file = options.create(true).open(path)?;
            file.set_len(0).or_else(|error| if file.metadata()?.is_file() { Err(error) } else { Ok(()) })?;
            Ok(file)
        }
        Existing::Continue => {
            let mut file = options.create(true).open(path)?;
            end_cut_line(&mut file)?;
            Ok(file)
        }
    }
}

/// Ends an incomplete last line with a line feed, so that the next record begins a new line.
fn end_cut_line(file: &mut File) -> io::Result<()> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(());
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    if last == *b"\n" { Ok(()) } else { file.write_all(b"\n") }
}

#[cfg(test)]
mod tests {
    use super::{AppendFile, Existing};
    use std::fs;

    #[test]
    fn appended_lines_are_in_the_file_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("results");
        let mut file = AppendFile::open(&path, Existing::Refuse).unwrap();
        file.append(b"one").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one\n");
        file.append(b"two").unwrap();
        file.flush().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one\ntwo\n");
    }

    #[test]
    fn an_existing_file_is_changed_only_on_request() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("results");
        fs::write(&path, "precious\n").unwrap();
        let error = AppendFile::open(&path, Existing::Refuse).unwrap_err();
        assert_eq!(error.source.kind(), std::io::ErrorKind::AlreadyExists);
        assert!(error.to_string().contains("results"));
        assert_eq!(fs::read(&path).unwrap(), b"precious\n");
        AppendFile::open(&path, Existing::Continue).unwrap().append(b"more").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"precious\nmore\n");
        AppendFile::open(&path, Existing::Replace).unwrap().append(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new\n");
    }

    #[test]
    fn a_cut_line_does_not_spoil_the_next() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("results");
        fs::write(&path, "whole\ncu").unwrap();
        AppendFile::open(&path, Existing::Continue).unwrap().append(b"next").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole\ncu\nnext\n");
    }
}
