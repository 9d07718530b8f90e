//! A cursor over bytes that reads numbers, positions and names, without resolving them.
//!
//! Promises: never reads past its end, where every byte is a line end; never decodes bytes as text.

use memchr::memchr;

use super::masks;
use super::tokens::{Tokens, value_of};

/// Bytes and the current offset, which counts from the start of the input.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scan<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

/// The name in a name line, after its `=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameSpec<'a> {
    /// `(1)`: a number that an earlier line defines.
    Id(u64),
    /// `(1) name`.
    Defined(u64, &'a [u8]),
    /// A name alone.
    Plain(&'a [u8]),
}

/// The current address or line, from which relative positions count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) value: u64,
    /// Whether the value is absolute; otherwise it counts from the unknown position at the start of the chunk.
    pub(super) absolute: bool,
}

/// Why reading the costs of a line ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CostEnd {
    /// The line ended.
    Line,
    /// A sum or a number does not fit.
    TooLarge,
    /// There are more costs than event types.
    TooMany,
    /// `+`, `-` or `*`: relative to the costs of the previous line.
    Relative,
    /// A word is not a number.
    Garbage,
}

impl<'a> Scan<'a> {
    /// A cursor from `at` up to `end`.
    pub(super) fn new(bytes: &'a [u8], at: usize, end: usize) -> Self {
        Self { bytes: &bytes[..end], at }
    }

    #[inline(always)]
    pub(super) fn byte(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(b'\n')
    }

    #[inline(always)]
    pub(super) fn ended(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Whether the next byte is a digit.
    #[inline(always)]
    pub(super) fn at_digit(&self) -> bool {
        self.byte().wrapping_sub(b'0') <= 9
    }

    #[inline(always)]
    pub(super) fn blanks(&mut self) {
        while matches!(self.byte(), b' ' | b'\t') {
            self.at += 1;
        }
    }

    /// Whether the line ends here, perhaps after blanks.
    #[inline(always)]
    pub(super) fn line_ends(&mut self) -> bool {
        self.blanks();
        match self.byte() {
            b'\n' => true,
            b'\r' => matches!(self.bytes.get(self.at + 1), None | Some(b'\n')),
            _ => false,
        }
    }

    /// The rest of the line; moves to the next one.
    pub(super) fn line(&mut self) -> &'a [u8] {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let length = memchr(b'\n', rest).unwrap_or(rest.len());
        self.at += length + 1;
        let line = &rest[..length];
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// Moves to the next line, which is usually near.
    #[inline(always)]
    pub(super) fn skip_line(&mut self) {
        while let Some(eight) = self.eight() {
            if let Some(end) = masks::line_end(eight) {
                self.at += end + 1;
                return;
            }
            self.at += 8;
        }
        while self.byte() != b'\n' {
            self.at += 1;
        }
        self.at += 1;
    }

    /// Skips `word` if it is next; gives back whether it was.
    #[inline(always)]
    pub(super) fn take(&mut self, word: &[u8]) -> bool {
        let next = self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(word));
        self.at += if next { word.len() } else { 0 };
        next
    }

    /// A decimal number; `None` where it does not fit into 64 bits. Without any digit it is 0.
    #[inline(always)]
    pub(super) fn decimal(&mut self) -> Option<u64> {
        if let Some(eight) = self.eight() {
            let others = masks::non_digits(eight);
            let length = others.trailing_zeros() as usize;
            if length.wrapping_sub(1) < 7 {
                self.at += length;
                return Some(value_of(eight, length));
            }
        }
        self.any_decimal()
    }

    /// A decimal number of any length, digit by digit.
    #[inline(never)]
    fn any_decimal(&mut self) -> Option<u64> {
        let (mut scan, mut value) = (*self, 0_u64);
        loop {
            let digit = scan.byte().wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
            scan.at += 1;
        }
        let digits = self.at..scan.at;
        self.at = scan.at;
        if digits.len() <= 19 { Some(value) } else { checked(&self.bytes[digits], 10) }
    }

    /// The next eight bytes; `None` near the end of the input.
    #[inline(always)]
    fn eight(&self) -> Option<u64> {
        Some(u64::from_le_bytes(*self.bytes.get(self.at..)?.first_chunk()?))
    }

    /// A decimal or, after `0x`, hexadecimal number.
    #[inline(always)]
    pub(super) fn number(&mut self) -> Option<u64> {
        if self.byte() == b'0' && matches!(self.bytes.get(self.at + 1), Some(b'x' | b'X')) {
            return self.hexadecimal();
        }
        self.decimal()
    }

    #[inline(never)]
    fn hexadecimal(&mut self) -> Option<u64> {
        self.at += 2;
        let start = self.at;
        while self.byte().is_ascii_hexdigit() {
            self.at += 1;
        }
        checked(&self.bytes[start..self.at], 16)
    }

    /// Moves a position as the next word says; `false` where the word is not a position.
    #[inline(always)]
    pub(super) fn position(&mut self, position: &mut Position) -> bool {
        match self.byte() {
            b'+' => {
                self.at += 1;
                let Some(ahead) = self.offset() else { return false };
                position.value = position.value.wrapping_add(ahead);
            }
            b'-' => {
                self.at += 1;
                let Some(back) = self.offset() else { return false };
                position.value = position.value.wrapping_sub(back);
            }
            b'*' => self.at += 1,
            b'0'..=b'9' => match self.number() {
                Some(value) => *position = Position { value, absolute: true },
                None => return false,
            },
            _ => return false,
        }
        if !matches!(self.byte(), b' ' | b'\n' | b'\t' | b'\r') {
            return self.range_end();
        }
        self.blanks();
        true
    }

    #[inline(always)]
    fn offset(&mut self) -> Option<u64> {
        if self.at_digit() { self.number() } else { None }
    }

    /// Skips the end of a range (`5:9`, `5+4`): a range is placed at its start.
    #[inline(never)]
    fn range_end(&mut self) -> bool {
        if !matches!(self.byte(), b':' | b'+' | b'-') {
            return false;
        }
        self.at += 1;
        let good = self.offset().is_some();
        self.blanks();
        good
    }

    /// The window of words at the cursor; `None` near the end of the input.
    #[inline(always)]
    pub(super) fn tokens(&self) -> Option<Tokens<'a>> {
        Tokens::new(self.bytes.get(self.at..)?)
    }

    /// Adds the costs of the line to the cells, column by column.
    pub(super) fn add_costs(&mut self, cells: &mut [u64]) -> CostEnd {
        self.add_long_line(cells, true)
    }

    /// Adds the rest of a line, beginning at the cursor, which may be longer than a window.
    #[inline(never)]
    pub(super) fn add_long_line(&mut self, mut cells: &mut [u64], mut fits: bool) -> CostEnd {
        while let Some(mut tokens) = self.tokens() {
            let added = tokens.add_to(cells);
            self.at += tokens.at;
            (cells, fits) = (&mut cells[added.cells..], fits & added.fits);
            if !tokens.is_used_up() {
                break;
            }
        }
        self.add_odd_costs(cells, fits)
    }

    /// Adds the rest of a line that is near the end, has large costs, or more than one blank between costs.
    #[inline(never)]
    fn add_odd_costs(&mut self, cells: &mut [u64], mut fits: bool) -> CostEnd {
        for cell in cells {
            if self.line_ends() || !self.at_digit() {
                break;
            }
            let Some(cost) = self.decimal() else { return CostEnd::TooLarge };
            let (sum, over) = cell.overflowing_add(cost);
            *cell = if over { u64::MAX } else { sum };
            fits &= !over;
        }
        match (self.line_ends(), self.at_digit()) {
            (true, _) if fits => CostEnd::Line,
            (true, _) => CostEnd::TooLarge,
            (false, true) => CostEnd::TooMany,
            (false, false) => CostEnd::Garbage,
        }
    }

    /// A name, to the end of the line.
    #[inline(always)]
    pub(super) fn name_spec(&mut self) -> NameSpec<'a> {
        let start = self.at;
        if self.byte() == b'(' {
            self.at += 1;
            if self.at_digit()
                && let Some(id) = self.decimal()
                && self.byte() == b')'
            {
                self.at += 1;
                return self.after_id(id);
            }
            self.at = start;
        }
        NameSpec::Plain(self.line())
    }

    #[inline(always)]
    fn after_id(&mut self, id: u64) -> NameSpec<'a> {
        if self.byte() == b'\n' {
            self.at += 1;
            return NameSpec::Id(id);
        }
        self.blanks();
        let name = self.line();
        if name.is_empty() { NameSpec::Id(id) } else { NameSpec::Defined(id, name) }
    }
}

fn checked(digits: &[u8], radix: u32) -> Option<u64> {
    let text = std::str::from_utf8(digits).ok()?;
    u64::from_str_radix(text, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::{CostEnd, NameSpec, Position, Scan};

    fn scan(text: &str) -> Scan<'_> {
        Scan::new(text.as_bytes(), 0, text.len())
    }

    #[test]
    fn numbers_fit_or_are_refused() {
        assert_eq!(scan("18446744073709551615 ").decimal(), Some(u64::MAX));
        assert_eq!(scan("18446744073709551616").decimal(), None);
        assert_eq!(scan("00000000000000000000012").decimal(), Some(12));
        assert_eq!(scan("0xfF ").number(), Some(255));
        assert_eq!(scan("0x").number(), None);
    }

    #[test]
    fn positions_move() {
        let mut position = Position::default();
        let mut moved = |text: &str| scan(text).position(&mut position).then_some(position.value);
        assert_eq!(moved("0x10 5"), Some(16));
        assert_eq!(moved("+4 5"), Some(20));
        assert_eq!(moved("-0x2"), Some(18));
        assert_eq!(moved("*"), Some(18));
        assert_eq!(moved("30:34 1"), Some(30));
        assert_eq!(moved("+3+4 1"), Some(33));
        assert_eq!((moved("+"), moved("x"), moved("3x")), (None, None, None));
    }

    #[test]
    fn costs_are_added_and_the_end_is_known() {
        let mut cells = [1, 2, 3];
        assert_eq!(scan("10  20 \n").add_costs(&mut cells), CostEnd::Line);
        assert_eq!(cells, [11, 22, 3]);
        assert_eq!(scan("1 1 1 1\n").add_costs(&mut cells), CostEnd::TooMany);
        assert_eq!(scan("1 x").add_costs(&mut cells), CostEnd::Garbage);
        assert_eq!(scan("18446744073709551615\r\n").add_costs(&mut cells), CostEnd::TooLarge);
        assert_eq!(cells[0], u64::MAX);
    }

    #[test]
    fn names_have_ids_or_not() {
        let name_spec = |text| scan(text).name_spec();
        assert_eq!(name_spec("(12)\n"), NameSpec::Id(12));
        assert_eq!(name_spec("(12) \r\n"), NameSpec::Id(12));
        assert_eq!(name_spec("(12) a b\r\n"), NameSpec::Defined(12, b"a b"));
        assert_eq!(name_spec("(below main)\n"), NameSpec::Plain(b"(below main)"));
        assert_eq!(name_spec("(1x)"), NameSpec::Plain(b"(1x)"));
    }
}
