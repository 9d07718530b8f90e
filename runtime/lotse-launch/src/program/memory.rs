//! Where a request lies: a static area that is enough for nearly all, else fresh pages.
//!
//! Pages once touched count in our peak and so in the peak of every later run, therefore fresh pages are
//! given back after the request and the kernel is told to forget the peak.

use core::cell::UnsafeCell;

use crate::syscall::{self, Errno, O_WRONLY};

const STATIC: usize = 64 * 1024;

#[repr(C, align(16))]
struct Area(UnsafeCell<[u8; STATIC]>);

// SAFETY: the launcher has one thread.
unsafe impl Sync for Area {}

static AREA: Area = Area(UnsafeCell::new([0; STATIC]));
static STACK: Area = Area(UnsafeCell::new([0; STATIC]));

/// The memory of the request being served.
pub(crate) struct Arena {
    at: *mut u8,
    length: usize,
}

impl Arena {
    /// # Safety
    /// The arena before must have been released: there is one static area.
    pub(crate) unsafe fn take(length: usize) -> Result<Self, Errno> {
        let at = if length <= STATIC { AREA.0.get().cast() } else { syscall::map(length)? };
        Ok(Self { at, length })
    }

    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: `take` found `length` initialised bytes, which only this value refers to.
        unsafe { core::slice::from_raw_parts_mut(self.at, self.length) }
    }

    pub(crate) fn release(self) {
        if self.length > STATIC {
            // SAFETY: the pages were mapped by `take`, and `self` was the only reference to them.
            if unsafe { syscall::unmap(self.at, self.length) }.is_err() {
                // Kept, they would count in the peak of every later run.
                syscall::exit(5);
            }
            forget_peak();
        }
    }
}

/// Where a child's stack begins: it shares our memory until it executes, and we sleep meanwhile.
pub(crate) fn child_stack() -> usize {
    STACK.0.get() as usize + STATIC
}

/// Resets the peak resident set to the present one.
fn forget_peak() {
    if let Ok(fd) = syscall::open(c"/proc/self/clear_refs", O_WRONLY) {
        match syscall::write(fd, b"5") {
            // A kernel without this switch refuses; no later peak is then reported below the size of that request.
            Ok(_) | Err(_) => {}
        }
        syscall::close(fd);
    }
}
