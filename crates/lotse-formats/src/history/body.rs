//! Encodes the records of a segment. The collector encodes every record of every thread, so this has to be fast: room is
//! checked once per record, and the bytes of a number are computed together instead of one after the other.
//!
//! A number is a varint: groups of seven bits, the lowest first, with bit 7 set in all bytes but the last. For example
//! 300 = 0b10_0101100 becomes `0xac 0x02`.

use super::prediction::Differences;

/// The longest record: what differs, a tag, a detail byte and eight varints. The last varint is stored with eight bytes, so there
/// must be room for them.
const LONGEST: usize = 3 + 8 * 10 + 8;
/// The buffer grows by at least this many bytes.
const STEP: usize = 1 << 16;

/// Encoded records. [`RecordBuffer::clear`] keeps the memory for the next segment.
#[derive(Debug, Default)]
pub(super) struct RecordBuffer {
    /// Longer than `length`, so that a record can be written without further checks.
    bytes: Vec<u8>,
    /// Bytes written.
    length: usize,
}

impl RecordBuffer {
    /// The bytes written.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub(super) fn clear(&mut self) {
        self.length = 0;
    }

    /// Appends a record: what `fields` returns as its first byte, and what it writes.
    #[inline]
    pub(super) fn record(&mut self, fields: impl FnOnce(&mut RecordWriter<'_>) -> Differences) {
        if self.bytes.len() < self.length + LONGEST {
            self.bytes.resize(self.length + STEP.max(self.length), 0);
        }
        let Some(room) = self.bytes[self.length..].first_chunk_mut() else { return };
        let mut record = RecordWriter { room, length: 1 };
        record.room[0] = fields(&mut record).0;
        self.length += record.length;
    }
}

/// Writes the numbers of a record.
#[derive(Debug)]
pub(super) struct RecordWriter<'a> {
    room: &'a mut [u8; LONGEST],
    length: usize,
}

impl RecordWriter<'_> {
    /// Appends a varint, as [`super::code::put_varint`] does.
    #[inline]
    pub(super) fn put_varint(&mut self, number: u64) {
        if number < 0x80 {
            return self.put_byte(number as u8);
        }
        if number >> 56 != 0 {
            return self.put_long(number);
        }
        let length = (63 - number.leading_zeros() as usize) / 7 + 1;
        // Bit 7 of all bytes but the last one.
        let continuation = 0x0080_8080_8080_8080 & !(u64::MAX << (8 * (length - 1)));
        self.room[self.length..][..8].copy_from_slice(&(spread(number) | continuation).to_le_bytes());
        self.length += length;
    }

    /// Appends a signed number as a varint, as [`super::code::put_zigzag`] does.
    #[inline]
    pub(super) fn put_zigzag(&mut self, number: i64) {
        self.put_varint(((number << 1) ^ (number >> 63)) as u64);
    }

    #[cold]
    fn put_long(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.put_byte(number as u8 | 0x80);
            number >>= 7;
        }
        self.put_byte(number as u8);
    }

    /// Appends a byte.
    #[inline]
    pub(super) fn put_byte(&mut self, byte: u8) {
        self.room[self.length] = byte;
        self.length += 1;
    }
}

/// Spreads 56 bits to eight bytes of seven bits each. Three steps move apart the halves, the quarters and the eighths:
///
/// ```text
/// number    hhhhhhhgggggggfffffffeeeeeeedddddddcccccccbbbbbbbaaaaaaa
/// halves    0000hhhhhhhgggggggfffffffeeeeeee 0000dddddddcccccccbbbbbbbaaaaaaa
/// quarters  00hhhhhhhggggggg 00fffffffeeeeeee 00dddddddccccccc 00bbbbbbbaaaaaaa
/// bytes     0hhhhhhh 0ggggggg 0fffffff 0eeeeeee 0ddddddd 0ccccccc 0bbbbbbb 0aaaaaaa
/// ```
#[inline]
const fn spread(number: u64) -> u64 {
    let halves = (number & 0x0fff_ffff) | ((number & 0x00ff_ffff_f000_0000) << 4);
    let quarters = (halves & 0x0000_3fff_0000_3fff) | ((halves & 0x0fff_c000_0fff_c000) << 2);
    (quarters & 0x007f_007f_007f_007f) | ((quarters & 0x3f80_3f80_3f80_3f80) << 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop, proptest};

    use super::{Differences, RecordBuffer};
    use crate::history::code::{put_varint, put_zigzag};

    fn check(numbers: &[u64]) {
        let (mut body, mut plain) = (RecordBuffer::default(), Vec::new());
        // Enough records for the memory to grow.
        for _ in 0..3000 {
            body.record(|record| {
                numbers.iter().for_each(|&number| record.put_varint(number));
                Differences(7)
            });
            plain.extend([7]);
            numbers.iter().for_each(|&number| put_varint(&mut plain, number));
        }
        assert_eq!(body.bytes(), plain);
        body.clear();
        assert!(body.is_empty());
    }

    #[test]
    fn numbers_at_the_borders_of_lengths_are_written_as_before() {
        let borders = (0..64).flat_map(|bit| [(1_u64 << bit) - 1, 1 << bit]);
        borders.chain([u64::MAX]).for_each(|number| check(&[number; 7]));
    }

    proptest! {
        #[test]
        fn any_numbers_are_written_as_before(numbers in prop::collection::vec(any::<u64>(), 0..8), signed: i64) {
            check(&numbers);
            let (mut body, mut plain) = (RecordBuffer::default(), vec![0]);
            body.record(|record| {
                record.put_zigzag(signed);
                Differences(0)
            });
            put_zigzag(&mut plain, signed);
            assert_eq!(body.bytes(), plain);
        }
    }
}
