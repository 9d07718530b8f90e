//! Reads the fields of a record: bytes, fixed and packed integers, text.
//!
//! A packed integer is a byte n followed by the n significant bytes in the byte order of the file; n = 255 means
//! "undefined". For example, 300 in a little-endian file is `02 2c 01`. Nothing is read past the end of the record; a
//! missing field is `None`.

/// The value of a reference or a number that the recorder left undefined.
pub(super) const UNDEFINED: u64 = u64::MAX;

/// Reads fields one after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct FieldReader<'a> {
    /// Longer than the record, so that eight bytes can be loaded at once near its end.
    bytes: &'a [u8],
    at: usize,
    end: usize,
    big: bool,
}

impl<'a> FieldReader<'a> {
    /// Reads the fields between two positions; `big` for big endian.
    #[inline(always)]
    pub(super) fn new(bytes: &'a [u8], at: usize, end: usize, big: bool) -> Self {
        Self { bytes, at, end: end.min(bytes.len()), big }
    }

    #[inline(always)]
    pub(super) fn byte(&mut self) -> Option<u8> {
        if self.at >= self.end {
            return None;
        }
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// A packed integer.
    #[inline(always)]
    pub(super) fn number(&mut self) -> Option<u64> {
        let width = self.byte()?;
        if width == 0xff {
            return Some(UNDEFINED);
        }
        self.low_bytes(usize::from(width))
    }

    /// The integer of the next `width` bytes.
    #[inline(always)]
    pub(super) fn low_bytes(&mut self, width: usize) -> Option<u64> {
        if width > 8 || self.at + width > self.end {
            return None;
        }
        let value = load(self.bytes, self.at, width, self.big);
        self.at += width;
        Some(value)
    }

    /// A packed integer in 32 bits; `u32::MAX` if it is undefined or does not fit.
    #[inline(always)]
    pub(super) fn number32(&mut self) -> Option<u32> {
        self.number().map(narrow)
    }

    /// A packed reference to a definition; [`UNDEFINED`] if it is undefined in 32 or 64 bits.
    pub(super) fn reference(&mut self) -> Option<u64> {
        self.number().map(|it| if it == u64::from(u32::MAX) { UNDEFINED } else { it })
    }

    /// An integer of eight bytes.
    pub(super) fn fixed(&mut self) -> Option<u64> {
        self.low_bytes(8)
    }

    /// Text up to a zero byte, which is skipped, or up to the end of the record.
    pub(super) fn text(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..self.end)?;
        let length = memchr::memchr(0, rest).unwrap_or(rest.len());
        self.at = (self.at + length + 1).min(self.end);
        Some(&rest[..length])
    }

    /// The position of the next field.
    pub(super) fn at(&self) -> usize {
        self.at
    }
}

/// The number in 32 bits; `u32::MAX` if it is undefined or does not fit.
#[inline(always)]
pub(super) fn narrow(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

const MASKS: [u64; 9] = [
    0,
    0xff,
    0xffff,
    0xff_ffff,
    0xffff_ffff,
    0xff_ffff_ffff,
    0xffff_ffff_ffff,
    0xff_ffff_ffff_ffff,
    u64::MAX,
];

/// The integer in `width` bytes, at most 8, at a position; missing bytes are 0.
#[inline(always)]
pub(super) fn load(bytes: &[u8], at: usize, width: usize, big: bool) -> u64 {
    match bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        Some(eight) => significant(eight, width, big),
        None => load_at_the_end(bytes, at, width, big),
    }
}

/// The integer in the first `width` of eight bytes.
#[inline(always)]
pub(super) fn significant(eight: &[u8; 8], width: usize, big: bool) -> u64 {
    if big {
        let shift = 64 - 8 * width.min(8) as u32;
        u64::from_be_bytes(*eight).checked_shr(shift).unwrap_or(0)
    } else {
        u64::from_le_bytes(*eight) & MASKS[width.min(8)]
    }
}

#[cold]
fn load_at_the_end(bytes: &[u8], at: usize, width: usize, big: bool) -> u64 {
    let mut eight = [0; 8];
    let rest = bytes.get(at..).unwrap_or(&[]);
    let available = rest.len().min(8);
    eight[..available].copy_from_slice(&rest[..available]);
    significant(&eight, width, big)
}

#[cfg(test)]
mod tests {
    use super::{FieldReader, UNDEFINED, load};

    fn fields(bytes: &[u8], big: bool) -> FieldReader<'_> {
        FieldReader::new(bytes, 0, bytes.len(), big)
    }

    #[test]
    fn packed_integers_have_the_bytes_they_need() {
        let mut it = fields(&[0, 1, 7, 2, 0x34, 0x12, 0xff, 8, 1, 0, 0, 0, 0, 0, 0, 0x80], false);
        assert_eq!(it.number(), Some(0));
        assert_eq!(it.number(), Some(7));
        assert_eq!(it.number(), Some(0x1234));
        assert_eq!(it.number(), Some(UNDEFINED));
        assert_eq!(it.number(), Some(0x8000_0000_0000_0001));
        assert_eq!(it.number(), None);
    }

    #[test]
    fn big_endian_files_have_the_significant_byte_first() {
        let mut it = fields(&[2, 0x12, 0x34, 0, 3, 1, 2, 3], true);
        assert_eq!(it.number(), Some(0x1234));
        assert_eq!(it.number(), Some(0));
        assert_eq!(it.number(), Some(0x01_0203));
    }

    #[test]
    fn nothing_is_read_past_the_record() {
        let bytes = [3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
        let mut it = FieldReader::new(&bytes, 0, 3, false);
        assert_eq!(it.number(), None, "three bytes were promised, two are in the record");
        let mut it = fields(&[9, 1, 2, 3, 4, 5, 6, 7, 8, 9], false);
        assert_eq!(it.number(), None, "no integer has nine bytes");
    }

    #[test]
    fn what_does_not_fit_32_bits_is_undefined() {
        let mut it = fields(&[5, 0, 0, 0, 0, 1, 4, 0xff, 0xff, 0xff, 0xff, 0xff], false);
        assert_eq!(it.number32(), Some(u32::MAX));
        assert_eq!(it.reference(), Some(UNDEFINED));
        assert_eq!(it.reference(), Some(UNDEFINED));
    }

    #[test]
    fn text_ends_at_its_zero_or_with_the_record() {
        let mut it = fields(b"ab\0\0cd", false);
        assert_eq!(it.text(), Some(&b"ab"[..]));
        assert_eq!(it.text(), Some(&b""[..]));
        assert_eq!(it.text(), Some(&b"cd"[..]));
        assert_eq!(it.at(), 6);
    }

    #[test]
    fn loads_near_the_end_take_what_is_there() {
        assert_eq!(load(&[1, 2, 3], 1, 2, false), 0x0302);
        assert_eq!(load(&[1, 2, 3], 1, 2, true), 0x0203);
        assert_eq!(load(&[1], 5, 4, false), 0);
    }
}
