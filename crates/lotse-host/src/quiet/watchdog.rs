//! A process that waits for the end of Lotse, even by a kill, and then undoes the changes that are left in the journal.
//!
//! It has a session of its own, so that signals to Lotse's process group or terminal do not reach it. It waits on a pipe whose
//! other end the kernel closes when Lotse ends.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use super::error::QuietError;
use super::restore::undo_journal;
use crate::separation_choice::Restored;
use crate::tree::SystemTree;

/// The line that the watchdog writes when it is ready.
const READY: &[u8] = b"ready\n";

/// The watchdog process, as Lotse's child.
#[derive(Debug)]
pub(super) struct Watchdog {
    child: Child,
    /// Closing it ends the watchdog.
    pipe: Option<ChildStdin>,
}

impl Watchdog {
    /// Starts a command with the journal's path as its last argument, and waits until it is ready.
    pub(super) fn start(command: &[OsString], journal: &Path) -> io::Result<Self> {
        let (program, arguments) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(arguments).arg(journal).stdin(Stdio::piped()).stdout(Stdio::piped());
        // SAFETY: between fork and exec it makes one system call.
        unsafe { command.pre_exec(|| rustix::process::setsid().map(|_| ()).map_err(Into::into)) };
        let mut child = command.spawn()?;
        let pipe = child.stdin.take();
        let mut watchdog = Self { child, pipe };
        let mut answer = [0; READY.len()];
        let heard = match watchdog.child.stdout.take() {
            Some(mut output) => output.read_exact(&mut answer),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        heard.map(|()| watchdog)
    }

    /// The process id.
    pub(super) fn pid(&self) -> i32 {
        self.child.id().cast_signed()
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.pipe.take());
        // Waiting for a child that was not waited for yet cannot fail.
        drop(self.child.wait());
    }
}

/// The main function of the watchdog: reports that it is ready, waits until the pipe is closed, and undoes the journal if it still
/// exists.
pub fn watch(
    journal: &Path,
    pipe: &mut dyn Read,
    ready: &mut dyn Write,
) -> Result<Option<Restored>, QuietError> {
    ready.write_all(READY).and_then(|()| ready.flush()).map_err(QuietError::Watchdog)?;
    io::copy(pipe, &mut io::sink()).map_err(QuietError::Watchdog)?;
    undo_journal(&SystemTree::real(), journal)
}

#[cfg(test)]
mod tests {
    use super::{Watchdog, watch};
    use std::path::Path;

    #[test]
    fn nothing_is_left_to_do_where_the_journal_is_gone() {
        let mut written = Vec::new();
        let undone = watch(Path::new("/nonexistent/journal"), &mut std::io::empty(), &mut written).unwrap();
        assert!(undone.is_none());
        assert_eq!(written, b"ready\n");
    }

    #[test]
    fn it_has_a_session_of_its_own_and_ends_with_its_pipe() {
        let script = "echo ready; cat; echo $0 > $0.ended";
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal");
        let command = ["sh", "-c", script].map(Into::into);
        let watchdog = Watchdog::start(&command, &journal).unwrap();
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", watchdog.pid())).unwrap();
        let session = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(3).unwrap();
        assert_eq!(session, watchdog.pid().to_string());
        drop(watchdog);
        assert!(folder.path().join("journal.ended").exists());
    }

    #[test]
    fn a_watchdog_that_does_not_answer_is_an_error() {
        assert!(Watchdog::start(&["true".into()], Path::new("x")).is_err());
        assert!(Watchdog::start(&["/nonexistent/program".into()], Path::new("x")).is_err());
        assert!(Watchdog::start(&[], Path::new("x")).is_err());
    }
}
