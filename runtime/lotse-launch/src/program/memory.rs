//! The memory of a request: a static area that suffices for nearly all requests, otherwise new pages.
//!
//! Touched pages count in the peak resident set of the launcher, and so in that of every later run. New pages are therefore
//! unmapped after the request, and the kernel's record of the peak is reset.

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
    /// Memory of `length` bytes.
    ///
    /// # Safety
    /// The previous arena must have been released: there is only one static area.
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
                // Pages that stay mapped would count in the peak of every later run.
                syscall::exit(5);
            }
            forget_peak();
        }
    }
}

/// The top of the stack for a child, which shares the launcher's memory until it calls `execve`, while the launcher waits.
pub(crate) fn child_stack() -> usize {
    STACK.0.get() as usize + STATIC
}

/// Resets the peak resident set to the present one.
fn forget_peak() {
    if let Ok(fd) = syscall::open(c"/proc/self/clear_refs", O_WRONLY) {
        match syscall::write(fd, b"5") {
            // Kernels without this feature refuse; then no later peak is reported below the size of that request.
            Ok(_) | Err(_) => {}
        }
        syscall::close(fd);
    }
}
