//! The words of a cost line, found all at once.
//!
//! Costs are mostly one to seven digits long, in no order: a loop over digits mispredicts once per cost, and each word
//! waits for the end of the word before. Here the ends of all words in a window are found first, eight bytes at a time
//! and without branches; then each word takes a few independent instructions.
//!
//! ```text
//! bytes    + 4   1 2   3 \n
//! others   1 0 1 0 0 1 0 1     bit i: byte i is not a digit
//! words      └─┘ └───┘ └─┘     a number ends at the next set bit
//! ```
//!
//! The digits of a word are loaded as eight bytes, shifted to the upper end (which fills with leading zeros) and
//! combined pairwise: 7 digits to 4 pairs, then both halves by one multiplication each.

use super::scan::Position;

/// The number of bytes in a window.
const WINDOW: usize = 32;
/// The last word may begin at the end of the window and is loaded as eight bytes.
const LOADED: usize = WINDOW + 8;

/// The words in a window, up to seven digits each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tokens<'a> {
    bytes: &'a [u8; LOADED],
    /// Bit `i` is set where byte `i` is not a digit and not yet passed.
    others: u32,
    /// The offset of the next word.
    pub(super) at: usize,
}

/// A number and the byte after it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word {
    pub(super) value: u64,
    pub(super) next: u8,
}

impl<'a> Tokens<'a> {
    /// The window at the start of the bytes; `None` where there are too few.
    #[inline(always)]
    pub(super) fn new(bytes: &'a [u8]) -> Option<Self> {
        let bytes: &[u8; LOADED] = bytes.first_chunk()?;
        let eight = |from: usize| u64::from_le_bytes(std::array::from_fn(|at| bytes[from + at]));
        let others = non_digits(eight(0))
            | non_digits(eight(8)) << 8
            | non_digits(eight(16)) << 16
            | non_digits(eight(24)) << 24;
        Some(Self { bytes, others, at: 0 })
    }

    /// A number of up to seven digits that ends in the window; skips it and one blank after it.
    #[inline(always)]
    pub(super) fn number(&mut self) -> Option<Word> {
        let end = self.others.trailing_zeros() as usize;
        let length = end.wrapping_sub(self.at);
        if length.wrapping_sub(1) >= 7 || end >= WINDOW {
            return None;
        }
        let eight = self.bytes.get(self.at..)?.first_chunk::<8>()?;
        let next = self.bytes[end];
        let blank = next == b' ';
        self.at = end + usize::from(blank);
        self.others &= self.others.wrapping_sub(u32::from(blank));
        Some(Word { value: value(u64::from_le_bytes(*eight), length), next })
    }

    /// Whether the line ends where the next word would begin.
    #[inline(always)]
    pub(super) fn at_line_end(&self) -> bool {
        self.bytes[self.at.min(WINDOW)] == b'\n'
    }

    /// Moves a position; `false` where it is written in an unusual way. These tokens must not be used any more then.
    #[inline(always)]
    pub(super) fn position(&mut self, position: &mut Position) -> bool {
        let sign = self.bytes[self.at.min(WINDOW)];
        match sign {
            b'*' => {
                self.pass();
                let blank = self.bytes[self.at.min(WINDOW)] == b' ';
                if blank {
                    self.pass();
                }
                blank || self.at_line_end()
            }
            b'+' | b'-' => {
                self.pass();
                let Some(word) = self.number() else { return false };
                let back = u64::from(sign == b'-').wrapping_neg();
                position.value = position.value.wrapping_add((word.value ^ back).wrapping_sub(back));
                matches!(word.next, b' ' | b'\n')
            }
            _ => {
                let Some(word) = self.number() else { return false };
                *position = Position { value: word.value, absolute: true };
                matches!(word.next, b' ' | b'\n')
            }
        }
    }

    /// Skips a byte that is not a digit.
    #[inline(always)]
    fn pass(&mut self) {
        self.at += 1;
        self.others &= self.others.wrapping_sub(1);
    }
}

const EACH: u64 = u64::from_ne_bytes([1; 8]);

/// Bit `i` is set where byte `i` of eight is not a digit.
#[inline(always)]
fn non_digits(bytes: u64) -> u32 {
    let digits = bytes ^ (EACH * 0x30);
    // XOR maps digits to 0..=9. Adding 0x76 sets the highest bit of a byte from 10 on; from 128 on it is set already.
    let others = (((digits & (EACH * 0x7f)) + EACH * 0x76) | digits) & (EACH * 0x80);
    // The multiplication moves the eight bits next to each other into the highest byte.
    ((others >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
}

/// The number whose digits are the first `length` (one to seven) bytes.
#[inline(always)]
fn value(bytes: u64, length: usize) -> u64 {
    // Shifts the digits to the upper end; zeros fill in as leading digits.
    let digits = (bytes ^ (EACH * 0x30)) << ((64 - 8 * length as u32) & 63);
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    const LOW: u64 = 0x0000_00ff_0000_00ff;
    let upper = (pairs & LOW).wrapping_mul(0x000f_4240_0000_0064);
    let lower = ((pairs >> 16) & LOW).wrapping_mul(0x0000_2710_0000_0001);
    upper.wrapping_add(lower) >> 32
}

#[cfg(test)]
mod tests {
    use super::{Position, Tokens, non_digits};

    fn padded(text: &str) -> Vec<u8> {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(64, b'#');
        bytes
    }

    #[test]
    fn words_of_a_line_are_found() {
        let bytes = padded("0 7 12 123 1234 12345 1234567\n99");
        let mut tokens = Tokens::new(&bytes).unwrap();
        let words: Vec<(u64, u8)> =
            std::iter::from_fn(|| tokens.number()).map(|word| (word.value, word.next)).collect();
        let values: Vec<u64> = words.iter().map(|word| word.0).collect();
        assert_eq!(values, [0, 7, 12, 123, 1234, 12345, 1_234_567]);
        assert_eq!(words[6].1, b'\n');
        assert!(tokens.at_line_end());
    }

    #[test]
    fn what_is_long_or_leaves_the_window_is_not_taken() {
        for text in ["12345678 ", "", " 1", "x", "-1"] {
            let bytes = padded(text);
            assert!(Tokens::new(&bytes).unwrap().number().is_none(), "{text}");
        }
        let bytes = padded("1234567 1234567 1234567 1234567 12");
        let mut tokens = Tokens::new(&bytes).unwrap();
        assert_eq!(std::iter::from_fn(|| tokens.number()).count(), 4);
        assert!(Tokens::new(&bytes[..39]).is_none());
    }

    #[test]
    fn positions_are_those_of_the_slow_way() {
        let from = Position { value: 100, absolute: false };
        let moved = |text: &str| {
            let (bytes, mut position) = (padded(text), from);
            Tokens::new(&bytes).unwrap().position(&mut position).then_some(position)
        };
        let relative = |value| Some(Position { value, absolute: false });
        assert_eq!(moved("+7 1"), relative(107));
        assert_eq!(moved("-101 1"), relative(u64::MAX));
        assert_eq!(moved("* 1"), from.into());
        assert_eq!(moved("*\n"), from.into());
        assert_eq!(moved("33\n"), Some(Position { value: 33, absolute: true }));
        for odd in ["0x10 1", "+ 1", "3:4 1", "3\t4", "*5 1", "1\r\n"] {
            assert_eq!(moved(odd), None, "{odd:?}");
        }
    }

    #[test]
    fn only_digits_are_digits() {
        for byte in 0..=255_u8 {
            for at in 0..8 {
                let mut bytes = *b"90909090";
                bytes[at] = byte;
                let expected = if byte.is_ascii_digit() { 0 } else { 1 << at };
                assert_eq!(non_digits(u64::from_le_bytes(bytes)), expected, "{byte} at {at}");
            }
        }
    }
}
