//! The user's cache: files that can be regenerated, within a limit of bytes. The least recently used files are deleted first.
//!
//! Files are written under a temporary name and renamed, so that several processes may use one cache at once: a reader sees a
//! complete file or none, and a file that is deleted while it is mapped stays readable.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::source::{FileError, FileSink};

/// The extension of cached files.
const ENDING: &str = "lotse-index";
/// The prefix of files that are being written.
const UNFINISHED: &str = ".lotse-";
/// A temporary file older than this belongs to a process that died.
const ABANDONED_AFTER: Duration = Duration::from_secs(3600);
/// Characters of the original's name in the name of the cached file.
const READABLE: usize = 40;

/// A directory of cached files.
#[derive(Debug, Clone)]
pub struct Cache {
    directory: PathBuf,
    limit: u64,
}

/// A cached file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheEntry {
    pub path: PathBuf,
    pub size: u64,
    pub used: SystemTime,
}

impl Cache {
    /// `$XDG_CACHE_HOME/lotse`, else `~/.cache/lotse`; `None` if neither variable is set.
    pub fn of_user(limit: u64) -> Option<Self> {
        let absolute =
            |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
        Some(Self::at(base.join("lotse"), limit))
    }

    /// A cache in this directory, which need not exist.
    pub fn at(directory: impl Into<PathBuf>, limit: u64) -> Self {
        Self { directory: directory.into(), limit }
    }

    /// The directory of its files.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The limit in bytes.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// The path of the cached file for an original, and the full path of the original; `None` if that has no path.
    pub fn place(&self, original: &Path) -> Option<(PathBuf, PathBuf)> {
        let original = fs::canonicalize(original).ok()?;
        let name = original.file_name()?.to_string_lossy();
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
        let readable: String =
            name.chars().take(READABLE).map(|letter| if plain(letter) { letter } else { '_' }).collect();
        let number = hash(original.as_os_str().as_encoded_bytes());
        // A name that begins with a dot would be taken for a temporary file.
        Some((self.directory.join(format!("{number:016x}-{readable}.{ENDING}")), original))
    }

    /// Writes a cached file, then deletes files beyond the limit.
    pub fn put(
        &self,
        path: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), FileError> {
        create(&self.directory).map_err(FileError::new("create", &self.directory))?;
        FileSink::new(path).stream(write)?;
        self.trim(path)
    }

    /// Marks a file as used now. Returns whether that was possible.
    pub fn touch(path: &Path) -> bool {
        let file = fs::File::options().append(true).open(path);
        file.and_then(|file| file.set_modified(SystemTime::now())).is_ok()
    }

    /// All cached files, the most recently used first.
    pub fn entries(&self) -> io::Result<Vec<CacheEntry>> {
        let mut entries = self.files(|name| Path::new(name).extension() == Some(OsStr::new(ENDING)))?;
        entries.sort_by(|a, b| b.used.cmp(&a.used).then_with(|| a.path.cmp(&b.path)));
        Ok(entries)
    }

    /// Deletes all cached files and abandoned temporary files. Returns the deleted files.
    pub fn clear(&self) -> Result<Vec<CacheEntry>, FileError> {
        let listed = |error| FileError::new("read", &self.directory)(error);
        let all = [self.entries().map_err(listed)?, self.abandoned().map_err(listed)?].concat();
        all.iter().try_for_each(|entry| remove(&entry.path))?;
        Ok(all)
    }

    /// Deletes the least recently used files until the rest is within the limit. The newest file is deleted too if it alone is too large.
    fn trim(&self, newest: &Path) -> Result<(), FileError> {
        let listed = |error| FileError::new("read", &self.directory)(error);
        self.abandoned().map_err(listed)?.iter().try_for_each(|entry| remove(&entry.path))?;
        let mut sum = 0_u64;
        for entry in self.entries().map_err(listed)? {
            sum = sum.saturating_add(entry.size);
            if sum <= self.limit {
                continue;
            }
            remove(&entry.path)?;
            if entry.path == newest {
                let why =
                    format!("its {} bytes are more than the cache may hold ({})", entry.size, self.limit);
                return Err(FileError::new("keep", newest)(io::Error::new(io::ErrorKind::FileTooLarge, why)));
            }
            sum -= entry.size;
        }
        Ok(())
    }

    fn abandoned(&self) -> io::Result<Vec<CacheEntry>> {
        let mut files = self.files(|name| name.to_string_lossy().starts_with(UNFINISHED))?;
        files.retain(|file| file.used.elapsed().is_ok_and(|age| age > ABANDONED_AFTER));
        Ok(files)
    }

    fn files(&self, wanted: impl Fn(&OsStr) -> bool) -> io::Result<Vec<CacheEntry>> {
        let listing = match fs::read_dir(&self.directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            listing => listing?,
        };
        let mut files = Vec::new();
        for entry in listing {
            let entry = entry?;
            // Another process may have deleted the file.
            let Ok(about) = entry.metadata() else { continue };
            if about.is_file() && wanted(&entry.file_name()) {
                files.push(CacheEntry { path: entry.path(), size: about.len(), used: about.modified()? });
            }
        }
        Ok(files)
    }
}

/// Makes a directory that only the user can read: profiles reveal what programs do.
pub(crate) fn create(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

/// Deletes a file. A file that another process deleted is not an error.
fn remove(path: &Path) -> Result<(), FileError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(FileError::new("delete", path)(error)),
        _ => Ok(()),
    }
}

/// FNV-1a.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mix = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::time::{Duration, SystemTime};

    use super::Cache;

    fn put(cache: &Cache, name: &str, bytes: usize, age: u64) -> PathBuf {
        let path = cache.directory().join(format!("{name}.lotse-index"));
        cache.put(&path, |out| out.write_all(&vec![b'x'; bytes])).unwrap();
        aged(&path, age);
        path
    }

    fn aged(path: &Path, seconds: u64) {
        let file = fs::File::options().append(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
    }

    #[test]
    fn what_was_used_last_stays() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(directory.path().join("deep/lotse"), 100);
        let old = put(&cache, "old", 40, 300);
        let older = put(&cache, "older", 40, 400);
        assert!(Cache::touch(&older));
        let new = put(&cache, "new", 40, 0);
        assert_eq!([&old, &older, &new].map(|path| path.exists()), [false, true, true]);
    }

    #[test]
    fn a_file_beyond_the_limit_is_not_kept() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(directory.path(), 100);
        let small = put(&cache, "small", 10, 5);
        let large = directory.path().join("large.lotse-index");
        let error = cache.put(&large, |out| out.write_all(&[b'x'; 101])).unwrap_err();
        assert!(error.to_string().contains("101 bytes are more than the cache may hold"), "{error}");
        assert!(small.exists() && !large.exists());
    }

    #[test]
    fn clearing_takes_what_is_ours_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(directory.path(), 100);
        put(&cache, "a", 10, 0);
        let (ours, fresh, others) =
            [".lotse-dead", ".lotse-alive", "notes.txt"].map(|name| directory.path().join(name)).into();
        [&ours, &fresh, &others].iter().for_each(|path| fs::write(path, "x").unwrap());
        aged(&ours, 7200);
        assert_eq!(cache.clear().unwrap().len(), 2);
        assert_eq!([&ours, &fresh, &others].map(|path| path.exists()), [false, true, true]);
        assert_eq!(cache.entries().unwrap(), []);
        assert_eq!(Cache::at(directory.path().join("none"), 1).entries().unwrap(), []);
    }

    #[test]
    fn equal_names_in_other_directories_have_places_of_their_own() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(directory.path().join("cache"), 100);
        let files = ["a/.x y", "b/.x y"].map(|name| directory.path().join(name));
        for file in &files {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let places = files.each_ref().map(|file| cache.place(file).unwrap().0);
        assert_ne!(places[0], places[1]);
        assert!(places[0].to_string_lossy().ends_with("-.x_y.lotse-index"), "{places:?}");
        assert_eq!(cache.place(&directory.path().join("missing")), None);
    }
}
