//! Converts the words of a ring buffer to chunks: segments, and the call stacks that they use.

use std::collections::HashSet;

use lotse_wire::record::{FAR, Head, tag, words_after};

use super::body::RecordBuffer;
use super::chunk::{PREDICTED, STACKS, put_chunk};
use super::code::put_varint;
use super::prediction::Prediction;

/// The header of a segment, which can be read without decoding the events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SegmentHead {
    pub process: u32,
    /// The ring buffer; numbers of call stacks are valid within one ring buffer.
    pub ring: u32,
    /// The thread id.
    pub thread: u32,
    /// The number of events of the thread before this segment.
    pub before: u64,
    /// When the segment began, in nanoseconds since an arbitrary time.
    pub time: u64,
    /// The number of allocations and frees that the process had begun.
    pub epoch: u64,
    /// The number of records of the thread lost so far.
    pub lost: u64,
    /// The beginning of the thread's name, padded with zeros.
    pub name: [u8; 16],
}

impl SegmentHead {
    /// Its size in a chunk.
    pub(super) const BYTES: usize = 3 * 4 + 4 * 8 + 16;
}

/// Converts the words of one ring buffer to chunks.
#[derive(Debug)]
pub struct Splitter {
    head: SegmentHead,
    body: RecordBuffer,
    stacks: Vec<u8>,
    prediction: Prediction,
    /// Words of an incomplete record.
    pending: Vec<u64>,
    /// Whether a word was found that does not begin a record, after which nothing can be decoded.
    broken: bool,
    seen: SeenAddresses,
}

/// All program counters and return addresses that occurred.
#[derive(Debug, Clone)]
struct SeenAddresses {
    counters: HashSet<u32>,
    addresses: HashSet<u64>,
    /// Recent program counters by their lowest bits, a cache in front of the set.
    recent: Box<[u32; 1024]>,
}

impl SeenAddresses {
    fn insert_counter(&mut self, counter: u32) {
        let slot = &mut self.recent[counter as usize % 1024];
        if *slot != counter {
            *slot = counter;
            self.counters.insert(counter);
        }
    }
}

impl Splitter {
    /// Begins with the first word of a ring buffer.
    #[must_use]
    pub fn new(process: u32, ring: u32) -> Self {
        Self {
            head: SegmentHead { process, ring, ..SegmentHead::default() },
            body: RecordBuffer::default(),
            stacks: Vec::new(),
            prediction: Prediction::default(),
            pending: Vec::new(),
            broken: false,
            seen: SeenAddresses {
                counters: HashSet::new(),
                addresses: HashSet::new(),
                recent: Box::new([u32::MAX; 1024]),
            },
        }
    }

    /// The number of records lost before the last segment began.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.head.lost
    }

    /// All program counters that occurred, relative to the executable's first byte.
    pub fn counters(&self) -> impl Iterator<Item = u32> {
        self.seen.counters.iter().copied()
    }

    /// All return addresses that occurred in call stacks.
    pub fn addresses(&self) -> impl Iterator<Item = u64> {
        self.seen.addresses.iter().copied()
    }

    /// Converts the next words and appends complete chunks to `out`; `false` if a word does not begin a record.
    pub fn feed(&mut self, words: &[u64], out: &mut Vec<u8>) -> bool {
        let mut rest = self.complete_pending(words, out);
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
        self.pending.extend(rest);
        !self.broken
    }

    /// Completes the record whose first words came before; returns the words after it.
    fn complete_pending<'a>(&mut self, words: &'a [u64], out: &mut Vec<u8>) -> &'a [u64] {
        let (mut pending, mut rest) = (std::mem::take(&mut self.pending), words);
        while !self.broken
            && !pending.is_empty()
            && let Some((&next, others)) = rest.split_first()
        {
            pending.push(next);
            rest = others;
            match record_length(&pending) {
                Length::Unknown => self.broken = true,
                Length::Incomplete => {}
                Length::Words(_) => {
                    self.record(&pending, out);
                    pending.clear();
                }
            }
        }
        self.pending = pending;
        rest
    }

    /// Appends the current segment and its call stacks to `out`.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        if !self.stacks.is_empty() {
            put_chunk(out, STACKS, &[&self.stacks]);
            self.stacks.clear();
        }
        if !self.body.is_empty() {
            put_chunk(out, PREDICTED, &[&encode_head(&self.head), self.body.bytes()]);
            self.body.clear();
            self.prediction.clear();
        }
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

    /// Adds a definition of a call stack or a far program counter.
    fn define(&mut self, head: Head, words: &[u64]) {
        if self.stacks.is_empty() {
            self.stacks.extend(self.head.process.to_le_bytes());
            self.stacks.extend(self.head.ring.to_le_bytes());
        }
        self.stacks.push(head.tag);
        put_varint(&mut self.stacks, u64::from(head.counter));
        words[1..].iter().for_each(|&word| put_varint(&mut self.stacks, word));
        if head.tag == tag::STACK {
            self.seen.addresses.extend(&words[2..]);
        }
    }

    /// Encodes an event record: what its [`Prediction`] lacks.
    #[inline]
    fn event(&mut self, head: Head, words: &[u64]) {
        let Self { body, prediction, seen, .. } = self;
        body.record(|record| {
            let differences = prediction.write(words, record);
            if differences.has_head() && head.detail & FAR == 0 {
                seen.insert_counter(head.counter);
            }
            differences
        });
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
