//! Allocation: the linker redirects calls to these functions (`--wrap`), which call the program's own allocator.

use core::ffi::{c_int, c_void};
use core::sync::atomic::Ordering;

use lotse_wire::record::tag;

use crate::process::{self, EPOCH};
use crate::ring::Ring;
use crate::stack;

/// The frame pointer of the function in which the macro is used.
macro_rules! frame {
    () => {{
        let frame: u64;
        #[cfg(target_arch = "x86_64")]
        // SAFETY: reads a register.
        unsafe {
            core::arch::asm!("mov {}, rbp", out(reg) frame, options(nomem, nostack, preserves_flags));
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: reads a register.
        unsafe {
            core::arch::asm!("mov {}, x29", out(reg) frame, options(nomem, nostack, preserves_flags));
        }
        frame
    }};
}
pub(crate) use frame;

/// Takes the next number of the counter that orders allocations and frees of all threads.
fn next_epoch() -> u64 {
    EPOCH.fetch_add(1, Ordering::AcqRel)
}

impl Ring {
    /// Writes an event as a single record. Its program counter is the return address of a frame of this crate.
    fn write_call(&mut self, frame: u64, kind: u8, words: [u64; 4], count: usize) {
        // SAFETY: the frame is that of a function of this crate.
        let pc = unsafe { *(frame as *const u64).add(1) };
        // The call stack of a free is not needed.
        let stack = if kind == tag::FREE { 0 } else { u64::from(stack::full_stack(self, frame)) };
        let event = u64::from(self.take_event());
        let head = self.head(pc, u64::from(kind)) | event << 16;
        let [a, b, c, d] = words;
        match count {
            2 => self.append_essential(&[head, a, b, stack]),
            3 => self.append_essential(&[head, a, b, c, stack]),
            _ => self.append_essential(&[head, a, b, c, d, stack]),
        };
    }
}

#[inline(always)]
fn allocated(frame: u64, at: *mut c_void, length: usize) {
    let ring = process::attach_ring();
    if !ring.is_null() && !at.is_null() {
        let words = [at as u64, length as u64, next_epoch(), 0];
        // SAFETY: the ring belongs to the calling thread.
        unsafe { (*ring).write_call(frame, tag::ALLOCATE, words, 3) };
    }
}

unsafe extern "C" {
    fn __real_malloc(length: usize) -> *mut c_void;
    fn __real_calloc(count: usize, length: usize) -> *mut c_void;
    fn __real_realloc(old: *mut c_void, length: usize) -> *mut c_void;
    fn __real_free(at: *mut c_void);
    fn __real_posix_memalign(at: *mut *mut c_void, alignment: usize, length: usize) -> c_int;
    fn __real_aligned_alloc(alignment: usize, length: usize) -> *mut c_void;
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_malloc(length: usize) -> *mut c_void {
    // SAFETY: the program's own call.
    let at = unsafe { __real_malloc(length) };
    allocated(frame!(), at, length);
    at
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_calloc(count: usize, length: usize) -> *mut c_void {
    // SAFETY: the program's own call.
    let at = unsafe { __real_calloc(count, length) };
    allocated(frame!(), at, count.wrapping_mul(length));
    at
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_aligned_alloc(alignment: usize, length: usize) -> *mut c_void {
    // SAFETY: the program's own call.
    let at = unsafe { __real_aligned_alloc(alignment, length) };
    allocated(frame!(), at, length);
    at
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_posix_memalign(at: *mut *mut c_void, alignment: usize, length: usize) -> c_int {
    // SAFETY: the program's own call; on success the pointer was written.
    unsafe {
        let answer = __real_posix_memalign(at, alignment, length);
        if answer == 0 {
            allocated(frame!(), *at, length);
        }
        answer
    }
}

/// The epoch is taken before the call, so that an allocation of the old address by another thread has a later epoch. If the
/// call fails, the old memory stays allocated, and nothing is recorded.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_realloc(old: *mut c_void, length: usize) -> *mut c_void {
    let before = next_epoch();
    // SAFETY: the program's own call.
    let at = unsafe { __real_realloc(old, length) };
    let ring = process::attach_ring();
    if !ring.is_null() && !at.is_null() {
        let words = [old as u64, at as u64, length as u64, before];
        // SAFETY: the ring belongs to the calling thread.
        unsafe { (*ring).write_call(frame!(), tag::REALLOCATE, words, 4) };
    }
    at
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_free(at: *mut c_void) {
    let ring = process::attach_ring();
    if !ring.is_null() && !at.is_null() {
        // SAFETY: the ring belongs to the calling thread.
        unsafe { (*ring).write_call(frame!(), tag::FREE, [at as u64, next_epoch(), 0, 0], 2) };
    }
    // SAFETY: the program's own call.
    unsafe { __real_free(at) };
}
