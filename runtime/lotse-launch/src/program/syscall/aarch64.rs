//! System calls of Linux on aarch64.

use core::arch::{asm, global_asm};

pub(crate) const DUP3: usize = 24;
pub(crate) const FCNTL: usize = 25;
pub(crate) const IOCTL: usize = 29;
pub(crate) const CHDIR: usize = 49;
pub(crate) const OPENAT: usize = 56;
pub(crate) const CLOSE: usize = 57;
pub(crate) const GETDENTS64: usize = 61;
pub(crate) const READ: usize = 63;
pub(crate) const WRITE: usize = 64;
pub(crate) const PPOLL: usize = 73;
pub(crate) const PERSONALITY: usize = 92;
pub(crate) const EXIT_GROUP: usize = 94;
pub(crate) const CLOCK_GETTIME: usize = 113;
pub(crate) const SCHED_SETAFFINITY: usize = 122;
pub(crate) const KILL: usize = 129;
pub(crate) const RT_SIGACTION: usize = 134;
pub(crate) const RT_SIGPROCMASK: usize = 135;
pub(crate) const SETPGID: usize = 154;
pub(crate) const PRCTL: usize = 167;
pub(crate) const GETPID: usize = 172;
pub(crate) const MUNMAP: usize = 215;
pub(crate) const CLONE: usize = 220;
pub(crate) const EXECVE: usize = 221;
pub(crate) const MMAP: usize = 222;
pub(crate) const PERF_EVENT_OPEN: usize = 241;
pub(crate) const WAIT4: usize = 260;

global_asm!(
    ".globl _start",
    "_start:",
    "mov x29, xzr",
    "mov x30, xzr",
    "mov x0, sp",
    "bl {start}",
    "brk #1",
    start = sym crate::start,
);

/// Calls the kernel; negative results are error numbers.
///
/// # Safety
/// The arguments must be what system call `number` expects.
#[inline]
pub(crate) unsafe fn call(number: usize, arguments: [usize; 6]) -> isize {
    let result;
    // SAFETY: the caller guarantees the arguments; the kernel changes x0 only.
    unsafe {
        asm!(
            "svc #0",
            in("x8") number,
            inlateout("x0") arguments[0] => result,
            in("x1") arguments[1], in("x2") arguments[2], in("x3") arguments[3],
            in("x4") arguments[4], in("x5") arguments[5],
            options(nostack),
        );
    }
    result
}

/// Clones the process; the child calls `child(argument)` on the stack whose upper end is `stack`.
///
/// # Safety
/// `stack` must be aligned to 16 with room below; `pidfd` must be writable; `child` must not return.
pub(crate) unsafe fn clone(
    flags: usize,
    stack: usize,
    pidfd: *mut i32,
    child: extern "C" fn(usize) -> !,
    argument: usize,
) -> isize {
    let result;
    // SAFETY: the child leaves this frame at once for its own stack and never comes back; the parent
    // returns with all registers but x0 as they were.
    unsafe {
        asm!(
            "svc #0",
            "cbnz x0, 2f",
            "mov x29, xzr",
            "mov x0, x20",
            "blr x21",
            "brk #1",
            "2:",
            in("x8") CLONE,
            inlateout("x0") flags => result,
            in("x1") stack, in("x2") pidfd, in("x3") 0usize, in("x4") 0usize,
            in("x20") argument, in("x21") child,
        );
    }
    result
}

/// Copies without calling `memcpy`, which is implemented with this function.
///
/// # Safety
/// As `core::ptr::copy_nonoverlapping`.
#[inline]
pub(crate) unsafe fn copy(to: *mut u8, from: *const u8, count: usize) {
    // SAFETY: the caller guarantees both ranges; one byte is moved per round, `count` times.
    unsafe {
        asm!(
            "cbz {count}, 3f",
            "2:",
            "ldrb {byte:w}, [{from}], #1",
            "strb {byte:w}, [{to}], #1",
            "subs {count}, {count}, #1",
            "b.ne 2b",
            "3:",
            count = inout(reg) count => _, from = inout(reg) from => _, to = inout(reg) to => _,
            byte = out(reg) _,
            options(nostack),
        );
    }
}

/// Fills without calling `memset`, which is implemented with this function.
///
/// # Safety
/// As `core::ptr::write_bytes`.
#[inline]
pub(crate) unsafe fn fill(to: *mut u8, byte: u8, count: usize) {
    // SAFETY: the caller guarantees the range; one byte is written per round, `count` times.
    unsafe {
        asm!(
            "cbz {count}, 3f",
            "2:",
            "strb {byte:w}, [{to}], #1",
            "subs {count}, {count}, #1",
            "b.ne 2b",
            "3:",
            count = inout(reg) count => _, to = inout(reg) to => _, byte = in(reg) u32::from(byte),
            options(nostack),
        );
    }
}
