//! The journal: all changes to the machine, on the disk before they are made.
//!
//! One file per measurement in the user's state directory, one JSON object per line: the owner, the watchdog, every change, and
//! actions that were undone early. An incomplete line (after a kill or a loss of power) belongs to a change that was not made.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::action::Change;
use super::error::QuietError;
use super::kernel::Kernel;
use super::process::ProcessId;
use crate::append::{AppendFile, Existing};
use crate::source::FileError;
use crate::state::StateFile;

/// Name and version of the format, in the first line.
const SCHEMA: &str = "lotse.separation/1";

/// One line of the journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum JournalLine {
    Journal { schema: String, boot: String, owner: ProcessId },
    Watchdog(ProcessId),
    Change(Change),
    Undone(String),
}

/// The journal of this process.
#[derive(Debug)]
pub(super) struct Journal {
    file: AppendFile,
    path: PathBuf,
}

/// The contents of a journal.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ParsedJournal {
    /// The boot id at the time of writing.
    pub(super) boot: String,
    pub(super) owner: ProcessId,
    pub(super) watchdog: Option<ProcessId>,
    /// Changes that may have been made and were not undone, in the order of writing.
    pub(super) changes: Vec<Change>,
}

/// The directory of journals.
pub(super) fn directory() -> Option<PathBuf> {
    StateFile::of_user("separation").map(|file| file.path().to_owned())
}

/// The paths of all journals, sorted by name; empty if the directory does not exist.
pub(super) fn list(directory: &Path) -> Result<Vec<PathBuf>, FileError> {
    with_extension(directory, "jsonl")
}

fn with_extension(directory: &Path, wanted: &str) -> Result<Vec<PathBuf>, FileError> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(FileError::new("list", directory))?,
    };
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry.map_err(FileError::new("list", directory))?;
        let (path, about) = (entry.path(), entry.metadata());
        // Root must not undo journals that another user wrote.
        let own = about.is_ok_and(|about| about.uid() == rustix::process::geteuid().as_raw());
        if own && path.extension().is_some_and(|extension| extension == wanted) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Removes temporary files of journals whose process was killed before the first line was written: nothing was changed. `is_alive`
/// tells whether a process still exists.
pub(super) fn remove_unbegun(
    directory: &Path,
    is_alive: impl Fn(ProcessId) -> bool,
) -> Result<(), FileError> {
    for path in with_extension(directory, "new")? {
        let owner = path.file_stem().and_then(|stem| {
            let (pid, start) = stem.to_str()?.split_once('-')?;
            Some(ProcessId { pid: pid.parse().ok()?, start: start.parse().ok()? })
        });
        if !owner.is_some_and(&is_alive) {
            remove(&path)?;
        }
    }
    Ok(())
}

/// The boot id: it changes with every start of the machine.
pub(super) fn boot(kernel: &dyn Kernel) -> Result<String, QuietError> {
    const FILE: &str = "/proc/sys/kernel/random/boot_id";
    kernel.read(FILE).map_err(QuietError::file("read", FILE))
}

impl Journal {
    /// Begins a journal. The file is renamed after its first line is written, so that no process sees a journal without an owner.
    pub(super) fn create(directory: &Path, boot: String, owner: ProcessId) -> Result<Self, FileError> {
        fs::create_dir_all(directory).map_err(FileError::new("create", directory))?;
        let path = directory.join(format!("{}-{}.jsonl", owner.pid, owner.start));
        let early = path.with_extension("new");
        // Process id and start time make the name unique, so an existing file of that name is not ours.
        let file = AppendFile::open(&early, Existing::Refuse)?;
        let mut journal = Self { file, path };
        journal.write(&[JournalLine::Journal { schema: SCHEMA.to_owned(), boot, owner }])?;
        fs::rename(&early, &journal.path).map_err(FileError::new("create", &journal.path))?;
        // The directory entry must survive a loss of power.
        let synced = fs::File::open(directory).and_then(|folder| folder.sync_all());
        synced.map_err(FileError::new("write", directory))?;
        Ok(journal)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Records the watchdog process.
    pub(super) fn watched_by(&mut self, watchdog: ProcessId) -> Result<(), FileError> {
        self.write(&[JournalLine::Watchdog(watchdog)])
    }

    /// Records changes. When this returns they are on the disk and may be made.
    pub(super) fn intend(&mut self, changes: &[Change]) -> Result<(), FileError> {
        self.write(&changes.iter().cloned().map(JournalLine::Change).collect::<Vec<_>>())
    }

    /// Records that an action was undone.
    pub(super) fn undone(&mut self, action: &str) -> Result<(), FileError> {
        self.write(&[JournalLine::Undone(action.to_owned())])
    }

    fn write(&mut self, lines: &[JournalLine]) -> Result<(), FileError> {
        for line in lines {
            let text = serde_json::to_vec(line)
                .map_err(|error| FileError::new("write", &self.path)(error.into()))?;
            self.file.append(&text)?;
        }
        self.file.flush()
    }
}

/// Takes the lock that keeps other measurements of this user from changing the machine at the same time. It ends with the process.
pub(super) fn reserve(directory: &Path) -> Result<fs::File, QuietError> {
    fs::create_dir_all(directory).map_err(FileError::new("create", directory))?;
    let path = directory.join("lock");
    let file = fs::File::options().write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(FileError::new("write", &path))?;
    match rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(rustix::io::Errno::AGAIN) => Err(QuietError::Busy),
        Err(errno) => Err(FileError::new("lock", &path)(errno.into()).into()),
    }
}

/// Removes a journal whose changes were undone.
pub(super) fn remove(path: &Path) -> Result<(), FileError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(FileError::new("remove", path)(error))
        }
        _ => Ok(()),
    }
}

/// Parses a journal up to an incomplete line. `None` if there is no owner, so that nothing was changed.
pub(super) fn parse(text: &str) -> Option<ParsedJournal> {
    let mut lines = text.lines().map_while(|line| serde_json::from_str(line).ok());
    let Some(JournalLine::Journal { boot, owner, .. }) = lines.next() else { return None };
    let mut read = ParsedJournal { boot, owner, watchdog: None, changes: Vec::new() };
    for line in lines {
        match line {
            JournalLine::Journal { .. } => {}
            JournalLine::Watchdog(process) => read.watchdog = Some(process),
            JournalLine::Change(change) => read.changes.push(change),
            JournalLine::Undone(action) => read.changes.retain(|change| change.action != action),
        }
    }
    Some(read)
}

#[cfg(test)]
mod tests {
    use super::super::action::{Change, Target};
    use super::super::error::QuietError;
    use super::super::process::ProcessId;
    use super::{Journal, ParsedJournal, list, parse, remove, remove_unbegun, reserve};

    fn change(action: &str, file: &str) -> Change {
        let target = Target::File(file.to_owned());
        Change { action: action.to_owned(), target, old: "a \"b\"\n".to_owned(), new: "1".to_owned() }
    }

    const OWNER: ProcessId = ProcessId { pid: 7, start: 70 };

    fn written() -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(&folder.path().join("deep"), "boot".into(), OWNER).unwrap();
        journal.watched_by(ProcessId { pid: 8, start: 80 }).unwrap();
        journal.intend(&[change("turbo", "/x"), change("smt", "/y")]).unwrap();
        journal.undone("turbo").unwrap();
        let process = Target::Process(ProcessId { pid: 9, start: 90 });
        journal.intend(&[Change { target: process, ..change("nice", "") }]).unwrap();
        let text = std::fs::read_to_string(journal.path()).unwrap();
        assert_eq!(list(&folder.path().join("deep")).unwrap(), [journal.path()]);
        remove(journal.path()).unwrap();
        remove(journal.path()).unwrap();
        assert!(list(&folder.path().join("deep")).unwrap().is_empty());
        (folder, text)
    }

    #[test]
    fn a_written_journal_is_read_again() {
        let (_folder, text) = written();
        let process = Target::Process(ProcessId { pid: 9, start: 90 });
        let expected = ParsedJournal {
            boot: "boot".into(),
            owner: OWNER,
            watchdog: Some(ProcessId { pid: 8, start: 80 }),
            changes: vec![change("smt", "/y"), Change { target: process, ..change("nice", "") }],
        };
        assert_eq!(parse(&text), Some(expected));
    }

    #[test]
    fn a_cut_journal_is_read_up_to_the_cut() {
        let (_folder, text) = written();
        let lines: Vec<&str> = text.lines().collect();
        let count = |complete: usize| match complete {
            0..=2 => 0,
            3 => 1,
            4 => 2,
            // The line about the undone action.
            5 => 1,
            _ => 2,
        };
        for end in 0..=text.len() {
            let read = parse(&text[..end]);
            // A line that lacks only its line feed is complete.
            let mut complete = text[..end].matches('\n').count();
            let rest = text[..end].rsplit('\n').next().unwrap();
            complete += usize::from(lines.get(complete) == Some(&rest));
            assert_eq!(read.is_some(), complete >= 1, "{end}");
            assert_eq!(read.map_or(0, |read| read.changes.len()), count(complete), "{end}");
        }
    }

    #[test]
    fn a_journal_without_a_first_line_is_removed_if_its_process_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["7-70.new", "8-80.new", "odd.new"] {
            std::fs::write(folder.path().join(name), "{\"jour").unwrap();
        }
        remove_unbegun(folder.path(), |process| process == OWNER).unwrap();
        let left: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["7-70.new"]);
    }

    #[test]
    fn one_measurement_at_a_time_changes_the_machine() {
        let folder = tempfile::tempdir().unwrap();
        let first = reserve(folder.path()).unwrap();
        assert!(matches!(reserve(folder.path()), Err(QuietError::Busy)));
        drop(first);
        reserve(folder.path()).unwrap();
    }

    #[test]
    fn files_of_other_users_are_no_journals() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("7-70.jsonl");
        std::fs::write(&path, "").unwrap();
        assert_eq!(list(folder.path()).unwrap(), std::slice::from_ref(&path));
        let other = rustix::process::geteuid().as_raw() + 1;
        if std::os::unix::fs::chown(&path, Some(other), None).is_err() {
            return test_support::skip_here("only root can give a file away");
        }
        assert!(list(folder.path()).unwrap().is_empty());
    }

    #[test]
    fn no_directory_has_no_journals() {
        assert!(list(std::path::Path::new("/nonexistent/separation")).unwrap().is_empty());
    }
}
