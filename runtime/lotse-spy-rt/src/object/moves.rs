//! Copies and fills: the compiler's pass for memory profiling (memprof) turns each into a call of these functions.

use core::ffi::{c_int, c_void};

use lotse_wire::record::tag;

use crate::memory::frame;
use crate::process;

/// Records a copy or fill before it happens.
#[inline(always)]
fn record(frame: u64, kind: u8, words: &[u64]) {
    let ring = process::attach_ring();
    if ring.is_null() {
        return;
    }
    // SAFETY: the ring belongs to the calling thread, and the frame is that of a function of this crate.
    unsafe {
        let pc = *(frame as *const u64).add(1);
        let event = u64::from((*ring).take_event());
        let head = (*ring).head(pc, u64::from(kind)) | event << 16;
        match *words {
            [a, b] => (*ring).append(&[head, a, b]),
            [a, b, c] => (*ring).append(&[head, a, b, c]),
            _ => {}
        }
    }
}

unsafe extern "C" {
    fn memcpy(to: *mut c_void, from: *const c_void, length: usize) -> *mut c_void;
    fn memmove(to: *mut c_void, from: *const c_void, length: usize) -> *mut c_void;
    fn memset(at: *mut c_void, value: c_int, length: usize) -> *mut c_void;
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __memprof_memcpy(to: *mut c_void, from: *const c_void, length: usize) -> *mut c_void {
    record(frame!(), tag::MOVE, &[to as u64, from as u64, length as u64]);
    // SAFETY: the program's own call.
    unsafe { memcpy(to, from, length) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __memprof_memmove(to: *mut c_void, from: *const c_void, length: usize) -> *mut c_void {
    record(frame!(), tag::MOVE, &[to as u64, from as u64, length as u64]);
    // SAFETY: the program's own call.
    unsafe { memmove(to, from, length) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __memprof_memset(at: *mut c_void, value: c_int, length: usize) -> *mut c_void {
    record(frame!(), tag::FILL, &[at as u64, length as u64]);
    // SAFETY: the program's own call.
    unsafe { memset(at, value, length) }
}

#[unsafe(no_mangle)]
extern "C" fn __memprof_init() {}

#[unsafe(no_mangle)]
extern "C" fn __memprof_version_mismatch_check_v1() {}

/// The pass refers to this symbol, but nothing uses it here.
#[unsafe(no_mangle)]
static mut __memprof_shadow_memory_dynamic_address: u64 = 0;
