//! Answers as documents: tables for people, whose cells keep the numbers behind the words for CSV.

use lotse_report::number::{format_percent, format_seconds};
use lotse_report::{Block, Cell, Column, Document, Table};

mod analyze;
mod critical_path;
mod efficiency;
mod info;
mod levels;
mod overheads;
mod phases;
mod repairs;
mod what_if;

pub use analyze::{analyze, severities};
pub use critical_path::critical_path;
pub use efficiency::efficiency;
pub use info::info;
pub use levels::levels;
pub use overheads::overheads;
pub use phases::phases;
pub use repairs::repairs;
pub use what_if::what_if;

/// A span of time.
fn seconds(seconds: f64) -> Cell {
    Cell::number(format_seconds(seconds), seconds)
}

/// A number of things, with its digits in groups.
fn count(count: u64) -> Cell {
    Cell::number(grouped(count), count as f64)
}

/// A call path; time in none has no name of its own.
fn path_name(path: &str) -> Cell {
    Cell::text(if path.is_empty() { "(outside all regions)" } else { path })
}

/// A part of a whole.
fn share(part: f64, whole: f64) -> Cell {
    if whole > 0.0 { Cell::number(format_percent(part / whole, 1), part / whole) } else { Cell::text("–") }
}

/// Digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3 + 1);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// So many things of a kind.
fn plural(number: usize, word: &str) -> String {
    let ending = match (number, word.ends_with('s')) {
        (1, _) => "",
        (_, true) => "es",
        _ => "s",
    };
    format!("{} {word}{ending}", grouped(number as u64))
}

/// A table at the end of a document, under a caption.
fn table(document: &mut Document, caption: &str, columns: Vec<Column>, rows: Vec<Vec<Cell>>) {
    let mut table = Table::new(caption, columns);
    table.rows = rows;
    document.push(Block::Table(table));
}

/// Rows to show: the first, or all for 0.
fn shown<T>(rows: &[T], limit: usize) -> &[T] {
    if limit == 0 { rows } else { &rows[..rows.len().min(limit)] }
}

#[cfg(test)]
mod tests;
