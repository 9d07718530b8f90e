//! Whether files are still those that were read.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What changes when a file, or one that belongs to it, is written, truncated or replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileVersion {
    /// Each file with its length and the time of its last change.
    files: Vec<(PathBuf, FileState)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct FileState {
    length: u64,
    modified: Option<SystemTime>,
    #[cfg(unix)]
    inode: u64,
}

/// More files are not looked at: a trace of a very large run.
const MOST_FILES: usize = 4096;
/// Traces have their events in a folder beside the anchor.
const DEEPEST: usize = 2;

impl FileVersion {
    /// The version of a file with those of the same stem beside it, as a trace has them, or of a folder with what is in it; `None`
    /// if there is no such file.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let mut version = Self { files: Vec::new() };
        version.add(path, DEEPEST)?;
        let stem = path
            .file_name()
            .and_then(|name| name.to_str())
            .map(|name| name.split('.').next().unwrap_or(name));
        let is_anchor = path.extension().is_some_and(|it| ["otf2", "prv"].iter().any(|known| it == *known));
        if let (true, Some(stem), Some(folder)) = (is_anchor, stem, path.parent()) {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let name = entry.file_name();
                let belongs = name.to_str().is_some_and(|name| name.split('.').next() == Some(stem));
                if belongs && entry.path() != path {
                    version.add(&entry.path(), DEEPEST);
                }
            }
        }
        version.files.sort_by(|a, b| a.0.cmp(&b.0));
        Some(version)
    }

    /// Adds a file, or the files of a folder.
    fn add(&mut self, path: &Path, deep: usize) -> Option<()> {
        let about = std::fs::metadata(path).ok()?;
        if !about.is_dir() {
            let state = FileState {
                length: about.len(),
                modified: about.modified().ok(),
                #[cfg(unix)]
                inode: std::os::unix::fs::MetadataExt::ino(&about),
            };
            self.files.push((path.to_owned(), state));
        } else if deep > 0 {
            for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
                if self.files.len() < MOST_FILES {
                    self.add(&entry.path(), deep - 1);
                }
            }
        }
        Some(())
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

    /// The files of a trace belong to its folder and to its anchor.
    #[test]
    fn files_of_a_trace_count() {
        let folder = tempfile::tempdir().unwrap();
        let (anchor, events) = (folder.path().join("traces.otf2"), folder.path().join("traces/0.evt"));
        std::fs::create_dir(folder.path().join("traces")).unwrap();
        std::fs::write(&anchor, "anchor").unwrap();
        std::fs::write(&events, "events").unwrap();
        let read = || (FileVersion::read(folder.path()), FileVersion::read(&anchor));
        let before = read();
        assert_eq!(read(), before);
        std::fs::write(&events, "other events").unwrap();
        let after = read();
        assert!(before.0 != after.0 && before.1 != after.1);
    }
}
