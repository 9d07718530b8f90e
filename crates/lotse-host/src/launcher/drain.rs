//! Takes what runs write, so that they are never blocked: keeps the beginning, counts the rest.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::pipe::SpliceFlags;

use crate::job::{Job, Output};
use crate::problem::LaunchError;
use crate::report::Captured;

/// One stream of one job.
#[derive(Debug, Default)]
pub(super) struct Drain {
    limit: Option<usize>,
    captured: Captured,
}

impl Drain {
    /// stdout and stderr of each job.
    pub(super) fn of(jobs: &[&Job]) -> Vec<Self> {
        jobs.iter().flat_map(|job| [Self::new(&job.stdout), Self::new(&job.stderr)]).collect()
    }

    fn new(output: &Output) -> Self {
        let limit = if let Output::Capture { limit } = output { Some(*limit) } else { None };
        Self { limit, captured: Captured::default() }
    }

    pub(super) fn is_used(&self) -> bool {
        self.limit.is_some()
    }

    pub(super) fn captured(self) -> Captured {
        self.captured
    }

    /// Takes all that is there; does not wait for more.
    pub(super) fn take(&mut self, pipe: &OwnedFd, null: &File) -> Result<(), LaunchError> {
        let Some(limit) = self.limit else { return Ok(()) };
        loop {
            let taken = match limit.saturating_sub(self.captured.bytes.len()) {
                0 => discard(pipe, null),
                room => keep(pipe, room, &mut self.captured.bytes),
            };
            match taken {
                Ok(0) | Err(Errno::AGAIN) => return Ok(()),
                Ok(count) => self.captured.total += count as u64,
                Err(Errno::INTR) => {}
                Err(errno) => return Err(failed(errno.into())),
            }
        }
    }
}

fn failed(source: io::Error) -> LaunchError {
    LaunchError::Pipe { doing: "take a program's output", source }
}

fn keep(pipe: &OwnedFd, room: usize, bytes: &mut Vec<u8>) -> Result<usize, Errno> {
    const CHUNK: usize = 64 * 1024;
    let before = bytes.len();
    bytes.resize(before + room.min(CHUNK), 0);
    let taken = rustix::io::read(pipe, &mut bytes[before..]);
    bytes.truncate(before + taken.unwrap_or(0));
    taken
}

/// Lets the kernel throw the pages away without copying them.
fn discard(pipe: &OwnedFd, null: &File) -> Result<usize, Errno> {
    const MOST: usize = 1 << 20;
    rustix::pipe::splice(pipe, None, null, None, MOST, SpliceFlags::NONBLOCK)
}
