//! What belongs to the process and its threads: where rings are made, who owns one, what a fork changes.

use core::cell::Cell;
use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::thread_local;

use lotse_wire::{VERSION, ring};

use crate::libc;
use crate::ring::Ring;

/// Numbers allocations and frees over all threads.
pub(crate) static EPOCH: AtomicU64 = AtomicU64::new(1);

/// Whether anything is recorded. Cleared when there is no collector.
static STATE: AtomicU32 = AtomicU32::new(UNKNOWN);
const UNKNOWN: u32 = 0;
const STARTING: u32 = 1;
const ON: u32 = 2;
const OFF: u32 = 3;

static DROPS: AtomicBool = AtomicBool::new(false);
static COLLECTOR: AtomicI32 = AtomicI32::new(0);
static RINGS: AtomicU32 = AtomicU32::new(0);
static KEY: AtomicU32 = AtomicU32::new(0);
/// Rings of threads that have ended, as a list, and the lock of the list.
static FREE: AtomicPtr<Ring> = AtomicPtr::new(ptr::null_mut());
static FREE_LOCK: AtomicBool = AtomicBool::new(false);
static MODULES_NOTED: AtomicU32 = AtomicU32::new(0);
/// So many copies of the map are made at most.
const MOST_NOTED: u32 = 64;

thread_local! {
    static CURRENT: Cell<*mut Ring> = const { Cell::new(ptr::null_mut()) };
    /// The thread has ended, or its ring is being made: its events are not recorded.
    static SILENT: Cell<bool> = const { Cell::new(false) };
}

unsafe extern "C" {
    /// Where the linker put the program's first byte.
    static __executable_start: u8;
}

/// The ring of the calling thread; null where there is none yet, or never will be.
#[inline(always)]
pub(crate) fn known() -> *mut Ring {
    CURRENT.get()
}

/// The ring of the calling thread; null where nothing is recorded.
pub(crate) fn current() -> *mut Ring {
    let ring = CURRENT.get();
    if ring.is_null() { first() } else { ring }
}

#[cold]
#[inline(never)]
fn first() -> *mut Ring {
    if STATE.load(Ordering::Acquire) == OFF || SILENT.get() {
        return ptr::null_mut();
    }
    SILENT.set(true);
    let ring = libc::keeping_error(|| if is_on() { take_ring() } else { ptr::null_mut() });
    if !ring.is_null() {
        CURRENT.set(ring);
        SILENT.set(false);
    }
    ring
}

pub(crate) fn drops() -> bool {
    DROPS.load(Ordering::Relaxed)
}

/// Switches recording off if nobody reads any more.
pub(crate) fn collector_is_gone() -> bool {
    // SAFETY: signal 0 only asks whether the process exists.
    let answer = unsafe { libc::kill(COLLECTOR.load(Ordering::Relaxed), 0) };
    let gone = answer != 0 && libc::last_error() == libc::NO_SUCH_PROCESS;
    if gone {
        STATE.store(OFF, Ordering::Release);
        DROPS.store(true, Ordering::Relaxed);
    }
    gone
}

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

/// Reads the environment, and asks to be told of forks and of the ends of threads.
fn start() -> bool {
    // SAFETY: names end with a zero byte; the environment is only read.
    let (directory, collector, drops) = unsafe {
        (
            libc::getenv(c"LOTSE_SPY_DIRECTORY".as_ptr()),
            libc::getenv(c"LOTSE_SPY_COLLECTOR".as_ptr()),
            libc::getenv(c"LOTSE_SPY_DROP".as_ptr()),
        )
    };
    if directory.is_null() || collector.is_null() {
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
        own(unsafe { &mut *ring });
    }
    ring
}

/// Makes a ring the calling thread's.
fn own(ring: &mut Ring) {
    ring.thread = libc::thread_number();
    (ring.stack_low, ring.stack_high) = stack_bounds();
    ring.before = 0;
    ring.event = 0;
    ring.state.store(ring::LIVE, Ordering::Release);
    ring.announce();
    let value: *const Ring = ring;
    // SAFETY: the key was made at the start; the ring stays mapped.
    unsafe { libc::pthread_setspecific(KEY.load(Ordering::Relaxed), value.cast()) };
}

fn map_ring() -> *mut Ring {
    let mut path = Path::new();
    // SAFETY: path ends with a zero byte; the mapping is checked.
    unsafe {
        path.directory();
        path.text(b"/ring-");
        path.number(libc::getpid() as u32);
        path.text(b"-");
        path.number(RINGS.fetch_add(1, Ordering::Relaxed));
        let file = libc::open(path.pointer(), libc::O_NEW, 0o600 as c_int);
        if file < 0 {
            return ptr::null_mut();
        }
        let sized = libc::ftruncate(file, ring::FILE_BYTES as i64) == 0;
        let at = libc::mmap(ptr::null_mut(), ring::FILE_BYTES, libc::READ_WRITE, libc::SHARED, file, 0);
        libc::close(file);
        if !sized || at as isize == -1 {
            return ptr::null_mut();
        }
        let ring = at.cast::<Ring>();
        (*ring).version = u64::from(VERSION);
        (*ring).process = libc::getpid() as u64;
        (*ring).base = (&raw const __executable_start) as u64;
        (*ring).magic.store(ring::MAGIC, Ordering::Release);
        ring
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

/// The rings belong to the parent: the child begins with none.
unsafe extern "C" fn after_fork() {
    CURRENT.set(ptr::null_mut());
    FREE.store(ptr::null_mut(), Ordering::Relaxed);
    FREE_LOCK.store(false, Ordering::Relaxed);
    MODULES_NOTED.store(0, Ordering::Relaxed);
    // SAFETY: the key was made at the start.
    unsafe { libc::pthread_setspecific(KEY.load(Ordering::Relaxed), ptr::null()) };
    begin_image();
}

/// Notes what is mapped; the numbers of the rings say to which note they belong.
fn begin_image() {
    RINGS.store(note_modules() << ring::IMAGE_SHIFT, Ordering::Relaxed);
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

/// Copies the list of what is mapped into the process beside the rings; gives the number of the copy.
///
/// A program that replaced another in the same process (`exec`) finds the copies of its predecessor and goes on counting.
pub(crate) fn note_modules() -> u32 {
    let mut count = MODULES_NOTED.fetch_add(1, Ordering::Relaxed);
    if count >= MOST_NOTED {
        return count;
    }
    let mut buffer = [0_u8; 4096];
    // SAFETY: paths end with a zero byte, and the buffer has the length given.
    unsafe {
        let to = loop {
            let mut path = Path::new();
            path.directory();
            path.text(b"/maps-");
            path.number(libc::getpid() as u32);
            path.text(b"-");
            path.number(count);
            let file = libc::open(path.pointer(), libc::O_WRITE_NEW, 0o600 as c_int);
            if file >= 0 || libc::last_error() != libc::EXISTS || count >= MOST_NOTED {
                break file;
            }
            count = MODULES_NOTED.fetch_add(1, Ordering::Relaxed);
        };
        let from = libc::open(c"/proc/self/maps".as_ptr(), libc::O_RDONLY);
        loop {
            let length = libc::read(from, buffer.as_mut_ptr().cast(), buffer.len());
            if length <= 0 || libc::write(to, buffer.as_ptr().cast(), length as usize) != length {
                break;
            }
        }
        libc::close(from);
        libc::close(to);
    }
    count
}

/// A path made without allocating.
struct Path {
    bytes: [u8; 1024],
    length: usize,
}

impl Path {
    fn new() -> Self {
        Self { bytes: [0; 1024], length: 0 }
    }

    fn byte(&mut self, byte: u8) {
        // The last byte stays zero.
        if let Some(slot) = self.bytes.get_mut(self.length).filter(|_| self.length < 1023) {
            *slot = byte;
            self.length += 1;
        }
    }

    fn text(&mut self, text: &[u8]) {
        text.iter().for_each(|&byte| self.byte(byte));
    }

    /// # Safety
    /// Nobody changes the environment meanwhile.
    unsafe fn directory(&mut self) {
        // SAFETY: the name ends with a zero byte, and so does the value.
        unsafe {
            let mut at = libc::getenv(c"LOTSE_SPY_DIRECTORY".as_ptr()).cast::<u8>();
            while !at.is_null() && *at != 0 {
                self.byte(*at);
                at = at.add(1);
            }
        }
    }

    fn number(&mut self, number: u32) {
        if number >= 10 {
            self.number(number / 10);
        }
        self.byte(b'0' + (number % 10) as u8);
    }

    fn pointer(&self) -> *const core::ffi::c_char {
        self.bytes.as_ptr().cast()
    }
}
