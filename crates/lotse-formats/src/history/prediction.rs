//! Predicts the next record of a segment from those before it, so that only what was not predicted is stored.
//!
//! Loops and calls repeat the same records with few differences. Writer and reader make the same predictions, from the heads
//! (what happens where) of the last three records, the context: the head is the one that followed in this context the last time;
//! event number and address advance as they did then; stride, period and number of events are as they were then. The first
//! byte of a record says which of these are wrong, and are stored behind it:
//!
//! ```text
//! records                                     stored
//! load run at 40, event 3, address 1000       everything
//! load run at 48, event 5, address 2000       everything
//! …                                           (each context occurs for the first time)
//! load run at 40, event 27, address 1064      address +16: so far it was read in other contexts
//! load run at 48, event 29, address 2064
//! load run at 40, event 33, address 1080      one byte
//! ```

use lotse_wire::record::{Head, Spread, tag, words_after};

use super::body::RecordWriter;
use super::code::ByteReader;

/// The bit of each part of a record that is not as predicted.
mod differs {
    pub(super) const HEAD: u8 = 1;
    pub(super) const EVENT: u8 = 2;
    pub(super) const ADDRESS: u8 = 4;
    pub(super) const STRIDE: u8 = 8;
    pub(super) const PERIOD: u8 = 16;
    pub(super) const FURTHER: u8 = 32;
}

/// Number of contexts that are told apart; a power of two. Contexts that share a slot predict worse, nothing else.
const CONTEXTS: usize = 4096;
/// Number of heads whose addresses are told apart; a power of two.
const HEADS: usize = 1024;

/// What is remembered of a segment. A new segment begins with [`Prediction::clear`].
#[derive(Debug, Clone)]
pub(super) struct Prediction {
    /// The last head, with event number.
    last: Head,
    /// The last three heads, as hashes of 16 bits each.
    context: u64,
    contexts: Box<[Context; CONTEXTS]>,
    /// The last address by head. The frames of all guards are together, for calls follow calls.
    addresses: Box<[u64; HEADS]>,
    /// The last further words by tag.
    words: [[u64; FURTHER]; TAGS],
}

/// What came last when the last three heads were the same. The last of them is that of the record itself.
#[derive(Debug, Clone, Copy, Default)]
struct Context {
    /// The head after these three.
    follower: u64,
    /// The difference of the address to the one before.
    address_step: u64,
    /// The word of the [`Spread`].
    spread: u64,
    /// The difference of the event number to that of the record before.
    event_step: u16,
}

/// Maximum number of words after the address.
const FURTHER: usize = 4;
/// More than the tags of records.
const TAGS: usize = 32;

/// A record that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RecordParts {
    pub(super) head: Head,
    pub(super) address: u64,
    /// Of a run or guard.
    pub(super) spread: Spread,
    /// The words after the address of other records.
    pub(super) further: [u64; FURTHER],
}

const START: Head = Head { tag: 0, detail: 0, event: 0, counter: 0 };

/// Whether a record ends with a [`Spread`].
pub(super) const fn has_spread(tag: u8) -> bool {
    matches!(tag, tag::LOAD_RUN | tag::STORE_RUN | tag::GUARD)
}

/// The number of words after the address that are no [`Spread`]; `None` for an unknown tag.
pub(super) fn further_words(tag: u8) -> Option<usize> {
    let after = words_after(tag)?.saturating_sub(1);
    Some(if has_spread(tag) { 0 } else { after.min(FURTHER) })
}

/// The word of a head without its event number.
#[inline]
const fn key_of(head: Head) -> u64 {
    Head { event: 0, ..head }.word()
}

/// The upper bits of the product depend on all bits of the number.
#[inline]
const fn hash(number: u64) -> u64 {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The context after another record.
#[inline]
const fn next_context(context: u64, key: u64) -> u64 {
    (context << 16 | hash(key) >> 48) & 0xffff_ffff_ffff
}

#[inline]
const fn context_slot(context: u64) -> usize {
    (hash(context) >> 52) as usize % CONTEXTS
}

#[inline]
const fn address_slot(key: u64) -> usize {
    if key as u8 == tag::GUARD { 0 } else { (hash(key) >> 54) as usize % HEADS }
}

impl Default for Prediction {
    fn default() -> Self {
        Self {
            last: START,
            context: 0,
            contexts: Box::new([Context::default(); CONTEXTS]),
            addresses: Box::new([0; HEADS]),
            words: [[0; FURTHER]; TAGS],
        }
    }
}

impl Prediction {
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.last = START;
        self.context = 0;
        self.contexts.fill(Context::default());
        self.addresses.fill(0);
        self.words = [[0; FURTHER]; TAGS];
    }

    /// Writes what differs from the prediction, and returns which parts these are; a head that occurs in a segment differs
    /// at least once. `words` are those of the record with head and address.
    #[inline]
    pub(super) fn write(&mut self, words: &[u64], record: &mut RecordWriter<'_>) -> Differences {
        let (head, address) = (Head::from_word(words[0]), words[1]);
        let (key, mut flags) = (key_of(head), 0);
        let follower = &mut self.contexts[context_slot(self.context)].follower;
        if *follower != key {
            *follower = key;
            flags |= differs::HEAD;
            record.put_byte(head.tag);
            record.put_byte(head.detail);
            record.put_zigzag(i64::from(head.counter) - i64::from(self.last.counter));
        }
        self.context = next_context(self.context, key);
        let context = &mut self.contexts[context_slot(self.context)];
        let event_step = head.event.wrapping_sub(self.last.event);
        self.last = head;
        if event_step != context.event_step {
            context.event_step = event_step;
            flags |= differs::EVENT;
            record.put_zigzag(i64::from(event_step as i16));
        }
        let last_address = &mut self.addresses[address_slot(key)];
        let address_step = address.wrapping_sub(*last_address);
        *last_address = address;
        if address_step != context.address_step {
            context.address_step = address_step;
            flags |= differs::ADDRESS;
            record.put_zigzag(address_step as i64);
        }
        if !has_spread(head.tag) {
            self.write_further(head.tag, &words[2..], record);
        } else if words[2] != context.spread {
            flags |= write_spread(Spread::from_word(words[2]), Spread::from_word(context.spread), record);
            context.spread = words[2];
        }
        Differences(flags)
    }

    /// Writes the further words as differences to those of the last record of the kind.
    fn write_further(&mut self, tag: u8, words: &[u64], record: &mut RecordWriter<'_>) {
        let last = &mut self.words[usize::from(tag) % TAGS];
        for (word, last) in words.iter().zip(last) {
            record.put_zigzag(word.wrapping_sub(*last) as i64);
            *last = *word;
        }
    }

    /// Reads a record; `None` if it is damaged.
    pub(super) fn read(&mut self, bytes: &mut ByteReader<'_>) -> Option<RecordParts> {
        let flags = bytes.byte()?;
        let follower = &mut self.contexts[context_slot(self.context)].follower;
        if flags & differs::HEAD != 0 {
            let [tag, detail] = bytes.fixed()?;
            let counter = self.last.counter.wrapping_add(bytes.zigzag()? as u32);
            *follower = key_of(Head { tag, detail, event: 0, counter });
        }
        let key = *follower;
        self.context = next_context(self.context, key);
        let context = &mut self.contexts[context_slot(self.context)];
        if flags & differs::EVENT != 0 {
            context.event_step = bytes.zigzag()? as u16;
        }
        let event = self.last.event.wrapping_add(context.event_step);
        self.last = Head { event, ..Head::from_word(key) };
        if flags & differs::ADDRESS != 0 {
            context.address_step = bytes.zigzag()? as u64;
        }
        let address = &mut self.addresses[address_slot(key)];
        *address = address.wrapping_add(context.address_step);
        let mut parts = RecordParts {
            head: self.last,
            address: *address,
            spread: Spread::from_word(context.spread),
            further: [0; FURTHER],
        };
        if has_spread(parts.head.tag) {
            parts.spread = read_spread(flags, parts.spread, bytes)?;
            context.spread = parts.spread.word();
        } else {
            let last = &mut self.words[usize::from(parts.head.tag) % TAGS];
            for word in last.iter_mut().take(further_words(parts.head.tag)?) {
                *word = word.wrapping_add(bytes.zigzag()? as u64);
            }
            parts.further = *last;
        }
        Some(parts)
    }
}

/// Which parts of a record differ from the prediction: its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Differences(pub(super) u8);

impl Differences {
    /// Whether the head differs.
    pub(super) const fn has_head(self) -> bool {
        self.0 & differs::HEAD != 0
    }
}

#[inline]
fn write_spread(new: Spread, old: Spread, record: &mut RecordWriter<'_>) -> u8 {
    let mut flags = 0;
    if new.stride != old.stride {
        flags |= differs::STRIDE;
        record.put_zigzag(i64::from(new.stride));
    }
    if new.period != old.period {
        flags |= differs::PERIOD;
        record.put_varint(u64::from(new.period));
    }
    if new.further != old.further {
        flags |= differs::FURTHER;
        record.put_varint(u64::from(new.further));
    }
    flags
}

fn read_spread(flags: u8, mut spread: Spread, bytes: &mut ByteReader<'_>) -> Option<Spread> {
    if flags & differs::STRIDE != 0 {
        spread.stride = i32::try_from(bytes.zigzag()?).ok()?;
    }
    if flags & differs::PERIOD != 0 {
        spread.period = u16::try_from(bytes.varint()?).ok()?;
    }
    if flags & differs::FURTHER != 0 {
        spread.further = u16::try_from(bytes.varint()?).ok()?;
    }
    Some(spread)
}

#[cfg(test)]
mod tests {
    use lotse_wire::record::{Head, Spread, tag};
    use proptest::prelude::{Strategy, any, prop, proptest};

    use super::{Prediction, RecordParts, further_words, has_spread};
    use crate::history::body::RecordBuffer;
    use crate::history::code::ByteReader;

    fn stored(records: &[RecordParts]) -> RecordBuffer {
        let (mut prediction, mut body) = (Prediction::default(), RecordBuffer::default());
        for RecordParts { head, address, spread, further } in records {
            let mut words = vec![head.word(), *address];
            match has_spread(head.tag) {
                true => words.push(spread.word()),
                false => words.extend(&further[..further_words(head.tag).unwrap()]),
            }
            body.record(|record| prediction.write(&words, record));
        }
        body
    }

    fn load_run(counter: u32, event: u16, address: u64) -> RecordParts {
        RecordParts {
            head: Head { tag: tag::LOAD_RUN, detail: 8, event, counter },
            address,
            spread: Spread { stride: 8, period: 1, further: 1 },
            further: [0; 4],
        }
    }

    #[test]
    fn what_repeats_takes_one_byte() {
        let round = |index: u16| {
            let (event, offset) = (3 + 6 * index, u64::from(index) * 16);
            [load_run(40, event, 1000 + offset), load_run(48, event + 2, 2000 + offset)]
        };
        let records: Vec<RecordParts> = (0..20).flat_map(round).collect();
        let length = |count: usize| stored(&records[..count]).bytes().len();
        assert_eq!(length(40) - length(20), 20);
        assert!(length(20) > 40, "{}", length(20));
    }

    fn record() -> impl Strategy<Value = RecordParts> {
        // Few places and steps, so that some predictions are right.
        let place = (2..=11_u8, 0..3_u32, 0..3_u16, any::<bool>());
        let spread = (0..2_i32, 0..2_u16, any::<u16>());
        (place, 0..3_u64, any::<u64>(), spread, any::<[u64; 4]>(), any::<bool>()).prop_map(
            |((tag, counter, event, far), near, address, (stride, period, further), words, is_near)| {
                let detail = if far { 0x81 } else { 1 };
                RecordParts {
                    head: Head { tag, detail, event: event.wrapping_mul(0x7777), counter },
                    address: if is_near { near } else { address },
                    spread: Spread { stride: stride.wrapping_mul(i32::MIN), period, further },
                    further: words,
                }
            },
        )
    }

    proptest! {
        #[test]
        fn any_records_come_back(records in prop::collection::vec(record(), 0..200)) {
            let body = stored(&records);
            let (mut prediction, mut bytes) = (Prediction::default(), ByteReader::new(body.bytes()));
            for record in &records {
                let read = prediction.read(&mut bytes).unwrap();
                assert_eq!((read.head, read.address), (record.head, record.address));
                assert!(!has_spread(record.head.tag) || read.spread == record.spread);
                let further = further_words(record.head.tag).unwrap();
                assert_eq!(read.further[..further], record.further[..further]);
            }
            assert!(bytes.is_empty());
        }
    }
}
