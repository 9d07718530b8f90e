//! System calls of Linux on x86-64.

use core::arch::{asm, global_asm};

pub(crate) const READ: usize = 0;
pub(crate) const WRITE: usize = 1;
pub(crate) const CLOSE: usize = 3;
pub(crate) const MMAP: usize = 9;
pub(crate) const MUNMAP: usize = 11;
pub(crate) const RT_SIGACTION: usize = 13;
pub(crate) const RT_SIGPROCMASK: usize = 14;
pub(crate) const IOCTL: usize = 16;
pub(crate) const GETPID: usize = 39;
pub(crate) const CLONE: usize = 56;
pub(crate) const EXECVE: usize = 59;
pub(crate) const WAIT4: usize = 61;
pub(crate) const KILL: usize = 62;
pub(crate) const FCNTL: usize = 72;
pub(crate) const CHDIR: usize = 80;
pub(crate) const SETPGID: usize = 109;
pub(crate) const PERSONALITY: usize = 135;
pub(crate) const PRCTL: usize = 157;
pub(crate) const SCHED_SETAFFINITY: usize = 203;
pub(crate) const GETDENTS64: usize = 217;
pub(crate) const CLOCK_GETTIME: usize = 228;
pub(crate) const EXIT_GROUP: usize = 231;
pub(crate) const OPENAT: usize = 257;
pub(crate) const PPOLL: usize = 271;
pub(crate) const DUP3: usize = 292;
pub(crate) const PERF_EVENT_OPEN: usize = 298;

global_asm!(
    ".globl _start",
    "_start:",
    "xor ebp, ebp",
    "mov rdi, rsp",
    "and rsp, -16",
    "call {start}",
    "ud2",
    start = sym crate::start,
);

/// Calls the kernel; negative results are error numbers.
///
/// # Safety
/// The arguments must be what system call `number` expects.
#[inline]
pub(crate) unsafe fn call(number: usize, arguments: [usize; 6]) -> isize {
    let result;
    // SAFETY: the caller guarantees the arguments; the kernel changes rax, rcx and r11 only.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number => result,
            in("rdi") arguments[0], in("rsi") arguments[1], in("rdx") arguments[2],
            in("r10") arguments[3], in("r8") arguments[4], in("r9") arguments[5],
            lateout("rcx") _, lateout("r11") _,
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
    // returns with all registers but rax, rcx and r11 as they were.
    unsafe {
        asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "mov rdi, r12",
            "call r13",
            "ud2",
            "2:",
            inlateout("rax") CLONE => result,
            in("rdi") flags, in("rsi") stack, in("rdx") pidfd, in("r10") 0, in("r8") 0,
            in("r12") argument, in("r13") child,
            lateout("rcx") _, lateout("r11") _,
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
    // SAFETY: the caller guarantees both ranges; the direction flag is clear by the ABI.
    unsafe {
        asm!("rep movsb", inout("rcx") count => _, inout("rdi") to => _, inout("rsi") from => _,
            options(nostack, preserves_flags));
    }
}

/// Fills without calling `memset`, which is implemented with this function.
///
/// # Safety
/// As `core::ptr::write_bytes`.
#[inline]
pub(crate) unsafe fn fill(to: *mut u8, byte: u8, count: usize) {
    // SAFETY: the caller guarantees the range; the direction flag is clear by the ABI.
    unsafe {
        asm!("rep stosb", inout("rcx") count => _, inout("rdi") to => _, in("al") byte,
            options(nostack, preserves_flags));
    }
}
