//! The words of a plain line: where they are, and what they say.

use super::super::masks::{self, Masks, WINDOW};
use super::super::tokens::{long_value_of, value_of};
use super::{LOADED, LONGEST, Place};

/// The words of a line that are left.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words<'a> {
    pub(super) bytes: &'a [u8; LOADED],
    /// Bit `i` is set where byte `i` of the line or its end is not a digit and not yet passed.
    ends: u64,
    /// Bit `i` is set where byte `i` of the line is neither a digit nor a single blank nor a sign that was passed.
    pub(super) strange: u64,
    /// The offset of the end of the line.
    pub(super) line_end: usize,
    /// Whether no word has more than four digits.
    pub(super) are_short: bool,
    /// The offset of the next word.
    pub(super) at: usize,
}

impl<'a> Words<'a> {
    /// The line at the start of the bytes; `None` if it cannot be a plain cost line.
    #[inline(always)]
    pub(super) fn of_line(bytes: &'a [u8]) -> Option<Self> {
        let bytes: &[u8; LOADED] = bytes.first_chunk()?;
        // From `*` to `9`: signs, digits and some that are no plain line.
        if bytes[0].wrapping_sub(b'*') > b'9' - b'*' {
            return None;
        }
        let Masks { others, blanks, line_ends } = masks::of(bytes.first_chunk()?);
        let mut masks = (u64::from(others), u64::from(blanks), u64::from(line_ends));
        if line_ends == 0 {
            let rest = masks::of(bytes[WINDOW..].first_chunk()?);
            masks.0 |= u64::from(rest.others) << WINDOW;
            masks.1 |= u64::from(rest.blanks) << WINDOW;
            masks.2 = u64::from(rest.line_ends) << WINDOW;
            if rest.line_ends == 0 {
                return None;
            }
        }
        let (others, blanks, line_ends) = masks;
        let up_to_end = line_ends ^ line_ends.wrapping_sub(1);
        let before_end = up_to_end >> 1;
        let ends = others & up_to_end;
        let strange = before_end & others & (!blanks | (blanks >> 1));
        let pairs = !others & !(others >> 1);
        let fives = pairs & (pairs >> 2) & !(others >> 4) & before_end;
        let line_end = line_ends.trailing_zeros() as usize;
        Some(Self { bytes, ends, strange, line_end, are_short: fives == 0, at: 0 })
    }

    /// The number of a length at the offset. Any number if the length is not 1 to 8 (4 if `SHORT`), but 0 if it is 0 and `SHORT`.
    #[inline(always)]
    fn value<const SHORT: bool>(&self, length: usize) -> u64 {
        let at = self.at & (LONGEST - 1);
        let eight: u64 = self.bytes[at..].first_chunk().map_or(0, |&eight| u64::from_le_bytes(eight));
        if SHORT { short_value_of(eight as u32, length) } else { value_of(eight, length) }
    }

    /// Moves a place and passes its word; not 0 if the word is no plain position. The words must not be used any more
    /// then. Which sign a position has comes in no order, so there is no branch for it.
    #[inline(always)]
    pub(super) fn position<const SHORT: bool>(&mut self, place: &mut Place) -> u64 {
        let sign = self.bytes[self.at & (LONGEST - 1)];
        let star = u64::from(sign == b'*');
        let minus = u64::from(sign == b'-');
        let relative = star | minus | u64::from(sign == b'+');
        self.at += relative as usize;
        self.ends &= self.ends.wrapping_sub(relative);
        self.strange &= self.strange.wrapping_sub(relative);
        let end = self.ends.trailing_zeros() as usize;
        let length = end.wrapping_sub(self.at);
        let value = self.value::<SHORT>(length) & if SHORT { u64::MAX } else { star.wrapping_sub(1) };
        let moved = (value ^ minus.wrapping_neg()).wrapping_add(minus);
        place.value = (place.value & relative.wrapping_neg()).wrapping_add(moved);
        place.relative &= relative;
        self.pass(end);
        // One to eight digits; none after a star. Short words have no more than four.
        let too_long = if SHORT { 0 } else { u64::from(length > 8) };
        (u64::from(length == 0) ^ star) | too_long
    }

    /// Passes the word that ends at an offset, and its end.
    #[inline(always)]
    fn pass(&mut self, end: usize) {
        self.at = end + 1;
        self.ends &= self.ends.wrapping_sub(1);
    }

    /// Adds the words that are left to the cells, one each. Fails if one is no number of up to 16 digits, or a cell is missing or
    /// too small: with the number of words that were added before.
    #[inline(always)]
    pub(super) fn add_to<const SHORT: bool>(mut self, cells: &mut [u64]) -> Result<(), usize> {
        for (added, cell) in cells.iter_mut().enumerate() {
            if self.at >= self.line_end {
                return Ok(());
            }
            let end = self.ends.trailing_zeros() as usize;
            let length = end.wrapping_sub(self.at);
            let value = if SHORT || length.wrapping_sub(1) < 8 {
                self.value::<SHORT>(length)
            } else {
                long_number(self.bytes, self.at, length).ok_or(added)?
            };
            let sum = cell.checked_add(value).ok_or(added)?;
            *cell = sum;
            self.pass(end);
        }
        if self.at >= self.line_end { Ok(()) } else { Err(cells.len()) }
    }
}

#[cold]
#[inline(never)]
fn long_number(bytes: &[u8; LOADED], at: usize, length: usize) -> Option<u64> {
    long_value_of(bytes.get(at..)?, length)
}

/// The number whose digits are the first `length` (none to four) bytes; any number for other lengths.
#[inline(always)]
fn short_value_of(bytes: u32, length: usize) -> u64 {
    // Shifts the digits to the upper end of the lower half; zeros fill in as leading digits.
    let unused = 64_u32.wrapping_sub((length as u32).wrapping_mul(8));
    let digits = ((u64::from(bytes) << (unused & 63)) >> 32) as u32 & 0x0f0f_0f0f;
    let pairs = (digits.wrapping_mul(10 * 256 + 1) >> 8) & 0x00ff_00ff;
    u64::from(pairs.wrapping_mul(100 * 65536 + 1) >> 16)
}
