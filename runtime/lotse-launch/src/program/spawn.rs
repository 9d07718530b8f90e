//! Starts a job: everything is prepared, then the clock is read, then the process is cloned.
//!
//! Until it calls `execve`, the child shares the memory of the launcher, which waits (`CLONE_VM | CLONE_VFORK`). The child
//! reports a failure by writing it into that memory.

use core::cell::Cell;
use core::ffi::CStr;

use crate::job::{Arrays, Job};
use crate::memory;
use crate::pipes::Pipes;
use crate::syscall::{self, Errno, O_CREAT, O_NONBLOCK, O_RDONLY, O_TRUNC, O_WRONLY};
use crate::wire;

/// A job that is running.
pub(crate) struct Started {
    pub(crate) pid: i32,
    pub(crate) pidfd: i32,
    pub(crate) at: u64,
}

/// Which step of starting failed, and why.
#[derive(Clone, Copy)]
pub(crate) struct Failure {
    pub(crate) step: u32,
    pub(crate) errno: Errno,
}

/// What the child has to do; everything is computed before the clone.
struct Plan<'a> {
    path: &'a CStr,
    arrays: Arrays,
    directory: Option<&'a CStr>,
    cpu: u32,
    foreground: bool,
    fixed_addresses: bool,
    streams: [Stream; 3],
    failure: Cell<Option<Failure>>,
}

/// What a standard stream of the child is.
#[derive(Clone, Copy)]
enum Stream {
    Keep,
    Share(i32),
    /// Opened for this job, and closed after the clone.
    Own(i32),
}

/// Starts the job with this index in the request.
pub(crate) fn start(job: &Job<'_>, arrays: Arrays, index: usize, pipes: &Pipes) -> Result<Started, Failure> {
    let message = Failure { step: wire::STEP_MESSAGE, errno: syscall::EINVAL };
    let path = job.path().ok_or(message)?;
    let streams = open_streams(job, index, pipes)?;
    let foreground = job.head.flags & wire::FOREGROUND != 0;
    let fixed_addresses = job.head.flags & wire::FIXED_ADDRESSES != 0;
    let (directory, cpu, failure) = (job.directory(), job.head.cpu, Cell::new(None));
    let plan = Plan { path, arrays, directory, cpu, foreground, fixed_addresses, streams, failure };
    let started = clone(&plan);
    close_own(&plan.streams);
    started
}

fn clone(plan: &Plan<'_>) -> Result<Started, Failure> {
    const FLAGS: usize =
        syscall::CLONE_VM | syscall::CLONE_VFORK | syscall::CLONE_PIDFD | syscall::SIGCHLD as usize;
    let mut pidfd = -1;
    let argument = core::ptr::from_ref(plan).expose_provenance();
    let at = syscall::now();
    // SAFETY: the stack is unused; `plan` outlives the child's use of this memory, because this process waits until the
    // child calls `execve` or exits; `child` never returns.
    let pid = unsafe { syscall::clone(FLAGS, memory::child_stack(), &raw mut pidfd, child, argument) };
    if pid < 0 {
        return Err(Failure { step: wire::STEP_CLONE, errno: Errno(-pid as i32) });
    }
    let pid = pid as i32;
    let Some(failure) = plan.failure.get() else { return Ok(Started { pid, pidfd, at }) };
    let reaped = syscall::wait(pid, 0, None);
    syscall::close(pidfd);
    Err(reaped.err().map_or(failure, |errno| Failure { step: wire::STEP_CLONE, errno }))
}

extern "C" fn child(argument: usize) -> ! {
    // SAFETY: `clone` passes the address of a plan that is valid until `execve`.
    let plan = unsafe { &*core::ptr::with_exposed_provenance::<Plan<'_>>(argument) };
    let failure = prepare(plan).err().unwrap_or_else(|| {
        // SAFETY: `Job::write_arrays` ended both arrays with null, or they are the kernel's own.
        let errno = unsafe { syscall::execute(plan.path, plan.arrays.argv, plan.arrays.envp) };
        Failure { step: wire::STEP_EXEC, errno }
    });
    plan.failure.set(Some(failure));
    syscall::exit(127)
}

/// The steps of the child before `execve`.
fn prepare(plan: &Plan<'_>) -> Result<(), Failure> {
    let at = |step| move |errno| Failure { step, errno };
    syscall::own_group().map_err(at(wire::STEP_GROUP))?;
    // If the launcher itself is killed, the run must end, too.
    syscall::die_with_parent().map_err(at(wire::STEP_GROUP))?;
    if plan.foreground {
        syscall::set_foreground(0, syscall::own_pid()).map_err(at(wire::STEP_STDIN))?;
    }
    if plan.cpu != wire::ANY_CPU {
        syscall::use_only_cpu(plan.cpu).map_err(at(wire::STEP_CPU))?;
    }
    if plan.fixed_addresses {
        syscall::fix_addresses().map_err(at(wire::STEP_ADDRESSES))?;
    }
    if let Some(directory) = plan.directory {
        syscall::change_directory(directory).map_err(at(wire::STEP_DIRECTORY))?;
    }
    for (target, stream) in (0..).zip(plan.streams) {
        if let Stream::Share(fd) | Stream::Own(fd) = stream {
            syscall::duplicate(fd, target).map_err(at(wire::STEP_STDIN + target as u32))?;
        }
    }
    syscall::block_signals(0).map_err(at(wire::STEP_EXEC))?;
    Ok(())
}

fn open_streams(job: &Job<'_>, index: usize, pipes: &Pipes) -> Result<[Stream; 3], Failure> {
    let mut streams = [Stream::Keep; 3];
    for number in 0..streams.len() {
        match open_stream(job, index, number, pipes) {
            Ok(stream) => streams[number] = stream,
            Err(errno) => {
                close_own(&streams);
                return Err(Failure { step: wire::STEP_STDIN + number as u32, errno });
            }
        }
    }
    Ok(streams)
}

fn open_stream(job: &Job<'_>, index: usize, number: usize, pipes: &Pipes) -> Result<Stream, Errno> {
    match job.stream(number) {
        wire::STREAM_INHERIT => Ok(Stream::Keep),
        wire::STREAM_CAPTURE => pipes.capture(index, number).map(Stream::Share).ok_or(syscall::EINVAL),
        wire::STREAM_FILE => {
            let flags = if number == 0 { O_RDONLY } else { O_WRONLY | O_CREAT | O_TRUNC };
            // Without O_NONBLOCK, opening a FIFO without a peer would block the launcher forever.
            let fd = syscall::open(job.file(number).ok_or(syscall::EINVAL)?, flags | O_NONBLOCK)?;
            syscall::set_status_flags(fd, 0)?;
            Ok(Stream::Own(fd))
        }
        _ => Ok(Stream::Share(pipes.null())),
    }
}

fn close_own(streams: &[Stream; 3]) {
    for stream in streams {
        if let Stream::Own(fd) = stream {
            syscall::close(*fd);
        }
    }
}
