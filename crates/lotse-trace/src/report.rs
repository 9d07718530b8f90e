//! Answers as documents: tables of text, whose cells also have the numbers for CSV.

use lotse_report::number::{format_percent, format_seconds};
use lotse_report::{Block, Cell, Column, Document, Table};

use crate::focus::FocusAnswer;
use crate::store::OUTSIDE;

mod accelerators;
mod analyze;
mod blame;
mod critical_path;
mod diff;
mod efficiency;
mod filtered;
mod info;
pub(crate) mod left_out;
mod levels;
mod overheads;
mod phases;
mod polling;
mod repairs;
mod short_names;
mod sleeping;
mod timeline;
mod what_if;
mod words;

pub use analyze::{analyze, severities};
pub use critical_path::critical_path;
pub use diff::diff;
pub use efficiency::{efficiency, efficiency_rows};
pub use filtered::filtered;
pub use info::info;
pub use left_out::caution;
pub use levels::levels;
pub use overheads::overheads;
pub use phases::phases;
pub use repairs::{harmless_repairs, repair_message, repairs};
pub(crate) use short_names::short_path;
pub use short_names::with_short_names;
pub use timeline::timeline;
pub use what_if::what_if;

/// A duration.
fn seconds(seconds: f64) -> Cell {
    Cell::number(format_seconds(seconds), seconds)
}

/// A number of things, with its digits in groups.
fn count(count: u64) -> Cell {
    Cell::number(grouped(count), count as f64)
}

/// The name of a call path, or of the time outside of all regions.
fn path_name(path: &str) -> Cell {
    Cell::text(if path.is_empty() { OUTSIDE } else { path })
}

/// Adds a paragraph with the part of the run that an answer is about, if it is not the whole run.
fn part_of_run(document: &mut Document, focus: Option<&FocusAnswer>) {
    if let Some(focus) = focus {
        let length = format_seconds(focus.seconds);
        document.paragraph(format!("This is about a part of the run only: {length}, {}.", focus.what));
    }
}

/// Indents the parts of something, once for each level.
const DEEPER: &str = "· ";

/// Stands for a number that is not known.
const UNKNOWN: &str = "–";

/// A share of a total.
fn share(part: f64, total: f64) -> Cell {
    if total > 0.0 {
        Cell::number(format_percent(part / total, 1), part / total)
    } else {
        Cell::text(UNKNOWN)
    }
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

/// A number with its noun in the singular or plural.
fn plural(number: usize, word: &str) -> String {
    let ending = match (number, word.ends_with('s')) {
        (1, _) => "",
        (_, true) => "es",
        _ => "s",
    };
    format!("{} {word}{ending}", grouped(number as u64))
}

/// Appends a table with a caption to a document.
fn table(document: &mut Document, caption: &str, columns: Vec<Column>, rows: Vec<Vec<Cell>>) {
    let mut table = Table::new(caption, columns);
    table.rows = rows;
    document.push(Block::Table(table));
}

/// Names of tables, and the prefixes of their captions.
const NAMES: &[(&str, &str)] = &[
    ("locations", "Locations"),
    ("records", "Records"),
    ("losses", "Time lost by waiting"),
    ("notable", "Time that may be well spent"),
    ("blame", "Who makes others wait"),
    ("accelerators", "Accelerator streams"),
    ("path", "Critical path, "),
    ("time", "Time of all locations"),
    ("path", "On the path"),
    ("processes", "By process"),
    ("pairs", "From location to location"),
    ("imbalance", "Imbalance on the path"),
    ("rival", "The nearest rival"),
    ("callpaths", "Own time of call paths"),
    ("waits", "Waiting, mean"),
    ("processes", "Processes, all of their"),
    ("efficiencies", "Efficiencies"),
    ("changed", "Changed"),
    ("bounds", "What bounds the run then"),
];

/// One table of a document, for formats with a single table: that of a name, or the first. Unknown numbers become empty
/// cells.
pub fn one_table(document: Document, name: Option<&str>) -> Document {
    let wanted = |caption: &str| {
        name.is_none_or(|name| {
            NAMES.iter().any(|(known, begin)| *known == name && caption.starts_with(begin))
        })
    };
    let mut tables = document.blocks.into_iter().filter_map(|block| match block {
        Block::Table(table) if wanted(&table.caption) => Some(table),
        _ => None,
    });
    Document { blocks: tables.next().map(|table| Block::Table(for_programs(table))).into_iter().collect() }
}

/// Columns with classes of time and metrics, which are written by their ids for other programs.
const ID_COLUMNS: [&str; 3] = ["what", "wait", "mostly"];

/// A table for other programs: unknown numbers are empty cells, and names have no indentation.
fn for_programs(mut table: Table) -> Table {
    let has_ids: Vec<bool> =
        table.columns.iter().map(|column| ID_COLUMNS.contains(&column.title.as_str())).collect();
    for cell in table.rows.iter_mut().flatten() {
        let text = if cell.text == UNKNOWN { "" } else { cell.text.trim_start_matches(DEEPER) };
        cell.text = text.to_owned();
    }
    for row in &mut table.rows {
        let kinds = row.iter_mut().zip(&has_ids).filter(|(_, is_kind)| **is_kind);
        kinds.for_each(|(cell, _)| cell.text = words::id_of(&cell.text).to_owned());
    }
    table
}

/// Removes tables without rows; a document that becomes empty gets a sentence that says so.
pub fn without_empty_tables(mut document: Document) -> Document {
    document.blocks.retain(|block| !matches!(block, Block::Table(table) if table.rows.is_empty()));
    if document.blocks.is_empty() {
        document.paragraph("Nothing of this kind was found.");
    }
    document
}

/// The first `limit` rows, or all for 0.
fn first_rows<T>(rows: &[T], limit: usize) -> &[T] {
    if limit == 0 { rows } else { &rows[..rows.len().min(limit)] }
}

#[cfg(test)]
mod tests;
