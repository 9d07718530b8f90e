//! The callbacks that the compiler inserts. Assembler stubs add what a Rust function cannot obtain: the return address and
//! the frame of the caller.

use crate::process;

#[cfg(target_arch = "x86_64")]
macro_rules! access {
    ($name:literal, $kind:literal) => {
        core::arch::global_asm!(
            concat!(".globl ", $name),
            concat!(".type ", $name, ",@function"),
            concat!($name, ":"),
            "mov rsi, [rsp]",
            concat!("mov edx, ", $kind),
            "jmp lotse_spy_access",
        );
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! access {
    ($name:literal, $kind:literal) => {
        core::arch::global_asm!(
            concat!(".globl ", $name),
            concat!(".type ", $name, ",%function"),
            concat!($name, ":"),
            "mov x1, x30",
            concat!("mov x2, #", $kind),
            "b lotse_spy_access",
        );
    };
}

// The kind is the tag of the record plus 256 times the size in bytes.
access!("__sanitizer_cov_load1", "0x0102");
access!("__sanitizer_cov_load2", "0x0202");
access!("__sanitizer_cov_load4", "0x0402");
access!("__sanitizer_cov_load8", "0x0802");
access!("__sanitizer_cov_load16", "0x1002");
access!("__sanitizer_cov_store1", "0x0103");
access!("__sanitizer_cov_store2", "0x0203");
access!("__sanitizer_cov_store4", "0x0403");
access!("__sanitizer_cov_store8", "0x0803");
access!("__sanitizer_cov_store16", "0x1003");

#[cfg(target_arch = "x86_64")]
core::arch::global_asm!(
    ".globl __sanitizer_cov_trace_pc_guard",
    ".type __sanitizer_cov_trace_pc_guard,@function",
    "__sanitizer_cov_trace_pc_guard:",
    "mov rsi, [rsp]",
    "mov rdi, rbp",
    "mov rdx, rsp",
    "jmp lotse_spy_guard",
);

#[cfg(target_arch = "aarch64")]
core::arch::global_asm!(
    ".globl __sanitizer_cov_trace_pc_guard",
    ".type __sanitizer_cov_trace_pc_guard,%function",
    "__sanitizer_cov_trace_pc_guard:",
    "mov x1, x30",
    "mov x0, x29",
    "mov x2, sp",
    "b lotse_spy_guard",
);

/// A load or store is about to happen.
///
/// What is rarer is a tail call with the same arguments, so that the frequent paths save no registers.
#[unsafe(no_mangle)]
extern "C" fn lotse_spy_access(address: u64, pc: u64, kind: u64) {
    let ring = process::attached_ring();
    // SAFETY: a ring that is not null belongs to the calling thread.
    if ring.is_null() || !unsafe { (*ring).continue_access(address, pc) } {
        pair_access(address, pc, kind);
    }
}

#[inline(never)]
extern "C" fn pair_access(address: u64, pc: u64, kind: u64) {
    let ring = process::attached_ring();
    // SAFETY: a ring that is not null belongs to the calling thread.
    if ring.is_null() || !unsafe { (*ring).pair_access(address, pc) } {
        start_access(address, pc, kind);
    }
}

#[inline(never)]
extern "C" fn start_access(address: u64, pc: u64, kind: u64) {
    let ring = process::attached_ring();
    // SAFETY: a ring that is not null belongs to the calling thread.
    if ring.is_null() || !unsafe { (*ring).start_access_at_once(address, pc, kind) } {
        access_slow_path(address, pc, kind);
    }
}

#[cold]
#[inline(never)]
extern "C" fn access_slow_path(address: u64, pc: u64, kind: u64) {
    let ring = process::attach_ring();
    if !ring.is_null() {
        // SAFETY: the ring belongs to the calling thread.
        unsafe { (*ring).start_access(address, pc, kind) };
    }
}

/// A basic block begins in a function whose frame is given.
#[unsafe(no_mangle)]
extern "C" fn lotse_spy_guard(frame: u64, pc: u64, stack: u64) {
    let ring = process::attached_ring();
    // SAFETY: a ring that is not null belongs to the calling thread.
    if ring.is_null() || !unsafe { (*ring).continue_guard(frame, pc) } {
        start_guard(frame, pc, stack);
    }
}

#[inline(never)]
extern "C" fn start_guard(frame: u64, pc: u64, stack: u64) {
    let ring = process::attached_ring();
    // SAFETY: a ring that is not null belongs to the calling thread.
    if ring.is_null() || !unsafe { (*ring).start_guard_at_once(frame, pc) } {
        guard_slow_path(frame, pc, stack);
    }
}

/// Maximum size of a frame on a stack that the program allocated itself (a coroutine).
const LARGEST_FRAME: u64 = 1 << 16;

#[inline(never)]
extern "C" fn guard_slow_path(frame: u64, pc: u64, stack: u64) {
    let ring = process::attach_ring();
    // SAFETY: a ring that is not null belongs to the calling thread. The frame lies on its stack, or just above the stack
    // pointer; another frame is not read.
    unsafe {
        if !ring.is_null() && ((*ring).has_frame(frame) || frame.wrapping_sub(stack) < LARGEST_FRAME) {
            (*ring).start_guard(frame, pc, *(frame as *const u64).add(1));
        }
    }
}

/// Guards need no numbers, because they are identified by their program counters.
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_trace_pc_guard_init(_first: *mut u32, _end: *mut u32) {}

/// The table of basic blocks is read from the executable.
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_cfs_init(_first: *const u64, _end: *const u64) {}
