//! A grid of cells that joins neighbours when it is full.

use serde::{Deserialize, Serialize};

use super::Line;
use crate::container::Kind;

const COLUMNS: usize = 1024;
const ROWS: usize = 256;
/// Rows of a grid of few positions.
const FEWEST_ROWS: usize = 8;

/// Which kinds of accesses fell into which cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid {
    /// Where the first column begins.
    pub base: u64,
    /// Numbers of accesses or nanoseconds of a column: a power of two.
    pub column: u64,
    /// Positions of a row: a power of two.
    pub row: u64,
    /// Where the first row begins.
    pub low: u64,
    /// Cells of a column: grows from 8 to 256.
    height: usize,
    columns: Vec<Column>,
    /// Columns that have cells.
    filled: usize,
}

/// What fell into a column.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Column {
    /// The greatest length; 0 where there was no access.
    length: u64,
    /// A bit for each kind; nothing where there was no access.
    #[serde(with = "super::repeated")]
    cells: Vec<u16>,
}

impl Default for Grid {
    fn default() -> Self {
        Self { base: 0, column: 1, row: 1, low: 0, height: FEWEST_ROWS, columns: Vec::new(), filled: 0 }
    }
}

impl Grid {
    /// Columns in use.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns.len()
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
        let cell = self.columns.get(column)?.cells.get(row)?;
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
        self.columns.get(column).map_or(0, |column| column.length)
    }

    /// Rows of each column.
    #[must_use]
    pub fn rows() -> usize {
        ROWS
    }

    /// Bytes of memory it takes.
    pub(super) fn bytes(&self) -> usize {
        self.columns.capacity() * size_of::<Column>() + self.filled * self.height * size_of::<u16>()
    }

    /// Draws points, those within `indices` only.
    pub(super) fn draw(&mut self, line: &Line, indices: Option<(u64, u64)>) {
        self.base = line.base;
        self.low = indices.map_or(0, |(low, _)| low);
        while self.column_at(line.first.x.max(line.last.x)) >= COLUMNS {
            self.join_columns();
        }
        let high = line.first.y.max(line.last.y).min(indices.map_or(u64::MAX, |(_, high)| high));
        while self.row_at(high) >= ROWS {
            self.join_rows();
        }
        while self.row_at(high) >= self.height {
            self.double_height();
        }
        let mut step = 0;
        while step < line.count {
            let at = line.at(step);
            let y = indices.is_none_or(|(low, high)| (low..=high).contains(&at.1)).then_some(at.1);
            self.mark(at.0, y, at.2, line.first.kind);
            if line.count == 1 {
                return;
            }
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
            (self.column_at(x), self.row_at(y))
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
        (x.saturating_sub(self.base) >> self.column.trailing_zeros()) as usize
    }

    fn row_at(&self, y: u64) -> usize {
        (y.saturating_sub(self.low) >> self.row.trailing_zeros()) as usize
    }

    fn mark(&mut self, x: u64, y: Option<u64>, length: u64, kind: Kind) {
        let (column, row) = (self.column_at(x), y.map(|y| self.row_at(y)));
        if column >= self.columns.len() {
            self.columns.resize_with(column + 1, Column::default);
        }
        let (column, height) = (&mut self.columns[column], self.height);
        column.length = column.length.max(length);
        if let Some(row) = row {
            if column.cells.is_empty() {
                column.cells.resize(height, 0);
                self.filled += 1;
            }
            column.cells[row] |= bit(kind);
        }
    }

    fn join_columns(&mut self) {
        self.column *= 2;
        let columns = self.columns.len();
        for first in (0..columns).step_by(2) {
            let mut joined = std::mem::take(&mut self.columns[first]);
            if first + 1 < columns {
                joined.join(std::mem::take(&mut self.columns[first + 1]));
            }
            self.columns[first / 2] = joined;
        }
        self.columns.truncate(columns.div_ceil(2));
        self.filled = self.columns.iter().filter(|column| !column.cells.is_empty()).count();
    }

    fn join_rows(&mut self) {
        self.row *= 2;
        let height = self.height;
        for column in self.columns.iter_mut().filter(|column| !column.cells.is_empty()) {
            let cells = &mut column.cells;
            for row in 0..height {
                cells[row] = if row < height / 2 { cells[2 * row] | cells[2 * row + 1] } else { 0 };
            }
        }
    }

    fn double_height(&mut self) {
        self.height *= 2;
        let height = self.height;
        let filled = self.columns.iter_mut().filter(|column| !column.cells.is_empty());
        filled.for_each(|column| column.cells.resize(height, 0));
    }
}

impl Column {
    fn join(&mut self, other: Self) {
        self.length = self.length.max(other.length);
        if self.cells.is_empty() {
            self.cells = other.cells;
        } else {
            self.cells.iter_mut().zip(other.cells).for_each(|(cell, kinds)| *cell |= kinds);
        }
    }
}

fn bit(kind: Kind) -> u16 {
    1 << kind as u16
}
