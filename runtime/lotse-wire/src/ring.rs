//! The layout of a ring: a header of one page, the table of open runs, then the words of the records.
//!
//! The file is named `ring-PID-NUMBER`; copies of the process's memory map, `maps-PID-NUMBER`, are in the same directory. All
//! state of a thread is in the file, so that nothing is lost when a program is killed: the collector reads the words up to
//! [`WRITTEN`], and then the runs that are still open.

use crate::record::{Spread, tag};

/// Begins every ring: "LTSESPY1".
pub const MAGIC: u64 = u64::from_le_bytes(*b"LTSESPY1");

/// The upper bits of a ring's number, from this bit on, are the number of the memory map that it belongs to: a process that
/// replaces its program (`exec`) starts a new one.
pub const IMAGE_SHIFT: u32 = 16;

/// Bytes of the header.
pub const HEADER_BYTES: usize = 4096;
/// Number of entries in the table of open runs; a power of two.
pub const RUNS: usize = 1024;
/// Words of an entry in the table of open runs: see [`OpenRun`].
pub const RUN_WORDS: usize = 8;
/// Size of the table of known call stacks, by which each is numbered only once; a power of two.
pub const STACKS: usize = 1 << 14;
/// Offset of the records in bytes.
pub const RECORDS_AT: usize = HEADER_BYTES + RUNS * RUN_WORDS * 8 + STACKS * 16;
/// Number of words for records; a power of two.
pub const RECORD_WORDS: usize = 1 << 19;
/// Bytes of the whole file.
pub const FILE_BYTES: usize = RECORDS_AT + RECORD_WORDS * 8;

/// Word of the header: [`MAGIC`], written last by the thread that creates the ring.
pub const MAGIC_AT: usize = 0;
/// Word of the header: [`crate::VERSION`].
pub const VERSION_AT: usize = 1;
/// Word of the header: the process.
pub const PROCESS_AT: usize = 2;
/// Word of the header: the thread id of the operating system.
pub const THREAD_AT: usize = 3;
/// Word of the header: the address that program counters are relative to.
pub const BASE_AT: usize = 4;
/// Word of the header: one of the states below.
pub const STATE_AT: usize = 5;
/// Word of the header: number of events dropped because the ring was full or the runtime was busy with another event.
pub const LOST_AT: usize = 6;
/// Word of the header: the number of the next event in the open segment.
pub const EVENT_AT: usize = 7;
/// Word of the header: number of words written since the beginning. On a cache line of its own.
pub const WRITTEN: usize = 16;
/// Word of the header: number of words that the collector has read. On a cache line of its own.
pub const READ: usize = 32;

/// State: a thread owns the ring and writes to it.
pub const LIVE: u64 = 1;
/// State: no thread owns the ring and all runs are closed; another thread may reuse it.
pub const FREE: u64 = 2;

/// A run that is not written yet: an entry of the table of open runs.
///
/// All events of a run have the same program counter, addresses at equal distances, and event numbers at equal distances.
/// A program that is recorded spends most of the time that recording adds on continuing runs, so that an entry has no
/// more than this needs: program counter and event number are compared and advanced together, as one number
/// ([`continuation`]), and the number of events follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C)]
pub struct OpenRun {
    /// The [`continuation`] of the event that continues the run. Of a run of one event, whose period is not known, it is
    /// [`OpenRun::key_of_one`].
    pub key: u64,
    /// The address that continues the run.
    pub next_address: u64,
    /// Distance of addresses.
    pub stride: u64,
    /// Distance of event numbers; 0 for a run of one event.
    pub period: u64,
    /// The first word of the record; 0 if the entry is free.
    pub head: u64,
    /// The address of the first event.
    pub first_address: u64,
    /// For guards: the number of the call stack.
    pub stack: u64,
    /// For guards: the return address of the function.
    pub caller: u64,
}

const _: () = assert!(size_of::<OpenRun>() == RUN_WORDS * 8);

/// Difference between the tag of a run and that of a single access.
const RUN_TAG: u64 = (tag::LOAD_RUN - tag::LOAD) as u64;

/// A program counter and the number of an event in its segment as one number.
///
/// A run that would reach into the next segment carries into the program counter, and is not continued: no callback
/// returns to the address after that to which another one returns.
#[must_use]
#[inline(always)]
pub const fn continuation(pc: u64, event: u16) -> u64 {
    pc << 16 | event as u64
}

impl OpenRun {
    /// A run of one event.
    #[must_use]
    #[inline(always)]
    pub const fn one(pc: u64, address: u64, head: u64) -> Self {
        Self {
            key: Self::key_of_one(pc),
            next_address: address,
            stride: 0,
            period: 0,
            head,
            first_address: address,
            stack: 0,
            caller: 0,
        }
    }

    /// The key of a run of one event. It differs from the continuations of all program counters in the same slot of the table.
    #[must_use]
    #[inline(always)]
    pub const fn key_of_one(pc: u64) -> u64 {
        !continuation(pc, 0)
    }

    /// Whether it is a run of one event at a program counter.
    #[must_use]
    #[inline(always)]
    pub const fn is_one(&self, pc: u64) -> bool {
        self.key == Self::key_of_one(pc)
    }

    /// Whether its events have a program counter.
    #[must_use]
    #[inline(always)]
    pub const fn is_at(&self, pc: u64) -> bool {
        self.is_one(pc) || self.key.wrapping_sub(self.period) >> 16 == continuation(pc, 0) >> 16
    }

    /// Appends the expected next event.
    #[inline(always)]
    pub const fn extend(&mut self) {
        self.next_address = self.next_address.wrapping_add(self.stride);
        self.key = self.key.wrapping_add(self.period);
    }

    /// Appends the second event, which defines stride and period; `false` if a record cannot represent the stride.
    #[inline(always)]
    pub const fn pair(&mut self, pc: u64, address: u64, event: u16) -> bool {
        let stride = address.wrapping_sub(self.first_address);
        if stride != stride as i32 as u64 {
            return false;
        }
        self.stride = stride;
        self.period = event.wrapping_sub(self.first_event()) as u64;
        self.next_address = address.wrapping_add(stride);
        self.key = continuation(pc, event).wrapping_add(self.period);
        true
    }

    /// The words of its record, and their number.
    #[must_use]
    #[inline(always)]
    pub const fn record(&self) -> ([u64; 3], usize) {
        if self.is_guard() {
            let spread = Spread { stride: self.stack as i32, ..self.spread() };
            ([self.head, self.first_address, spread.word()], 3)
        } else {
            self.record_of_access()
        }
    }

    /// The same for a run that is known to have loads or stores.
    #[must_use]
    #[inline(always)]
    pub const fn record_of_access(&self) -> ([u64; 3], usize) {
        let is_run = self.period != 0;
        let head = self.head + if is_run { RUN_TAG } else { 0 };
        ([head, self.first_address, self.spread().word()], 2 + is_run as usize)
    }

    /// Whether it is a run of guards.
    #[must_use]
    #[inline(always)]
    pub const fn is_guard(&self) -> bool {
        self.head as u8 == tag::GUARD
    }

    /// The run from the words of the table.
    #[must_use]
    pub const fn from_words(words: [u64; RUN_WORDS]) -> Self {
        let [key, next_address, stride, period, head, first_address, stack, caller] = words;
        Self { key, next_address, stride, period, head, first_address, stack, caller }
    }

    #[inline(always)]
    const fn first_event(&self) -> u16 {
        (self.head >> 16) as u16
    }

    /// Stride, period and number of events, for the last word of the record; of a run of one event all are 0.
    #[inline(always)]
    const fn spread(&self) -> Spread {
        let period = self.period as u16;
        Spread { stride: self.stride as i32, period, further: self.further_events(period) }
    }

    /// Number of events after the first one.
    #[inline(always)]
    const fn further_events(&self, period: u16) -> u16 {
        let last = (self.key as u16).wrapping_sub(period);
        let distance = last.wrapping_sub(self.first_event());
        // Most runs of irregular accesses have two events, and a division is slow.
        if distance == period && period != 0 {
            return 1;
        }
        match distance.checked_div(period) {
            Some(further) => further,
            None => 0,
        }
    }
}
