//! Waits for the recorded command and for the collector, without hanging.
//!
//! The command has no time limit unless the user interrupts Lotse. The collector must make progress: if it is stopped or hangs, it is
//! killed.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::collecting::terminate;
use crate::signals::Interrupt;

/// Interval of checks while the command runs.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How long the command may take to end after Ctrl-C, which reaches it as well.
const GRACE: Duration = Duration::from_secs(2);
/// How long the collector may neither use CPU time nor write.
const STALL: Duration = Duration::from_secs(10);

/// How a command ended, and when.
#[derive(Debug, Clone, Copy)]
pub struct CommandEnd {
    pub status: ExitStatus,
    pub at: Instant,
}

/// Waits for a command and calls `look` at regular intervals. A command that continues after an interruption gets SIGTERM.
pub fn wait_for_command(
    mut child: Child,
    interrupt: &Interrupt,
    mut look: impl FnMut(),
) -> io::Result<CommandEnd> {
    let process = child.id();
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let status = child.wait().map(|status| CommandEnd { status, at: Instant::now() });
        // Sending cannot fail, because the receiver waits for this message.
        drop(send.send(status));
    });
    let mut interrupted_at: Option<Instant> = None;
    loop {
        match receive.recv_timeout(LOOK_EVERY) {
            Ok(ended) => return ended,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(io::Error::other("the waiting thread is gone"));
            }
            Err(RecvTimeoutError::Timeout) => look(),
        }
        if interrupt.is_set() && interrupted_at.get_or_insert_with(Instant::now).elapsed() > GRACE {
            terminate(process);
            interrupted_at = Some(Instant::now());
        }
    }
}

/// The collector's process.
#[derive(Debug)]
pub struct CollectorProcess {
    child: Child,
    ended: Option<ExitStatus>,
}

/// How the collector ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CollectorEnd {
    /// It wrote all records.
    Complete,
    /// It ended before it was complete.
    Died(ExitStatus),
    /// It made no progress and was killed.
    Stalled,
}

impl CollectorProcess {
    pub(super) fn new(child: Child) -> Self {
        Self { child, ended: None }
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Reaps the process if it has ended. Recorded programs check whether the collector exists, and a zombie still exists.
    pub fn look(&mut self) {
        if self.ended.is_none() {
            self.ended = self.child.try_wait().ok().flatten();
        }
    }

    /// Sends the final message and waits until the history is written, as long as there is progress.
    pub fn finish(&mut self, message: Vec<u8>, history: &Path) -> io::Result<CollectorEnd> {
        self.look();
        let was_alive = self.ended.is_none();
        if let Some(mut pipe) = self.child.stdin.take() {
            // A stopped collector does not read, and the pipe may be full: write from another thread.
            thread::spawn(move || drop(pipe.write_all(&message)));
        }
        let mut progress = (self.progress(history), Instant::now());
        loop {
            self.look();
            if let Some(status) = self.ended {
                let complete = was_alive && status.success();
                return Ok(if complete { CollectorEnd::Complete } else { CollectorEnd::Died(status) });
            }
            let now = self.progress(history);
            if now != progress.0 {
                progress = (now, Instant::now());
            }
            if progress.1.elapsed() > STALL {
                self.child.kill()?;
                self.child.wait()?;
                return Ok(CollectorEnd::Stalled);
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Values that change while the collector works: its CPU time and the size of the history.
    fn progress(&self, history: &Path) -> (Option<String>, Option<u64>) {
        let Ok(stat) = fs::read_to_string(format!("/proc/{}/stat", self.child.id())) else {
            return (None, None);
        };
        let fields = stat.rsplit_once(')');
        // The fields after the name: the first is the state, the 12th and 13th are user and system time.
        let times =
            fields.map(|(_, rest)| rest.split_whitespace().skip(11).take(2).collect::<Vec<_>>().join(" "));
        (times, fs::metadata(history).ok().map(|data| data.len()))
    }
}

impl Drop for CollectorProcess {
    /// Closes the pipe, so that the collector ends if Lotse ends early.
    fn drop(&mut self) {
        drop(self.child.stdin.take());
    }
}
