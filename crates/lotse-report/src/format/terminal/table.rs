//! A table for the terminal: columns two spaces apart, a rule below the headings, no boxes.
//!
//! When it is too wide, columns of words give way, the widest first; their cells then take several lines.
//! Numbers are never broken.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use super::wrap::broken;
use super::{ansi_of, painted};
use crate::document::{Align, Column, Role, Table};
use crate::format::{Options, Style, one_line};
use crate::number::align_decimals;
use anstyle::Style as Ansi;

const GAP: &str = "  ";
/// Words are not squeezed into less.
const NARROWEST: usize = 8;

pub(super) fn render(table: &Table, options: Options, out: &mut dyn Write) -> io::Result<()> {
    if !table.caption.is_empty() {
        let caption = one_line(&table.caption);
        writeln!(out, "{}", painted(&caption, Ansi::new().italic(), options.style))?;
    }
    let cells: Vec<Vec<String>> = (0..table.columns.len()).map(|column| texts(table, column)).collect();
    let titles: Vec<String> = table.columns.iter().map(|column| one_line(&column.title)).collect();
    let widths = fitted(natural(&titles, &cells), &table.columns, options.width);
    let layout = Layout { columns: &table.columns, widths, style: options.style };
    layout.row(&titles, |_| Some(Role::Strong), out)?;
    let rule: Vec<String> = layout.widths.iter().map(|&width| "─".repeat(width)).collect();
    layout.row(&rule, |_| Some(Role::Dim), out)?;
    (0..table.rows.len()).try_for_each(|row| {
        let texts: Vec<String> = cells.iter().map(|column| column[row].clone()).collect();
        layout.row(&texts, |column| table.cell(row, column).role, out)
    })
}

/// The texts of a column, decimals already below each other.
fn texts(table: &Table, column: usize) -> Vec<String> {
    let lines: Vec<String> = table.column(column).map(|cell| one_line(&cell.text)).collect();
    match table.columns[column].align {
        Align::Decimal => align_decimals(&lines.iter().map(String::as_str).collect::<Vec<_>>(), ' '),
        _ => lines,
    }
}

fn natural(titles: &[String], cells: &[Vec<String>]) -> Vec<usize> {
    let widest = |cells: &[String]| cells.iter().map(|cell| cell.width()).max().unwrap_or(0);
    titles.iter().zip(cells).map(|(title, cells)| title.width().max(widest(cells))).collect()
}

/// Takes columns from the widest columns of words until the table fits or nothing more can give.
fn fitted(mut widths: Vec<usize>, columns: &[Column], width: usize) -> Vec<usize> {
    let gaps = GAP.len() * columns.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + gaps > width {
        let gives = |i: &usize| columns[*i].align == Align::Left && widths[*i] > NARROWEST;
        let Some(widest) = (0..widths.len()).filter(gives).max_by_key(|&i| widths[i]) else { break };
        widths[widest] -= 1;
    }
    widths
}

struct Layout<'a> {
    columns: &'a [Column],
    widths: Vec<usize>,
    style: Style,
}

impl Layout<'_> {
    /// Writes one row, on as many lines as its highest cell needs.
    fn row(
        &self,
        texts: &[String],
        role: impl Fn(usize) -> Option<Role>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let cells: Vec<Vec<String>> = texts.iter().enumerate().map(|(i, text)| self.lines(i, text)).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..height {
            let parts = cells
                .iter()
                .enumerate()
                .map(|(i, cell)| self.padded(i, cell.get(line).map_or("", String::as_str), role(i)));
            writeln!(out, "{}", parts.collect::<Vec<_>>().join(GAP).trim_end())?;
        }
        Ok(())
    }

    fn lines(&self, column: usize, text: &str) -> Vec<String> {
        match self.columns[column].align {
            Align::Left => broken(text, self.widths[column].max(1)),
            _ => vec![text.to_owned()],
        }
    }

    fn padded(&self, column: usize, text: &str, role: Option<Role>) -> String {
        let free = self.widths[column].saturating_sub(text.width());
        let left = match self.columns[column].align {
            Align::Left => 0,
            Align::Centre => free / 2,
            Align::Right | Align::Decimal => free,
        };
        let shown = if text.is_empty() { String::new() } else { self.painted(text, role) };
        [" ".repeat(left), shown, " ".repeat(free - left)].concat()
    }

    fn painted(&self, text: &str, role: Option<Role>) -> String {
        painted(text, role.map_or(Ansi::new(), ansi_of), self.style)
    }
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
        expect![[r#"
            Times
            program           mean  runs
            ────────  ────────────  ────
            sort       1.5      ms    10
            --new 宽
            sort      12.34(56) ms
            --old
        "#]]
        .assert_eq(&shown(&sample(), 20));
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
