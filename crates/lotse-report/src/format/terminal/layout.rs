//! The layout of a table on a screen: which columns are shown, and how wide.
//!
//! Promise: no part of a table is wider than the screen (of at least [`LEAST_SCREEN`] columns). A table that is too wide is
//! adapted in these steps until it fits:
//! 1. headings are folded onto several lines;
//! 2. droppable columns are left out;
//! 3. words are wrapped and names shortened, the widest column first;
//! 4. the table is divided into parts below each other, each with the column that names the rows.
//!
//! ```text
//! too wide for 30 columns           "share" dropped, name shortened
//! function          self  share     function      self
//! a::long::name     1 ms  50 %      …long::name   1 ms
//! ```

use unicode_width::UnicodeWidthStr;

use crate::document::{Align, Column, NarrowScreen};

/// Between columns.
pub(super) const GAP: &str = "  ";
/// Narrower screens are treated as if they had this width.
pub(super) const LEAST_SCREEN: usize = 40;
/// The least width of a column of words.
const LEAST_WORDS: usize = 8;
/// The least width of a column of names.
const LEAST_NAME: usize = 16;
/// Droppable columns are left out before words and names get narrower than this.
const COMFORTABLE: usize = 28;

/// The layout of a table.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TableLayout {
    /// The parts from top to bottom, usually one, each as a list of columns.
    pub(super) parts: Vec<Vec<PlacedColumn>>,
    pub(super) left_out: Vec<usize>,
}

/// A column and its width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PlacedColumn {
    pub(super) column: usize,
    pub(super) width: usize,
}

/// The widths of the content of a column.
#[derive(Debug, Clone, Copy)]
pub(super) struct ColumnWidths {
    /// The widest cell.
    pub(super) cells: usize,
    /// The heading on one line.
    pub(super) title: usize,
    /// The longest word of the heading.
    pub(super) word: usize,
}

impl ColumnWidths {
    pub(super) fn new(title: &str, cells: &[String]) -> Self {
        Self {
            cells: cells.iter().map(|cell| cell.width()).max().unwrap_or(0),
            title: title.width(),
            word: title.split(' ').map(UnicodeWidthStr::width).max().unwrap_or(0),
        }
    }

    /// The width for the whole content.
    fn natural(self) -> usize {
        self.cells.max(self.title)
    }

    /// The width with the heading on several lines.
    fn folded(self) -> usize {
        self.cells.max(self.word)
    }

    /// The least width to which the column can be reduced.
    fn least(self, column: &Column) -> usize {
        match (column.align, column.narrow) {
            (Align::Left, NarrowScreen::Shorten(_)) => self.folded().min(LEAST_NAME),
            (Align::Left, NarrowScreen::Wrap | NarrowScreen::Drop(_)) => self.folded().min(LEAST_WORDS),
            _ => self.folded(),
        }
    }

    /// The width with the heading on two lines and words and names of a comfortable length.
    fn comfortable(self, column: &Column) -> usize {
        let width = self.folded().max(self.title.div_ceil(2));
        let can_shrink = column.align == Align::Left && column.narrow != NarrowScreen::Keep;
        if can_shrink { width.min(COMFORTABLE) } else { width }
    }
}

/// The layout of a table on a screen of this width.
pub(super) fn layout(columns: &[Column], measures: &[ColumnWidths], screen: usize) -> TableLayout {
    let screen = screen.max(LEAST_SCREEN);
    let fitter = TableFitter { columns, measures, screen };
    let all: Vec<usize> = (0..columns.len())
        .filter(|&column| !is_empty_droppable(&columns[column], measures[column]))
        .collect();
    let natural = fitter.placed(&all, ColumnWidths::natural);
    if fitter.total(&natural) <= screen {
        return TableLayout { parts: vec![natural], left_out: Vec::new() };
    }
    let (kept, left_out) = fitter.without_droppable(all);
    let parts = if fitter.sum(&kept, ColumnWidths::least) <= screen {
        vec![fitter.squeezed(&kept)]
    } else {
        fitter.divided(&kept).iter().map(|part| fitter.squeezed(part)).collect()
    };
    TableLayout { parts, left_out }
}

/// Whether a column is droppable and has only empty cells.
fn is_empty_droppable(column: &Column, measure: ColumnWidths) -> bool {
    matches!(column.narrow, NarrowScreen::Drop(_)) && measure.cells == 0
}

/// Fits columns into a screen.
struct TableFitter<'a> {
    columns: &'a [Column],
    measures: &'a [ColumnWidths],
    screen: usize,
}

impl TableFitter<'_> {
    /// The columns, each with a width.
    fn placed(&self, columns: &[usize], width: impl Fn(ColumnWidths) -> usize) -> Vec<PlacedColumn> {
        columns.iter().map(|&column| PlacedColumn { column, width: width(self.measures[column]) }).collect()
    }

    /// The total width of columns with the gaps between them.
    fn total(&self, places: &[PlacedColumn]) -> usize {
        let gaps = GAP.len() * places.len().saturating_sub(1);
        places.iter().map(|place| place.width).sum::<usize>() + gaps
    }

    /// The total width if each column has the width that `width` computes.
    fn sum(&self, columns: &[usize], width: fn(ColumnWidths, &Column) -> usize) -> usize {
        let width = |column: &usize| width(self.measures[*column], &self.columns[*column]);
        columns.iter().map(width).sum::<usize>() + GAP.len() * columns.len().saturating_sub(1)
    }

    /// Leaves out droppable columns, the largest rank first, until the rest fits comfortably; returns the columns that
    /// are kept and those that are left out.
    fn without_droppable(&self, mut kept: Vec<usize>) -> (Vec<usize>, Vec<usize>) {
        let mut left_out = Vec::new();
        while self.sum(&kept, ColumnWidths::comfortable) > self.screen {
            let rank = |column: &usize| match self.columns[*column].narrow {
                NarrowScreen::Drop(rank) => Some((rank, *column)),
                _ => None,
            };
            let Some((_, next)) = kept.iter().filter_map(rank).max() else { break };
            kept.retain(|column| *column != next);
            left_out.push(next);
        }
        left_out.sort_unstable();
        (kept, left_out)
    }

    /// Reduces the widest column by one until all fit: first down to the least widths, then, if that is not enough, further.
    fn squeezed(&self, columns: &[usize]) -> Vec<PlacedColumn> {
        let mut places = self.placed(columns, ColumnWidths::natural);
        self.fold_headings(&mut places);
        for least in [LEAST_NAME, 1] {
            while self.total(&places) > self.screen {
                let can_shrink = |place: &&mut PlacedColumn| match least {
                    1 => place.width > 1,
                    _ => place.width > self.measures[place.column].least(&self.columns[place.column]),
                };
                let Some(widest) = places.iter_mut().filter(can_shrink).max_by_key(|place| place.width)
                else {
                    break;
                };
                widest.width -= 1;
            }
        }
        places
    }

    /// Narrows columns whose heading is wider than their cells, the widest first, as far as needed.
    fn fold_headings(&self, places: &mut [PlacedColumn]) {
        while self.total(places) > self.screen {
            let can_fold = |place: &&mut PlacedColumn| place.width > self.measures[place.column].folded();
            let Some(widest) = places.iter_mut().filter(can_fold).max_by_key(|place| place.width) else {
                break;
            };
            widest.width -= 1;
        }
    }

    /// Divides columns into parts that fit, each with the column that names the rows.
    fn divided(&self, columns: &[usize]) -> Vec<Vec<usize>> {
        let is_name = |column: &&usize| matches!(self.columns[**column].narrow, NarrowScreen::Shorten(_));
        let is_words = |column: &&usize| self.columns[**column].align == Align::Left;
        let key = columns.iter().find(is_name).or_else(|| columns.iter().find(is_words));
        let key = key.or(columns.first()).copied();
        let mut parts: Vec<Vec<usize>> = Vec::new();
        for &column in columns.iter().filter(|column| Some(**column) != key) {
            let fits = |part: &Vec<usize>| {
                let mut wider = part.clone();
                wider.push(column);
                self.sum(&wider, ColumnWidths::least) <= self.screen
            };
            match parts.last_mut().filter(|part| fits(part)) {
                Some(part) => part.push(column),
                None => parts.push(key.into_iter().chain([column]).collect()),
            }
        }
        parts.iter_mut().for_each(|part| part.sort_unstable());
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::{ColumnWidths, PlacedColumn, TableLayout, layout};
    use crate::document::Column;

    fn measure(cells: usize, title: &str) -> ColumnWidths {
        ColumnWidths { cells, ..ColumnWidths::new(title, &[]) }
    }

    fn widths(layout: &TableLayout) -> Vec<Vec<(usize, usize)>> {
        let part = |part: &Vec<PlacedColumn>| part.iter().map(|place| (place.column, place.width)).collect();
        layout.parts.iter().map(part).collect()
    }

    #[test]
    fn headings_give_way_first_then_columns_then_names() {
        let columns =
            [Column::function("function"), Column::right("a long heading"), Column::right("x").droppable(1)];
        let measures = [measure(40, "function"), measure(4, "a long heading"), measure(10, "x")];
        assert_eq!(widths(&layout(&columns, &measures, 80)), [[(0, 40), (1, 14), (2, 10)]]);
        assert_eq!(widths(&layout(&columns, &measures, 62)), [[(0, 40), (1, 8), (2, 10)]]);
        assert_eq!(widths(&layout(&columns, &measures, 50)), [[(0, 29), (1, 7), (2, 10)]]);
        let narrow = layout(&columns, &measures, 48);
        assert_eq!((widths(&narrow), &narrow.left_out[..]), (vec![vec![(0, 39), (1, 7)]], &[2][..]));
    }

    #[test]
    fn what_does_not_fit_is_continued_below_with_the_names() {
        let columns: Vec<Column> =
            (0..5).map(|at| if at == 2 { Column::left("name") } else { Column::right("n") }).collect();
        let measures = vec![measure(15, "n"); 5];
        let divided = layout(&columns, &measures, 50);
        let columns: Vec<Vec<usize>> =
            divided.parts.iter().map(|part| part.iter().map(|place| place.column).collect()).collect();
        assert_eq!(columns, [vec![0, 1, 2], vec![2, 3, 4]]);
    }
}
