//! The words of a line, found all at once.
//!
//! Costs are mostly one to seven digits long, in no order: a loop over digits mispredicts once per cost, and each word
//! waits for the end of the word before. Here the ends of all words in a window are found first, without branches
//! (see `masks`); then each word takes a few independent instructions.
//!
//! ```text
//! bytes      1 2   3 \n
//! ends       0 0 1 0 1     bit i: byte i is not a digit
//! words      └───┘ └─┘     a number ends at the next set bit
//! ```
//!
//! The digits of a word are loaded as eight bytes, shifted to the upper end (which fills with leading zeros) and
//! combined pairwise: 8 digits to 4 pairs, then both halves by one multiplication each. Up to 16 digits are two of these.

use super::masks::{self, EACH, WINDOW};

/// A word may begin at the end of the window and is loaded as eight bytes.
const LOADED: usize = WINDOW + 8;
/// The most digits of a word.
const LONGEST: usize = 16;

/// The words in a window.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tokens<'a> {
    bytes: &'a [u8; LOADED],
    /// Bit `i` is set where byte `i` is not a digit and not yet passed.
    ends: u32,
    /// The offset of the next word.
    pub(super) at: usize,
}

impl<'a> Tokens<'a> {
    /// The window at the start of the bytes; `None` where there are too few.
    #[inline(always)]
    pub(super) fn new(bytes: &'a [u8]) -> Option<Self> {
        let bytes: &[u8; LOADED] = bytes.first_chunk()?;
        Some(Self { bytes, ends: masks::of(bytes.first_chunk()?).others, at: 0 })
    }

    /// The byte at an offset, which is at most that of the end of the window.
    #[inline(always)]
    fn byte(&self, at: usize) -> u8 {
        self.bytes[at.min(WINDOW)]
    }

    /// A number that ends in the window; the offset is then that of its end.
    #[inline(always)]
    fn number(&mut self) -> Option<u64> {
        let end = self.ends.trailing_zeros() as usize;
        let length = end.wrapping_sub(self.at);
        if end >= WINDOW {
            return None;
        }
        let value = if length.wrapping_sub(1) < 8 {
            value_of(self.eight(self.at)?, length)
        } else {
            self.long_number(length)?
        };
        self.at = end;
        Some(value)
    }

    #[cold]
    fn long_number(&self, length: usize) -> Option<u64> {
        long_value_of(self.bytes.get(self.at..)?, length)
    }

    #[inline(always)]
    fn eight(&self, at: usize) -> Option<u64> {
        Some(u64::from_le_bytes(*self.bytes.get(at..)?.first_chunk()?))
    }

    /// Adds numbers that are separated by single blanks to the cells, one each.
    ///
    /// The offset is then that of the first byte that is not part of such a list, or of the first number without a cell
    /// or beyond the window.
    #[inline(always)]
    pub(super) fn add_to(&mut self, cells: &mut [u64]) -> Added {
        let mut added = Added { cells: 0, fits: true };
        for cell in cells {
            let Some(value) = self.number() else { break };
            match cell.checked_add(value) {
                Some(sum) => *cell = sum,
                None => saturate(cell, &mut added),
            }
            added.cells += 1;
            if self.byte(self.at) != b' ' {
                break;
            }
            self.pass_if(true);
        }
        added
    }

    /// Whether the window ended before the list did.
    #[inline(always)]
    pub(super) fn is_used_up(&self) -> bool {
        self.at > 0 && self.ends == 0
    }

    /// Skips a byte that is not a digit.
    #[inline(always)]
    fn pass_if(&mut self, passes: bool) {
        self.at += usize::from(passes);
        self.ends &= self.ends.wrapping_sub(u32::from(passes));
    }
}

#[cold]
fn saturate(cell: &mut u64, added: &mut Added) {
    (*cell, added.fits) = (u64::MAX, false);
}

/// What [`Tokens::add_to`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Added {
    /// How many cells got a number.
    pub(super) cells: usize,
    /// Whether all sums fit into 64 bits.
    pub(super) fits: bool,
}

/// The number whose digits are the first `length` (one to eight) bytes; any number for other lengths.
#[inline(always)]
pub(super) fn value_of(bytes: u64, length: usize) -> u64 {
    // Shifts the digits to the upper end; zeros fill in as leading digits.
    let unused = 64_u32.wrapping_sub((length as u32).wrapping_mul(8));
    let digits = (bytes ^ (EACH * 0x30)) << (unused & 63);
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    const LOW: u64 = 0x0000_00ff_0000_00ff;
    let upper = (pairs & LOW).wrapping_mul(0x000f_4240_0000_0064);
    let lower = ((pairs >> 16) & LOW).wrapping_mul(0x0000_2710_0000_0001);
    upper.wrapping_add(lower) >> 32
}

/// The number whose digits are the first `length` bytes, 9 to [`LONGEST`]; `None` for other lengths, or without eight bytes
/// from each half on.
pub(super) fn long_value_of(bytes: &[u8], length: usize) -> Option<u64> {
    let eight = |at: usize| Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let upper = length.checked_sub(8).filter(|&upper| upper > 0 && length <= LONGEST)?;
    Some(value_of(eight(0)?, upper) * 100_000_000 + value_of(eight(upper)?, 8))
}

#[cfg(test)]
mod tests;
