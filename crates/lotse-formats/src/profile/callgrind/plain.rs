//! Plain cost lines, which nearly all lines of a file are: positions and decimal costs between single blanks.
//!
//! Where the digits, the blanks and the end of a line are is found for a window of bytes at once (`masks`). Whether the line is
//! plain is then known before any number is decoded, and each number takes a few instructions that wait for no other.
//!
//! ```text
//! bytes      + 4   *   1 2   3 \n
//! ends       1 0 1 1 1 0 0 1 0 1     bit i: byte i is not a digit
//! strange    1 0 0 1 0 0 0 0 0 0     bit i: byte i is neither digit nor blank; left over once signs are taken away: not plain
//! ```
//!
//! A line is added as a whole or not at all: reading stops in front of the first line that is not plain, which others read then.

use super::chunk::LineFormat;
use super::masks::{self, Masks, WINDOW};
use super::scan::{Position, Scan};
use super::tokens::{long_value_of, value_of};

/// The longest plain line with its end.
const LONGEST: usize = 2 * WINDOW;
/// A number may begin at the last byte of a line and is loaded as eight bytes.
const LOADED: usize = LONGEST + 8;

/// The current address and line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Positions {
    pub(super) address: Position,
    pub(super) line: Position,
}

/// Where reading stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stop {
    /// The byte at which the first line begins that was not read.
    pub(super) at: usize,
    /// The positions of the last line that was read.
    pub(super) positions: Positions,
}

/// Adds the costs of the plain lines from the cursor on, at most `most`, to the cells.
#[inline(always)]
pub(super) fn lines(
    scan: Scan<'_>,
    format: &LineFormat,
    positions: Positions,
    cells: &mut [u64],
    most: usize,
) -> Stop {
    match (format.addresses, format.lines) {
        (true, true) => lines_with::<true, true>(scan, positions, cells, most),
        (true, false) => lines_with::<true, false>(scan, positions, cells, most),
        (false, true) => lines_with::<false, true>(scan, positions, cells, most),
        (false, false) => Stop { at: scan.at, positions },
    }
}

#[inline(never)]
fn lines_with<const ADDRESSES: bool, const LINES: bool>(
    scan: Scan<'_>,
    positions: Positions,
    cells: &mut [u64],
    most: usize,
) -> Stop {
    let mut at = scan.at;
    let mut places = [Place::of(positions.address), Place::of(positions.line)];
    for _ in 0..most {
        let Some(words) = scan.bytes.get(at..).and_then(Words::of_line) else { break };
        let moved = match words.are_short {
            true => line::<ADDRESSES, LINES, true>(words, places, cells),
            false => line::<ADDRESSES, LINES, false>(words, places, cells),
        };
        let Some(moved) = moved else { break };
        at += words.line_end + 1;
        places = moved;
    }
    let [address, line] = places;
    Stop { at, positions: Positions { address: address.position(), line: line.position() } }
}

/// A [`Position`] without a flag, which would be copied for each line.
#[derive(Debug, Clone, Copy)]
struct Place {
    value: u64,
    /// 1 where all positions so far were relative, else 0.
    relative: u64,
}

impl Place {
    fn of(position: Position) -> Self {
        Self { value: position.value, relative: u64::from(!position.absolute) }
    }

    fn position(self) -> Position {
        Position { value: self.value, absolute: self.relative == 0 }
    }
}

/// Adds the costs of a line to the cells; the places after it. `None` if it is not plain; nothing has been added then.
#[inline(always)]
fn line<const ADDRESSES: bool, const LINES: bool, const SHORT: bool>(
    line: Words<'_>,
    [mut address, mut number]: [Place; 2],
    cells: &mut [u64],
) -> Option<[Place; 2]> {
    let mut words = line;
    let mut odd = 0;
    if ADDRESSES {
        odd |= words.position::<SHORT>(&mut address);
    }
    if LINES {
        odd |= words.position::<SHORT>(&mut number);
    }
    // Behind the end of the line there is no word: a position is missing.
    if (odd | words.strange) != 0 || words.at > line.line_end + 1 {
        return None;
    }
    let costs = words.at;
    match words.add_to::<SHORT>(cells) {
        Ok(()) => Some([address, number]),
        Err(added) => {
            take_back(line.bytes, costs, &mut cells[..added]);
            None
        }
    }
}

/// Subtracts from the cells what was added to them from the words at an offset on.
#[cold]
#[inline(never)]
fn take_back(bytes: &[u8; LOADED], costs: usize, cells: &mut [u64]) {
    let mut scan = Scan::new(bytes, costs, LOADED);
    for cell in cells {
        *cell = cell.wrapping_sub(scan.decimal().unwrap_or(0));
        scan.at += 1;
    }
}

/// The words of a line that are left.
#[derive(Debug, Clone, Copy)]
struct Words<'a> {
    bytes: &'a [u8; LOADED],
    /// Bit `i` is set where byte `i` of the line or its end is not a digit and not yet passed.
    ends: u64,
    /// Bit `i` is set where byte `i` of the line is neither a digit nor a single blank nor a sign that was passed.
    strange: u64,
    /// The offset of the end of the line.
    line_end: usize,
    /// Whether no word has more than four digits.
    are_short: bool,
    /// The offset of the next word.
    at: usize,
}

impl<'a> Words<'a> {
    /// The line at the start of the bytes; `None` if it cannot be a plain cost line.
    #[inline(always)]
    fn of_line(bytes: &'a [u8]) -> Option<Self> {
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
    fn position<const SHORT: bool>(&mut self, place: &mut Place) -> u64 {
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
    fn add_to<const SHORT: bool>(mut self, cells: &mut [u64]) -> Result<(), usize> {
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

#[cfg(test)]
mod tests;
