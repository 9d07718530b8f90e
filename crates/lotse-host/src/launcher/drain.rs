//! Drains the output of runs, so that they are never blocked: keeps the beginning and counts the rest.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::pipe::SpliceFlags;

use crate::job::{Job, Output};
use crate::problem::LaunchError;
use crate::report::Captured;

/// The receiver of one output stream of a job; unused if the stream is not captured.
#[derive(Debug, Default)]
pub(super) struct Drain {
    limit: Option<usize>,
    captured: Captured,
}

impl Drain {
    /// The streams of all jobs: stdout and stderr of the first job, then those of the second.
    pub(super) fn for_jobs(jobs: &[&Job]) -> Vec<Self> {
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

    /// Reads all bytes that are in the pipe, without waiting for more.
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

/// Discards bytes inside the kernel (splice to `/dev/null`), without copying them.
fn discard(pipe: &OwnedFd, null: &File) -> Result<usize, Errno> {
    const MOST: usize = 1 << 20;
    rustix::pipe::splice(pipe, None, null, None, MOST, SpliceFlags::NONBLOCK)
}

#[cfg(test)]
mod tests {
    use super::Drain;
    use crate::job::{Job, Output};
    use rustix::fs::OFlags;
    use std::fs::File;
    use std::io::Write;

    /// The kept bytes and the count after `written` was written to a stream with this output.
    fn drained(output: Output, written: &[&str]) -> (Vec<u8>, u64) {
        let (ours, theirs) = rustix::pipe::pipe().unwrap();
        rustix::fs::fcntl_setfl(&ours, OFlags::NONBLOCK).unwrap();
        let null = File::options().write(true).open("/dev/null").unwrap();
        let mut theirs = File::from(theirs);
        let mut drain = Drain::new(&output);
        for text in written {
            theirs.write_all(text.as_bytes()).unwrap();
            drain.take(&ours, &null).unwrap();
        }
        let captured = drain.captured();
        (captured.bytes, captured.total)
    }

    #[test]
    fn the_beginning_is_kept_and_all_is_counted() {
        let capture = |limit| Output::Capture { limit };
        assert_eq!(drained(capture(100), &["ab", "cd"]), (b"abcd".to_vec(), 4));
        assert_eq!(drained(capture(3), &["ab", "cd", "ef"]), (b"abc".to_vec(), 6));
        assert_eq!(drained(capture(0), &["ab"]), (Vec::new(), 2));
        assert_eq!(drained(capture(9), &[]), (Vec::new(), 0));
    }

    #[test]
    fn a_stream_that_is_not_captured_is_left_alone() {
        assert_eq!(drained(Output::Null, &["ab"]), (Vec::new(), 0));
        let mut job = Job::new(["a"]);
        job.stderr = Output::Capture { limit: 1 };
        let used: Vec<_> = Drain::for_jobs(&[&job, &job]).iter().map(Drain::is_used).collect();
        assert_eq!(used, [false, true, false, true]);
    }
}
