//! The ring of a thread: its state and the words of its records, all in shared memory.

use core::sync::atomic::{AtomicU64, Ordering};

use lotse_wire::record::{Head, tag};
use lotse_wire::ring::{OpenRun, RECORD_WORDS, RUNS, STACKS};
use lotse_wire::{SEGMENT_EVENTS, ring};

use crate::libc;
use crate::frames::Entered;
use crate::process::{self, EPOCH};

/// A ring as it lies in memory. Only the thread that owns it writes, except for `read`.
#[repr(C)]
pub(crate) struct Ring {
    pub(crate) magic: AtomicU64,
    pub(crate) version: u64,
    pub(crate) process: u64,
    pub(crate) thread: u64,
    pub(crate) base: u64,
    pub(crate) state: AtomicU64,
    pub(crate) lost: u64,
    /// The number of the next event in the segment.
    pub(crate) event: u64,
    /// Whether the thread is inside the runtime.
    pub(crate) busy: u64,
    /// The bounds of the thread's stack.
    pub(crate) stack_low: u64,
    pub(crate) stack_high: u64,
    /// The number of events before the segment.
    pub(crate) before: u64,
    /// How many call stacks have a number.
    pub(crate) stacks: u64,
    /// How many program counters have a number.
    pub(crate) far: u64,
    /// What `read` was when it was last looked at.
    pub(crate) read_seen: u64,
    /// The next ring that no thread owns.
    pub(crate) next_free: u64,
    pub(crate) written: AtomicU64,
    _line: [u64; 15],
    pub(crate) read: AtomicU64,
    /// Not 0: a record that others need was lost, and nothing is written until a segment begins.
    pub(crate) gap: u64,
    pub(crate) entered: Entered,
    _rest: [u64; ring::HEADER_BYTES / 8 - 34 - size_of::<Entered>() / 8],
    pub(crate) runs: [OpenRun; RUNS],
    pub(crate) known_stacks: [[u64; 2]; STACKS],
    words: [u64; RECORD_WORDS],
}

const _: () = assert!(size_of::<Ring>() == ring::FILE_BYTES);
const _: () = assert!(core::mem::offset_of!(Ring, written) == ring::WRITTEN * 8);
const _: () = assert!(core::mem::offset_of!(Ring, read) == ring::READ * 8);
const _: () = assert!(core::mem::offset_of!(Ring, words) == ring::RECORDS_AT);

/// Words that accesses leave free for records without which the rest cannot be read: segments, call stacks, allocations.
const RESERVE: u64 = RECORD_WORDS as u64 / 8;
/// How long a thread waits for a collector that reads nothing, in nanoseconds. A slow disk may hold a healthy one up for
/// seconds.
const PATIENCE: u64 = 10_000_000_000;

impl Ring {
    /// Appends an access, copy or guard; waits for the collector, or counts a loss where the user prefers that.
    pub(crate) fn append(&mut self, words: &[u64]) {
        self.append_with(words, RESERVE);
    }

    /// Appends a record that others need; false where it was lost. Nothing is written after it until a segment begins.
    pub(crate) fn append_needed(&mut self, words: &[u64]) -> bool {
        let written = self.append_with(words, 0);
        if !written {
            self.gap = 1;
        }
        written
    }

    #[inline]
    fn append_with(&mut self, words: &[u64], reserve: u64) -> bool {
        let written = self.written.load(Ordering::Relaxed);
        let wanted = words.len() as u64 + reserve;
        if self.gap != 0 || (!self.has_room(written, wanted) && !self.wait_for_room(written, wanted)) {
            self.lost += 1;
            return false;
        }
        for (offset, word) in words.iter().enumerate() {
            let at = (written as usize).wrapping_add(offset) % RECORD_WORDS;
            // SAFETY: the remainder is below the length of the array.
            unsafe { *self.words.get_unchecked_mut(at) = *word };
        }
        self.written.store(written + words.len() as u64, Ordering::Release);
        true
    }

    /// Whether a frame lies on the thread's stack. A function that ends in a callback jumps to it after it gave up its
    /// own frame. The register then has the caller's frame, or anything if the caller keeps no frame pointer.
    #[inline(always)]
    pub(crate) fn has_frame(&self, frame: u64) -> bool {
        frame.wrapping_sub(self.stack_low) < self.stack_high.wrapping_sub(self.stack_low).wrapping_sub(16)
            && frame % 8 == 0
    }

    fn has_room(&self, written: u64, wanted: u64) -> bool {
        written + wanted - self.read_seen <= RECORD_WORDS as u64
    }

    /// Waits until the collector has read enough. False where records are dropped, or nobody reads any more: recording
    /// is over then.
    #[cold]
    fn wait_for_room(&mut self, written: u64, wanted: u64) -> bool {
        let mut since = libc::now();
        for round in 1_u32.. {
            let before = self.read_seen;
            self.read_seen = self.read.load(Ordering::Acquire);
            if process::is_off() {
                return false;
            }
            if self.has_room(written, wanted) {
                return true;
            }
            if process::drops() {
                return false;
            }
            if self.read_seen != before {
                since = libc::now();
            }
            let waited = libc::now().saturating_sub(since);
            if waited > PATIENCE || (round % 1024 == 0 && process::collector_is_gone()) {
                process::stop_recording();
                return false;
            }
            libc::keeping_error(|| libc::sleep_microseconds(50));
        }
        false
    }

    /// Begins a new segment if the present one is full: closes all runs.
    pub(crate) fn renew_segment(&mut self) {
        if !self.is_segment_full() {
            return;
        }
        self.close_runs();
        self.before += self.event;
        self.event = 0;
        self.announce();
    }

    /// Says who writes, and where in its life it is.
    pub(crate) fn announce(&mut self) {
        let head = Head { tag: tag::SEGMENT, detail: 0, event: 0, counter: self.thread as u32 };
        let name = process::thread_name();
        let epoch = EPOCH.load(Ordering::Relaxed);
        // A segment can be read without those before it.
        self.gap = u64::from(process::is_off());
        self.append_needed(&[head.word(), self.before, libc::now(), epoch, self.lost, name[0], name[1]]);
    }

    #[inline(always)]
    pub(crate) fn is_segment_full(&self) -> bool {
        self.event >= u64::from(SEGMENT_EVENTS)
    }

    /// Takes the number of an event that is a record of its own.
    pub(crate) fn take_event(&mut self) -> u16 {
        self.renew_segment();
        self.event += 1;
        (self.event - 1) as u16
    }
}
