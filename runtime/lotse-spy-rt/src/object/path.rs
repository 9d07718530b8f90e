//! Paths of files in the directory of the rings.

use core::ffi::{CStr, c_char, c_int};

use crate::libc;

/// A path in a fixed-size buffer.
pub(crate) struct Path {
    bytes: [u8; 1024],
    length: usize,
}

impl Path {
    /// A file in the directory of the rings; `owner` is a process and a number that are appended to the name.
    pub(crate) fn file(name: &CStr, owner: Option<(u32, u32)>) -> Self {
        let mut path = Self { bytes: [0; 1024], length: 0 };
        // SAFETY: a program that changes its environment while another thread reads it is incorrect without Lotse, too.
        unsafe { path.directory() };
        path.text(name.to_bytes());
        if let Some((process, number)) = owner {
            path.number(process);
            path.text(b"-");
            path.number(number);
        }
        path
    }

    pub(crate) fn exists(&self) -> bool {
        // SAFETY: the path ends with a zero byte.
        libc::preserving_errno(|| unsafe { libc::access(self.pointer(), 0) == 0 })
    }

    /// Creates it as an empty file.
    pub(crate) fn create(&self) {
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
    /// No thread changes the environment at the same time.
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
