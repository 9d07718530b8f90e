//! Costs that are not plain numbers: `.` for none, hexadecimal ones, negative ones, and ones relative to the previous
//! line.
//!
//! The format has no relative costs, but a well-known example uses them: after costs `100`, `+5` means 105 and `*` means
//! 100. They need the costs of all previous lines of the part. Decoding a chunk therefore stops at the first relative
//! cost, and the whole part is decoded again with [`SlowCosts::allow_relative`].

use super::scan::{CostEnd, Scan};

/// Reads unusual costs.
#[derive(Debug, Clone, Default)]
pub(super) struct SlowCosts {
    /// Whether `-5` is a number.
    signed: bool,
    /// Whether a negative cost has been read.
    pub(super) negative: bool,
    previous: Option<Vec<u64>>,
}

impl SlowCosts {
    /// `signed`: whether `-5` is a negative number; otherwise it is a relative cost.
    pub(super) fn new(signed: bool) -> Self {
        Self { signed, ..Self::default() }
    }

    /// From now on every cost is read here and remembered, so that relative ones can be resolved.
    pub(super) fn allow_relative(&mut self, width: usize) {
        self.previous = Some(vec![0; width]);
    }

    /// Whether plain numbers must be read here too: as a base of relative costs, or because sums are signed.
    #[inline(always)]
    pub(super) fn reads_every_cost(&self) -> bool {
        self.signed || self.previous.is_some()
    }

    /// Whether relative costs can be resolved.
    pub(super) fn allows_relative(&self) -> bool {
        self.previous.is_some()
    }

    /// Adds the costs that [`Scan::add_costs`] left of a line whose costs began at `from`.
    #[cold]
    pub(super) fn add_rest(&mut self, scan: &mut Scan<'_>, from: Scan<'_>, cells: &mut [u64]) -> CostEnd {
        let done = &scan.bytes[from.at..scan.at];
        let words = count_words(done);
        // The 0 of `0x` was read as a number, which added nothing; it is read again.
        let hexadecimal = matches!(scan.byte(), b'x' | b'X') && (done == b"0" || done.ends_with(b" 0"));
        scan.at -= usize::from(hexadecimal);
        self.add_words(scan, cells, words - usize::from(hexadecimal))
    }

    /// Adds the costs of a line to the cells.
    #[cold]
    pub(super) fn add_costs(&mut self, scan: &mut Scan<'_>, cells: &mut [u64]) -> CostEnd {
        self.add_words(scan, cells, 0)
    }

    /// Adds the words up to the end of the line, from column `first` on, and remembers them where relative costs are
    /// allowed; costs missing at the end of a line are remembered as 0.
    fn add_words(&mut self, scan: &mut Scan<'_>, cells: &mut [u64], first: usize) -> CostEnd {
        let (mut column, mut relative, mut fits) = (first, false, true);
        while !scan.line_ends() {
            if column >= cells.len() {
                return CostEnd::TooMany;
            }
            match self.word(scan, column) {
                Ok((cost, is_relative)) => {
                    fits &= self.add(&mut cells[column], cost);
                    relative |= is_relative;
                }
                Err(end) => return end,
            }
            column += 1;
        }
        if let Some(previous) = &mut self.previous {
            previous.iter_mut().skip(column).for_each(|cost| *cost = 0);
        }
        match (fits, relative) {
            (false, _) => CostEnd::TooLarge,
            (true, true) => CostEnd::Relative,
            (true, false) => CostEnd::Line,
        }
    }

    /// Reads a cost; also gives back whether it was relative.
    fn word(&mut self, scan: &mut Scan<'_>, column: usize) -> Result<(u64, bool), CostEnd> {
        // The rest of a word is not a word of its own: `.5` in `1.5`.
        let torn = scan.at > 0 && !matches!(scan.bytes[scan.at - 1], b' ' | b'\t');
        let sign = scan.byte();
        let is_relative = matches!(sign, b'+' | b'-' | b'*') && !(self.signed && sign == b'-');
        if torn {
            return Err(CostEnd::Garbage);
        }
        if is_relative && self.previous.is_none() {
            return Err(CostEnd::Relative);
        }
        scan.at += usize::from(!scan.at_digit());
        let number = match sign {
            b'*' | b'.' => Some(0),
            b'+' | b'-' if !scan.at_digit() => return Err(CostEnd::Garbage),
            b'+' | b'-' | b'0'..=b'9' => scan.number(),
            _ => return Err(CostEnd::Garbage),
        };
        let number = number.ok_or(CostEnd::TooLarge)?;
        let previous = self.previous.as_ref().and_then(|previous| previous.get(column)).copied().unwrap_or(0);
        let cost = match sign {
            b'-' if self.signed => self.below_zero(number)?,
            b'-' => previous.checked_sub(number).ok_or(CostEnd::Garbage)?,
            b'+' => previous.checked_add(number).ok_or(CostEnd::TooLarge)?,
            b'*' => previous,
            _ => number,
        };
        if let Some(previous) = self.previous.as_mut().and_then(|previous| previous.get_mut(column)) {
            *previous = cost;
        }
        Ok((cost, is_relative))
    }

    fn below_zero(&mut self, number: u64) -> Result<u64, CostEnd> {
        self.negative |= number > 0;
        0_i64.checked_sub_unsigned(number).map(|it| it as u64).ok_or(CostEnd::TooLarge)
    }

    /// Adds a cost to a cell, which stops at its limits; `false` where it does.
    fn add(&self, cell: &mut u64, cost: u64) -> bool {
        let (sum, over) = if self.signed {
            let (sum, over) = (*cell as i64).overflowing_add(cost as i64);
            (
                if over && sum < 0 {
                    i64::MAX
                } else if over {
                    i64::MIN
                } else {
                    sum
                } as u64,
                over,
            )
        } else {
            let (sum, over) = cell.overflowing_add(cost);
            (if over { u64::MAX } else { sum }, over)
        };
        *cell = sum;
        !over
    }
}

fn count_words(bytes: &[u8]) -> usize {
    bytes.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count()
}

#[cfg(test)]
mod tests {
    use super::{CostEnd, Scan, SlowCosts};

    fn read(slow: &mut SlowCosts, text: &str) -> ([u64; 2], CostEnd) {
        let mut cells = [0; 2];
        let end = slow.add_costs(&mut Scan::new(text.as_bytes(), 0, text.len()), &mut cells);
        (cells, end)
    }

    #[test]
    fn relative_costs_need_the_previous_line() {
        let mut slow = SlowCosts::default();
        assert_eq!(read(&mut slow, "+5").1, CostEnd::Relative);
        slow.allow_relative(2);
        assert_eq!(read(&mut slow, "100 7"), ([100, 7], CostEnd::Line));
        assert_eq!(read(&mut slow, "+5 *"), ([105, 7], CostEnd::Relative));
        assert_eq!(read(&mut slow, "-100"), ([5, 0], CostEnd::Relative));
        assert_eq!(read(&mut slow, "-6").1, CostEnd::Garbage);
    }

    #[test]
    fn negative_costs_where_they_are_numbers() {
        let mut slow = SlowCosts::new(true);
        assert_eq!(read(&mut slow, "10 -3"), ([10, -3_i64 as u64], CostEnd::Line));
        assert!(slow.negative);
        assert_eq!(read(&mut slow, ". 0x10"), ([0, 16], CostEnd::Line));
        assert_eq!(read(&mut slow, "1 x").1, CostEnd::Garbage);
    }
}
