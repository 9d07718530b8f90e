//! Named bytes: what codecs read from and write into. `lotse-host` implements both on files.

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

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.extend_from_slice(bytes);
        Ok(())
    }
}
