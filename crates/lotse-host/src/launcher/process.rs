//! The launcher process: its executable image, pipes, start and end.

use std::fs::{File, Permissions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};

use lotse_launch::wire::Answer;
use rustix::fs::{MemfdFlags, OFlags};
use rustix::io::{Errno, FdFlags};
use rustix::pipe::PipeFlags;

use super::drain::Drain;
use crate::problem::LaunchError;

/// Size of a pipe in bytes. Large enough that programs with much output seldom block; the kernel may grant less.
const CAPTURE_PIPE: usize = 256 * 1024;

#[derive(Debug)]
pub(super) struct Process {
    /// `None` only while being dropped.
    requests: Option<File>,
    answers: File,
    /// stdout and stderr of the first job, then of the second.
    captures: Vec<OwnedFd>,
    /// `/dev/null`, for bytes beyond the limit.
    null: File,
    child: Child,
}

impl Process {
    pub(super) fn start(fixed_addresses: bool) -> Result<Self, LaunchError> {
        if !lotse_launch::SUPPORTED {
            return Err(LaunchError::Unsupported);
        }
        start(fixed_addresses).map_err(LaunchError::Start)
    }

    pub(super) fn send(&mut self, message: &[u8]) -> Result<(), LaunchError> {
        let requests = self.requests.as_mut().ok_or(LaunchError::Lost)?;
        requests.write_all(message).map_err(|source| match source.kind() {
            io::ErrorKind::BrokenPipe => LaunchError::Lost,
            _ => LaunchError::Pipe { doing: "speak to the launcher", source },
        })
    }

    /// The next answer: head and body.
    pub(super) fn receive(&mut self) -> Result<Vec<u8>, LaunchError> {
        // An answer is shorter than PIPE_BUF, so one read returns all of it.
        let mut answer = vec![0; 4096];
        let failed = |source| LaunchError::Pipe { doing: "hear the launcher", source };
        let count = loop {
            match self.answers.read(&mut answer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result.map_err(failed)?,
            }
        };
        answer.truncate(count);
        if count < Answer::SIZE { Err(LaunchError::Lost) } else { Ok(answer) }
    }

    pub(super) fn number(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn answers(&self) -> &File {
        &self.answers
    }

    pub(super) fn captures(&self) -> &[OwnedFd] {
        &self.captures
    }

    /// Drains the bytes that are in the pipes now.
    pub(super) fn drain(&self, drains: &mut [Drain]) -> Result<(), LaunchError> {
        for (drain, pipe) in drains.iter_mut().zip(&self.captures) {
            drain.take(pipe, &self.null)?;
        }
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The launcher ends when its pipe of requests is closed.
        drop(self.requests.take());
        // Waiting for a child that was not waited for yet cannot fail.
        drop(self.child.wait());
    }
}

fn start(fixed_addresses: bool) -> io::Result<Process> {
    let (request_end, requests) = pipe()?;
    let (answers, answering) = pipe()?;
    let mut theirs = vec![request_end, answering];
    let mut captures = Vec::new();
    for _ in 0..4 {
        let (ours, written) = pipe()?;
        rustix::fs::fcntl_setfl(&ours, OFlags::NONBLOCK)?;
        match rustix::pipe::fcntl_setpipe_size(&ours, CAPTURE_PIPE) {
            // Beyond the limit of unprivileged users the pipe keeps its default size, which works too.
            Ok(_) | Err(Errno::PERM | Errno::NOMEM) => {}
            Err(errno) => return Err(errno.into()),
        }
        captures.push(ours);
        theirs.push(written);
    }
    let child = execute(&theirs, fixed_addresses)?;
    let null = File::options().write(true).open("/dev/null")?;
    Ok(Process { requests: Some(requests.into()), answers: answers.into(), captures, null, child })
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?)
}

/// Executes the image from memory, or from a file if that is forbidden.
fn execute(fds: &[OwnedFd], fixed_addresses: bool) -> io::Result<Child> {
    execute_memory(fds, fixed_addresses).or_else(|_| execute_file(fds, fixed_addresses))
}

fn execute_memory(fds: &[OwnedFd], fixed_addresses: bool) -> io::Result<Child> {
    const NAME: &str = "lotse-launch";
    let flags = MemfdFlags::CLOEXEC;
    // Kernels before 6.3 do not know MFD_EXEC; later ones may be configured to require it.
    let memory = rustix::fs::memfd_create(NAME, flags | MemfdFlags::EXEC)
        .or_else(|_| rustix::fs::memfd_create(NAME, flags))?;
    let mut memory = File::from(memory);
    memory.write_all(lotse_launch::IMAGE)?;
    spawn(Path::new(&format!("/proc/self/fd/{}", memory.as_raw_fd())), fds, fixed_addresses)
}

fn execute_file(fds: &[OwnedFd], fixed_addresses: bool) -> io::Result<Child> {
    let mut file = tempfile::Builder::new().prefix("lotse-launch").tempfile()?;
    file.write_all(lotse_launch::IMAGE)?;
    file.as_file().set_permissions(Permissions::from_mode(0o700))?;
    // A file still open for writing cannot be executed.
    let path = file.into_temp_path();
    spawn(&path, fds, fixed_addresses)
}

fn spawn(image: &Path, fds: &[OwnedFd], fixed_addresses: bool) -> io::Result<Child> {
    let mut command = Command::new(image);
    command.arg0("lotse-launch").args(fds.iter().map(|fd| fd.as_raw_fd().to_string()));
    let numbers: Vec<_> = fds.iter().map(AsRawFd::as_raw_fd).collect();
    let inherit = move || {
        for number in &numbers {
            // SAFETY: the owner of the descriptor outlives `spawn`, in whose child process this closure runs.
            let fd = unsafe { BorrowedFd::borrow_raw(*number) };
            rustix::io::fcntl_setfd(fd.as_fd(), FdFlags::empty())?;
        }
        if fixed_addresses { fix_addresses() } else { Ok(()) }
    };
    // SAFETY: between fork and exec it only makes system calls; it neither allocates nor locks.
    unsafe { command.pre_exec(inherit) };
    command.spawn()
}

/// Disables address space layout randomisation for this process and its descendants.
fn fix_addresses() -> io::Result<()> {
    /// The argument that queries the current flags.
    const QUERY: libc::c_ulong = 0xffff_ffff;
    // SAFETY: the call takes a number.
    let present = unsafe { libc::personality(QUERY) };
    let wanted = present.cast_unsigned() | libc::ADDR_NO_RANDOMIZE.cast_unsigned();
    // SAFETY: as above.
    let done = unsafe { libc::personality(wanted.into()) };
    if present < 0 || done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
