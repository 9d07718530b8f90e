//! Named bytes: what codecs read from and write into. `lotse-host` implements both on files.

use std::collections::BTreeMap;
use std::io;

/// A file with its siblings, or anything that behaves so.
pub trait Source {
    /// The name of the main piece, for messages and for guessing.
    fn name(&self) -> &str;
    /// The bytes of the main piece.
    fn bytes(&self) -> &[u8];
    /// The bytes of a piece that lies beside the main one.
    fn get(&self, name: &str) -> io::Result<Vec<u8>>;
    /// The names of the pieces beside the main one.
    fn siblings(&self) -> io::Result<Vec<String>>;
}

/// Where a codec writes: one main piece.
pub trait Sink {
    /// Writes all of it or fails; what was there before is kept on failure.
    fn put(&mut self, bytes: &[u8]) -> io::Result<()>;
}

/// A main piece and the folders beside it, for formats that are many files. Names are relative, with `/`.
pub trait Folder: Sync {
    /// The main piece as the user named it, for messages.
    fn name(&self) -> &str;
    /// The main piece's name in the folder; empty where the user named only a folder.
    fn main(&self) -> &str;
    /// The names of all files, of the folder and of the folders in it, sorted.
    fn names(&self) -> &[String];
    /// The bytes of a file; `None` where there is none.
    fn bytes(&self, name: &str) -> Option<&[u8]>;
}

/// Where a codec of many files writes.
pub trait FolderSink: Sync {
    /// Creates a file, and the folder it lies in. What it held before is lost.
    fn create(&self, name: &str) -> io::Result<Box<dyn io::Write + Send + '_>>;
}

/// Bytes in memory, without siblings.
#[derive(Debug, Clone, Copy)]
pub struct Memory<'a> {
    /// What messages call it.
    pub name: &'a str,
    /// What it holds.
    pub bytes: &'a [u8],
}

impl Source for Memory<'_> {
    fn name(&self) -> &str {
        self.name
    }

    fn bytes(&self) -> &[u8] {
        self.bytes
    }

    fn get(&self, name: &str) -> io::Result<Vec<u8>> {
        Err(io::Error::new(io::ErrorKind::NotFound, format!("{name} does not lie beside {}", self.name)))
    }

    fn siblings(&self) -> io::Result<Vec<String>> {
        Ok(Vec::new())
    }
}

/// Files in memory.
#[derive(Debug, Clone)]
pub struct MemoryFolder {
    main: String,
    names: Vec<String>,
    files: BTreeMap<String, Vec<u8>>,
}

impl MemoryFolder {
    /// Files by their names, and which of them is the main one.
    pub fn new(main: &str, files: BTreeMap<String, Vec<u8>>) -> Self {
        Self { main: main.to_owned(), names: files.keys().cloned().collect(), files }
    }

    /// A file with nothing beside it.
    pub fn alone(name: &str, bytes: &[u8]) -> Self {
        Self::new(name, BTreeMap::from([(name.to_owned(), bytes.to_vec())]))
    }

    /// All files by their names.
    pub fn files(&self) -> &BTreeMap<String, Vec<u8>> {
        &self.files
    }

    /// One of the files, to be changed.
    pub fn file_mut(&mut self, name: &str) -> Option<&mut Vec<u8>> {
        self.files.get_mut(name)
    }
}

impl Folder for MemoryFolder {
    fn name(&self) -> &str {
        &self.main
    }

    fn main(&self) -> &str {
        &self.main
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn bytes(&self, name: &str) -> Option<&[u8]> {
        self.files.get(name).map(Vec::as_slice)
    }
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.extend_from_slice(bytes);
        Ok(())
    }
}
