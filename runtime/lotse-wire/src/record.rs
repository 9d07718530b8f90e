//! Records: words of 64 bits, the first of which says what follows.
//!
//! | first word | bits |
//! |---|---|
//! | tag | 0 to 7 |
//! | detail | 8 to 15: the size of an access in bytes, [`FAR`] |
//! | event | 16 to 31: the event's number in its segment |
//! | counter | 32 to 63: the program counter, relative to the ring's base, or the number of a far one |

/// Set in the detail: the counter is the number of a far counter ([`tag::FAR_COUNTER`]).
pub const FAR: u8 = 0x80;

/// The first word of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// What follows: one of [`tag`].
    pub tag: u8,
    /// The size of an access in bytes, [`FAR`].
    pub detail: u8,
    /// The event's number in its segment.
    pub event: u16,
    /// The program counter.
    pub counter: u32,
}

impl Head {
    /// The word of it.
    #[must_use]
    #[inline]
    pub const fn word(self) -> u64 {
        self.tag as u64 | (self.detail as u64) << 8 | (self.event as u64) << 16 | (self.counter as u64) << 32
    }

    /// It, from its word.
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

/// Tags and the number of words after the head.
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
    /// A call stack gets a number: number and how many; then the return addresses, innermost first. The stack of a guard
    /// ends at the first caller that had a guard and still runs: the callers of that one are known.
    pub const STACK: u8 = 12;
    /// A program counter that is too far from the base gets a number: the counter.
    pub const FAR_COUNTER: u8 = 13;
    /// Events were dropped: how many.
    pub const LOSS: u8 = 14;
    /// An operation that a recorder in the source names: operation and site, instance, index, length.
    pub const OPERATION: u8 = 15;
    /// A loop that a recorder in the source names: what happens and site.
    pub const LOOP: u8 = 16;
}

/// How many words follow the head, or nothing for a tag that is unknown. A stack is followed by as many more as the
/// upper half of its second word says.
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

/// How the events of a run lie: distance of addresses, distance of event numbers, how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread {
    /// From one address to the next.
    pub stride: i32,
    /// From one event's number to the next.
    pub period: u16,
    /// The number of events less one.
    pub further: u16,
}

impl Spread {
    /// The word of it.
    #[must_use]
    #[inline]
    pub const fn word(self) -> u64 {
        self.stride as u32 as u64 | (self.period as u64) << 32 | (self.further as u64) << 48
    }

    /// It, from its word.
    #[must_use]
    #[inline]
    pub const fn from_word(word: u64) -> Self {
        Self { stride: word as u32 as i32, period: (word >> 32) as u16, further: (word >> 48) as u16 }
    }
}
