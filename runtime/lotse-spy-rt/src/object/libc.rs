//! The functions of the C library that are used.

use core::ffi::{c_char, c_int, c_long, c_void};

pub(crate) const O_RDONLY: c_int = 0;
pub(crate) const O_NEW: c_int = 0o2 | 0o100 | 0o200 | 0o2_000_000;
pub(crate) const O_WRITE_NEW: c_int = 0o1 | 0o100 | 0o200 | 0o2_000_000;
pub(crate) const EXISTS: c_int = 17;
pub(crate) const READ_WRITE: c_int = 3;
pub(crate) const SHARED: c_int = 1;
pub(crate) const CLOCK_MONOTONIC: c_int = 1;
pub(crate) const NO_SUCH_PROCESS: c_int = 3;
pub(crate) const NOT_SUPPORTED: c_int = 95;
#[cfg(target_arch = "x86_64")]
const GETTID: c_long = 186;
#[cfg(target_arch = "aarch64")]
const GETTID: c_long = 178;

#[repr(C)]
pub(crate) struct Timespec {
    pub(crate) seconds: i64,
    pub(crate) nanoseconds: i64,
}

/// `pthread_attr_t`: large enough on every supported platform.
#[repr(C, align(16))]
pub(crate) struct ThreadAttributes([u8; 128]);

impl ThreadAttributes {
    pub(crate) const fn new() -> Self {
        Self([0; 128])
    }
}

unsafe extern "C" {
    pub(crate) fn getenv(name: *const c_char) -> *const c_char;
    pub(crate) fn open(path: *const c_char, flags: c_int, ...) -> c_int;
    pub(crate) fn close(file: c_int) -> c_int;
    pub(crate) fn read(file: c_int, buffer: *mut c_void, length: usize) -> isize;
    pub(crate) fn write(file: c_int, buffer: *const c_void, length: usize) -> isize;
    pub(crate) fn access(path: *const c_char, mode: c_int) -> c_int;
    pub(crate) fn unlink(path: *const c_char) -> c_int;
    pub(crate) fn atexit(function: extern "C" fn()) -> c_int;
    pub(crate) fn fallocate(file: c_int, mode: c_int, offset: i64, length: i64) -> c_int;
    pub(crate) fn ftruncate(file: c_int, length: i64) -> c_int;
    pub(crate) fn mmap(at: *mut c_void, length: usize, protection: c_int, flags: c_int, file: c_int, offset: i64)
    -> *mut c_void;
    pub(crate) fn getpid() -> c_int;
    pub(crate) fn kill(process: c_int, signal: c_int) -> c_int;
    pub(crate) fn nanosleep(duration: *const Timespec, rest: *mut Timespec) -> c_int;
    pub(crate) fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int;
    pub(crate) fn pthread_self() -> usize;
    pub(crate) fn pthread_getname_np(thread: usize, name: *mut c_char, length: usize) -> c_int;
    pub(crate) fn pthread_getattr_np(thread: usize, attributes: *mut ThreadAttributes) -> c_int;
    pub(crate) fn pthread_attr_getstack(
        attributes: *const ThreadAttributes,
        low: *mut usize,
        length: *mut usize,
    ) -> c_int;
    pub(crate) fn pthread_attr_destroy(attributes: *mut ThreadAttributes) -> c_int;
    pub(crate) fn pthread_key_create(key: *mut u32, destructor: unsafe extern "C" fn(*mut c_void)) -> c_int;
    pub(crate) fn pthread_setspecific(key: u32, value: *const c_void) -> c_int;
    pub(crate) fn pthread_atfork(
        prepare: Option<unsafe extern "C" fn()>,
        parent: Option<unsafe extern "C" fn()>,
        child: Option<unsafe extern "C" fn()>,
    ) -> c_int;
    fn syscall(number: c_long, ...) -> c_long;
    fn __errno_location() -> *mut c_int;
}

pub(crate) fn thread_number() -> u64 {
    // SAFETY: the call has no arguments and always succeeds.
    unsafe { syscall(GETTID) as u64 }
}

pub(crate) fn last_error() -> c_int {
    // SAFETY: the C library promises a valid address for the calling thread.
    unsafe { *__errno_location() }
}

/// Calls `body` and restores `errno` afterwards, so that the program does not see changes by the runtime.
pub(crate) fn preserving_errno<T>(body: impl FnOnce() -> T) -> T {
    // SAFETY: the C library promises a valid address for the calling thread.
    unsafe {
        let number = *__errno_location();
        let result = body();
        *__errno_location() = number;
        result
    }
}

/// The monotonic clock in nanoseconds.
pub(crate) fn now() -> u64 {
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: the pointer is valid, and the clock exists on every Linux.
    unsafe { clock_gettime(CLOCK_MONOTONIC, &raw mut time) };
    (time.seconds as u64).wrapping_mul(1_000_000_000).wrapping_add(time.nanoseconds as u64)
}

pub(crate) fn sleep_microseconds(duration: i64) {
    let time = Timespec { seconds: 0, nanoseconds: duration * 1000 };
    // SAFETY: the pointer is valid; the remaining time of an interrupted sleep is not requested.
    unsafe { nanosleep(&raw const time, core::ptr::null_mut()) };
}
