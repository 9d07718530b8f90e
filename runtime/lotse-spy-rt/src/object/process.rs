//! State of the process and its threads: creation and ownership of rings, and handling of forks.

use core::cell::Cell;
use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::thread_local;

use lotse_wire::{VERSION, ring};

use crate::libc;
use crate::path::Path;
use crate::ring::Ring;

/// The next epoch: numbers allocations and frees of all threads.
pub(crate) static EPOCH: AtomicU64 = AtomicU64::new(1);

/// Whether the process is recorded; `OFF` if there is no collector.
static STATE: AtomicU32 = AtomicU32::new(UNKNOWN);
const UNKNOWN: u32 = 0;
const STARTING: u32 = 1;
const ON: u32 = 2;
const OFF: u32 = 3;

static DROPS: AtomicBool = AtomicBool::new(false);
static COLLECTOR: AtomicI32 = AtomicI32::new(0);
static RINGS: AtomicU32 = AtomicU32::new(0);
static KEY: AtomicU32 = AtomicU32::new(0);
/// A linked list of the rings of ended threads, and its lock.
static FREE: AtomicPtr<Ring> = AtomicPtr::new(ptr::null_mut());
static FREE_LOCK: AtomicBool = AtomicBool::new(false);
static MAPS_COPIED: AtomicU32 = AtomicU32::new(0);
/// The number of the memory map that new rings belong to.
static IMAGE: AtomicU32 = AtomicU32::new(0);
/// Maximum number of copies of the memory map.
const MOST_MAPS: u32 = 64;

thread_local! {
    static CURRENT: Cell<*mut Ring> = const { Cell::new(ptr::null_mut()) };
    /// Whether events of the thread are ignored, because it has ended or its ring is being created.
    static SILENT: Cell<bool> = const { Cell::new(false) };
}

unsafe extern "C" {
    /// The address of the program's first byte, defined by the linker.
    static __executable_start: u8;
}

/// The ring of the calling thread; null if it has none (yet).
#[inline(always)]
pub(crate) fn attached_ring() -> *mut Ring {
    CURRENT.get()
}

/// The ring of the calling thread, which is created if necessary; null if nothing is recorded.
pub(crate) fn attach_ring() -> *mut Ring {
    let ring = CURRENT.get();
    if ring.is_null() { attach_slow_path() } else { ring }
}

#[cold]
#[inline(never)]
fn attach_slow_path() -> *mut Ring {
    if STATE.load(Ordering::Acquire) == OFF || SILENT.get() {
        return ptr::null_mut();
    }
    SILENT.set(true);
    let ring = libc::preserving_errno(|| if is_on() { take_ring() } else { ptr::null_mut() });
    if !ring.is_null() {
        CURRENT.set(ring);
        SILENT.set(false);
    }
    ring
}

pub(crate) fn drops() -> bool {
    DROPS.load(Ordering::Relaxed)
}

/// Whether recording is off.
pub(crate) fn is_off() -> bool {
    STATE.load(Ordering::Relaxed) == OFF
}

/// Whether the collector's process has ended.
pub(crate) fn collector_is_gone() -> bool {
    libc::preserving_errno(|| {
        // SAFETY: signal 0 only asks whether the process exists.
        let answer = unsafe { libc::kill(COLLECTOR.load(Ordering::Relaxed), 0) };
        answer != 0 && libc::last_error() == libc::NO_SUCH_PROCESS
    })
}

/// Stops recording of this program, and of programs that start later.
pub(crate) fn stop_recording() {
    STATE.store(OFF, Ordering::Release);
    libc::preserving_errno(|| Path::file(c"/stopped", None).create());
}

/// Whether the process is recorded; the first caller starts recording, others wait for it.
fn is_on() -> bool {
    match STATE.compare_exchange(UNKNOWN, STARTING, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => {
            let state = if start() { ON } else { OFF };
            STATE.store(state, Ordering::Release);
        }
        Err(_) => {
            while STATE.load(Ordering::Acquire) == STARTING {
                libc::sleep_microseconds(20);
            }
        }
    }
    STATE.load(Ordering::Acquire) == ON
}

/// Reads the environment, and registers handlers for forks and for the ends of threads and of the process.
fn start() -> bool {
    // SAFETY: names end with a zero byte; the environment is only read.
    let (directory, collector, drops) = unsafe {
        (
            libc::getenv(c"LOTSE_SPY_DIRECTORY".as_ptr()),
            libc::getenv(c"LOTSE_SPY_COLLECTOR".as_ptr()),
            libc::getenv(c"LOTSE_SPY_DROP".as_ptr()),
        )
    };
    if directory.is_null() || collector.is_null() || Path::file(c"/stopped", None).exists() {
        return false;
    }
    COLLECTOR.store(number(collector.cast()), Ordering::Relaxed);
    DROPS.store(!drops.is_null(), Ordering::Relaxed);
    let mut key = 0;
    // SAFETY: the functions given live as long as the program.
    unsafe {
        if libc::pthread_key_create(&raw mut key, end_of_thread) != 0 {
            return false;
        }
        libc::pthread_atfork(None, None, Some(after_fork));
        libc::atexit(wait_until_seen);
    }
    KEY.store(key, Ordering::Relaxed);
    begin_image();
    true
}

fn number(mut digits: *const u8) -> c_int {
    let mut value: c_int = 0;
    // SAFETY: the text ends with a zero byte, which is no digit.
    while let digit @ b'0'..=b'9' = unsafe { *digits } {
        value = value.wrapping_mul(10).wrapping_add(c_int::from(digit - b'0'));
        // SAFETY: the zero byte was not reached.
        digits = unsafe { digits.add(1) };
    }
    value
}

fn take_ring() -> *mut Ring {
    let mut ring = take_free();
    if ring.is_null() {
        ring = map_ring();
    }
    if !ring.is_null() {
        // SAFETY: the ring is mapped, and no other thread owns it.
        assign(unsafe { &mut *ring });
    }
    ring
}

/// Assigns a ring to the calling thread.
fn assign(ring: &mut Ring) {
    ring.thread = libc::thread_number();
    (ring.stack_low, ring.stack_high) = stack_bounds();
    ring.before = 0;
    ring.event = 0;
    ring.entered.clear();
    ring.state.store(ring::LIVE, Ordering::Release);
    ring.begin_segment();
    let value: *const Ring = ring;
    // SAFETY: the key was created at the start; the ring stays mapped.
    unsafe { libc::pthread_setspecific(KEY.load(Ordering::Relaxed), value.cast()) };
}

/// Creates a ring. If there is no shared memory for it, the thread is not recorded, and a marker file says so.
fn map_ring() -> *mut Ring {
    // SAFETY: the call has no arguments.
    let process = unsafe { libc::getpid() } as u32;
    let number = RINGS.fetch_add(1, Ordering::Relaxed);
    let ring = map_file(&Path::file(c"/ring-", Some((process, number))));
    if ring.is_null() {
        Path::file(c"/unrecorded-", Some((process, number))).create();
        return ring;
    }
    // SAFETY: the mapping has the size of a ring, and no other thread knows it.
    unsafe {
        (*ring).version = u64::from(VERSION);
        (*ring).process = u64::from(process);
        (*ring).base = (&raw const __executable_start) as u64;
        (*ring).magic.store(ring::MAGIC, Ordering::Release);
    }
    ring
}

fn map_file(path: &Path) -> *mut Ring {
    // SAFETY: the path ends with a zero byte; the mapping is checked.
    unsafe {
        let file = libc::open(path.pointer(), libc::O_NEW, 0o600 as c_int);
        if file < 0 {
            return ptr::null_mut();
        }
        // Allocates the memory now: if it were missing, a later write into the mapping would kill the program (SIGBUS).
        let missing = libc::fallocate(file, 0, 0, ring::FILE_BYTES as i64) != 0
            && libc::last_error() != libc::NOT_SUPPORTED;
        let sized = !missing && libc::ftruncate(file, ring::FILE_BYTES as i64) == 0;
        let at = if sized {
            libc::mmap(ptr::null_mut(), ring::FILE_BYTES, libc::READ_WRITE, libc::SHARED, file, 0)
        } else {
            ptr::null_mut()
        };
        libc::close(file);
        if at as isize == -1 || at.is_null() {
            libc::unlink(path.pointer());
            return ptr::null_mut();
        }
        at.cast()
    }
}

fn locked<T>(body: impl FnOnce() -> T) -> T {
    while FREE_LOCK.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
        core::hint::spin_loop();
    }
    let result = body();
    FREE_LOCK.store(false, Ordering::Release);
    result
}

fn take_free() -> *mut Ring {
    locked(|| {
        let ring = FREE.load(Ordering::Relaxed);
        if !ring.is_null() {
            // SAFETY: rings in the list stay mapped.
            let next = unsafe { (*ring).next_free } as *mut Ring;
            FREE.store(next, Ordering::Relaxed);
        }
        ring
    })
}

unsafe extern "C" fn end_of_thread(value: *mut c_void) {
    CURRENT.set(ptr::null_mut());
    SILENT.set(true);
    let ring = value.cast::<Ring>();
    // SAFETY: the value is the ring that the thread owned until now.
    unsafe {
        (*ring).close_runs();
        (*ring).state.store(ring::FREE, Ordering::Release);
        locked(|| {
            (*ring).next_free = FREE.load(Ordering::Relaxed) as u64;
            FREE.store(ring, Ordering::Relaxed);
        });
    }
}

/// In the child of a fork: the rings belong to the parent, so the child starts without any.
unsafe extern "C" fn after_fork() {
    CURRENT.set(ptr::null_mut());
    FREE.store(ptr::null_mut(), Ordering::Relaxed);
    FREE_LOCK.store(false, Ordering::Relaxed);
    MAPS_COPIED.store(0, Ordering::Relaxed);
    // SAFETY: the key was created at the start.
    unsafe { libc::pthread_setspecific(KEY.load(Ordering::Relaxed), ptr::null()) };
    begin_image();
}

/// Copies the memory map, and numbers new rings so that they refer to this copy.
fn begin_image() {
    let image = copy_memory_map();
    IMAGE.store(image, Ordering::Relaxed);
    RINGS.store(image << ring::IMAGE_SHIFT, Ordering::Relaxed);
}

/// At exit, waits until the collector has opened the executable, because a program may be deleted right after it ends (rustdoc
/// does that). The collector checks every 20 ms.
extern "C" fn wait_until_seen() {
    const ROUNDS: u32 = 250;
    let image = IMAGE.load(Ordering::Relaxed);
    for _ in 0..ROUNDS {
        // SAFETY: the call has no arguments.
        let process = unsafe { libc::getpid() } as u32;
        if is_off() || collector_is_gone() || Path::file(c"/seen-", Some((process, image))).exists() {
            return;
        }
        libc::preserving_errno(|| libc::sleep_microseconds(1000));
    }
}

fn stack_bounds() -> (u64, u64) {
    let mut attributes = libc::ThreadAttributes::new();
    let (mut low, mut length) = (0, 0);
    // SAFETY: all pointers are valid; the attributes are only used if they were filled.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) == 0 {
            libc::pthread_attr_getstack(&raw const attributes, &raw mut low, &raw mut length);
            libc::pthread_attr_destroy(&raw mut attributes);
        }
    }
    (low as u64, low.wrapping_add(length).max(16) as u64)
}

/// The first 16 bytes of the thread's name.
pub(crate) fn thread_name() -> [u64; 2] {
    let mut name = [0_u64; 2];
    // SAFETY: the buffer has the length given.
    unsafe { libc::pthread_getname_np(libc::pthread_self(), name.as_mut_ptr().cast(), 16) };
    name
}

/// Copies the memory map of the process into the directory of the rings, and returns the number of the copy.
///
/// A program that replaced another one in the same process (`exec`) finds the copies of its predecessor and continues their
/// numbering.
pub(crate) fn copy_memory_map() -> u32 {
    let mut count = MAPS_COPIED.fetch_add(1, Ordering::Relaxed);
    if count >= MOST_MAPS {
        return count;
    }
    let mut buffer = [0_u8; 4096];
    // SAFETY: paths end with a zero byte, and the buffer has the length given.
    unsafe {
        let to = loop {
            let path = Path::file(c"/maps-", Some((libc::getpid() as u32, count)));
            let file = libc::open(path.pointer(), libc::O_WRITE_NEW, 0o600 as c_int);
            if file >= 0 || libc::last_error() != libc::EXISTS || count >= MOST_MAPS {
                break file;
            }
            count = MAPS_COPIED.fetch_add(1, Ordering::Relaxed);
        };
        let from = libc::open(c"/proc/self/maps".as_ptr(), libc::O_RDONLY);
        loop {
            let length = libc::read(from, buffer.as_mut_ptr().cast(), buffer.len());
            if length <= 0 || libc::write(to, buffer.as_ptr().cast(), length as usize) != length {
                break;
            }
        }
        // An empty line marks the copy as complete.
        libc::write(to, c"\n".as_ptr().cast(), 1);
        libc::close(from);
        libc::close(to);
    }
    count
}
