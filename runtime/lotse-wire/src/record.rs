//! Records: sequences of 64-bit words, of which the first one (the head) determines the others.
//!
//! | field of the head | bits |
//! |---|---|
//! | tag | 0 to 7 |
//! | detail | 8 to 15: the size of an access in bytes, [`FAR`] |
//! | event | 16 to 31: the event's number in its segment |
//! | counter | 32 to 63: the program counter, relative to the ring's base, or the number of a far one |

/// Bit of the detail: the counter is the number of a far counter ([`tag::FAR_COUNTER`]).
pub const FAR: u8 = 0x80;

/// The first word of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The kind of record: one of [`tag`].
    pub tag: u8,
    /// The size of an access in bytes, [`FAR`].
    pub detail: u8,
    /// The event's number in its segment.
    pub event: u16,
    /// The program counter relative to the ring's base, or the number of a far one.
    pub counter: u32,
}

impl Head {
    /// Packs it into a word.
    #[must_use]
    #[inline]
    pub const fn word(self) -> u64 {
        self.tag as u64 | (self.detail as u64) << 8 | (self.event as u64) << 16 | (self.counter as u64) << 32
    }

    /// Unpacks it from a word.
    #[must_use]
    #[inline]
    pub const fn from_word(word: u64) -> Self {
        Self {
            tag: word as u8,
            detail: (word >> 8) as u8,
            event: (word >> 16) as u16,
            counter: (word >> 32) as u32,
        }
    }
}

/// The kinds of records, each with the words after the head.
pub mod tag {
    /// A new segment; the counter is the thread: events before it, time in ns, epoch, events lost, thread's name (two words).
    pub const SEGMENT: u8 = 1;
    /// A load: address.
    pub const LOAD: u8 = 2;
    /// A store: address.
    pub const STORE: u8 = 3;
    /// A run of loads: first address, [`super::Spread`].
    pub const LOAD_RUN: u8 = 4;
    /// A run of stores: first address, [`super::Spread`].
    pub const STORE_RUN: u8 = 5;
    /// The beginning of a basic block, once or several times in one frame: frame, [`super::Spread`] whose
    /// stride is the number of the call stack.
    pub const GUARD: u8 = 6;
    /// Bytes are copied: destination, source, length.
    pub const MOVE: u8 = 7;
    /// Bytes are set: address, length.
    pub const FILL: u8 = 8;
    /// Memory is allocated: address, length, epoch, stack.
    pub const ALLOCATE: u8 = 9;
    /// Memory is moved or resized: old address, new address, length, epoch, stack.
    pub const REALLOCATE: u8 = 10;
    /// Memory is freed: address, epoch, 0.
    pub const FREE: u8 = 11;
    /// A new call stack, whose number is the counter: the number of return addresses, and then these, innermost first. The stack
    /// of a guard ends at the first caller that has guards and is still running, because the callers of that one are known.
    pub const STACK: u8 = 12;
    /// A program counter too far from the base for 32 bits, with the counter as its number: the program counter.
    pub const FAR_COUNTER: u8 = 13;
    /// Events were dropped: their number.
    pub const LOSS: u8 = 14;
    /// An operation reported by instrumented source code: operation and site, instance, index, length.
    pub const OPERATION: u8 = 15;
    /// A loop event reported by instrumented source code: event and site.
    pub const LOOP: u8 = 16;
}

/// Number of words after the head; `None` for an unknown tag. A stack has in addition as many words as its second word says.
#[must_use]
pub const fn words_after(tag: u8) -> Option<usize> {
    Some(match tag {
        tag::LOAD | tag::STORE | tag::STACK | tag::FAR_COUNTER | tag::LOSS | tag::LOOP => 1,
        tag::LOAD_RUN | tag::STORE_RUN | tag::GUARD | tag::FILL => 2,
        tag::MOVE | tag::FREE => 3,
        tag::ALLOCATE | tag::OPERATION => 4,
        tag::REALLOCATE => 5,
        tag::SEGMENT => 6,
        _ => return None,
    })
}

/// The regular pattern of a run: distance of addresses, distance of event numbers, and number of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread {
    /// Distance of consecutive addresses in bytes.
    pub stride: i32,
    /// Distance of consecutive event numbers.
    pub period: u16,
    /// Number of events minus one.
    pub further: u16,
}

impl Spread {
    /// Packs it into a word.
    #[must_use]
    #[inline]
    pub const fn word(self) -> u64 {
        self.stride as u32 as u64 | (self.period as u64) << 32 | (self.further as u64) << 48
    }

    /// Unpacks it from a word.
    #[must_use]
    #[inline]
    pub const fn from_word(word: u64) -> Self {
        Self { stride: word as u32 as i32, period: (word >> 32) as u16, further: (word >> 48) as u16 }
    }
}
