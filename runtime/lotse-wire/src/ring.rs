//! The layout of a ring: a header of one page, the table of open runs, then the words of the records.
//!
//! The file is named `ring-PID-NUMBER`; beside it lie copies of the process's memory map, `maps-PID-NUMBER`. All state of a thread lies in the file, so that a program that is killed loses
//! nothing: the collector reads the words up to [`WRITTEN`] and then the runs that are still open.

use crate::record::{Head, Spread, tag};

/// Begins every ring: "LTSESPY1".
pub const MAGIC: u64 = u64::from_le_bytes(*b"LTSESPY1");

/// A ring's number has the number of the program's memory map from this bit on: a process that replaces its program
/// (`exec`) begins a new one.
pub const IMAGE_SHIFT: u32 = 16;

/// Bytes of the header.
pub const HEADER_BYTES: usize = 4096;
/// Number of entries in the table of open runs; a power of two.
pub const RUNS: usize = 1024;
/// Words of an entry in the table of open runs: see [`OpenRun`].
pub const RUN_WORDS: usize = 8;
/// How many call stacks a thread remembers, to number each only once; a power of two.
pub const STACKS: usize = 1 << 14;
/// Where the records begin.
pub const RECORDS_AT: usize = HEADER_BYTES + RUNS * RUN_WORDS * 8 + STACKS * 16;
/// Number of words for records; a power of two.
pub const RECORD_WORDS: usize = 1 << 19;
/// Bytes of the whole file.
pub const FILE_BYTES: usize = RECORDS_AT + RECORD_WORDS * 8;

/// Word of the header: [`MAGIC`], written last by the thread that makes the ring.
pub const MAGIC_AT: usize = 0;
/// Word of the header: [`crate::VERSION`].
pub const VERSION_AT: usize = 1;
/// Word of the header: the process.
pub const PROCESS_AT: usize = 2;
/// Word of the header: the thread, by the number the system gives it.
pub const THREAD_AT: usize = 3;
/// Word of the header: the address that program counters count from.
pub const BASE_AT: usize = 4;
/// Word of the header: one of the states below.
pub const STATE_AT: usize = 5;
/// Word of the header: how many events were dropped because the ring was full or the runtime was busy with another.
pub const LOST_AT: usize = 6;
/// Word of the header: the number of the next event in the open segment.
pub const EVENT_AT: usize = 7;
/// Word of the header: how many words were written since the beginning. On a cache line of its own.
pub const WRITTEN: usize = 16;
/// Word of the header: how many words the collector has read. On a cache line of its own.
pub const READ: usize = 32;

/// A thread writes.
pub const LIVE: u64 = 1;
/// No thread owns the ring, all runs are closed; another thread may take it over.
pub const FREE: u64 = 2;

/// A run that is not yet written, as words of the table.
///
/// A run has the same program counter throughout; its events have addresses at equal distances and numbers at equal
/// distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C)]
pub struct OpenRun {
    /// The program counter; 0: the entry is free.
    pub pc: u64,
    /// The address that continues the run.
    pub next_address: u64,
    /// The number of the event that continues the run.
    pub next_event: u32,
    /// How many events there are.
    pub count: u32,
    /// The distance of addresses.
    pub stride: i64,
    /// The first word of the record.
    pub head: u64,
    /// The address of the first event.
    pub first_address: u64,
    /// The distance of event numbers.
    pub period: u32,
    /// The call stack, for guards.
    pub stack: u32,
    /// The return address, for guards.
    pub caller: u64,
}

const _: () = assert!(size_of::<OpenRun>() == RUN_WORDS * 8);

/// From the tag of an access to that of a run.
const RUN_TAG: u64 = (tag::LOAD_RUN - tag::LOAD) as u64;

/// No event has this number: a run of one event is not continued without looking.
const NEVER: u32 = u32::MAX;

impl OpenRun {
    /// A run of one event.
    #[must_use]
    #[inline]
    pub const fn one(pc: u64, address: u64, head: u64) -> Self {
        Self {
            pc,
            next_address: address,
            next_event: NEVER,
            count: 1,
            stride: 0,
            head,
            first_address: address,
            period: 0,
            stack: 0,
            caller: 0,
        }
    }

    /// Takes up the event that was expected.
    #[inline]
    pub const fn extend(&mut self) {
        self.count += 1;
        self.next_address = self.next_address.wrapping_add(self.stride as u64);
        self.next_event += self.period;
    }

    /// Takes up a second event, whatever its distance, unless a record cannot hold the distance.
    #[inline]
    pub const fn pair(&mut self, address: u64, event: u32) -> bool {
        let stride = address.wrapping_sub(self.first_address) as i64;
        if stride != stride as i32 as i64 {
            return false;
        }
        let first = (self.head >> 16) as u16 as u32;
        self.stride = stride;
        self.period = event - first;
        self.next_address = address;
        self.next_event = event;
        self.extend();
        true
    }

    /// The words of its record, and how many there are.
    #[must_use]
    #[inline]
    pub const fn record(&self) -> ([u64; 3], usize) {
        let kind = Head::from_word(self.head).tag;
        if kind == tag::GUARD {
            let spread = Spread { stride: self.stack as i32, ..self.spread() };
            ([self.head, self.first_address, spread.word()], 3)
        } else if self.count == 1 {
            ([self.head, self.first_address, 0], 2)
        } else {
            ([self.head + RUN_TAG, self.first_address, self.spread().word()], 3)
        }
    }

    /// The run from the words of the table.
    #[must_use]
    pub const fn from_words(words: [u64; RUN_WORDS]) -> Self {
        Self {
            pc: words[0],
            next_address: words[1],
            next_event: words[2] as u32,
            count: (words[2] >> 32) as u32,
            stride: words[3] as i64,
            head: words[4],
            first_address: words[5],
            period: words[6] as u32,
            stack: (words[6] >> 32) as u32,
            caller: words[7],
        }
    }

    /// The last word of a record that has several events.
    #[must_use]
    #[inline]
    pub const fn spread(&self) -> Spread {
        Spread { stride: self.stride as i32, period: self.period as u16, further: (self.count - 1) as u16 }
    }
}
