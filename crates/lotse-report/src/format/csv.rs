//! The tables of a document as CSV (RFC 4180), separated by empty lines.
//!
//! A cell with a value is written as that number, with all digits and in the unit of the heading, so that programs can
//! process it; other cells are written as text.

use std::io::{self, Write};

use super::Options;
use crate::document::{Block, Cell, Column, Document, Table};

pub(super) fn render(document: &Document, _options: Options, out: &mut dyn Write) -> io::Result<()> {
    let tables = document.blocks.iter().filter_map(|block| match block {
        Block::Table(table) => Some(table),
        _ => None,
    });
    for (i, table) in tables.enumerate() {
        if i > 0 {
            write!(out, "\r\n")?;
        }
        render_table(table, out)?;
    }
    Ok(())
}

fn render_table(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let titles: Vec<String> = titles(&table.columns).iter().map(|title| quoted(title)).collect();
    write!(out, "{}\r\n", titles.join(","))?;
    (0..table.rows.len()).try_for_each(|row| {
        let cells = (0..table.columns.len()).map(|column| quoted(&field(table.cell(row, column))));
        write!(out, "{}\r\n", cells.collect::<Vec<_>>().join(","))
    })
}

/// The headings. Programs identify columns by them, so repeated headings get a number.
fn titles(columns: &[Column]) -> Vec<String> {
    let mut titles: Vec<String> = Vec::with_capacity(columns.len());
    for column in columns {
        let plain = title(column);
        let numbered = (2..).map(|number| format!("{plain} ({number})"));
        let free = std::iter::once(plain.clone()).chain(numbered).find(|title| !titles.contains(title));
        titles.push(free.unwrap_or(plain));
    }
    titles
}

fn title(column: &Column) -> String {
    if column.unit.is_empty() { column.title.clone() } else { format!("{} [{}]", column.title, column.unit) }
}

fn field(cell: &Cell) -> String {
    cell.value.map_or_else(|| cell.text.clone(), |value| value.to_string())
}

fn quoted(field: &str) -> String {
    let special = field.contains([',', '"', '\n', '\r']) || field.starts_with(' ') || field.ends_with(' ');
    if special { format!("\"{}\"", field.replace('"', "\"\"")) } else { field.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{quoted, render};
    use crate::document::{Block, Cell, Column, Document, Table};
    use crate::format::Options;

    #[test]
    fn quotes_only_where_needed() {
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
        assert_eq!(quoted("a,b\nc"), "\"a,b\nc\"");
        assert_eq!(quoted("a b"), "a b");
    }

    #[test]
    fn no_heading_stands_twice() {
        let columns = ["a", "%", "%", "% (2)", "%"].map(Column::right);
        assert_eq!(super::titles(&columns), ["a", "%", "% (2)", "% (2) (2)", "% (3)"]);
    }

    #[test]
    fn numbers_keep_all_their_digits() {
        let mut table = Table::new("ignored", vec![Column::decimal("mean", "s"), Column::left("note")]);
        table.rows.push(vec![Cell::number("1.5 ms", 0.001_500_000_1), "x".into()]);
        table.rows.push(vec![]);
        let mut document = Document::new();
        document.paragraph("ignored").push(Block::Table(table.clone())).push(Block::Table(table));
        let mut out = Vec::new();
        render(&document, Options::default(), &mut out).unwrap();
        let one = "mean [s],note\r\n0.0015000001,x\r\n,\r\n";
        assert_eq!(String::from_utf8(out).unwrap(), format!("{one}\r\n{one}"));
    }
}
