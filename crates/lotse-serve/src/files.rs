//! Whether files are still those that were read.

use std::path::Path;
use std::time::SystemTime;

/// What changes when a file is written, truncated or replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileVersion {
    length: u64,
    modified: Option<SystemTime>,
    #[cfg(unix)]
    inode: u64,
}

impl FileVersion {
    /// The version of a file; `None` if there is no such file.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let about = std::fs::metadata(path).ok()?;
        Some(Self {
            length: about.len(),
            modified: about.modified().ok(),
            #[cfg(unix)]
            inode: std::os::unix::fs::MetadataExt::ino(&about),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::FileVersion;

    #[test]
    fn growing_and_replacing_change_the_stamp() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        assert_eq!(FileVersion::read(&path), None);
        std::fs::write(&path, "one").unwrap();
        let first = FileVersion::read(&path);
        assert_eq!(FileVersion::read(&path), first);
        std::fs::write(&path, "three").unwrap();
        let second = FileVersion::read(&path);
        assert_ne!(first, second);
        let other = folder.path().join("b");
        std::fs::write(&other, "other").unwrap();
        std::fs::rename(&other, &path).unwrap();
        assert_ne!(FileVersion::read(&path), second);
    }
}
