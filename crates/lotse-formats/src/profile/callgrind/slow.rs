//! Costs that are no plain numbers: `.` for none, hexadecimal ones, negative ones, and ones relative to the
//! line before.
//!
//! The format has no relative costs, but a well-known example uses them. They can be read only from the start of
//! a part, so that a piece gives up at the first and the part is read again, remembering.

use super::scan::{CostEnd, Scan};

/// How unusual costs are read.
#[derive(Debug, Clone, Default)]
pub(super) struct Slow {
    /// Whether `-5` is a number.
    signed: bool,
    /// Whether there was one.
    pub(super) negative: bool,
    before: Option<Vec<u64>>,
}

impl Slow {
    /// Where `-5` is a number, or else a relative cost.
    pub(super) fn new(signed: bool) -> Self {
        Self { signed, ..Self::default() }
    }

    /// Reads every cost slowly, so that a relative one can be understood.
    pub(super) fn remember(&mut self, width: usize) {
        self.before = Some(vec![0; width]);
    }

    /// Whether plain numbers are read slowly too: for what comes after them, or as sums have a sign.
    #[inline(always)]
    pub(super) fn reads_all(&self) -> bool {
        self.signed || self.before.is_some()
    }

    /// Whether relative costs can be understood.
    pub(super) fn remembers(&self) -> bool {
        self.before.is_some()
    }

    /// What [`Scan::add_costs`] left of a line that began at `from`.
    #[cold]
    pub(super) fn rest(&mut self, scan: &mut Scan<'_>, from: Scan<'_>, cells: &mut [u64]) -> CostEnd {
        let done = &scan.bytes[from.at..scan.at];
        let words = words(done);
        // The 0 of a hexadecimal number was taken as a number, which added nothing.
        let hexadecimal = matches!(scan.byte(), b'x' | b'X') && (done == b"0" || done.ends_with(b" 0"));
        scan.at -= usize::from(hexadecimal);
        self.words(scan, cells, words - usize::from(hexadecimal))
    }

    /// Adds the costs of a line to the cells.
    #[cold]
    pub(super) fn add_costs(&mut self, scan: &mut Scan<'_>, cells: &mut [u64]) -> CostEnd {
        self.words(scan, cells, 0)
    }

    fn words(&mut self, scan: &mut Scan<'_>, cells: &mut [u64], first: usize) -> CostEnd {
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
        if let Some(before) = &mut self.before {
            before.iter_mut().skip(column).for_each(|cost| *cost = 0);
        }
        match (fits, relative) {
            (false, _) => CostEnd::TooLarge,
            (true, true) => CostEnd::Relative,
            (true, false) => CostEnd::Line,
        }
    }

    /// A cost, and whether it was relative.
    fn word(&mut self, scan: &mut Scan<'_>, column: usize) -> Result<(u64, bool), CostEnd> {
        // What a word was torn from is no word: `1.5`.
        let torn = scan.at > 0 && !matches!(scan.bytes[scan.at - 1], b' ' | b'\t');
        let sign = scan.byte();
        let is_relative = matches!(sign, b'+' | b'-' | b'*') && !(self.signed && sign == b'-');
        if torn {
            return Err(CostEnd::Garbage);
        }
        if is_relative && self.before.is_none() {
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
        let before = self.before.as_ref().and_then(|before| before.get(column)).copied().unwrap_or(0);
        let cost = match sign {
            b'-' if self.signed => self.below_zero(number)?,
            b'-' => before.checked_sub(number).ok_or(CostEnd::Garbage)?,
            b'+' => before.checked_add(number).ok_or(CostEnd::TooLarge)?,
            b'*' => before,
            _ => number,
        };
        if let Some(before) = self.before.as_mut().and_then(|before| before.get_mut(column)) {
            *before = cost;
        }
        Ok((cost, is_relative))
    }

    fn below_zero(&mut self, number: u64) -> Result<u64, CostEnd> {
        self.negative |= number > 0;
        0_i64.checked_sub_unsigned(number).map(|it| it as u64).ok_or(CostEnd::TooLarge)
    }

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

fn words(bytes: &[u8]) -> usize {
    bytes.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count()
}

#[cfg(test)]
mod tests {
    use super::{CostEnd, Scan, Slow};

    fn read(slow: &mut Slow, text: &str) -> ([u64; 2], CostEnd) {
        let mut cells = [0; 2];
        let end = slow.add_costs(&mut Scan::new(text.as_bytes(), 0, text.len()), &mut cells);
        (cells, end)
    }

    #[test]
    fn relative_costs_need_a_memory() {
        let mut slow = Slow::default();
        assert_eq!(read(&mut slow, "+5").1, CostEnd::Relative);
        slow.remember(2);
        assert_eq!(read(&mut slow, "100 7"), ([100, 7], CostEnd::Line));
        assert_eq!(read(&mut slow, "+5 *"), ([105, 7], CostEnd::Relative));
        assert_eq!(read(&mut slow, "-100"), ([5, 0], CostEnd::Relative));
        assert_eq!(read(&mut slow, "-6").1, CostEnd::Garbage);
    }

    #[test]
    fn negative_costs_where_they_are_numbers() {
        let mut slow = Slow::new(true);
        assert_eq!(read(&mut slow, "10 -3"), ([10, -3_i64 as u64], CostEnd::Line));
        assert!(slow.negative);
        assert_eq!(read(&mut slow, ". 0x10"), ([0, 16], CostEnd::Line));
        assert_eq!(read(&mut slow, "1 x").1, CostEnd::Garbage);
    }
}
