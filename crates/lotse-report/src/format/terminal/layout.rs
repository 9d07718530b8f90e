//! How wide the columns of a table are on a screen.
//!
//! Promise: no part of a table is wider than the screen (of at least [`LEAST_SCREEN`] columns). When a table is too wide,
//! in this order: headings take several lines; columns that may go are left out; words wrap and names are shortened,
//! the widest first; and what is still too wide is continued below, each part with the column that names the rows.

use unicode_width::UnicodeWidthStr;

use crate::document::{Align, Column, NarrowScreen};

/// Between columns.
pub(super) const GAP: &str = "  ";
/// No screen is taken for narrower.
pub(super) const LEAST_SCREEN: usize = 40;
/// Words are not squeezed into less.
const LEAST_WORDS: usize = 8;
/// Nor names.
const LEAST_NAME: usize = 16;
/// Words and names this long still say what they should: columns that may go do so before these get less.
const FAIR: usize = 28;

/// What is shown of a table, from top to bottom.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TableLayout {
    /// Parts below each other; usually one.
    pub(super) parts: Vec<Vec<PlacedColumn>>,
    pub(super) left_out: Vec<usize>,
}

/// A column and its width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PlacedColumn {
    pub(super) column: usize,
    pub(super) width: usize,
}

/// A column as wide as it would like to be, and as it can be.
#[derive(Debug, Clone, Copy)]
pub(super) struct ColumnWidths {
    pub(super) cells: usize,
    /// The heading.
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

    fn natural(self) -> usize {
        self.cells.max(self.title)
    }

    /// With its heading on several lines.
    fn folded(self) -> usize {
        self.cells.max(self.word)
    }

    fn least(self, column: &Column) -> usize {
        match (column.align, column.narrow) {
            (Align::Left, NarrowScreen::Shorten(_)) => self.folded().min(LEAST_NAME),
            (Align::Left, NarrowScreen::Wrap | NarrowScreen::Drop(_)) => self.folded().min(LEAST_WORDS),
            _ => self.folded(),
        }
    }

    /// With names long enough and a heading on two lines.
    fn fair(self, column: &Column) -> usize {
        let width = self.folded().max(self.title.div_ceil(2));
        let gives = column.align == Align::Left && column.narrow != NarrowScreen::Keep;
        if gives { width.min(FAIR) } else { width }
    }
}

pub(super) fn layout(columns: &[Column], measures: &[ColumnWidths], screen: usize) -> TableLayout {
    let screen = screen.max(LEAST_SCREEN);
    let fitting = Fitting { columns, measures, screen };
    let all: Vec<usize> =
        (0..columns.len()).filter(|&column| !is_idle(&columns[column], measures[column])).collect();
    let natural = fitting.places(&all, ColumnWidths::natural);
    if fitting.total(&natural) <= screen {
        return TableLayout { parts: vec![natural], left_out: Vec::new() };
    }
    let (kept, left_out) = fitting.chosen(all);
    let parts = if fitting.sum(&kept, ColumnWidths::least) <= screen {
        vec![fitting.squeezed(&kept)]
    } else {
        fitting.divided(&kept).iter().map(|part| fitting.squeezed(part)).collect()
    };
    TableLayout { parts, left_out }
}

/// Whether a column that may go shows nothing.
fn is_idle(column: &Column, measure: ColumnWidths) -> bool {
    matches!(column.narrow, NarrowScreen::Drop(_)) && measure.cells == 0
}

struct Fitting<'a> {
    columns: &'a [Column],
    measures: &'a [ColumnWidths],
    screen: usize,
}

impl Fitting<'_> {
    fn places(&self, columns: &[usize], width: impl Fn(ColumnWidths) -> usize) -> Vec<PlacedColumn> {
        columns.iter().map(|&column| PlacedColumn { column, width: width(self.measures[column]) }).collect()
    }

    fn total(&self, places: &[PlacedColumn]) -> usize {
        let gaps = GAP.len() * places.len().saturating_sub(1);
        places.iter().map(|place| place.width).sum::<usize>() + gaps
    }

    fn sum(&self, columns: &[usize], width: fn(ColumnWidths, &Column) -> usize) -> usize {
        let width = |column: &usize| width(self.measures[*column], &self.columns[*column]);
        columns.iter().map(width).sum::<usize>() + GAP.len() * columns.len().saturating_sub(1)
    }

    /// The columns that stay, and those that go.
    fn chosen(&self, mut kept: Vec<usize>) -> (Vec<usize>, Vec<usize>) {
        let mut left_out = Vec::new();
        while self.sum(&kept, ColumnWidths::fair) > self.screen {
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

    /// Takes columns from the widest of words and names until all fit. What cannot give at all is cut in the end.
    fn squeezed(&self, columns: &[usize]) -> Vec<PlacedColumn> {
        let mut places = self.places(columns, ColumnWidths::natural);
        self.fold_headings(&mut places);
        for least in [LEAST_NAME, 1] {
            while self.total(&places) > self.screen {
                let gives = |place: &&mut PlacedColumn| match least {
                    1 => place.width > 1,
                    _ => place.width > self.measures[place.column].least(&self.columns[place.column]),
                };
                let Some(widest) = places.iter_mut().filter(gives).max_by_key(|place| place.width) else {
                    break;
                };
                widest.width -= 1;
            }
        }
        places
    }

    /// Headings that are wider than their cells take several lines, the widest first, as far as needed.
    fn fold_headings(&self, places: &mut [PlacedColumn]) {
        while self.total(places) > self.screen {
            let gives = |place: &&mut PlacedColumn| place.width > self.measures[place.column].folded();
            let Some(widest) = places.iter_mut().filter(gives).max_by_key(|place| place.width) else { break };
            widest.width -= 1;
        }
    }

    /// Parts that fit, each with the column that names the rows.
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
    use super::{TableLayout, ColumnWidths, PlacedColumn, layout};
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
