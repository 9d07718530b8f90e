//! The pipes to Lotse, and `/dev/null`.

use crate::syscall::{self, EINTR, O_RDWR};
use crate::wire::{self, Answer, Request};

pub(crate) struct Pipes {
    requests: i32,
    answers: i32,
    captures: [i32; 4],
    null: i32,
}

/// A message of Lotse during a run.
pub(crate) enum RunMessage {
    /// Stop the run.
    Interrupt,
    /// Lotse has ended.
    Disconnected,
}

impl Pipes {
    pub(crate) fn open(fds: [i32; 6]) -> Option<Self> {
        for fd in fds {
            syscall::close_on_exec(fd).ok()?;
        }
        let null = syscall::open(c"/dev/null", O_RDWR).ok()?;
        let [requests, answers, captures @ ..] = fds;
        Some(Self { requests, answers, captures, null })
    }

    /// The descriptor that becomes readable when Lotse sends something or ends.
    pub(crate) fn requests(&self) -> i32 {
        self.requests
    }

    pub(crate) fn null(&self) -> i32 {
        self.null
    }

    /// The pipe for the captured stdout (`stream` 1) or stderr (2) of a job.
    pub(crate) fn capture(&self, job: usize, stream: usize) -> Option<i32> {
        self.captures.get((2 * job + stream).checked_sub(1)?).copied()
    }

    /// Reads until `into` is full; exits when Lotse has ended.
    pub(crate) fn receive(&self, into: &mut [u8]) {
        let mut rest = into;
        while !rest.is_empty() {
            match syscall::read(self.requests, rest) {
                Ok(0) => syscall::exit(0),
                Ok(count) => match rest.get_mut(count..) {
                    Some(missing) => rest = missing,
                    None => syscall::exit(1),
                },
                Err(EINTR) => {}
                Err(_) => syscall::exit(1),
            }
        }
    }

    /// Receives a message during a run.
    pub(crate) fn receive_during_run(&self) -> RunMessage {
        let mut head = [0; Request::SIZE];
        match syscall::read(self.requests, &mut head) {
            Ok(Request::SIZE) if Request::decode(&head).is_some_and(|it| it.kind == wire::INTERRUPT) => {
                RunMessage::Interrupt
            }
            _ => RunMessage::Disconnected,
        }
    }

    /// Sends an answer; exits when Lotse has ended.
    pub(crate) fn answer(&self, kind: u16, count: usize, body: &[u8]) {
        const MOST: usize = 2048;
        let mut all = [0; MOST];
        let length = Answer::SIZE + body.len();
        let head = Answer::head(kind, count, body.len()).encode();
        for (to, from) in all.iter_mut().zip(head.iter().chain(body)) {
            *to = *from;
        }
        match all.get(..length).map(|all| syscall::write(self.answers, all)) {
            // A write of less than PIPE_BUF is atomic.
            Some(Ok(_)) => {}
            _ => syscall::exit(1),
        }
    }
}
