//! Variable-length integers (LEB128): seven bits per byte, the lowest first, bit 7 set in all bytes but the last.
//!
//! Signed numbers are mapped to unsigned ones by zigzag encoding: 0, -1, 1, -2, 2, … become 0, 1, 2, 3, 4, …, so that
//! numbers near zero are short.

pub(super) fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[cfg(test)]
pub(super) fn put_zigzag(out: &mut Vec<u8>, number: i64) {
    put_varint(out, ((number << 1) ^ (number >> 63)) as u64);
}

/// Bytes that are read from the front.
#[derive(Debug, Clone)]
pub(super) struct ByteReader<'a> {
    rest: &'a [u8],
}

impl<'a> ByteReader<'a> {
    pub(super) fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    pub(super) fn fixed<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        Some(*first)
    }

    pub(super) fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub(super) fn zigzag(&mut self) -> Option<i64> {
        let number = self.varint()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};

    use super::{ByteReader, put_varint, put_zigzag};

    proptest! {
        #[test]
        fn numbers_come_back(number: u64, signed in any::<i64>()) {
            let mut bytes = Vec::new();
            put_varint(&mut bytes, number);
            put_zigzag(&mut bytes, signed);
            let mut bytes = ByteReader::new(&bytes);
            assert_eq!((bytes.varint(), bytes.zigzag()), (Some(number), Some(signed)));
            assert!(bytes.is_empty());
        }
    }
}
