//! The ring buffer that the kernel writes records into: a page with the read and write positions, then the records.

use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::{MmapOptions, MmapRaw};

use super::kept::KeptRecords;

/// Bytes of records: the default limit of locked memory per user and CPU (`perf_event_mlock_kb`).
const BYTES: usize = 512 << 10;

/// Indices of the words `data_head` and `data_tail` in `struct perf_event_mmap_page`.
const HEAD: usize = 1024 / 8;
const TAIL: usize = 1032 / 8;

/// The ring of one event.
#[derive(Debug)]
pub(super) struct SampleRing {
    memory: MmapRaw,
    page: usize,
    /// Closing it ends the event.
    #[expect(dead_code, reason = "dropping it is what counts")]
    event: OwnedFd,
}

impl SampleRing {
    pub(super) fn map(event: OwnedFd) -> io::Result<Self> {
        let page = rustix::param::page_size();
        let memory = MmapOptions::new().len(page + BYTES).map_raw(event.as_raw_fd())?;
        Ok(Self { memory, page, event })
    }

    fn word(&self, index: usize) -> &AtomicU64 {
        assert!(index * 8 + 8 <= self.page, "a word of the first page");
        // SAFETY: the word lies within the mapping, which is aligned to pages and lives as long as `self`; the kernel and
        // Lotse access it only atomically.
        unsafe { AtomicU64::from_ptr(self.memory.as_mut_ptr().cast::<u64>().add(index)) }
    }

    /// Stores all records that were written, and frees their space in the ring.
    pub(super) fn take(&mut self, kept: &mut KeptRecords) {
        let head = self.word(HEAD).load(Ordering::Acquire);
        let tail = self.word(TAIL).load(Ordering::Relaxed);
        let (from, length) = (tail as usize % BYTES, (head.wrapping_sub(tail) as usize).min(BYTES));
        let first = length.min(BYTES - from);
        let mut bytes = self.bytes(from, first).to_vec();
        bytes.extend_from_slice(self.bytes(0, length - first));
        self.word(TAIL).store(head, Ordering::Release);
        kept.take_all(&bytes);
    }

    fn bytes(&self, from: usize, length: usize) -> &[u8] {
        assert!(from + length <= BYTES, "bytes of the ring");
        // SAFETY: the bytes lie within the mapping, and the kernel does not write to them until the tail is moved past them.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().add(self.page + from), length) }
    }
}
