//! A matrix of costs: a row per function, call or sample, and a column per event type.

/// A matrix of costs; its columns are the profile's event types.
///
/// A cell is unsigned, or two's complement in a profile with [`signed`](super::Profile::signed) costs. Sums saturate:
/// one that does not fit is replaced by the largest number, and [`saturated`](Self::saturated) is then true.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Costs {
    width: usize,
    signed: bool,
    saturated: bool,
    cells: Vec<u64>,
}

impl Costs {
    /// An empty matrix for `width` event types.
    pub fn new(width: usize, signed: bool) -> Self {
        Self { width, signed, saturated: false, cells: Vec::new() }
    }

    /// A matrix of `rows` rows of zeros.
    pub fn zeros(width: usize, signed: bool, rows: usize) -> Self {
        Self { cells: vec![0; width * rows], ..Self::new(width, signed) }
    }

    /// A matrix of these cells, row after row. Panics if they do not fill the last row, which is a bug of the caller.
    pub fn from_cells(width: usize, signed: bool, cells: Vec<u64>) -> Self {
        assert!(cells.len().is_multiple_of(width), "rows must be whole");
        Self { cells, ..Self::new(width, signed) }
    }

    /// A matrix from the values of its accessors, as an index stores them; `None` if the cells do not fill the last row.
    pub fn from_raw(width: usize, signed: bool, saturated: bool, cells: Vec<u64>) -> Option<Self> {
        cells.len().is_multiple_of(width).then_some(Self { width, signed, saturated, cells })
    }

    /// The number of event types.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Whether cells are two's complement.
    pub fn signed(&self) -> bool {
        self.signed
    }

    /// Whether a sum did not fit into its cell.
    pub fn saturated(&self) -> bool {
        self.saturated
    }

    /// The number of rows; 0 if there are no event types.
    pub fn rows(&self) -> usize {
        self.cells.len().checked_div(self.width).unwrap_or(0)
    }

    /// The costs of one row.
    pub fn row(&self, row: usize) -> &[u64] {
        &self.cells[row * self.width..(row + 1) * self.width]
    }

    /// All cells, row after row.
    pub fn cells(&self) -> &[u64] {
        &self.cells
    }

    /// Converts the matrix into its cells.
    pub fn into_cells(self) -> Vec<u64> {
        self.cells
    }

    /// Appends a row, filled up with zeros. Panics if it is longer than the matrix is wide, which is a bug of the caller.
    pub fn push(&mut self, row: &[u64]) {
        assert!(row.len() <= self.width, "a row of {} costs for {} event types", row.len(), self.width);
        self.cells.extend_from_slice(row);
        self.cells.resize(self.cells.len() + self.width - row.len(), 0);
    }

    /// Adds to a row, cell by cell.
    #[inline]
    pub fn add(&mut self, row: usize, more: &[u64]) {
        let cells = &mut self.cells[row * self.width..(row + 1) * self.width];
        let mut fits = true;
        for (cell, &more) in cells.iter_mut().zip(more) {
            fits &= add(cell, more, self.signed);
        }
        self.saturated |= !fits;
    }

    /// Subtracts from a row, cell by cell; an unsigned cell saturates at 0.
    pub fn subtract(&mut self, row: usize, less: &[u64]) {
        let cells = &mut self.cells[row * self.width..(row + 1) * self.width];
        for (cell, &less) in cells.iter_mut().zip(less) {
            let exact = value(*cell, self.signed) - value(less, self.signed);
            let (nearest, fits) = nearest_cell(exact, self.signed);
            *cell = nearest;
            self.saturated |= !fits;
        }
    }

    /// One cell as a number.
    pub fn value(&self, row: usize, event: usize) -> i128 {
        value(self.cells[row * self.width + event], self.signed)
    }

    /// The exact sums of all columns, in one pass over the rows.
    pub fn totals(&self) -> Vec<i128> {
        let mut totals = vec![0; self.width];
        for row in self.cells.chunks_exact(self.width.max(1)) {
            totals.iter_mut().zip(row).for_each(|(total, &cell)| *total += value(cell, self.signed));
        }
        totals
    }

    /// The exact sum of a column.
    pub fn total(&self, event: usize) -> i128 {
        let column = self.cells.iter().skip(event).step_by(self.width.max(1));
        column.map(|&cell| value(cell, self.signed)).sum()
    }
}

/// A cell as a number.
pub(super) fn value(cell: u64, signed: bool) -> i128 {
    if signed { i128::from(cell as i64) } else { i128::from(cell) }
}

/// The cell nearest to a number, and whether it holds exactly that number.
fn nearest_cell(exact: i128, signed: bool) -> (u64, bool) {
    let (low, high) =
        if signed { (i128::from(i64::MIN), i128::from(i64::MAX)) } else { (0, i128::from(u64::MAX)) };
    let nearest = exact.clamp(low, high);
    (nearest as u64, nearest == exact)
}

/// Adds to a cell; false if the sum had to be saturated.
#[inline]
fn add(cell: &mut u64, more: u64, signed: bool) -> bool {
    if signed {
        let exact = i128::from(*cell as i64) + i128::from(more as i64);
        let (nearest, fits) = nearest_cell(exact, true);
        *cell = nearest;
        return fits;
    }
    let (sum, over) = cell.overflowing_add(more);
    *cell = if over { u64::MAX } else { sum };
    !over
}

#[cfg(test)]
mod tests {
    use super::Costs;

    #[test]
    fn rows_are_filled_with_zeros_and_added_up() {
        let mut costs = Costs::new(3, false);
        costs.push(&[1, 2]);
        costs.push(&[4, 5, 6]);
        costs.add(0, &[10, 20, 30]);
        assert_eq!(costs.row(0), [11, 22, 30]);
        assert_eq!((costs.total(0), costs.total(2), costs.rows()), (15, 36, 2));
        assert_eq!(costs.totals(), [15, 27, 36]);
        costs.subtract(1, &[4, 1, 0]);
        assert_eq!(costs.row(1), [0, 4, 6]);
        assert!(!costs.saturated());
    }

    #[test]
    fn counters_near_the_end_stay_exact_until_they_cannot() {
        let mut costs = Costs::zeros(1, false, 2);
        costs.add(0, &[u64::MAX]);
        costs.add(1, &[7]);
        assert!(!costs.saturated());
        assert_eq!(costs.total(0), i128::from(u64::MAX) + 7);
        costs.add(0, &[1]);
        assert_eq!((costs.row(0)[0], costs.saturated()), (u64::MAX, true));
    }

    #[test]
    fn negative_costs_are_numbers_too() {
        let mut costs = Costs::new(1, true);
        costs.push(&[-5_i64 as u64]);
        costs.add(0, &[2]);
        assert_eq!((costs.value(0, 0), costs.total(0)), (-3, -3));
        costs.subtract(0, &[i64::MIN as u64]);
        assert!(!costs.saturated());
        costs.add(0, &[i64::MAX as u64]);
        assert_eq!((costs.value(0, 0), costs.saturated()), (i128::from(i64::MAX), true));
    }

    #[test]
    fn no_event_types_no_rows() {
        let mut costs = Costs::new(0, false);
        costs.push(&[]);
        assert_eq!((costs.rows(), costs.total(0)), (0, 0));
    }
}
