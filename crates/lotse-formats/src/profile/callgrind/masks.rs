//! Which bytes are digits or line ends, as bits: for a window by vector instructions (sixteen bytes at once), for
//! eight bytes in a 64-bit word.

use wide::u8x16;

/// The number of bytes in a window: most lines of costs are shorter.
pub(super) const WINDOW: usize = 32;

/// A word with 1 in each byte.
pub(super) const EACH: u64 = u64::from_ne_bytes([1; 8]);

/// A bit per byte of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Masks {
    /// Bit `i` is set where byte `i` is not a digit.
    pub(super) others: u32,
    /// Bit `i` is set where byte `i` is a blank.
    pub(super) blanks: u32,
    /// Bit `i` is set where byte `i` is a line end.
    pub(super) line_ends: u32,
}

/// The masks of a window.
#[inline(always)]
pub(super) fn of(bytes: &[u8; WINDOW]) -> Masks {
    let (mut digits, mut blanks, mut line_ends) = (0, 0, 0);
    for (at, &sixteen) in bytes.as_chunks::<16>().0.iter().enumerate() {
        let sixteen = u8x16::new(sixteen);
        let values = sixteen - u8x16::splat(b'0');
        // A digit has a value that the minimum with 9 leaves as it is.
        let is_digit = values.min(u8x16::splat(9)).simd_eq(values);
        digits |= is_digit.to_bitmask() << (16 * at);
        blanks |= sixteen.simd_eq(u8x16::splat(b' ')).to_bitmask() << (16 * at);
        line_ends |= sixteen.simd_eq(u8x16::splat(b'\n')).to_bitmask() << (16 * at);
    }
    Masks { others: !digits, blanks, line_ends }
}

/// Bit `i` is set where byte `i` of eight is not a digit.
#[inline(always)]
pub(super) fn non_digits(bytes: u64) -> u64 {
    let digits = bytes ^ (EACH * 0x30);
    // XOR maps digits to 0..=9. Adding 0x76 sets the highest bit of a byte from 10 on; from 128 on it is set already.
    let others = (((digits & (EACH * 0x7f)) + EACH * 0x76) | digits) & (EACH * 0x80);
    // The multiplication moves the eight bits next to each other into the highest byte.
    (others >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The offset of the first line end in eight bytes.
#[inline(always)]
pub(super) fn line_end(bytes: u64) -> Option<usize> {
    let ends = bytes ^ (EACH * u64::from(b'\n'));
    // A byte of 0 borrows from its highest bit. Bytes above the first such byte may be wrong, which does not matter.
    let zeros = ends.wrapping_sub(EACH) & !ends & (EACH * 0x80);
    (zeros != 0).then(|| zeros.trailing_zeros() as usize / 8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Masks, WINDOW, line_end, non_digits, of};

    fn one_by_one(bytes: &[u8; WINDOW]) -> Masks {
        let bits = |is: fn(&u8) -> bool| (0..WINDOW).map(|at| u32::from(is(&bytes[at])) << at).sum();
        Masks {
            others: bits(|byte| !byte.is_ascii_digit()),
            blanks: bits(|byte| *byte == b' '),
            line_ends: bits(|byte| *byte == b'\n'),
        }
    }

    #[test]
    fn only_digits_are_digits_and_only_line_ends_are_line_ends() {
        for byte in 0..=255_u8 {
            for at in 0..WINDOW {
                let mut bytes = [b'9'; WINDOW];
                bytes[at] = byte;
                assert_eq!(of(&bytes), one_by_one(&bytes), "{byte} at {at}");
            }
            for at in 0..8 {
                let mut bytes = *b"90909090";
                bytes[at] = byte;
                let expected = if byte.is_ascii_digit() { 0 } else { 1 << at };
                assert_eq!(non_digits(u64::from_le_bytes(bytes)), expected, "{byte} at {at}");
            }
        }
    }

    proptest! {
        #[test]
        fn masks_are_those_of_single_bytes(bytes in prop::collection::vec(any::<u8>(), WINDOW)) {
            let bytes: [u8; WINDOW] = bytes.try_into().unwrap();
            prop_assert_eq!(of(&bytes), one_by_one(&bytes));
        }

        #[test]
        fn the_first_line_end_is_found(bytes in prop::collection::vec(8..12_u8, 8)) {
            let eight = u64::from_le_bytes(bytes.clone().try_into().unwrap());
            prop_assert_eq!(line_end(eight), bytes.iter().position(|&byte| byte == b'\n'));
        }
    }
}
