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

mod words;

use self::words::Words;
use super::chunk::LineFormat;
use super::masks::WINDOW;
use super::scan::{Position, Scan};

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

/// One copy per way in which positions are written, so that no line asks for it. Line by line: finds the words, then moves the
/// positions and adds the costs if all words are as they must be.
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

#[cfg(test)]
mod tests;
