//! Answers as tables for programs that read comma-separated values.
//!
//! Promises: one table for each answer; every cell of a column is a plain number in the unit that the heading names,
//! with all its digits, or a text; no heading stands twice; names are whole. Shares are fractions of 1. A cell without a
//! value is empty.

use lotse_report::{Block, Cell, Column, Document, Table};

use crate::answer::{EventAnswer, FunctionName};
use crate::events::Cost;

mod annotate;
mod diff;
mod lists;

pub use annotate::{AnnotateTable, annotate};
pub use diff::diff;
pub use lists::{calls, data, events, groups, parts, top, tree};

/// A table in the making.
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

    /// A heading for each event type and kind of cost, and for its share where one is asked for.
    fn costs(&mut self, events: &[EventAnswer], kinds: &[&str], share: Option<&str>) {
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

/// A part of a whole; empty where the whole is nothing.
fn share(part: Cost, whole: Cost) -> Cell {
    real_number(part.as_f64() / whole.as_f64())
}

fn maybe(value: Option<impl ToString>) -> Cell {
    Cell::text(value.map_or(String::new(), |value| value.to_string()))
}

/// Name, object, file, line and column of a function.
fn named(function: &FunctionName) -> Vec<Cell> {
    vec![
        Cell::text(&function.display),
        maybe(function.object.as_ref()),
        maybe(function.file.as_ref()),
        maybe(function.line),
        maybe(function.column),
    ]
}

fn yes(value: bool) -> Cell {
    Cell::text(if value { "yes" } else { "no" })
}
