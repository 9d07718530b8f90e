//! Undoes the changes of measurements that could not do it themselves: Lotse was killed, or the machine was restarted.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::FlockOperation;

use super::error::QuietError;
use super::journal::{self, ParsedJournal};
use super::kernel::Kernel;
use super::undo::{self, UndoSummary};
use crate::separation_choice::Restored;
use crate::source::FileError;
use crate::tree::SystemTree;

/// How long to wait for a watchdog that is still alive.
const PATIENCE: Duration = Duration::from_secs(5);

/// Undoes the journals of measurements of this user that ended without undoing their changes.
pub fn restore() -> Result<Vec<Restored>, QuietError> {
    let Some(directory) = journal::directory() else { return Ok(Vec::new()) };
    restore_in(&SystemTree::real(), &directory)
}

fn restore_in(kernel: &dyn Kernel, directory: &Path) -> Result<Vec<Restored>, QuietError> {
    journal::remove_unbegun(directory, |process| process.is_alive(kernel))?;
    let mut all = Vec::new();
    for path in journal::list(directory)? {
        all.extend(restore_stale(kernel, &path)?);
    }
    Ok(all)
}

/// The processes of killed measurements of this user whose changes to the machine are not undone yet. Nothing is changed.
pub fn left_changed() -> Result<Vec<u32>, QuietError> {
    let Some(directory) = journal::directory() else { return Ok(Vec::new()) };
    left_changed_in(&SystemTree::real(), &directory)
}

fn left_changed_in(kernel: &dyn Kernel, directory: &Path) -> Result<Vec<u32>, QuietError> {
    let mut owners = Vec::new();
    for path in journal::list(directory)? {
        let text = text_of(&path)?;
        let Some(read) = text.and_then(|text| journal::parse(&text)) else { continue };
        let is_left = !read.changes.is_empty() && read.boot == journal::boot(kernel)?;
        if is_left && !read.owner.is_alive(kernel) {
            owners.push(read.owner.pid.cast_unsigned());
        }
    }
    Ok(owners)
}

/// Undoes a journal unless its owner is alive. If the watchdog is alive, waits for it first.
fn restore_stale(kernel: &dyn Kernel, path: &Path) -> Result<Option<Restored>, QuietError> {
    let Some(text) = text_of(path)? else { return Ok(None) };
    let boot = journal::boot(kernel)?;
    if let Some(read) = journal::parse(&text).filter(|read| read.boot == boot) {
        if read.owner.is_alive(kernel) {
            return Ok(None);
        }
        let begin = Instant::now();
        let watched = || read.watchdog.is_some_and(|watchdog| watchdog.is_alive(kernel));
        while watched() && path.exists() && begin.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    undo_journal(kernel, path)
}

/// Undoes a journal without checking its owner, and removes it. `None` if another process has done so.
pub(super) fn undo_journal(kernel: &dyn Kernel, path: &Path) -> Result<Option<Restored>, QuietError> {
    let Some(_lock) = lock(path)? else { return Ok(None) };
    let Some(text) = text_of(path)? else { return Ok(None) };
    let boot = journal::boot(kernel)?;
    let restored = journal::parse(&text).map(|journal| undo_parsed(kernel, &journal, &boot));
    if restored.as_ref().is_none_or(|restored| restored.failed.is_empty()) {
        journal::remove(path)?;
    }
    Ok(restored)
}

fn undo_parsed(kernel: &dyn Kernel, journal: &ParsedJournal, boot: &str) -> Restored {
    let owner = journal.owner.pid.cast_unsigned();
    if journal.boot != boot {
        return Restored { owner, values: 0, restarted: true, kept: Vec::new(), failed: Vec::new() };
    }
    let UndoSummary { restored: values, changed_by_others, failed } =
        UndoSummary::new(&undo::undo(kernel, &journal.changes));
    Restored { owner, values, restarted: false, kept: changed_by_others, failed }
}

/// Locks a journal until the file is closed, so that two processes do not undo it at once. `None` if it does not exist.
fn lock(path: &Path) -> Result<Option<File>, QuietError> {
    let file = match File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(FileError::new("read", path))?,
    };
    let begin = Instant::now();
    loop {
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(Some(file)),
            Err(rustix::io::Errno::AGAIN) if begin.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(errno) => return Err(FileError::new("lock", path)(errno.into()).into()),
        }
    }
}

/// The text of a journal; `None` if it does not exist. Invalid bytes, as after a crash of the machine, are replaced; parsing
/// stops there.
fn text_of(path: &Path) -> Result<Option<String>, QuietError> {
    let mut bytes = Vec::new();
    match File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FileError::new("read", path)(error).into()),
        Ok(_) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::super::action::{Change, Target};
    use super::super::fake::FakeKernel;
    use super::super::journal::{self, Journal};
    use super::super::process::{ProcessId, own_pid};
    use super::{left_changed_in, restore_in};
    use std::path::Path;

    const FILE: &str = "/sys/devices/system/cpu/intel_pstate/no_turbo";
    const DEAD: ProcessId = ProcessId { pid: 9_000_001, start: 1 };

    fn machine() -> FakeKernel {
        let kernel = FakeKernel::new(&[("/proc/sys/kernel/random/boot_id", "now"), (FILE, "1")]);
        kernel.process(own_pid(), "lotse", 1, 1, 0, 0, 0);
        kernel
    }

    fn journal(folder: &Path, boot: &str, owner: ProcessId) -> std::path::PathBuf {
        let mut journal = Journal::create(folder, boot.to_owned(), owner).unwrap();
        let target = Target::File(FILE.to_owned());
        let change = Change { action: "turbo".into(), target, old: "0".into(), new: "1".into() };
        journal.intend(&[change]).unwrap();
        journal.path().to_owned()
    }

    #[test]
    fn a_journal_whose_owner_died_is_undone_once() {
        let folder = tempfile::tempdir().unwrap();
        let kernel = machine();
        journal(folder.path(), "now", DEAD);
        assert_eq!(left_changed_in(&kernel, folder.path()).unwrap(), [9_000_001]);
        let restored = restore_in(&kernel, folder.path()).unwrap();
        assert!(left_changed_in(&kernel, folder.path()).unwrap().is_empty());
        assert_eq!((restored.len(), restored[0].values, restored[0].owner), (1, 1, 9_000_001));
        assert_eq!(kernel.text(FILE), "0");
        assert!(restore_in(&kernel, folder.path()).unwrap().is_empty());
    }

    #[test]
    fn a_journal_whose_owner_lives_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let kernel = machine();
        let owner = ProcessId::own(&kernel).unwrap();
        let path = journal(folder.path(), "now", owner);
        assert!(left_changed_in(&kernel, folder.path()).unwrap().is_empty());
        assert!(restore_in(&kernel, folder.path()).unwrap().is_empty());
        assert_eq!(kernel.text(FILE), "1");
        assert!(path.exists());
        // A later process with the owner's id is not the owner.
        std::fs::remove_file(path).unwrap();
        journal(folder.path(), "now", ProcessId { start: owner.start - 1, ..owner });
        assert_eq!(restore_in(&kernel, folder.path()).unwrap()[0].values, 1);
    }

    #[test]
    fn a_restart_undoes_everything_by_itself() {
        let folder = tempfile::tempdir().unwrap();
        let kernel = machine();
        let path = journal(folder.path(), "before", DEAD);
        let restored = restore_in(&kernel, folder.path()).unwrap();
        assert!(restored[0].restarted && restored[0].values == 0);
        assert_eq!(kernel.text(FILE), "1");
        assert!(!path.exists());
    }

    #[test]
    fn what_cannot_be_put_back_stays_in_the_journal() {
        let folder = tempfile::tempdir().unwrap();
        let kernel = machine();
        kernel.forbids(FILE);
        let path = journal(folder.path(), "now", DEAD);
        let restored = restore_in(&kernel, folder.path()).unwrap();
        assert_eq!(restored[0].failed.len(), 1);
        assert!(path.exists());
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(journal::parse(&text).unwrap().changes.len(), 1);
    }
}
