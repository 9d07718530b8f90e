//! The bytes of a segment's records. The collector writes one for every record of every thread: room is looked for once
//! per record, and the bytes of a number are computed at once instead of one after the other.

/// No record is longer: a tag, a detail and seven numbers, and the eight bytes that the last number is written with.
const LONGEST: usize = 2 + 7 * 10 + 8;
/// By so much the memory grows at least.
const STEP: usize = 1 << 16;

/// Records one after the other. The memory is used again after [`Body::clear`].
#[derive(Debug, Default)]
pub(super) struct Body {
    /// Longer than what was written.
    bytes: Vec<u8>,
    length: usize,
}

impl Body {
    /// What was written.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub(super) fn clear(&mut self) {
        self.length = 0;
    }

    /// Appends a record that begins with a tag and a detail.
    #[inline]
    pub(super) fn record(&mut self, tag: u8, detail: u8, numbers: impl FnOnce(&mut Record<'_>)) {
        if self.bytes.len() < self.length + LONGEST {
            self.bytes.resize(self.length + STEP.max(self.length), 0);
        }
        let Some(room) = self.bytes[self.length..].first_chunk_mut() else { return };
        let mut record = Record { room, length: 2 };
        record.room[0] = tag;
        record.room[1] = detail;
        numbers(&mut record);
        self.length += record.length;
    }
}

/// A record that is being written.
#[derive(Debug)]
pub(super) struct Record<'a> {
    room: &'a mut [u8; LONGEST],
    length: usize,
}

impl Record<'_> {
    /// Appends a number, as [`super::code::put`] does.
    #[inline]
    pub(super) fn put(&mut self, number: u64) {
        if number < 0x80 {
            return self.byte(number as u8);
        }
        if number >> 56 != 0 {
            return self.put_long(number);
        }
        let length = (63 - number.leading_zeros() as usize) / 7 + 1;
        // Bit 7 of all bytes but the last one.
        let further = 0x0080_8080_8080_8080 & !(u64::MAX << (8 * (length - 1)));
        self.room[self.length..][..8].copy_from_slice(&(spread(number) | further).to_le_bytes());
        self.length += length;
    }

    /// Appends a signed number, as [`super::code::put_signed`] does.
    #[inline]
    pub(super) fn put_signed(&mut self, number: i64) {
        self.put(((number << 1) ^ (number >> 63)) as u64);
    }

    #[cold]
    fn put_long(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.byte(number as u8 | 0x80);
            number >>= 7;
        }
        self.byte(number as u8);
    }

    #[inline]
    fn byte(&mut self, byte: u8) {
        self.room[self.length] = byte;
        self.length += 1;
    }
}

/// Eight groups of seven bits, a byte each. First the halves move apart, then the quarters, then the groups.
#[inline]
const fn spread(number: u64) -> u64 {
    let halves = (number & 0x0fff_ffff) | ((number & 0x00ff_ffff_f000_0000) << 4);
    let quarters = (halves & 0x0000_3fff_0000_3fff) | ((halves & 0x0fff_c000_0fff_c000) << 2);
    (quarters & 0x007f_007f_007f_007f) | ((quarters & 0x3f80_3f80_3f80_3f80) << 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop, proptest};

    use super::Body;
    use crate::history::code::{put, put_signed};

    fn check(numbers: &[u64]) {
        let (mut body, mut plain) = (Body::default(), Vec::new());
        // Enough records for the memory to grow.
        for _ in 0..3000 {
            body.record(7, 9, |record| numbers.iter().for_each(|&number| record.put(number)));
            plain.extend([7, 9]);
            numbers.iter().for_each(|&number| put(&mut plain, number));
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
            let (mut body, mut plain) = (Body::default(), vec![0, 0]);
            body.record(0, 0, |record| record.put_signed(signed));
            put_signed(&mut plain, signed);
            assert_eq!(body.bytes(), plain);
        }
    }
}
