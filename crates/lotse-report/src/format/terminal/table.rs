//! Tables for the terminal: columns two spaces apart, a rule below the headings, no boxes, never wider than the screen.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use super::layout::{ColumnWidths, GAP, LEAST_SCREEN, PlacedColumn, layout};
use super::wrap::broken;
use super::{ansi_of, painted};
use crate::document::{Align, NarrowScreen, Role, Table};
use crate::format::{Options, Style, one_line};
use crate::number::align_decimals;
use crate::shorten::{NameKind, NameToFit, distinct};
use anstyle::Style as Ansi;

/// A no-break space, which callers use to indent names.
const INDENT: char = '\u{a0}';

/// Writes the caption, the parts of the table, and the names of the columns that were left out.
pub(super) fn render(table: &Table, options: Options, out: &mut dyn Write) -> io::Result<()> {
    if !table.caption.is_empty() {
        let caption = one_line(&table.caption);
        for line in broken(&caption, options.width.max(LEAST_SCREEN)) {
            writeln!(out, "{}", painted(&line, Ansi::new().italic(), options.style))?;
        }
    }
    let cells: Vec<Vec<String>> = (0..table.columns.len()).map(|column| texts(table, column)).collect();
    let titles: Vec<String> = table.columns.iter().map(|column| one_line(&column.title)).collect();
    let measures: Vec<ColumnWidths> =
        titles.iter().zip(&cells).map(|(title, cells)| ColumnWidths::new(title, cells)).collect();
    let layout = layout(&table.columns, &measures, options.width);
    for (number, columns) in layout.parts.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        TablePart { table, titles: &titles, cells: &cells, columns, style: options.style }.write(out)?;
    }
    left_out(&layout.left_out, &titles, options, out)
}

/// The texts of a column, with decimals already aligned.
fn texts(table: &Table, column: usize) -> Vec<String> {
    let lines: Vec<String> = table.column(column).map(|cell| one_line(&cell.text)).collect();
    match table.columns[column].align {
        Align::Decimal => align_decimals(&lines.iter().map(String::as_str).collect::<Vec<_>>(), ' '),
        _ => lines,
    }
}

/// Names the columns that were left out.
fn left_out(columns: &[usize], titles: &[String], options: Options, out: &mut dyn Write) -> io::Result<()> {
    if columns.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = columns.iter().map(|&column| titles[column].as_str()).collect();
    let text = format!("(--wide also shows: {})", names.join(", "));
    let lines = broken(&text, options.width.max(LEAST_SCREEN));
    lines.iter().try_for_each(|line| writeln!(out, "{}", painted(line, ansi_of(Role::Dim), options.style)))
}

/// A part of a table: some of its columns, side by side.
struct TablePart<'a> {
    table: &'a Table,
    titles: &'a [String],
    cells: &'a [Vec<String>],
    columns: &'a [PlacedColumn],
    style: Style,
}

impl TablePart<'_> {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let titles = self.columns.iter().map(|it| broken(&self.titles[it.column], it.width.max(1)));
        self.row(&bottom_aligned(titles.collect()), |_| Some(Role::Strong), out)?;
        let rule: Vec<Vec<String>> = self.columns.iter().map(|it| vec!["─".repeat(it.width)]).collect();
        self.row(&rule, |_| Some(Role::Dim), out)?;
        let columns: Vec<Vec<Vec<String>>> = self.columns.iter().map(|&it| self.lines(it)).collect();
        (0..self.table.rows.len()).try_for_each(|row| {
            let cells: Vec<Vec<String>> = columns.iter().map(|column| column[row].clone()).collect();
            self.row(&cells, |column| self.table.cell(row, column).role, out)
        })
    }

    /// The lines of every cell of a column.
    fn lines(&self, placed: PlacedColumn) -> Vec<Vec<String>> {
        let cells = &self.cells[placed.column];
        match self.table.columns[placed.column].narrow {
            NarrowScreen::Shorten(kind) => names(kind, cells, placed.width),
            _ => cells.iter().map(|cell| wrapped_if_needed(cell, placed.width)).collect(),
        }
    }

    /// Writes one row, on as many lines as its highest cell needs.
    fn row(
        &self,
        cells: &[Vec<String>],
        role: impl Fn(usize) -> Option<Role>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..height {
            let texts = cells.iter().zip(self.columns).map(|(cell, placed)| {
                self.padded(*placed, cell.get(line).map_or("", String::as_str), role(placed.column))
            });
            writeln!(out, "{}", texts.collect::<Vec<_>>().join(GAP).trim_end())?;
        }
        Ok(())
    }

    fn padded(&self, placed: PlacedColumn, text: &str, role: Option<Role>) -> String {
        let free = placed.width.saturating_sub(text.width());
        let left = match self.table.columns[placed.column].align {
            Align::Left => 0,
            Align::Centre => free / 2,
            Align::Right | Align::Decimal => free,
        };
        let shown = match role {
            Some(role) if !text.is_empty() => painted(text, ansi_of(role), self.style),
            _ => text.to_owned(),
        };
        [" ".repeat(left), shown, " ".repeat(free - left)].concat()
    }
}

/// A text in lines of at most `width`. One that fits stays as it is, with repeated spaces.
fn wrapped_if_needed(text: &str, width: usize) -> Vec<String> {
    if text.width() <= width { vec![text.to_owned()] } else { broken(text, width.max(1)) }
}

/// Headings of equal height, with empty lines above the shorter ones.
fn bottom_aligned(mut titles: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let height = titles.iter().map(Vec::len).max().unwrap_or(0);
    for title in &mut titles {
        let above = height - title.len();
        title.splice(0..0, std::iter::repeat_n(String::new(), above));
    }
    titles
}

/// The names of a column, shortened to one line each; they keep their indentation as far as there is room.
fn names(kind: NameKind, cells: &[String], width: usize) -> Vec<Vec<String>> {
    let entry = |cell: &String| {
        let name = cell.trim_start_matches(INDENT);
        let indent = (cell.len() - name.len()) / INDENT.len_utf8();
        (indent.min(width.saturating_sub(name.width()).max(width / 2)), name.to_owned())
    };
    let cells: Vec<(usize, String)> = cells.iter().map(entry).collect();
    let entries: Vec<NameToFit<'_>> =
        cells.iter().map(|(indent, name)| NameToFit { name, room: width - indent }).collect();
    let short = distinct(kind, &entries);
    let line = |((indent, _), name): (&(usize, String), String)| {
        let text = INDENT.to_string().repeat(*indent) + &name;
        wrapped_if_needed(&text, width)
    };
    cells.iter().zip(short).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::render;
    use crate::document::{Column, Table};
    use crate::format::Options;
    use expect_test::expect;

    fn shown(table: &Table, width: usize) -> String {
        let mut out = Vec::new();
        render(table, Options { width, ..Options::default() }, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn sample() -> Table {
        let columns = vec![Column::left("program"), Column::decimal("mean", "s"), Column::right("runs")];
        let mut table = Table::new("Times", columns);
        table.rows.push(vec!["sort --new 宽".into(), "1.5 ms".into(), "10".into()]);
        table.rows.push(vec!["sort\n--old".into(), "12.34(56) ms".into()]);
        table
    }

    #[test]
    fn columns_are_aligned() {
        expect![[r#"
            Times
            program                mean  runs
            ─────────────  ────────────  ────
            sort --new 宽   1.5      ms    10
            sort --old     12.34(56) ms
        "#]]
        .assert_eq(&shown(&sample(), 80));
    }

    #[test]
    fn words_give_way_when_it_is_narrow() {
        let mut table = sample();
        table.rows[0][0] = "sort --new --with --many options 宽".into();
        expect![[r#"
            Times
            program                           mean  runs
            ────────────────────────  ────────────  ────
            sort --new --with --many   1.5      ms    10
            options 宽
            sort --old                12.34(56) ms
        "#]]
        .assert_eq(&shown(&table, 44));
    }

    #[test]
    fn a_column_that_is_left_out_is_named() {
        let mut table = sample();
        table.columns[2] = Column::right("runs").droppable(1);
        table.columns[0] = Column::function("program");
        table.rows[0][0] = "a_program_with_a_name_of_many_letters".into();
        expect![[r#"
            Times
            program                                 mean
            ──────────────────────────────  ────────────
            a_program…name_of_many_letters   1.5      ms
            sort --old                      12.34(56) ms
            (--wide also shows: runs)
        "#]]
        .assert_eq(&shown(&table, 44));
    }

    #[test]
    fn an_empty_table_shows_its_headings() {
        expect![[r#"
            a
            ─
        "#]]
        .assert_eq(&shown(&Table::new("", vec![Column::left("a")]), 80));
        assert_eq!(shown(&Table::default(), 80), "");
    }
}
