//! Named byte buffers that codecs read from and write to. `lotse-host` implements these traits on files.

use std::collections::BTreeMap;
use std::io;

/// An input file and the other files of its folder.
pub trait Source: Sync {
    /// The name of the file, for messages and for recognising its format.
    fn name(&self) -> &str;
    /// The bytes of the file.
    fn bytes(&self) -> &[u8];
    /// The bytes of another file of the same folder.
    fn get(&self, name: &str) -> io::Result<Vec<u8>>;
    /// The names of the other files of the same folder.
    fn siblings(&self) -> io::Result<Vec<String>>;
    /// The names of other files of the same folder that the user named together with this one.
    fn named_with(&self) -> &[String] {
        &[]
    }
}

/// An output of one file.
pub trait Sink {
    /// Writes all of `bytes` or fails; on failure the previous content of the file is kept.
    fn put(&mut self, bytes: &[u8]) -> io::Result<()>;
}

/// A folder of files, for formats that consist of many files. Names are relative to the folder and use `/`.
pub trait Folder: Sync {
    /// The main file as the user named it, for messages.
    fn name(&self) -> &str;
    /// The name of the main file in the folder; empty where the user named only a folder.
    fn main(&self) -> &str;
    /// The names of all files of the folder and of its subfolders, sorted.
    fn names(&self) -> &[String];
    /// The bytes of a file; `None` where there is none.
    fn bytes(&self, name: &str) -> Option<&[u8]>;
}

/// An output of many files.
pub trait FolderSink: Sync {
    /// Creates a file and its folder, or truncates a file that exists.
    fn create(&self, name: &str) -> io::Result<Box<dyn io::Write + Send + '_>>;
}

/// A [`Source`] in memory, without other files beside it.
#[derive(Debug, Clone, Copy)]
pub struct Memory<'a> {
    /// The name for messages.
    pub name: &'a str,
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

/// A [`Folder`] in memory.
#[derive(Debug, Clone)]
pub struct MemoryFolder {
    main: String,
    names: Vec<String>,
    files: BTreeMap<String, Vec<u8>>,
}

impl MemoryFolder {
    /// A folder of these files, by name; `main` names the main file.
    pub fn new(main: &str, files: BTreeMap<String, Vec<u8>>) -> Self {
        Self { main: main.to_owned(), names: files.keys().cloned().collect(), files }
    }

    /// A folder of a single file.
    pub fn alone(name: &str, bytes: &[u8]) -> Self {
        Self::new(name, BTreeMap::from([(name.to_owned(), bytes.to_vec())]))
    }

    /// All files by their names.
    pub fn files(&self) -> &BTreeMap<String, Vec<u8>> {
        &self.files
    }

    /// The bytes of a file, mutable.
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
