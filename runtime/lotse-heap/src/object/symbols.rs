//! Symbols of the program: its allocator, its environment, and `mmap`.
//!
//! The symbols are weak. Their addresses are read from the global offset table by hand, because the compiler assumes that the
//! address of a function is never null.

use core::arch::{asm, global_asm};
use core::ffi::{c_char, c_int, c_void};

global_asm!(".weak malloc", ".weak free", ".weak environ", ".weak mmap");

/// The address of a symbol; null if it is not defined.
macro_rules! address {
    ($name:literal) => {{
        let address: *mut c_void;
        #[cfg(target_arch = "x86_64")]
        // SAFETY: reads an entry of the object's own table.
        unsafe {
            asm!(concat!("mov {}, qword ptr [rip + ", $name, "@GOTPCREL]"), out(reg) address,
                options(pure, readonly, nostack, preserves_flags));
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: reads an entry of the object's own table.
        unsafe {
            asm!(concat!("adrp {0}, :got:", $name), concat!("ldr {0}, [{0}, :got_lo12:", $name, "]"),
                out(reg) address, options(pure, readonly, nostack, preserves_flags));
        }
        address
    }};
}

type Malloc = unsafe extern "C" fn(usize) -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void);
type Mmap = unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, c_int, i64) -> *mut c_void;

const NO_ACCESS: c_int = 0;
/// Private, anonymous, without reserving memory for it.
const FLAGS: c_int = 0x02 | 0x20 | 0x4000;

pub(crate) struct Symbols {
    malloc: *mut c_void,
    free: *mut c_void,
    environ: *mut c_void,
    mmap: *mut c_void,
}

pub(crate) struct Allocator {
    malloc: Malloc,
    free: Free,
}

impl Symbols {
    pub(crate) fn find() -> Self {
        Self {
            malloc: address!("malloc"),
            free: address!("free"),
            environ: address!("environ"),
            mmap: address!("mmap"),
        }
    }

    /// The environment variables, if the program has a C library.
    pub(crate) fn environment(&self) -> Option<*const *const c_char> {
        let environ = self.environ.cast::<*const *const c_char>();
        // SAFETY: if it is defined, it is a variable of this type.
        let list = if environ.is_null() { return None } else { unsafe { *environ } };
        (!list.is_null()).then_some(list)
    }

    pub(crate) fn allocator(&self) -> Option<Allocator> {
        if self.malloc.is_null() || self.free.is_null() {
            return None;
        }
        // SAFETY: the C standard defines their types.
        unsafe {
            Some(Allocator {
                malloc: core::mem::transmute::<*mut c_void, Malloc>(self.malloc),
                free: core::mem::transmute::<*mut c_void, Free>(self.free),
            })
        }
    }

    /// Reserves addresses without memory. If mapping is not permitted, addresses stay as they are.
    pub(crate) fn reserve(&self, length: usize) {
        if !self.mmap.is_null() {
            // SAFETY: POSIX defines its type; the kernel chooses the address, so that nothing is replaced.
            unsafe {
                let mmap = core::mem::transmute::<*mut c_void, Mmap>(self.mmap);
                mmap(core::ptr::null_mut(), length, NO_ACCESS, FLAGS, -1, 0);
            }
        }
    }
}

impl Allocator {
    /// A new block; null if there is no memory.
    pub(crate) fn allocate(&self, size: usize) -> *mut c_void {
        // SAFETY: any size may be requested.
        unsafe { (self.malloc)(size) }
    }

    pub(crate) fn release(&self, block: *mut c_void) {
        // SAFETY: the block came from `allocate` and nobody else has it; null is allowed.
        unsafe { (self.free)(block) }
    }
}
