//! Small tables for the terminal, drawn by Lotse's own renderer, and figures as they are written in them.

use std::io;

use lotse_report::{Align, Block, Cell, Column, Document, Options, Table, format};

use crate::error::Error;

/// Wide enough that no column is cut.
const WIDTH: usize = 160;

/// Prints a table: words to the left in the first column, figures to the right in the others.
#[expect(clippy::print_stdout, reason = "tables are what benchmarks print")]
pub fn print(caption: &str, titles: &[&str], rows: &[Vec<String>]) -> Result<(), Error> {
    println!("{}", text(caption, titles, rows).map_err(Error::file("write", "the table"))?);
    Ok(())
}

fn text(caption: &str, titles: &[&str], rows: &[Vec<String>]) -> io::Result<String> {
    let column = |(at, title): (usize, &&str)| Column {
        title: (*title).to_owned(),
        align: if at == 0 { Align::Left } else { Align::Right },
        ..Column::default()
    };
    let table = Table {
        caption: caption.to_owned(),
        columns: titles.iter().enumerate().map(column).collect(),
        rows: rows.iter().map(|row| row.iter().map(Cell::text).collect()).collect(),
    };
    let document = Document { blocks: vec![Block::Table(table)] };
    let options = Options { width: WIDTH, ..Options::default() };
    let terminal = format::named("terminal").ok_or(io::ErrorKind::Unsupported)?;
    terminal.to_string(&document, options)
}

/// A share in per cent with two decimals.
pub fn percent(share: f64) -> String {
    format!("{:.2} %", share * 100.0)
}

/// A share in per cent, or a dash where there is none.
pub fn percent_or_dash(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), percent)
}

/// A number with some decimals, or a dash where there is none.
pub fn decimals_or_dash(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::{decimals_or_dash, percent, text};

    #[test]
    fn all_cells_are_shown_in_aligned_columns() {
        let rows = [vec!["lotse".into(), "3".into()], vec!["hyperfine".into(), "19".into()]];
        let shown = text("alarms", &["tool", "of 25"], &rows).unwrap();
        let lines: Vec<_> = shown.lines().map(str::trim_end).collect();
        let row = |start: &str| lines.iter().find(|line| line.trim_start().starts_with(start)).unwrap();
        assert!(row("lotse").ends_with(" 3") && row("hyperfine").ends_with("19"), "{shown}");
        assert_eq!(row("lotse").chars().count(), row("hyperfine").chars().count(), "{shown}");
        assert!(shown.contains("alarms"), "{shown}");
    }

    #[test]
    fn figures_are_short() {
        assert_eq!(percent(0.00153), "0.15 %");
        assert_eq!(decimals_or_dash(Some(1.25), 1), "1.2");
        assert_eq!(decimals_or_dash(None, 1), "–");
    }
}
