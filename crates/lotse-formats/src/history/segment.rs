//! From the words of a ring to chunks: segments, and the call stacks they use.

use std::collections::HashSet;

use lotse_wire::record::{FAR, Head, Spread, tag, words_after};

use super::body::Body;
use super::chunk::{SEGMENT, STACKS, put_chunk};
use super::code::put;

/// What is known of a segment without decoding its events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SegmentHead {
    /// The process.
    pub process: u32,
    /// The ring; numbers of call stacks hold within one.
    pub ring: u32,
    /// The thread, by the system's number.
    pub thread: u32,
    /// How many events the thread had before.
    pub before: u64,
    /// When it began, in nanoseconds since an arbitrary moment.
    pub time: u64,
    /// How many allocations and frees the process had begun.
    pub epoch: u64,
    /// How many records of the thread were lost so far.
    pub lost: u64,
    /// The beginning of the thread's name, filled with zeros.
    pub name: [u8; 16],
}

impl SegmentHead {
    /// How many bytes it takes in a chunk.
    pub(super) const BYTES: usize = 3 * 4 + 4 * 8 + 16;
}

/// Cuts the words of one ring into chunks.
#[derive(Debug)]
pub struct Splitter {
    head: SegmentHead,
    body: Body,
    stacks: Vec<u8>,
    last: Last,
    /// Words of a record whose end is not there yet.
    pending: Vec<u64>,
    /// Whether a word was met that begins no record: nothing after it can be read.
    broken: bool,
    places: Places,
}

/// Program counters and return addresses that occurred.
#[derive(Debug, Clone)]
struct Places {
    counters: HashSet<u32>,
    addresses: HashSet<u64>,
    /// Counters met lately, by their lowest bits: most records need no look at the set.
    lately: Box<[u32; 1024]>,
}

impl Places {
    fn meet(&mut self, counter: u32) {
        let slot = &mut self.lately[counter as usize % 1024];
        if *slot != counter {
            *slot = counter;
            self.counters.insert(counter);
        }
    }
}

/// What the next record is relative to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Last {
    pub(super) counter: u32,
    pub(super) event: u16,
    /// The last address of each tag.
    pub(super) address: [u64; 32],
}

impl Splitter {
    /// Begins with the first word of a ring.
    #[must_use]
    pub fn new(process: u32, ring: u32) -> Self {
        Self {
            head: SegmentHead { process, ring, ..SegmentHead::default() },
            body: Body::default(),
            stacks: Vec::new(),
            last: Last::default(),
            pending: Vec::new(),
            broken: false,
            places: Places {
                counters: HashSet::new(),
                addresses: HashSet::new(),
                lately: Box::new([u32::MAX; 1024]),
            },
        }
    }

    /// Records that were lost before the last segment began.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.head.lost
    }

    /// Program counters that occurred, relative to the executable's first byte.
    pub fn counters(&self) -> impl Iterator<Item = u32> {
        self.places.counters.iter().copied()
    }

    /// Return addresses in call stacks.
    pub fn addresses(&self) -> impl Iterator<Item = u64> {
        self.places.addresses.iter().copied()
    }

    /// Takes the next words; appends finished chunks. False if a word begins no record.
    pub fn feed(&mut self, words: &[u64], out: &mut Vec<u8>) -> bool {
        let joined;
        let mut rest = if self.pending.is_empty() {
            words
        } else {
            joined = [std::mem::take(&mut self.pending).as_slice(), words].concat();
            &joined
        };
        while !self.broken && !rest.is_empty() {
            match record_length(rest) {
                Length::Unknown => self.broken = true,
                Length::Incomplete => break,
                Length::Words(length) => {
                    self.record(&rest[..length], out);
                    rest = &rest[length..];
                }
            }
        }
        self.pending = rest.to_vec();
        !self.broken
    }

    /// Writes what is left.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        if !self.stacks.is_empty() {
            put_chunk(out, STACKS, &[&self.stacks]);
            self.stacks.clear();
        }
        if !self.body.is_empty() {
            put_chunk(out, SEGMENT, &[&encode_head(&self.head), self.body.bytes()]);
            self.body.clear();
        }
        self.last = Last::default();
    }

    fn record(&mut self, words: &[u64], out: &mut Vec<u8>) {
        let head = Head::from_word(words[0]);
        match head.tag {
            tag::SEGMENT => {
                self.finish(out);
                self.begin(head, words);
            }
            tag::STACK | tag::FAR_COUNTER => self.define(head, words),
            _ => self.event(head, words),
        }
    }

    fn begin(&mut self, head: Head, words: &[u64]) {
        let mut name = [0; 16];
        name[..8].copy_from_slice(&words[5].to_le_bytes());
        name[8..].copy_from_slice(&words[6].to_le_bytes());
        self.head = SegmentHead {
            thread: head.counter,
            before: words[1],
            time: words[2],
            epoch: words[3],
            lost: words[4],
            name,
            ..self.head
        };
    }

    fn define(&mut self, head: Head, words: &[u64]) {
        if self.stacks.is_empty() {
            self.stacks.extend(self.head.process.to_le_bytes());
            self.stacks.extend(self.head.ring.to_le_bytes());
        }
        self.stacks.push(head.tag);
        put(&mut self.stacks, u64::from(head.counter));
        words[1..].iter().for_each(|&word| put(&mut self.stacks, word));
        if head.tag == tag::STACK {
            self.places.addresses.extend(&words[2..]);
        }
    }

    fn event(&mut self, head: Head, words: &[u64]) {
        let Self { body, last, places, .. } = self;
        if head.detail & FAR == 0 {
            places.meet(head.counter);
        }
        let last_address = &mut last.address[usize::from(head.tag) % 32];
        let address = words[1].wrapping_sub(*last_address) as i64;
        *last_address = words[1];
        body.record(head.tag, head.detail, |record| {
            record.put_signed(i64::from(head.counter) - i64::from(last.counter));
            record.put_signed(i64::from(head.event) - i64::from(last.event));
            record.put_signed(address);
            if matches!(head.tag, tag::LOAD_RUN | tag::STORE_RUN | tag::GUARD) {
                let spread = Spread::from_word(words[2]);
                record.put_signed(i64::from(spread.stride));
                record.put(u64::from(spread.period));
                record.put(u64::from(spread.further));
            } else {
                words[2..].iter().for_each(|&word| record.put_signed(word.wrapping_sub(words[1]) as i64));
            }
        });
        (last.counter, last.event) = (head.counter, head.event);
    }
}

enum Length {
    Words(usize),
    Incomplete,
    Unknown,
}

fn record_length(words: &[u64]) -> Length {
    let head = Head::from_word(words[0]);
    let Some(after) = words_after(head.tag) else { return Length::Unknown };
    let more = match (head.tag, words.get(1)) {
        (tag::STACK, None) => return Length::Incomplete,
        (tag::STACK, Some(&depth)) if depth > 1024 => return Length::Unknown,
        (tag::STACK, Some(&depth)) => depth as usize,
        _ => 0,
    };
    let length = 1 + after + more;
    if length <= words.len() { Length::Words(length) } else { Length::Incomplete }
}

fn encode_head(head: &SegmentHead) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(head.process.to_le_bytes());
    bytes.extend(head.ring.to_le_bytes());
    bytes.extend(head.thread.to_le_bytes());
    for number in [head.before, head.time, head.epoch, head.lost] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(head.name);
    bytes
}
