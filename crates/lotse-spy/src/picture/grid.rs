//! A grid of cells that joins neighbours when it is full.

use serde::Serialize;

use super::Line;
use crate::container::Kind;

const COLUMNS: usize = 1024;
const ROWS: usize = 256;

/// Which kinds of accesses fell into which cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Grid {
    /// Where the first column begins.
    pub base: u64,
    /// Numbers of accesses or nanoseconds of a column.
    pub column: u64,
    /// Positions of a row.
    pub row: u64,
    /// Where the first row begins.
    pub low: u64,
    /// A bit for each kind; columns one after the other.
    #[serde(skip)]
    cells: Vec<u16>,
    /// The greatest length in each column; nothing where there was no access.
    lengths: Vec<u64>,
}

impl Default for Grid {
    fn default() -> Self {
        Self { base: 0, column: 1, row: 1, low: 0, cells: Vec::new(), lengths: Vec::new() }
    }
}

impl Grid {
    /// Columns in use.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.lengths.len()
    }

    /// The kind that a cell is coloured by: the one that changes most, if several fell into it.
    #[must_use]
    pub fn kind(&self, column: usize, row: usize) -> Option<Kind> {
        const FIRST_TO_LAST: [Kind; 10] = [
            Kind::Sort,
            Kind::Clear,
            Kind::Reverse,
            Kind::Delete,
            Kind::Insert,
            Kind::Write,
            Kind::Search,
            Kind::Copy,
            Kind::ForEach,
            Kind::Read,
        ];
        let cell = self.cells.get(column * ROWS + row).copied()?;
        FIRST_TO_LAST.into_iter().find(|kind| cell & bit(*kind) != 0)
    }

    /// Where a column begins.
    #[must_use]
    pub fn left(&self, column: usize) -> u64 {
        self.base.saturating_add(self.column.saturating_mul(column as u64))
    }

    /// Where a row begins.
    #[must_use]
    pub fn bottom(&self, row: usize) -> u64 {
        self.low.saturating_add(self.row.saturating_mul(row as u64))
    }

    /// The greatest length in a column.
    #[must_use]
    pub fn length(&self, column: usize) -> u64 {
        self.lengths.get(column).copied().unwrap_or(0)
    }

    /// Rows of each column.
    #[must_use]
    pub fn rows() -> usize {
        ROWS
    }

    /// Draws points, those within `indices` only.
    pub(super) fn draw(&mut self, line: &Line, indices: Option<(u64, u64)>) {
        self.base = line.base;
        self.low = indices.map_or(0, |(low, _)| low);
        while line.first.x.max(line.last.x).saturating_sub(self.base) / self.column >= COLUMNS as u64 {
            self.join_columns();
        }
        let high = line.first.y.max(line.last.y).min(indices.map_or(u64::MAX, |(_, high)| high));
        while high.saturating_sub(self.low) / self.row >= ROWS as u64 {
            self.join_rows();
        }
        let mut step = 0;
        while step < line.count {
            let at = line.at(step);
            let y = indices.is_none_or(|(low, high)| (low..=high).contains(&at.1)).then_some(at.1);
            self.mark(at.0, y, at.2, line.first.kind);
            step = self.next_cell(line, step);
            // The length changes evenly, so it is greatest at the first or the last point of a cell.
            let (x, _, length) = line.at(step - 1);
            self.mark(x, None, length, line.first.kind);
        }
    }

    /// The first point after `step` that lies in another cell. Along a line, columns and rows change in one direction.
    fn next_cell(&self, line: &Line, step: u64) -> u64 {
        let cell = |step: u64| {
            let (x, y, _) = line.at(step);
            (self.column_at(x), y.saturating_sub(self.low) / self.row)
        };
        let here = cell(step);
        // Doubling strides, then halving them, costs little for near cells as for far ones.
        let mut stride = 1;
        while step + stride < line.count && cell(step + stride) == here {
            stride *= 2;
        }
        let reach = stride.min(line.count - step);
        step + super::partition(reach, |further| cell(step + further) == here)
    }

    fn column_at(&self, x: u64) -> usize {
        (x.saturating_sub(self.base) / self.column) as usize
    }

    fn mark(&mut self, x: u64, y: Option<u64>, length: u64, kind: Kind) {
        let column = self.column_at(x);
        if column >= self.lengths.len() {
            self.lengths.resize(column + 1, 0);
            self.cells.resize((column + 1) * ROWS, 0);
        }
        self.lengths[column] = self.lengths[column].max(length);
        if let Some(y) = y {
            let row = ((y - self.low) / self.row) as usize;
            self.cells[column * ROWS + row] |= bit(kind);
        }
    }

    fn join_columns(&mut self) {
        self.column *= 2;
        let columns = self.lengths.len().div_ceil(2);
        for column in 0..columns {
            let second = (2 * column + 1).min(self.lengths.len() - 1);
            self.lengths[column] = self.lengths[2 * column].max(self.lengths[second]);
            for row in 0..ROWS {
                self.cells[column * ROWS + row] =
                    self.cells[2 * column * ROWS + row] | self.cells[second * ROWS + row];
            }
        }
        self.lengths.truncate(columns);
        self.cells.truncate(columns * ROWS);
    }

    fn join_rows(&mut self) {
        self.row *= 2;
        for column in self.cells.chunks_exact_mut(ROWS) {
            for row in 0..ROWS {
                column[row] = if row < ROWS / 2 { column[2 * row] | column[2 * row + 1] } else { 0 };
            }
        }
    }
}

fn bit(kind: Kind) -> u16 {
    1 << kind as u16
}
