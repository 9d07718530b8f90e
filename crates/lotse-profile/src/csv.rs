//! Answers as tables for programs that read comma-separated values.
//!
//! Guarantees: one table for each answer; every cell is a text, or a plain number with all its digits in the unit that
//! the heading states; headings are unique; names are not shortened. Shares are fractions of 1. A missing value is an
//! empty cell.

use lotse_report::{Block, Cell, Column, Document, Table};

use crate::answer::{EventAnswer, FunctionName};
use crate::events::Cost;

mod annotate;
mod diff;
mod lists;

pub use annotate::{AnnotateTable, annotate};
pub use diff::diff;
pub use lists::{calls, data, events, groups, parts, top, tree};

/// Builds a table.
struct Sheet {
    table: Table,
}

impl Sheet {
    fn new(titles: &[&str]) -> Self {
        Self { table: Table::new("", titles.iter().map(|title| Column::left(*title)).collect()) }
    }

    fn title(&mut self, title: impl Into<String>) {
        self.table.columns.push(Column::right(title));
    }

    fn titles(&mut self, titles: &[&str]) {
        titles.iter().for_each(|title| self.title(*title));
    }

    /// Adds a heading for each event type and kind of cost, and one for its share if `share` is given.
    fn cost_titles(&mut self, events: &[EventAnswer], kinds: &[&str], share: Option<&str>) {
        for event in events {
            for kind in kinds {
                self.title(cost_title(event, kind));
                if let Some(share) = share {
                    self.title(format!("{} {kind} {share}", event.name));
                }
            }
        }
    }

    fn row(&mut self, cells: Vec<Cell>) {
        self.table.rows.push(cells);
    }

    fn finish(self) -> Document {
        let mut document = Document::new();
        document.push(Block::Table(self.table));
        document
    }
}

/// `Ir self`, `time self [ns]`.
fn cost_title(event: &EventAnswer, kind: &str) -> String {
    let name = &event.name;
    match event.unit.as_str() {
        "" | "count" => format!("{name} {kind}"),
        unit => format!("{name} {kind} [{unit}]"),
    }
}

fn number(cost: Cost) -> Cell {
    match cost {
        Cost::Exact(exact) => Cell::text(exact.to_string()),
        Cost::Real(real) => real_number(real),
    }
}

fn real_number(real: f64) -> Cell {
    Cell::text(if real.is_finite() { real.to_string() } else { String::new() })
}

/// `part / whole`; empty if the whole is 0.
fn share(part: Cost, whole: Cost) -> Cell {
    real_number(part.as_f64() / whole.as_f64())
}

fn optional(value: Option<impl ToString>) -> Cell {
    Cell::text(value.map_or(String::new(), |value| value.to_string()))
}

/// Name, object, file, line and column of a function.
fn function_cells(function: &FunctionName) -> Vec<Cell> {
    vec![
        Cell::text(&function.display),
        optional(function.object.as_ref()),
        optional(function.file.as_ref()),
        optional(function.line),
        optional(function.column),
    ]
}

fn yes_or_no(value: bool) -> Cell {
    Cell::text(if value { "yes" } else { "no" })
}
