//! Temporary directories.
//!
//! A process that is killed cannot remove its directory. So every directory is locked as long as its owner lives, and later
//! processes remove those that nobody locks ([`Scratch::remove_abandoned`]). The system drops a lock however a process ends,
//! and, other than the number of a process, a lock means the same in all containers that share a directory.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Duration;

/// How the names of directories begin that are locked by their owners.
const LOCKED: &str = "lotse-scratch-";
/// How the names begin where the file system has no locks. Such directories are not removed by others.
const UNLOCKED: &str = "lotse-";
/// A directory that changed within this time may be about to be locked.
const SETTLED: Duration = Duration::from_secs(60);

/// A temporary directory that is removed with its files when dropped, or none.
#[derive(Debug)]
pub struct Scratch(Option<ScratchDirectory>);

#[derive(Debug)]
struct ScratchDirectory {
    directory: tempfile::TempDir,
    /// Held until the directory is gone.
    _lock: Option<File>,
}

impl Scratch {
    /// No directory: its path is empty.
    pub fn none() -> Self {
        Self(None)
    }

    /// A new directory in the system's directory for temporary files.
    pub fn create() -> io::Result<Self> {
        let new = |prefix: &str| tempfile::Builder::new().prefix(prefix).tempdir();
        let directory = new(LOCKED)?;
        if let Some(lock) = lock(directory.path()) {
            return Ok(Self(Some(ScratchDirectory { directory, _lock: Some(lock) })));
        }
        directory.close()?;
        new(UNLOCKED).map(|directory| Self(Some(ScratchDirectory { directory, _lock: None })))
    }

    /// Removes the directories that killed processes of this user left in the system's directory for temporary files.
    pub fn remove_abandoned() {
        let Ok(entries) = fs::read_dir(std::env::temp_dir()) else { return };
        for entry in entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(LOCKED))
        {
            let path = entry.path();
            if is_own_and_settled(&path) && lock(&path).is_some() {
                // What cannot be removed now is tried again by the next measurement.
                drop(fs::remove_dir_all(&path));
            }
        }
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        self.0.as_ref().map_or(Path::new(""), |scratch| scratch.directory.path())
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

/// A lock on a directory; `None` if another process has it, or if there are no locks on directories here.
fn lock(directory: &Path) -> Option<File> {
    let file = File::open(directory).ok()?;
    file.try_lock().ok().map(|()| file)
}

/// Whether a path is a directory (and not a link to one) of this user that did not change recently.
#[cfg(unix)]
fn is_own_and_settled(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let Ok(about) = fs::symlink_metadata(path) else { return false };
    let age = about.modified().ok().and_then(|changed| changed.elapsed().ok());
    about.is_dir()
        && about.uid() == rustix::process::geteuid().as_raw()
        && age.is_some_and(|age| age >= SETTLED)
}

#[cfg(not(unix))]
fn is_own_and_settled(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::{Duration, SystemTime};

    use super::{LOCKED, Scratch};

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

    #[test]
    fn only_old_directories_without_an_owner_are_removed() {
        let make_old = |path: &std::path::Path| {
            let hours_ago = SystemTime::now() - Duration::from_secs(7200);
            File::open(path).unwrap().set_modified(hours_ago).unwrap();
        };
        let owned = Scratch::create().unwrap();
        make_old(owned.path());
        let abandoned = |name: &str| {
            let path = std::env::temp_dir().join(format!("{LOCKED}{name}-{}", std::process::id()));
            fs::create_dir_all(path.join("package")).unwrap();
            path
        };
        let (old, new) = (abandoned("old"), abandoned("new"));
        make_old(&old);
        Scratch::remove_abandoned();
        assert!(!old.exists() && new.exists() && owned.path().exists());
        fs::remove_dir_all(new).unwrap();
    }
}
