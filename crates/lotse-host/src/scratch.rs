//! Directories for files of a single run, gone when it is over.

use std::io;
use std::path::Path;

/// A directory that is removed with what is in it when dropped, or none.
#[derive(Debug)]
pub struct Scratch(Option<tempfile::TempDir>);

impl Scratch {
    /// No directory: its path is empty.
    pub fn none() -> Self {
        Self(None)
    }

    /// A new directory where the system keeps such.
    pub fn create() -> io::Result<Self> {
        tempfile::Builder::new().prefix("lotse-").tempdir().map(|directory| Self(Some(directory)))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.as_ref().map_or(Path::new(""), |directory| directory.path())
    }

    /// The text of one file in it.
    pub fn text(path: &Path) -> io::Result<String> {
        std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The texts of all files in a directory, in no order.
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
