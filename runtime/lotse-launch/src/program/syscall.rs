//! Typed wrappers of the system calls that the launcher uses. All unsafe code for calling the kernel is here.

#[cfg(target_arch = "aarch64")]
#[path = "syscall/aarch64.rs"]
mod arch;
#[cfg(target_arch = "x86_64")]
#[path = "syscall/x86_64.rs"]
mod arch;

use core::ffi::CStr;
use core::ptr::{null, null_mut};

pub(crate) use arch::{clone, copy, fill};

/// An error number of the kernel.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Errno(pub(crate) i32);

pub(crate) const EPERM: Errno = Errno(1);
pub(crate) const ESRCH: Errno = Errno(3);
pub(crate) const EINTR: Errno = Errno(4);
const EBADF: Errno = Errno(9);
pub(crate) const EINVAL: Errno = Errno(22);

pub(crate) const O_RDONLY: usize = 0;
pub(crate) const O_WRONLY: usize = 1;
pub(crate) const O_RDWR: usize = 2;
pub(crate) const O_CREAT: usize = 0o100;
pub(crate) const O_TRUNC: usize = 0o1000;
pub(crate) const O_NONBLOCK: usize = 0o4000;
pub(crate) const O_CLOEXEC: usize = 0o200_0000;

pub(crate) const CLONE_VM: usize = 0x100;
pub(crate) const CLONE_PIDFD: usize = 0x1000;
pub(crate) const CLONE_VFORK: usize = 0x4000;

pub(crate) const SIGINT: i32 = 2;
pub(crate) const SIGQUIT: i32 = 3;
pub(crate) const SIGKILL: i32 = 9;
pub(crate) const SIGPIPE: i32 = 13;
pub(crate) const SIGTERM: i32 = 15;
pub(crate) const SIGCHLD: i32 = 17;
pub(crate) const SIGCONT: i32 = 18;

pub(crate) const WNOHANG: usize = 1;
/// Also children that were cloned without `SIGCHLD`.
pub(crate) const WALL: usize = 0x4000_0000;

const PR_SET_PDEATHSIG: usize = 1;
const PR_SET_NAME: usize = 15;
const PR_SET_CHILD_SUBREAPER: usize = 36;

/// `struct pollfd`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Poll {
    pub(crate) fd: i32,
    pub(crate) events: i16,
    pub(crate) happened: i16,
}

pub(crate) const POLLIN: i16 = 1;

fn check(result: isize) -> Result<usize, Errno> {
    if result < 0 { Err(Errno(-result as i32)) } else { Ok(result as usize) }
}

/// A system call whose arguments are numbers, or pointers that the safe signature of the wrapper guarantees to be valid.
macro_rules! call {
    ($number:ident $(, $argument:expr)*) => {{
        let mut arguments = [0usize; 6];
        let given = [$($argument as usize),*];
        let mut at = 0;
        while at < given.len() { arguments[at] = given[at]; at += 1; }
        // SAFETY: every pointer comes from a reference, or from a caller that promised it is valid.
        check(unsafe { arch::call(arch::$number, arguments) })
    }};
}

pub(crate) fn read(fd: i32, into: &mut [u8]) -> Result<usize, Errno> {
    call!(READ, fd, into.as_mut_ptr(), into.len())
}

pub(crate) fn write(fd: i32, from: &[u8]) -> Result<usize, Errno> {
    call!(WRITE, fd, from.as_ptr(), from.len())
}

pub(crate) fn close(fd: i32) {
    // Linux frees the descriptor even if it reports an error; only EBADF is a defect of the launcher.
    if call!(CLOSE, fd) == Err(EBADF) {
        exit(7);
    }
}

pub(crate) fn open(path: &CStr, flags: usize) -> Result<i32, Errno> {
    const AT_FDCWD: isize = -100;
    call!(OPENAT, AT_FDCWD, path.as_ptr(), flags | O_CLOEXEC, 0o666).map(|fd| fd as i32)
}

/// Sets the status flags (`F_SETFL`), of which only `O_NONBLOCK` matters here.
pub(crate) fn set_status_flags(fd: i32, flags: usize) -> Result<usize, Errno> {
    call!(FCNTL, fd, 4, flags)
}

pub(crate) fn close_on_exec(fd: i32) -> Result<usize, Errno> {
    call!(FCNTL, fd, 2, 1)
}

pub(crate) fn duplicate(from: i32, to: i32) -> Result<usize, Errno> {
    call!(DUP3, from, to, 0)
}

/// New zeroed pages.
pub(crate) fn map(length: usize) -> Result<*mut u8, Errno> {
    const READ_WRITE: usize = 3;
    const PRIVATE_ANONYMOUS: usize = 0x22;
    call!(MMAP, 0, length, READ_WRITE, PRIVATE_ANONYMOUS, -1isize, 0).map(|at| at as *mut u8)
}

/// # Safety
/// Nothing may refer to the pages any more.
pub(crate) unsafe fn unmap(at: *mut u8, length: usize) -> Result<usize, Errno> {
    call!(MUNMAP, at, length)
}

pub(crate) fn default_action(signal: i32) -> Result<usize, Errno> {
    // handler, flags, restorer, mask: all zero is SIG_DFL.
    let action = [0u64; 4];
    call!(RT_SIGACTION, signal, action.as_ptr(), null::<u8>(), 8)
}

/// Blocks exactly the signals of `mask`.
pub(crate) fn block_signals(mask: u64) -> Result<usize, Errno> {
    const SIG_SETMASK: usize = 2;
    call!(RT_SIGPROCMASK, SIG_SETMASK, &raw const mask, null::<u8>(), 8)
}

pub(crate) fn kill(pid: i32, signal: i32) -> Result<usize, Errno> {
    call!(KILL, pid, signal)
}

pub(crate) fn own_pid() -> i32 {
    call!(GETPID).map_or(0, |pid| pid as i32)
}

pub(crate) fn own_group() -> Result<usize, Errno> {
    call!(SETPGID, 0, 0)
}

pub(crate) fn change_directory(path: &CStr) -> Result<usize, Errno> {
    call!(CHDIR, path.as_ptr())
}

pub(crate) fn die_with_parent() -> Result<usize, Errno> {
    call!(PRCTL, PR_SET_PDEATHSIG, SIGKILL)
}

pub(crate) fn adopt_orphans() -> Result<usize, Errno> {
    call!(PRCTL, PR_SET_CHILD_SUBREAPER, 1)
}

pub(crate) fn set_name(name: &CStr) -> Result<usize, Errno> {
    call!(PRCTL, PR_SET_NAME, name.as_ptr())
}

pub(crate) fn use_only_cpu(cpu: u32) -> Result<usize, Errno> {
    let mut mask = [0u64; 16];
    let word = mask.get_mut(cpu as usize / 64).ok_or(EINVAL)?;
    *word = 1 << (cpu % 64);
    call!(SCHED_SETAFFINITY, 0, size_of_val(&mask), mask.as_ptr())
}

/// Disables address-space randomisation for this process from the next `execve` on.
pub(crate) fn fix_addresses() -> Result<usize, Errno> {
    const QUERY: usize = 0xffff_ffff;
    const ADDR_NO_RANDOMIZE: usize = 0x4_0000;
    let now = call!(PERSONALITY, QUERY)?;
    call!(PERSONALITY, now | ADDR_NO_RANDOMIZE)
}

/// The terminal's foreground process group; `None` if it is not a terminal, or not the controlling one.
pub(crate) fn foreground(terminal: i32) -> Option<i32> {
    const TIOCGPGRP: usize = 0x540f;
    let mut group = 0i32;
    call!(IOCTL, terminal, TIOCGPGRP, &raw mut group).ok().map(|_| group)
}

/// Sets the terminal's foreground process group. SIGTTOU must be blocked, or a background process would stop here.
pub(crate) fn set_foreground(terminal: i32, group: i32) -> Result<usize, Errno> {
    const TIOCSPGRP: usize = 0x5410;
    call!(IOCTL, terminal, TIOCSPGRP, &raw const group)
}

/// The monotonic clock in nanoseconds; exits if it cannot be read.
pub(crate) fn now() -> u64 {
    const CLOCK_MONOTONIC: usize = 1;
    let mut time = [0u64; 2];
    match call!(CLOCK_GETTIME, CLOCK_MONOTONIC, time.as_mut_ptr()) {
        Ok(_) => time[0] * 1_000_000_000 + time[1],
        Err(_) => exit(8),
    }
}

/// Waits for at most `nanoseconds`, or without limit.
pub(crate) fn poll(fds: &mut [Poll], nanoseconds: Option<u64>) -> Result<usize, Errno> {
    let time = nanoseconds.map(|ns| [ns / 1_000_000_000, ns % 1_000_000_000]);
    let time = time.as_ref().map_or(null(), |time| time.as_ptr());
    call!(PPOLL, fds.as_mut_ptr(), fds.len(), time, null::<u8>(), 8)
}

/// Reaps a child (any if `pid` is -1); returns its pid (0 if none has ended) and its status.
pub(crate) fn wait(pid: i32, flags: usize, usage: Option<&mut [i64; 18]>) -> Result<(i32, i32), Errno> {
    let mut status = 0i32;
    let usage = usage.map_or(null_mut(), |usage| usage.as_mut_ptr());
    call!(WAIT4, pid, &raw mut status, flags, usage).map(|pid| (pid as i32, status))
}

/// Reads directory entries in the kernel's layout.
pub(crate) fn entries(directory: i32, into: &mut [u8]) -> Result<usize, Errno> {
    call!(GETDENTS64, directory, into.as_mut_ptr(), into.len())
}

/// Opens a counter for this process and its future children.
pub(crate) fn perf_event_open(attributes: &[u64; 14]) -> Result<i32, Errno> {
    const PERF_FLAG_FD_CLOEXEC: usize = 8;
    let any_cpu = -1isize;
    let no_group = -1isize;
    call!(PERF_EVENT_OPEN, attributes.as_ptr(), 0, any_cpu, no_group, PERF_FLAG_FD_CLOEXEC)
        .map(|fd| fd as i32)
}

/// Returns only on failure.
///
/// # Safety
/// `arguments` and `variables` must be arrays of pointers to strings, ended by null.
pub(crate) unsafe fn execute(path: &CStr, arguments: *const usize, variables: *const usize) -> Errno {
    call!(EXECVE, path.as_ptr(), arguments, variables).err().unwrap_or(EINVAL)
}

pub(crate) fn exit(code: i32) -> ! {
    loop {
        // The call never returns; the loop is only for the type checker.
        if call!(EXIT_GROUP, code).is_err() {
            core::hint::spin_loop();
        }
    }
}
