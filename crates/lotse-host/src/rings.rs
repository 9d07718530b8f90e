//! The ring buffers of recorded programs: files in shared memory, which Lotse reads while the programs write them.
//!
//! The directory of the rings is in memory (`/dev/shm`) if possible. If a program dies, its ring is read to the end, including
//! open runs: series of accesses with equal strides, which are stored as one record when they end.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lotse_wire::ring::{self, OpenRun};
use memmap2::MmapRaw;
use tempfile::TempDir;

use crate::source::FileError;

/// The directory of the rings of one recording. The process that created it removes it at the end.
#[derive(Debug)]
pub struct RingDirectory {
    path: PathBuf,
    made: Option<TempDir>,
    known: BTreeSet<String>,
    /// Shared lock that marks the directory as used; `None` if the file system has no locks.
    #[expect(dead_code, reason = "dropping it is what counts")]
    lock: Option<File>,
}

/// A ring that is being read.
#[derive(Debug)]
pub struct Ring {
    /// The id of the process that writes the ring.
    pub process: u32,
    /// The number of the ring within the process.
    pub number: u32,
    memory: MmapRaw,
    read: u64,
}

/// A new file in the directory.
#[derive(Debug)]
pub enum Arrival {
    Ring(Ring),
    /// The memory map of a process.
    Map {
        process: u32,
        /// The number of the map within the process.
        number: u32,
        /// In the format of `/proc/PID/maps`.
        text: String,
    },
}

/// Maximum number of words that are taken from a ring at once: 64 KiB.
const PIECE: usize = 1 << 13;

/// The prefix of the names of these directories.
const PREFIX: &str = "lotse-spy-";

/// Removes directories that no process uses: Lotse and its collector were killed. New directories are skipped, because they may not be
/// locked yet.
fn remove_abandoned(parent: &Path) {
    const FRESH: Duration = Duration::from_secs(60);
    let Ok(entries) = fs::read_dir(parent) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let is_ours =
            path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(PREFIX.as_bytes()));
        let is_old = |file: &File| {
            let changed = file.metadata().and_then(|data| data.modified());
            changed.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > FRESH))
        };
        if is_ours
            && let Ok(file) = File::open(&path)
            && is_old(&file)
            && file.try_lock().is_ok()
        {
            // This fails for directories of other users, which stay.
            drop(fs::remove_dir_all(&path));
        }
    }
}

fn lock_shared(path: &Path) -> Option<File> {
    let file = File::open(path).ok()?;
    file.try_lock_shared().ok()?;
    Some(file)
}

impl RingDirectory {
    /// Creates an empty directory, in memory if possible.
    pub fn create() -> Result<Self, FileError> {
        let shared = Path::new("/dev/shm");
        let parent = if shared.is_dir() { shared.to_path_buf() } else { std::env::temp_dir() };
        remove_abandoned(&parent);
        let folder = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempdir_in(&parent)
            .map_err(FileError::new("make a directory in", &parent))?;
        let path = folder.path().to_path_buf();
        Ok(Self { lock: lock_shared(&path), path, made: Some(folder), known: BTreeSet::new() })
    }

    /// Opens a directory that another process of Lotse created.
    pub fn open(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self { lock: lock_shared(&path), path, made: None, known: BTreeSet::new() }
    }

    /// Confirms to a process that its map was read, so that it may end and its file may be deleted.
    pub fn confirm(&self, process: u32, number: u32) -> Result<(), FileError> {
        let path = self.path.join(format!("seen-{process}-{number}"));
        File::create(&path).map(drop).map_err(FileError::new("create", &path))
    }

    /// Whether a program stopped recording because its records were not read.
    pub fn is_stopped(&self) -> bool {
        self.path.join("stopped").exists()
    }

    /// The number of threads that could not be recorded because there was no memory for their rings.
    pub fn unrecorded_threads(&self) -> usize {
        let Ok(entries) = fs::read_dir(&self.path) else { return 0 };
        let names = entries.flatten().map(|entry| entry.file_name());
        names.filter(|name| name.as_encoded_bytes().starts_with(b"unrecorded-")).count()
    }

    /// Removes the directory with all rings, for the process that created it and has died.
    pub fn abandon(self) -> Result<(), FileError> {
        fs::remove_dir_all(&self.path).map_err(FileError::new("remove", &self.path))
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        self.made.as_ref().map_or(&self.path, |made| made.path())
    }

    /// The files that are new since the last call. Files that are not complete yet are returned by a later call.
    pub fn arrivals(&mut self) -> Vec<Arrival> {
        let Ok(entries) = fs::read_dir(&self.path) else { return Vec::new() };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let fresh: Vec<String> = names.filter(|name| !self.known.contains(name)).collect();
        fresh.into_iter().filter_map(|name| self.arrival(name)).collect()
    }

    fn arrival(&mut self, name: String) -> Option<Arrival> {
        let mut parts = name.split('-');
        let (kind, process, number) = (parts.next()?, parts.next()?, parts.next()?);
        let (process, number) = (process.parse().ok()?, number.parse().ok()?);
        let path = self.path.join(&name);
        let arrival = match kind {
            "ring" => Arrival::Ring(Ring::open(&path, process, number).ok()??),
            "maps" => Arrival::Map { process, number, text: complete_map(&path)? },
            _ => return None,
        };
        self.known.insert(name);
        Some(arrival)
    }

    /// Frees the memory of a ring whose process has ended.
    pub fn remove(&mut self, ring: &Ring) {
        let name: PathBuf = format!("ring-{}-{}", ring.process, ring.number).into();
        // A file that cannot be removed now is removed with the directory.
        drop(fs::remove_file(self.path.join(name)));
    }
}

impl Ring {
    /// Maps a ring; `None` if the program has not initialised it completely.
    fn open(path: &Path, process: u32, number: u32) -> io::Result<Option<Self>> {
        let file = File::options().read(true).write(true).open(path)?;
        if file.metadata()?.len() != ring::FILE_BYTES as u64 {
            return Ok(None);
        }
        let ring = Self { process, number, memory: MmapRaw::map_raw(&file)?, read: 0 };
        Ok((ring.word(ring::MAGIC_AT).load(Ordering::Acquire) == ring::MAGIC).then_some(ring))
    }

    fn word(&self, index: usize) -> &AtomicU64 {
        assert!(index * 8 + 8 <= ring::FILE_BYTES, "a word of the ring");
        // SAFETY: the word lies within the mapping, which is aligned to pages and lives as long as `self`; the program
        // and Lotse change it only as whole words.
        unsafe { AtomicU64::from_ptr(self.memory.as_mut_ptr().cast::<u64>().add(index)) }
    }

    /// The number of words written since the beginning.
    pub fn written(&self) -> u64 {
        self.word(ring::WRITTEN).load(Ordering::Acquire)
    }

    /// Replaces `words` by the next ones of the first `end` that were written, and frees their space in the ring; `false` if all
    /// were read. These are few at a time, so that they are still in the cache when the caller reads them, and the program can go
    /// on early.
    pub fn take(&mut self, end: u64, words: &mut Vec<u64>) -> bool {
        // A corrupt file must not make Lotse read more than the size of the ring.
        self.read = self.read.max(end.saturating_sub(ring::RECORD_WORDS as u64));
        let from = self.read as usize % ring::RECORD_WORDS;
        let count = (end.saturating_sub(self.read) as usize).min(PIECE).min(ring::RECORD_WORDS - from);
        words.clear();
        words.extend(self.records(from..from + count));
        self.read += count as u64;
        self.word(ring::READ).store(self.read, Ordering::Release);
        count > 0
    }

    /// The words at some indices of the ring.
    fn records(&self, places: Range<usize>) -> impl Iterator<Item = u64> {
        assert!(places.start <= places.end && places.end <= ring::RECORD_WORDS, "words of the ring");
        // SAFETY: the records lie within the mapping, which is aligned to pages and lives as long as `self`; the program
        // and Lotse change them only as whole words.
        let words = unsafe {
            let first = self.memory.as_mut_ptr().cast::<AtomicU64>().add(ring::RECORDS_AT / 8);
            std::slice::from_raw_parts(first.add(places.start), places.len())
        };
        words.iter().map(|word| word.load(Ordering::Relaxed))
    }

    /// The number of events that the program dropped.
    pub fn lost(&self) -> u64 {
        self.word(ring::LOST_AT).load(Ordering::Relaxed)
    }

    /// Appends the records of the runs that were open when the program ended.
    pub fn open_runs(&self, words: &mut Vec<u64>) {
        for index in 0..ring::RUNS {
            let run = self.run(index);
            if run.head != 0 {
                let (record, count) = run.record();
                words.extend(&record[..count]);
            }
        }
    }

    fn run(&self, index: usize) -> OpenRun {
        let first = ring::HEADER_BYTES / 8 + index * ring::RUN_WORDS;
        let words: [u64; ring::RUN_WORDS] =
            std::array::from_fn(|at| self.word(first + at).load(Ordering::Relaxed));
        OpenRun::from_words(words)
    }
}

/// The text of a memory map; `None` unless it is complete, that is, ends with an empty line.
fn complete_map(path: &Path) -> Option<String> {
    let mut text = fs::read_to_string(path).ok()?;
    let is_complete = text.ends_with("\n\n");
    text.pop();
    is_complete.then_some(text)
}

/// Whether a process exists.
pub fn process_exists(number: u32) -> bool {
    Path::new("/proc").join(number.to_string()).exists()
}
