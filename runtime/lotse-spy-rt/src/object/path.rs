//! Paths of files beside the rings.

use core::ffi::{CStr, c_char, c_int};

use crate::libc;

/// A path made without allocating.
pub(crate) struct Path {
    bytes: [u8; 1024],
    length: usize,
}

impl Path {
    /// A file beside the rings: of a process, with a number.
    pub(crate) fn file(name: &CStr, of: Option<(u32, u32)>) -> Self {
        let mut path = Self { bytes: [0; 1024], length: 0 };
        // SAFETY: programs that change their environment while another thread reads it are wrong without Lotse, too.
        unsafe { path.directory() };
        path.text(name.to_bytes());
        if let Some((process, number)) = of {
            path.number(process);
            path.text(b"-");
            path.number(number);
        }
        path
    }

    pub(crate) fn exists(&self) -> bool {
        // SAFETY: the path ends with a zero byte.
        libc::keeping_error(|| unsafe { libc::access(self.pointer(), 0) == 0 })
    }

    /// Makes it empty.
    pub(crate) fn make(&self) {
        // SAFETY: the path ends with a zero byte.
        unsafe {
            let file = libc::open(self.pointer(), libc::O_WRITE_NEW, 0o600 as c_int);
            if file >= 0 {
                libc::close(file);
            }
        }
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

    pub(crate) fn pointer(&self) -> *const c_char {
        self.bytes.as_ptr().cast()
    }
}
