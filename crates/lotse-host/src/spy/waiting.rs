//! Waiting for the recorded command and for the collector, without ever waiting for nothing.
//!
//! The command may take as long as it likes, unless the user asks to stop. The collector has to make progress: one that is
//! stopped or hangs is ended.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::collecting::terminate;
use crate::signals::Interrupt;

/// How often to look at things while the command runs.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How long the command may take to end by itself after Ctrl-C, which reaches it as well.
const GRACE: Duration = Duration::from_secs(2);
/// How long the collector may neither compute nor write.
const STALL: Duration = Duration::from_secs(10);

/// How a command ended, and when.
#[derive(Debug, Clone, Copy)]
pub struct CommandEnd {
    /// How.
    pub status: ExitStatus,
    /// When.
    pub at: Instant,
}

/// Waits for a command and calls `look` now and then. A command that goes on after the user asked to stop is asked to end.
pub fn wait_for_command(
    mut child: Child,
    interrupt: &Interrupt,
    mut look: impl FnMut(),
) -> io::Result<CommandEnd> {
    let process = child.id();
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let status = child.wait().map(|status| CommandEnd { status, at: Instant::now() });
        // The receiver waits for this message.
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
    /// It wrote everything.
    Complete,
    /// It ended by itself, or somebody ended it.
    Died(ExitStatus),
    /// It made no progress and was ended.
    Stalled,
}

impl CollectorProcess {
    pub(super) fn new(child: Child) -> Self {
        Self { child, ended: None }
    }

    /// The system's number of it.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Looks whether it has ended: programs ask whether the process exists, and until then it does.
    pub fn look(&mut self) {
        if self.ended.is_none() {
            self.ended = self.child.try_wait().ok().flatten();
        }
    }

    /// Sends the last word and waits until the history is written, as long as there is progress.
    pub fn finish(&mut self, message: Vec<u8>, history: &Path) -> io::Result<CollectorEnd> {
        self.look();
        let was_alive = self.ended.is_none();
        if let Some(mut pipe) = self.child.stdin.take() {
            // A collector that is stopped reads nothing, and a pipe has little room.
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

    /// What changes while it works: its processor time and the size of the history.
    fn progress(&self, history: &Path) -> (Option<String>, Option<u64>) {
        let Ok(stat) = fs::read_to_string(format!("/proc/{}/stat", self.child.id())) else {
            return (None, None);
        };
        let fields = stat.rsplit_once(')');
        // After the name: state is the first field, user and system time the 12th and 13th.
        let times =
            fields.map(|(_, rest)| rest.split_whitespace().skip(11).take(2).collect::<Vec<_>>().join(" "));
        (times, fs::metadata(history).ok().map(|data| data.len()))
    }
}

impl Drop for CollectorProcess {
    /// Lotse leaves early: nothing tells the collector more than the end of its pipe.
    fn drop(&mut self) {
        drop(self.child.stdin.take());
    }
}
