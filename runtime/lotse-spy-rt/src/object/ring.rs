//! The ring buffer of a thread: its state and the words of its records, all in shared memory.

use core::sync::atomic::{AtomicU64, Ordering};

use lotse_wire::record::{Head, tag};
use lotse_wire::ring::{OpenRun, RECORD_WORDS, RUNS, STACKS};
use lotse_wire::{SEGMENT_EVENTS, ring};

use crate::frames::EnteredFrames;
use crate::libc;
use crate::process::{self, EPOCH};

/// A ring as it is laid out in shared memory. Only the thread that owns it writes to it, except for `read`, which the collector
/// writes.
#[repr(C)]
pub(crate) struct Ring {
    pub(crate) magic: AtomicU64,
    pub(crate) version: u64,
    pub(crate) process: u64,
    pub(crate) thread: u64,
    pub(crate) base: u64,
    pub(crate) state: AtomicU64,
    pub(crate) lost: u64,
    /// Number of the next event in the segment.
    pub(crate) event: u64,
    /// Whether the thread is inside the runtime.
    pub(crate) busy: u64,
    /// The bounds of the thread's stack.
    pub(crate) stack_low: u64,
    pub(crate) stack_high: u64,
    /// Number of events before the segment.
    pub(crate) before: u64,
    /// Number of call stacks numbered so far.
    pub(crate) stacks: u64,
    /// Number of far program counters numbered so far.
    pub(crate) far: u64,
    /// The last observed value of `read`.
    pub(crate) read_seen: u64,
    /// Address of the next ring in the list of free rings.
    pub(crate) next_free: u64,
    pub(crate) written: AtomicU64,
    _line: [u64; 15],
    pub(crate) read: AtomicU64,
    /// Not 0 after a record was lost that later ones refer to: then nothing is written until the next segment.
    pub(crate) gap: u64,
    pub(crate) entered: EnteredFrames,
    _rest: [u64; ring::HEADER_BYTES / 8 - 34 - size_of::<EnteredFrames>() / 8],
    pub(crate) runs: [OpenRun; RUNS],
    pub(crate) known_stacks: [[u64; 2]; STACKS],
    words: [u64; RECORD_WORDS],
}

const _: () = assert!(size_of::<Ring>() == ring::FILE_BYTES);
const _: () = assert!(core::mem::offset_of!(Ring, written) == ring::WRITTEN * 8);
const _: () = assert!(core::mem::offset_of!(Ring, read) == ring::READ * 8);
const _: () = assert!(core::mem::offset_of!(Ring, words) == ring::RECORDS_AT);

/// Words that accesses leave free for essential records, without which others cannot be decoded: segments, call stacks,
/// allocations.
const RESERVE: u64 = RECORD_WORDS as u64 / 8;
/// How long a thread waits for a collector that reads nothing, in nanoseconds. A slow disk may delay it by seconds.
const PATIENCE: u64 = 10_000_000_000;

impl Ring {
    /// Appends an access, copy or guard. If the ring is full, it waits for the collector, or counts a loss if the user chose that.
    pub(crate) fn append(&mut self, words: &[u64]) {
        self.append_with(words, RESERVE);
    }

    /// The same for a record of up to three words.
    #[inline(always)]
    pub(crate) fn append_run(&mut self, words: [u64; 3], count: usize) {
        let written = self.written.load(Ordering::Relaxed);
        if self.may_append(written, count as u64 + RESERVE) {
            self.put(words, count);
        }
    }

    /// Whether [`Ring::put`] may be called.
    #[inline(always)]
    pub(crate) fn has_room_for_run(&self) -> bool {
        self.gap == 0 && self.has_room(self.written.load(Ordering::Relaxed), 3 + RESERVE)
    }

    /// Appends a record for which there is room.
    #[inline(always)]
    pub(crate) fn put(&mut self, words: [u64; 3], count: usize) {
        let written = self.written.load(Ordering::Relaxed);
        // Words after the record are free because of the reserve, and are written again by the next record.
        for (offset, word) in words.into_iter().enumerate() {
            self.words[(written as usize).wrapping_add(offset) % RECORD_WORDS] = word;
        }
        self.written.store(written + count as u64, Ordering::Release);
    }

    /// Appends a record that later ones refer to; `false` if it was lost. Then nothing is written until the next segment.
    pub(crate) fn append_essential(&mut self, words: &[u64]) -> bool {
        let written = self.append_with(words, 0);
        if !written {
            self.gap = 1;
        }
        written
    }

    #[inline]
    fn append_with(&mut self, words: &[u64], reserve: u64) -> bool {
        let written = self.written.load(Ordering::Relaxed);
        if !self.may_append(written, words.len() as u64 + reserve) {
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

    /// Whether there is room for the wanted number of words, after waiting if necessary; if not, it counts a loss.
    #[inline(always)]
    fn may_append(&mut self, written: u64, wanted: u64) -> bool {
        (self.gap == 0 && self.has_room(written, wanted)) || self.wait_or_lose(written, wanted)
    }

    #[cold]
    fn wait_or_lose(&mut self, written: u64, wanted: u64) -> bool {
        let has_room = self.gap == 0 && self.wait_for_room(written, wanted);
        self.lost += u64::from(!has_room);
        has_room
    }

    /// Whether a frame is on the thread's stack. A function that ends with a callback may tail-call it after releasing its own
    /// frame; then the register holds the frame of the caller, or any value if the caller has no frame pointer.
    #[inline(always)]
    pub(crate) fn has_frame(&self, frame: u64) -> bool {
        frame.wrapping_sub(self.stack_low) < self.stack_high.wrapping_sub(self.stack_low).wrapping_sub(16)
            && frame % 8 == 0
    }

    fn has_room(&self, written: u64, wanted: u64) -> bool {
        written + wanted - self.read_seen <= RECORD_WORDS as u64
    }

    /// Waits until the collector has read enough. `false` if records are dropped instead, or if the collector no longer reads: then
    /// recording stops.
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
            libc::preserving_errno(|| libc::sleep_microseconds(50));
        }
        false
    }

    /// Closes all runs and begins a new segment.
    #[cold]
    fn renew_segment(&mut self) {
        self.close_runs();
        self.before += self.event;
        self.event = 0;
        self.begin_segment();
    }

    /// Writes the head of a segment: the thread, its number of events, time and epoch.
    pub(crate) fn begin_segment(&mut self) {
        let head = Head { tag: tag::SEGMENT, detail: 0, event: 0, counter: self.thread as u32 };
        let name = process::thread_name();
        let epoch = EPOCH.load(Ordering::Relaxed);
        // A segment can be decoded without those before it.
        self.gap = u64::from(process::is_off());
        self.append_essential(&[head.word(), self.before, libc::now(), epoch, self.lost, name[0], name[1]]);
    }

    /// Takes the number of an event that does not continue a run; it may be the first one of a new segment.
    #[inline(always)]
    pub(crate) fn take_event(&mut self) -> u16 {
        if self.event >= u64::from(SEGMENT_EVENTS) {
            self.renew_segment();
        }
        self.event += 1;
        (self.event - 1) as u16
    }
}
