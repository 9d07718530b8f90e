//! A grid of cells that merges neighbours when it is full.

use serde::{Deserialize, Serialize};

use super::PointSeries;
use crate::container::AccessKind;

const COLUMNS: usize = 1024;
const ROWS: usize = 256;
/// Initial number of rows.
const FEWEST_ROWS: usize = 8;

/// The kinds of accesses that fell into each cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid {
    /// Start of the first column.
    pub base: u64,
    /// Width of a column in events or nanoseconds: a power of two.
    pub column: u64,
    /// Height of a row in indices: a power of two.
    pub row: u64,
    /// Start of the first row.
    pub low: u64,
    /// Number of cells in a column; grows from 8 to 256.
    height: usize,
    columns: Vec<Column>,
    /// Number of columns with cells.
    filled: usize,
}

/// The accesses that fell into a column.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Column {
    /// The greatest length of the structure; 0 if there was no access.
    length: u64,
    /// For each row, one bit per kind; empty if there was no access.
    #[serde(with = "super::repeated")]
    cells: Vec<u16>,
}

impl Default for Grid {
    fn default() -> Self {
        Self { base: 0, column: 1, row: 1, low: 0, height: FEWEST_ROWS, columns: Vec::new(), filled: 0 }
    }
}

impl Grid {
    /// Number of columns in use.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// The kind that determines the colour of a cell: of several, the one that changes the structure most.
    #[must_use]
    pub fn kind(&self, column: usize, row: usize) -> Option<AccessKind> {
        const BY_PRIORITY: [AccessKind; 10] = [
            AccessKind::Sort,
            AccessKind::Clear,
            AccessKind::Reverse,
            AccessKind::Delete,
            AccessKind::Insert,
            AccessKind::Write,
            AccessKind::Search,
            AccessKind::Copy,
            AccessKind::ForEach,
            AccessKind::Read,
        ];
        let cell = self.columns.get(column)?.cells.get(row)?;
        BY_PRIORITY.into_iter().find(|kind| cell & bit(*kind) != 0)
    }

    /// Start of a column.
    #[must_use]
    pub fn left(&self, column: usize) -> u64 {
        self.base.saturating_add(self.column.saturating_mul(column as u64))
    }

    /// Start of a row.
    #[must_use]
    pub fn bottom(&self, row: usize) -> u64 {
        self.low.saturating_add(self.row.saturating_mul(row as u64))
    }

    /// The greatest length in a column.
    #[must_use]
    pub fn length(&self, column: usize) -> u64 {
        self.columns.get(column).map_or(0, |column| column.length)
    }

    /// Maximum number of rows.
    #[must_use]
    pub fn rows() -> usize {
        ROWS
    }

    /// Memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.columns.capacity() * size_of::<Column>() + self.filled * self.height * size_of::<u16>()
    }

    /// Marks the cells of a series of points, those within `indices` only. It jumps from cell to cell, not from point to point.
    pub(super) fn draw(&mut self, series: &PointSeries, indices: Option<(u64, u64)>) {
        self.base = series.base;
        self.low = indices.map_or(0, |(low, _)| low);
        while self.column_at(series.first.x.max(series.last.x)) >= COLUMNS {
            self.join_columns();
        }
        let high = series.first.y.max(series.last.y).min(indices.map_or(u64::MAX, |(_, high)| high));
        while self.row_at(high) >= ROWS {
            self.join_rows();
        }
        while self.row_at(high) >= self.height {
            self.double_height();
        }
        let shown = |y: u64| indices.is_none_or(|(low, high)| (low..=high).contains(&y)).then_some(y);
        let (first, last, kind) = (&series.first, &series.last, series.first.kind);
        let is_one_cell =
            self.column_at(first.x) == self.column_at(last.x) && self.row_at(first.y) == self.row_at(last.y);
        if series.count == 1 || indices.is_none() && is_one_cell {
            return self.mark(first.x, shown(first.y), first.length.max(last.length), kind);
        }
        let mut step = 0;
        while step < series.count {
            let at = series.at(step);
            self.mark(at.0, shown(at.1), at.2, kind);
            step = self.next_cell(series, step);
            // The length changes linearly, so it is greatest at the first or the last point within a cell.
            let (x, _, length) = series.at(step - 1);
            self.mark(x, None, length, kind);
        }
    }

    /// The first point after `step` that lies in another cell. Along a series, columns and rows change in one direction.
    fn next_cell(&self, series: &PointSeries, step: u64) -> u64 {
        let cell = |step: u64| {
            let (x, y, _) = series.at(step);
            (self.column_at(x), self.row_at(y))
        };
        let here = cell(step);
        // Galloping search: doubles the stride until the cell changes, then bisects.
        let mut stride = 1;
        while step + stride < series.count && cell(step + stride) == here {
            stride *= 2;
        }
        let reach = stride.min(series.count - step);
        step + super::partition(reach, |further| cell(step + further) == here)
    }

    fn column_at(&self, x: u64) -> usize {
        (x.saturating_sub(self.base) >> self.column.trailing_zeros()) as usize
    }

    fn row_at(&self, y: u64) -> usize {
        (y.saturating_sub(self.low) >> self.row.trailing_zeros()) as usize
    }

    fn mark(&mut self, x: u64, y: Option<u64>, length: u64, kind: AccessKind) {
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

    /// Merges pairs of columns: each then covers twice as much.
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

    /// Merges pairs of rows: each then covers twice as much.
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

fn bit(kind: AccessKind) -> u16 {
    1 << kind as u16
}
