//! Temporary directories.

use std::io;
use std::path::Path;

/// A temporary directory that is removed with its files when dropped, or none.
#[derive(Debug)]
pub struct Scratch(Option<tempfile::TempDir>);

impl Scratch {
    /// No directory: its path is empty.
    pub fn none() -> Self {
        Self(None)
    }

    /// A new directory in the system's directory for temporary files.
    pub fn create() -> io::Result<Self> {
        tempfile::Builder::new().prefix("lotse-").tempdir().map(|directory| Self(Some(directory)))
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        self.0.as_ref().map_or(Path::new(""), |directory| directory.path())
    }

    /// The text of a file.
    pub fn text(path: &Path) -> io::Result<String> {
        std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The texts of all files in a directory, in arbitrary order.
    pub fn texts(directory: &Path) -> io::Result<Vec<String>> {
        std::fs::read_dir(directory)?.map(|entry| Self::text(&entry?.path())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Scratch;

    #[test]
    fn a_scratch_directory_goes_with_its_files() {
        let scratch = Scratch::create().unwrap();
        let path = scratch.path().to_owned();
        std::fs::write(path.join("a"), "one").unwrap();
        assert_eq!(Scratch::texts(&path).unwrap(), ["one"]);
        drop(scratch);
        assert!(!path.exists());
        assert_eq!(Scratch::none().path(), std::path::Path::new(""));
    }
}
